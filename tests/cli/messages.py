"""Answers of the tournament service, made by hand: a round with everything that a page can show."""

from tavolata.tournament.v1 import tournament_pb2 as pb

EVIL = '=HYPERLINK("http://x","y")'
SCRIPT = "<script>alert('Ana & co')</script>"

EVENT = pb.Tournament(
    tournament_id="ev", name="Spring & <b>Autumn</b>", phase="running", revision=20, entrants=9, round=2,
    round_phase="running", stage_name="Swiss",
)  # fmt: skip


def a_round() -> pb.GetRoundResponse:
    """Two tables, a bye, an absent one; the first table has a result with a tie and somebody who did not come."""
    return pb.GetRoundResponse(
        round=2,
        phase="running",
        game="just4fun",
        engine="pods/1",
        seed="ab" * 32,
        tables=[
            pb.Table(
                number=7,
                match_id="ev-r2-t1",
                phase="done",
                disputed=True,
                places=[
                    pb.Place(entry=3, name="Zoe", place=1, score=61, points="5"),
                    pb.Place(entry=1, name=SCRIPT, place=2, score=-4, points="5/2"),
                    pb.Place(entry=9, name=EVIL, no_show=True),
                    pb.Place(entry=4, name="ana", place=2, score=-4, points="5/2"),
                ],
            ),
            pb.Table(
                number=8,
                match_id="ev-r2-t2",
                phase="open",
                places=[pb.Place(entry=entry, name=f"Player {entry}") for entry in (5, 2, 6)],
            ),
        ],
        byes=[pb.Entrant(entry=7, name="Bea")],
        absent=[pb.Entrant(entry=8, name="Carl [bold]")],
        quality=pb.Quality(repeats=2, repeats_bound=1, spread="7/2", spread_bound="3", broken=1),
    )


def some_standings(*, final: bool = False) -> pb.GetStandingsResponse:
    return pb.GetStandingsResponse(
        stage=0,
        after_round=2,
        keys=["TP", "SOS"],
        final=final,
        lines=[
            pb.Line(place=1, entry=3, name="Zoe", values=["7.5", "13"], movement=2, standing="in"),
            pb.Line(place=2, entry=1, name=SCRIPT, values=["5", "13 1/3"], decided_by="TP", movement=-1, standing="in"),
            pb.Line(place=2, entry=9, name=EVIL, values=["5", "13 1/3"], standing="dropped"),
            pb.Line(place=0, entry=4, name="-1+1", values=["-1/2", ""], standing="in"),
        ],
    )
