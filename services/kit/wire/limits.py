"""How large a message may be on the wire; a client knows it without all that a server is made of."""

from engine.kernel.limits import COMMIT_BYTES_MAX

MESSAGE_BYTES_MAX = 4 * COMMIT_BYTES_MAX
"""Of one request: a club that registers together fits."""

ANSWER_BYTES_MAX = 32 * MESSAGE_BYTES_MAX
"""Of one answer: the entrants and the standings of the largest event fit, 12,000 lines with their names."""
