"""The limits of an event, by name."""

from engine.kernel.limits import COMMIT_BYTES_MAX

ENTRANTS_MAX = 12_000
"""Entrants of one event, those who left included. A draft of them all, at tables of two, fits into one commit."""

POD_BYTES_MAX = 20
"""Of a draft for each entrant, at tables of two: half of ``[6000,[11999,12000]],``, rounded up."""

ROUNDS_MAX = 100
"""Rounds of one event over all its stages, an arena's apart."""

STAGES_MAX = 8

TABLE_SIZE_MAX = 16
"""Seats of one tournament table. A game may have more (Welcome To... has 100), but a table of more is its own event."""

CONFIG_BYTES_MAX = 64 * 1024
"""The TOML file of an event."""

NAME_LENGTH_MAX = 200
"""Characters of the name of an event, a stage or a game."""

COMMITS_MAX = 500_000
"""Commits of one event: 12,000 entrants, 100 rounds of 5,000 tables with a commit each, rounded."""

REASON_LENGTH_MAX = 500
"""Characters of the reason that an organiser gives."""

ENTRIES_AT_ONCE = 2_000
"""Entrants named in one command: a club registers or checks in together."""

COMMAND_BYTES_MAX = 64 * 1024
"""One command of an organiser as JSON: the seeds of thousands fit, and a club that registers together."""

assert ENTRIES_AT_ONCE * 24 < COMMAND_BYTES_MAX  # an opaque player id with its quotes
assert CONFIG_BYTES_MAX * 2 < COMMIT_BYTES_MAX
assert ENTRANTS_MAX * POD_BYTES_MAX < COMMIT_BYTES_MAX
