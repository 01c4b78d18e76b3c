"""The law of looking back: whoever comes late, or again, ends where those are who never left."""

from typing import Any

from engine.kernel.match import MatchState
from engine.kernel.value import Referee
from tests.kit.table import Played, viewers

SAMPLES = 5


def recalling_ends_in_the_present(played: Played) -> None:
    """Who comes late is told the past as it may be known now, and ends where those are who never left.

    What is recalled keeps its type and its stored form, hides nothing from a referee, and recalled twice is the same.
    Where the past is open, it is what was told then.
    """
    match = played.match
    for index, now in played.sample(SAMPLES):
        for viewer in viewers(played.seats):
            view: MatchState[Any] | None = None
            for past in range(index + 1):
                for event in played.events(past):
                    recalled = match.recall(event, viewer, now)
                    view = match.evolve(view, recalled)
                    assert type(recalled) is type(event)
                    assert match.event_of(match.record_event(recalled)) == recalled
                    assert match.recall(recalled, viewer, now) == recalled
                    assert match.recall(event, Referee(), now) == event
                    if match.game.past_is_open or now.seed:
                        assert recalled == match.redact(event, viewer)
            assert view == match.view(now, viewer), f"revision {index + 1}: {viewer} recalls another present"
