"""What the gateway counts. No label holds an id: there are as many of them as there are matches."""

from typing import Final

from prometheus_client import Counter, Gauge

REQUESTS: Final = Counter("tavolata_http_requests_total", "HTTP requests answered", ["method", "route", "status"])
"""``route`` is the template, ``/api/matches/{match}``; ``status`` its class, ``2xx``."""

STREAMS_OPEN: Final = Gauge("tavolata_streams_open", "Streams that somebody reads")
FRAMES: Final = Counter("tavolata_frames_total", "Frames sent to readers of streams", ["event"])
"""``reset`` among them are readers that had fallen behind."""
STREAMS_CUT: Final = Counter("tavolata_streams_cut_total", "Readers hung up on because they took nothing")

QUESTIONS: Final = Counter("tavolata_questions_total", "Questions that many may ask, by who answered", ["answer"])
"""``asked``: the house; ``joined``: the house, to somebody else who was asking; ``kept``: we, again."""
