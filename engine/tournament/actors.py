"""Who speaks in an event, as the actor of a commit says it; the house itself is ``kernel.commit.HOUSE``."""

ORGANISER = "organiser:"
"""Before a name: whoever does what organisers do."""
PLAYER = "player:"
"""Before the number of an entrant, who may speak for themselves."""
