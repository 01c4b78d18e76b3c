"""Checks an exported match from its lines alone: no server, no key, no trust in whoever exported it.

Line by line, in this order, so that the first bad line is the one that is named:

1. form      it is exactly one commit in canonical JSON
2. place     its match, its rules, its revision (1, 2, 3 ... without a gap), its time, its command id
3. chain     its ``prev`` is the hash of the line before
4. luck      a draw comes out again, from the revealed seed with the seats' nonces mixed in
5. decision  ``Match``, asked again at the same instant, makes the very same bytes

A chain that breaks between two lines says that one of them was altered, not which. ``_suspect`` asks the line after
them: it vouches for one of the two. What nothing inside the file can show is a last line whose time was changed, or a
whole match that was made up and played by the rules; compare ``Report.root_hash`` with one that you know.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import msgspec

from engine.kernel.chance import commitment
from engine.kernel.codec import Named, Recorded
from engine.kernel.commit import (
    GENESIS,
    BadLine,
    Commit,
    decode_line,
    encode_line,
    line_hash,
)
from engine.kernel.deal import Deal
from engine.kernel.game import AnyGame
from engine.kernel.limits import COMMITS_MAX, EXPORT_BYTES_MAX
from engine.kernel.match import AnyMatch, Match, MatchState, Request
from engine.kernel.official import Expire, GiveBack, MatchOpened, Proceed, ResolveLuck, RevealSeed
from engine.kernel.process import AskLuck, AskSeed, AwaitClock, GoOn, ReturnTime
from engine.kernel.refusal import Refusal
from engine.kernel.value import Instant, Value, check_id, clip, instant_of
from engine.luck import seeds
from engine.luck.algorithm import outcome

NEAR_DIGITS = 32
"""Equal hex digits of two unlike SHA-256 are 4 of 64; with 32, one is an edit of the other."""


class VerificationFailed(Exception):
    """``line_number`` counts from 1; ``code`` is a stable literal, ``sentence`` one for people."""

    def __init__(self, line_number: int, code: str, sentence: str) -> None:
        super().__init__(f"line {line_number}: {code}: {sentence}")
        self.line_number = line_number
        self.code = code
        self.sentence = sentence


class Report(Value, frozen=True, omit_defaults=True):
    """A match that holds. ``commits`` is ``decisions`` and ``draws`` and the closing commit."""

    match: str
    game: str
    seats: int
    commits: int
    draws: int
    decisions: int
    root_hash: str
    """The hash of the last line, which stands for all of them."""
    ranks: tuple[int, ...]
    deal: Deal | None = None
    """The tables that met the same cards, if this is one of them."""
    commitment: str = ""
    """Of a table of a deal: the promise that was kept, the same at every table."""


class DealReport(Value, frozen=True):
    """Tables of one deal that were verified together."""

    deal: Deal
    matches: tuple[str, ...]
    same_cards: bool
    """Whether one seed, and so the same cards, was promised, kept and revealed at all of them."""


def compare(reports: Iterable[Report]) -> tuple[DealReport, ...]:
    """Which of these matches are tables of one deal, and whether they met the same cards; in the order given."""
    deals: dict[Deal, dict[str, Report]] = {}
    for report in reports:
        if report.deal is not None:
            deals.setdefault(report.deal, {})[report.match] = report
    return tuple(
        DealReport(deal, tuple(tables), len({report.commitment for report in tables.values()}) == 1)
        for deal, tables in deals.items()
    )


Held: TypeAlias = Callable[[int, int], object]
"""Told of each line that holds: its number, and how many there are."""


def verify(
    lines: Iterable[bytes], game_of_rules: Callable[[str], AnyGame], held: Held = lambda number, of: None
) -> Report:
    """The report of an exported match, one line a commit, with or without its line feed.

    Raises ``VerificationFailed`` for the first line that does not hold; code ``unfinished`` for a match whose lines
    all hold but whose seed has not been revealed, so that its luck cannot be checked yet.
    """
    return _Verifier(_Export(lines), game_of_rules, held).run()


AnyState: TypeAlias = MatchState[Any]


class _Export:
    """The lines of one file as far as they can be read, and why it went no further."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self.lines: list[bytes] = []
        self.commits: list[Commit] = []
        self.hashes: list[str] = []
        self.unread: VerificationFailed | None = None
        try:
            self._read(lines)
        except VerificationFailed as error:
            self.unread = error

    def _read(self, lines: Iterable[bytes]) -> None:
        size = 0
        for number, given in enumerate(lines, 1):
            size += len(given)
            if number > COMMITS_MAX or size > EXPORT_BYTES_MAX:
                raise VerificationFailed(number, "too_long", f"A match has at most {COMMITS_MAX} commits.")
            line = given.removesuffix(b"\n")
            if not line.strip():
                raise VerificationFailed(number, "not_a_commit", "The line is blank.")
            if line.endswith(b"\r"):
                raise VerificationFailed(number, "not_a_commit", "The line ends in CR LF; a commit ends in LF alone.")
            try:
                commit = decode_line(line)
            except BadLine as error:
                raise VerificationFailed(number, "not_a_commit", f"{error}.") from error
            self.lines.append(line)
            self.commits.append(commit)
            self.hashes.append(line_hash(line))
        if not self.lines:
            raise VerificationFailed(1, "empty", "There is no commit.")

    def prev_of(self, index: int) -> str | None:
        """What the line at ``index`` says about the line before it; ``None`` if there is no such line."""
        return self.commits[index].prev if 0 <= index < len(self.commits) else None


class _Verifier:
    def __init__(self, export: _Export, game_of_rules: Callable[[str], AnyGame], held: Held) -> None:
        self.export = export
        self.game_of_rules = game_of_rules
        self.held = held
        # The id of most lines: when the first line is the foreign one, it is the first that must be named.
        ids = Counter(commit.match for commit in export.commits)
        self.match_id = max(ids, key=ids.__getitem__, default="")
        self.seen: set[tuple[str, str]] = set()
        self.at: Instant = 0
        self.draws = 0
        self.seed: bytes | None = None
        """The mixed seed, if the file reveals one that keeps the opening commit's promise."""

    def run(self) -> Report:
        export = self.export
        state: AnyState | None = None
        match: AnyMatch | None = None
        for index, commit in enumerate(export.commits):
            self._place(index)
            if index == 0:
                match = Match(self._game(commit.rules))
            assert match is not None
            self._chain(index)
            if state is not None and state.seed:
                raise VerificationFailed(index + 1, "after_the_end", "The match was closed by the line before.")
            state = self._decision(index, match, state)
            if index == 0:
                self._table(state.opened)
                self.seed = self._revealed(state.opened)
            self.held(index + 1, len(export.commits))
        if export.unread is not None:
            raise export.unread
        assert state is not None
        return self._report(state)

    def _report(self, state: AnyState) -> Report:
        count = len(self.export.commits)
        if state.ended is None:
            raise VerificationFailed(
                count, "unfinished", "All lines hold, but the match is still running; its luck is sealed until the end."
            )
        if not state.seed:
            raise VerificationFailed(
                count, "unfinished", "All lines hold and the match has ended, but its seed is not revealed yet."
            )
        return Report(
            match=self.match_id,
            game=state.opened.game,
            seats=state.opened.seats,
            commits=count,
            draws=self.draws,
            decisions=count - self.draws - 1,
            root_hash=self.export.hashes[-1],
            ranks=state.ended.ranks,
            deal=state.opened.deal,
            commitment=state.opened.commitment if state.opened.deal is not None else "",
        )

    # -- place -----------------------------------------------------------------------------------------------------

    def _game(self, rules: str) -> AnyGame:
        try:
            return self.game_of_rules(rules)
        except Refusal as error:
            raise VerificationFailed(1, "unknown_rules", error.sentence) from error

    def _place(self, index: int) -> None:
        commit, number = self.export.commits[index], index + 1
        if commit.match != self.match_id:
            raise VerificationFailed(
                number,
                "foreign_match",
                f"The line is of match {clip(commit.match, 64)}, not {clip(self.match_id, 64)}.",
            )
        if commit.revision != number:
            if commit.revision == index and self._is_second_of_a_fork(index):
                raise VerificationFailed(index, "chain_broken", "The line was put in: the next one does not follow it.")
            raise VerificationFailed(
                number, "revision_gap", f"Revision {commit.revision} stands where {number} belongs."
            )
        rules = self.export.commits[0].rules
        if commit.rules != rules:
            raise VerificationFailed(
                number, "other_rules", f"The line was played by {clip(commit.rules)}, the match began by {clip(rules)}."
            )

    def _is_second_of_a_fork(self, index: int) -> bool:
        """Whether two lines claim one revision and the rest of the match continues this one."""
        export = self.export
        return export.lines[index] != export.lines[index - 1] and export.prev_of(index + 1) == export.hashes[index]

    def _table(self, opened: MatchOpened) -> None:
        """A table of a deal has the id that follows from its deal; no other match meets these cards."""
        try:
            if opened.deal is not None:
                opened.deal.table(self.match_id)
        except Refusal as error:
            raise VerificationFailed(1, "not_of_deal", error.sentence) from error

    # -- chain -----------------------------------------------------------------------------------------------------

    def _chain(self, index: int) -> None:
        before = GENESIS if index == 0 else self.export.hashes[index - 1]
        if self.export.commits[index].prev != before:
            raise VerificationFailed(
                self._suspect(index, before) + 1,
                "chain_broken",
                f"Line {index + 1} does not name the hash of the line before it: this line was altered.",
            )

    def _suspect(self, index: int, before: str) -> int:
        """Which of two lines was altered, when the one at ``index`` does not follow the one before."""
        export, prev = self.export, self.export.commits[index].prev
        if index == 0:
            return index
        vouched = export.prev_of(index + 1)
        if vouched is not None:
            return index - 1 if vouched == export.hashes[index] else index
        edited = len(prev) != len(before) or sum(map(str.__eq__, prev, before)) >= NEAR_DIGITS
        return index if edited else index - 1

    # -- luck and decision -----------------------------------------------------------------------------------------

    def _revealed(self, opened: MatchOpened) -> bytes | None:
        """The seed to draw with. A false one is not used here, and named where it stands."""
        for commit in self.export.commits:
            if commit.command.type == RevealSeed.name:
                seed = _seed_in(commit.command)
                if seed is not None and _keeps_promise(seed, opened):
                    return seeds.mixed_seed(seed, [bytes.fromhex(nonce) for nonce in opened.nonces])
        return None

    def _decision(self, index: int, match: AnyMatch, state: AnyState | None) -> AnyState:
        """The state after a line that ``Match`` decides again to the very same bytes."""
        commit, number = self.export.commits[index], index + 1
        at = instant_of(commit.at)
        if index and at < self.at:
            raise VerificationFailed(number, "time_runs_backwards", "The line is older than the line before it.")
        self.at = at
        try:
            command = match.command_of(commit.command)
            self._command_id(number, commit, command)
            if isinstance(command, ResolveLuck):
                self._luck(number, command)
            decision = match.decide(state, Request(commit.id, commit.actor, at, commit.command))
        except Refusal as error:
            code = error.code if error.code == "seed_differs" else "refused"
            raise VerificationFailed(number, code, f"The rules refuse it: {error.sentence}") from error
        again = msgspec.structs.replace(commit, command=decision.command, events=decision.events)
        if encode_line(again) != self.export.lines[index]:
            raise VerificationFailed(number, "decided_otherwise", "The rules make other events of this command.")
        return decision.state

    def _command_id(self, number: int, commit: Commit, command: Named) -> None:
        """People choose their ids; those of the house follow from the match. None is used twice."""
        match command:
            case ResolveLuck(draw_id):
                ours = AskLuck.id_of(draw_id)
            case Expire(turn):
                ours = AwaitClock.id_of(turn)
            case Proceed():
                ours = GoOn.id_of(number - 1)
            case RevealSeed():
                ours = AskSeed.command_id
            case GiveBack():
                ours = ReturnTime.id_of(command)
            case _:
                ours = check_id("command id", commit.id)
        if commit.id != ours:
            raise VerificationFailed(number, "bad_id", f"This command has the id {ours}, not {clip(commit.id, 64)}.")
        if (commit.actor, commit.id) in self.seen:
            raise VerificationFailed(number, "id_reused", f"The command id {commit.id} was used by an earlier line.")
        self.seen.add((commit.actor, commit.id))

    def _luck(self, number: int, command: ResolveLuck) -> None:
        self.draws += 1
        if self.seed is not None and outcome(self.seed, command.draw_id, command.spec.asked) != command.outcome:
            raise VerificationFailed(number, "luck_differs", f"The seed gives another outcome of {command.draw_id}.")


def _seed_in(command: Recorded) -> bytes | None:
    """The seed that a closing line claims; ``None`` if it is none, which is named when its turn comes."""
    try:
        return bytes.fromhex(msgspec.json.decode(command.data, type=RevealSeed).seed)
    except (msgspec.MsgspecError, ValueError):
        return None


def _keeps_promise(seed: bytes, opened: MatchOpened) -> bool:
    return commitment(seed).hex() == opened.commitment
