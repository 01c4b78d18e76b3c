"""Plays one seat of a match of any game, at random: python bot.py http://127.0.0.1:7406 MATCH SEAT [LUCK]."""

import json
import os
import random
import sys
import time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

URL, MATCH, SEAT, LUCK = sys.argv[1].rstrip("/"), sys.argv[2], int(sys.argv[3]), [*sys.argv, "bot"][4]
WHO = {"Authorization": f"Bearer {os.environ['TOKEN']}"} if "TOKEN" in os.environ else {}


def ask(path, query, read=json.load, body=None, **headers):  # the same question, until there is an answer
    address = f"{URL}/api/matches/{MATCH}{path}?{urlencode(query, doseq=True)}"
    while True:
        try:
            data = body and json.dumps(body).encode()
            request = Request(address, data, headers | WHO)  # noqa: S310 - whatever URL it was given
            return read(urlopen(request, timeout=60))  # noqa: S310 - the same
        except HTTPError as error:
            if error.code < 500 and error.code != 429:
                return (path == "/stream" or error.code in (401, 404)) and sys.exit(json.load(error)["detail"])
        except (OSError, HTTPException, ValueError):  # no connection, or half an answer
            time.sleep(0.2)


def move(revision):
    dice = random.Random(f"{LUCK} {MATCH} {SEAT} {revision}")  # noqa: S311 - asked again, it chooses the same
    path, menu = [], ask("/choices", {"seat": SEAT})
    while menu and (not menu["command"] or (menu["choices"] and dice.random() < 0.5)):
        path.append(dice.choice(menu["choices"])["key"])
        menu = ask("/choices", {"seat": SEAT, "path": path})
    head = {"Idempotency-Key": f"{SEAT}-{revision}", "Content-Type": "application/json"}
    told = menu and ask("/commands", (), body={"seat": SEAT, "command": menu["command"]}, **head)
    print(f"revision {told['revision']}: {' '.join(path)}" if told else "too late", flush=True)


def play(lines):  # each line is an event; a position in which our seat is pending is our turn, once
    for event in map(json.loads, filter(bytes.strip, lines)):
        if SEAT in event.get("pending_seats", ()) and event["revision"] not in moved:
            moved.add(event["revision"])
            move(event["revision"])
        if event["event"] == "end":
            sys.exit()


moved = set()
while True:  # the stream begins with the position as it is now, and comes again from there if the line drops
    ask("/stream", {"viewer": f"seat:{SEAT}"}, read=play, Accept="application/x-ndjson")
