"""Every limit of the house, by name; their relations are asserted, so that one cannot be moved past another."""

SEATS_MAX = 100
"""Seats at one table."""

ID_LENGTH_MAX = 64
"""Characters of a match id or a command id."""

COMMAND_BYTES_MAX = 16 * 1024
"""One command as JSON. The largest honest one (a full Welcome To... turn) is under 1 KiB."""

OPTIONS_BYTES_MAX = 16 * 1024
"""The options of one match as JSON; a data file passed as an option (a layout) fits."""

COMMIT_BYTES_MAX = 256 * 1024
"""One line of the log; the stream refuses more."""

NONCE_BYTES_MAX = 64
"""What one seat may add to the luck."""

PLAYER_LENGTH_MAX = 64
"""Characters of the opaque player id that a seat carries."""

COMMITS_MAX = 20_000
"""Commits of one match; ``turns_max`` of every game stays far below."""

EXPORT_BYTES_MAX = 256 * 1024 * 1024
"""An exported match that ``verify`` will read."""

CARDS_MAX = 1_000
"""Cards in one draw, and dice in one roll."""

SIDES_MAX = 2**31
"""Sides of one die."""

PATH_STEPS_MAX = 64
"""Steps on the way to one command in ``choices``."""

TURN_MS_MAX = 30 * 24 * 3600 * 1000
"""The longest turn clock: thirty days."""

DEAL_TABLES_MAX = 2_500
"""Tables of one deal: ten thousand players in fours."""

DELAY_MS_MAX = 24 * 3600 * 1000
"""The longest that spectators are kept behind: a day."""

BANK_MS_MAX = TURN_MS_MAX
"""What a seat may have in its bank when the match opens."""

INCREMENT_MS_MAX = TURN_MS_MAX
"""What a move may add to the bank."""

EXTENSION_MS_MAX = TURN_MS_MAX
"""What a director may add at once."""

REASON_LENGTH_MAX = 200
"""Characters of the reason that a director gives."""

AWAY_MS_MIN = 2_000
"""An absence of the house shorter than this takes nothing from a clock that would be worth a commit."""

assert COMMITS_MAX * (INCREMENT_MS_MAX + EXTENSION_MS_MAX) < 5_000 * 365 * 24 * 3600 * 1000  # a deadline has a date
assert COMMAND_BYTES_MAX + OPTIONS_BYTES_MAX < COMMIT_BYTES_MAX
assert SEATS_MAX * (2 * NONCE_BYTES_MAX + PLAYER_LENGTH_MAX + 16) + OPTIONS_BYTES_MAX < COMMIT_BYTES_MAX
assert COMMITS_MAX * 1024 < EXPORT_BYTES_MAX
