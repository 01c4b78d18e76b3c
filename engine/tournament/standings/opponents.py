"""Keys from whom an entrant met: how good they were, and who of them was beaten. Who was met twice counts twice.

Opponents count with their points at last (TP) before penalties, also if they left or were disqualified. A round without
a table has no opponent, whatever was awarded, except where BH, SB and OMW give it one by the rules. With
``substitutes_count`` off, those who are not ranked are no opponents.
"""

from fractions import Fraction

from engine.tournament.exact import exact_of
from engine.tournament.played import AwardKind, Entry
from engine.tournament.schemes import win_points
from engine.tournament.standings.book import Awarded, Book
from engine.tournament.standings.terms import Sum, Term, mean, without, worth_of

TIED_PARTS = 2
"""Who beat and who tied is counted in halves."""


def strength(book: Book, entry: Entry) -> Sum:
    """SOS: the mean points of all opponents; 0 without any. Awards have no opponents."""
    return mean(_met(book, entry), book.unit)


def strength_without_lowest(book: Book, entry: Entry) -> Sum:
    """SOS-C1: the sum of the opponents' points without the lowest one. Awards have no opponents."""
    return _without_lowest(Sum(_met(book, entry), book.unit))


def strength_median(book: Book, entry: Entry) -> Sum:
    """SOS-M1: the sum of the opponents' points without the lowest and the highest one. Awards have no opponents."""
    ordered = sorted(_met(book, entry), key=lambda term: term.amount)
    left_out = [(ordered[0], "lowest opponent")] if ordered else []
    if len(ordered) > 1:
        left_out.append((ordered[-1], "highest opponent"))
    return without(Sum(ordered, book.unit), *left_out)


def strength_of_strength(book: Book, entry: Entry) -> Sum:
    """XSOS: the mean of the opponents' SOS; 0 without any. Awards have no opponents."""

    def compute() -> dict[Entry, Fraction]:
        return {
            other: Fraction(sum([term.amount for term in total.terms]), total.divisor)
            for other, total in ((other, strength(book, other)) for other in book.entrants)
        }

    known = book.remembered("SOS", compute)
    return mean([worth_of(term, known[term.opponent], "met") for term in _met(book, entry)])


def beaten_strength(book: Book, entry: Entry) -> Sum:
    """PSB: the points of all opponents who were beaten, and half of those who were tied with (Sonneborn-Berger at
    tables). Awards beat nobody.
    """
    points = book.earned
    terms = []
    for game, seat in book.played[entry]:
        own = game.places[seat]
        for index in game.others[seat]:
            other, place = game.entries[index], game.places[index]
            if own < place:
                terms.append(Term(game.round, game.number, other, TIED_PARTS * points[other], "beaten"))
            elif own == place:
                terms.append(Term(game.round, game.number, other, points[other], "tied, half"))
    return Sum(terms, TIED_PARTS * book.unit)


def beaten(book: Book, entry: Entry) -> Sum:
    """BEAT: 1 for every opponent who was beaten, 1/2 for every tie. Awards beat nobody."""
    terms = []
    for game, seat in book.played[entry]:
        own = game.places[seat]
        for index in game.others[seat]:
            if own <= game.places[index]:
                is_tie = own == game.places[index]
                amount, label = (1, "tied") if is_tie else (TIED_PARTS, "beaten")
                terms.append(Term(game.round, game.number, game.entries[index], amount, label))
    return Sum(terms, TIED_PARTS)


def buchholz(book: Book, entry: Entry) -> Sum:
    """BH: the sum of the opponents' points, and of the opponent that ``bye_opponent`` gives to every award."""
    unreal = [
        Term(award.round, 0, 0, _unreal_opponent(book, entry, award), f"{book.rules.bye_opponent} opponent")
        for award in _with_unreal_opponent(book, entry)
    ]
    return Sum([*_met(book, entry), *unreal], book.unit)


def buchholz_without_lowest(book: Book, entry: Entry) -> Sum:
    """BH-C1: BH without the lowest opponent, who may be the one of an award."""
    return _without_lowest(buchholz(book, entry))


def sonneborn_berger(book: Book, entry: Entry) -> Sum:
    """SB: PSB, and for every award the part of a win that it paid of the opponent that ``bye_opponent`` gives to it."""
    played = beaten_strength(book, entry)
    win = _win(book)
    unreal = [
        Term(
            award.round,
            0,
            0,
            TIED_PARTS * _unreal_opponent(book, entry, award) * (Fraction(award.points, book.unit) / win),
            f"{book.rules.bye_opponent} opponent, as far as won",
        )
        for award in _with_unreal_opponent(book, entry)
    ]
    return played._replace(terms=[*played.terms, *unreal])


def match_wins(book: Book, entry: Entry) -> Sum:
    """OMW: the mean part of all wins that the opponents have, each at least ``match_win_floor``. A bye adds
    ``match_win_bye_opponents`` opponents of ``match_win_bye``; other awards add none. 0 without any opponent.
    """
    floor = exact_of(book.rules.match_win_floor)
    for_bye = exact_of(book.rules.match_win_bye)
    known = book.remembered("match wins", lambda: {other: _match_win(book, other) for other in book.entrants})
    terms = [worth_of(term, max(floor, known[term.opponent]), "part of wins") for term in _met(book, entry)]
    for award in book.awarded[entry]:
        if award.kind is AwardKind.BYE:
            terms += [Term(award.round, 0, 0, for_bye, "bye")] * book.rules.match_win_bye_opponents
    return mean(terms)


def _met(book: Book, entry: Entry) -> list[Term]:
    """One term for everyone met, worth the points he has earned at last."""
    points = book.earned
    return [
        Term(number, table, entries[index], points[entries[index]], "met")
        for (number, table, entries, *_, others), seat in book.played[entry]
        for index in others[seat]
    ]


def _without_lowest(total: Sum) -> Sum:
    if not total.terms:
        return total
    return without(total, (min(total.terms, key=lambda term: term.amount), "lowest opponent"))


def _with_unreal_opponent(book: Book, entry: Entry) -> list[Awarded]:
    return [] if book.rules.bye_opponent == "none" else book.awarded[entry]


def _unreal_opponent(book: Book, entry: Entry, award: Awarded) -> Fraction:
    """The points, in parts of the unit, of one who never was."""
    if book.rules.bye_opponent == "dummy":
        return Fraction(book.points[entry])
    win = _win(book) * book.unit
    before = sum([term.amount for term in book.points_terms(entry, award.round - 1).terms])
    still_to_come = book.planned_rounds - 1 - book.rounds.index(award.round)
    return before + (win - award.points) + win * still_to_come / 2


def _win(book: Book) -> Fraction:
    """What a win pays; the rules refuse schemes without, where it is asked for."""
    return win_points(book.rules.scheme) or Fraction(1)


def _match_win(book: Book, entry: Entry) -> Fraction:
    """The part of all wins in the rounds that the entrant took part in, byes and no-shows among them. Deductions and
    ``best_of`` do not enter: it says how strong somebody was.
    """
    awards = [award for award in book.awarded[entry] if award.kind in (AwardKind.BYE, AwardKind.NO_SHOW)]
    points = sum(game.points[seat] for game, seat in book.played[entry]) + sum(award.points for award in awards)
    rounds = len(book.played[entry]) + len(awards)
    return Fraction(points) / (_win(book) * book.unit * rounds) if rounds else Fraction()
