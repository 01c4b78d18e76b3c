"""Plays one seat of a match of any game, at random: python bot.py http://127.0.0.1:7406 MATCH SEAT [LUCK]."""

import json
import random
import sys
import time
from http.client import HTTPException
from itertools import chain
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

URL, MATCH, SEAT = sys.argv[1].rstrip("/"), sys.argv[2], int(sys.argv[3])
LUCK = sys.argv[4] if len(sys.argv) > 4 else "bot"
VIEWER = {"viewer": f"seat:{SEAT}"}
PAUSE_S = 0.2
LOST = (OSError, HTTPException, ValueError)  # no connection, half an answer


class Refused(Exception):
    """The house says no; asking the same again does not help."""


def fetch(path, query, body=None, **headers):
    address = f"{URL}/api/matches/{MATCH}{path}?{urlencode(query, doseq=True)}"
    content = None if body is None else json.dumps(body).encode()
    return urlopen(Request(address, content, {"Content-Type": "application/json"} | headers), timeout=60)  # noqa: S310


def ask(path, query=(), body=None, **headers):
    while True:  # the same question, under the same key, until there is an answer
        try:
            with fetch(path, query, body, **headers) as answer:
                return json.load(answer)
        except HTTPError as error:
            if error.code < 500 and error.code != 429:
                raise Refused(json.load(error)["detail"]) from error
        except LOST:
            pass
        time.sleep(PAUSE_S)


def move(revision):
    dice = random.Random(f"{LUCK} {MATCH} {SEAT} {revision}")  # noqa: S311 - the same choice if it must choose again
    path, menu = [], ask("/choices", {"seat": SEAT})
    while not menu["command"] or (menu["choices"] and dice.random() < 0.5):
        path.append(dice.choice(menu["choices"])["key"])
        menu = ask("/choices", {"seat": SEAT, "path": path})
    told = ask("/commands", (), {"seat": SEAT, "command": menu["command"]}, **{"Idempotency-Key": f"{SEAT}-{revision}"})
    print(f"revision {told['revision']}: {' '.join(path)}", flush=True)


def events():
    while True:  # from where it stands now; again if the line drops
        now = ask("", VIEWER)
        try:
            with fetch("/stream", VIEWER | {"after": now["revision"]}, Accept="application/x-ndjson") as lines:
                yield from chain([now], (json.loads(line) for line in lines if line.strip()))
        except LOST:
            time.sleep(PAUSE_S)


moved = 0
for event in events():
    if event.get("event") == "end":
        break
    if SEAT in event.get("pending_seats", ()) and event["revision"] > moved:
        moved = event["revision"]
        try:
            move(moved)
        except Refused as refusal:  # the clock was quicker, or another seat: the next position tells
            print(refusal, flush=True)
