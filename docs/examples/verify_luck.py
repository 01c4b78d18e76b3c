"""Checks the luck of exported matches with Python's standard library alone: python verify_luck.py EXPORT..."""

import hashlib
import hmac
import json
import sys


def words(seed, draw_id):
    for block in range(2**32):
        digest = hmac.digest(seed, draw_id.encode() + b"\0" + block.to_bytes(4, "big"), "sha256")
        yield from (int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4))


def outcome(seed, draw_id, spec):
    source = words(seed, draw_id)
    below = lambda n: next(word for word in source if word < 2**32 - 2**32 % n) % n  # noqa: E731 - kept to one line
    if roll := spec.get("roll"):
        return [1 + below(roll["sides"]) for _ in range(roll["count"])]
    cards, count = spec["draw"]["cards"], spec["draw"]["count"]
    for k in range(count):
        j = k + below(len(cards) - k)
        cards[k], cards[j] = cards[j], cards[k]
    return cards[:count]


def check(lines, deals):
    commits = [json.loads(line) for line in lines]
    for number, commit in enumerate(commits, 1):
        before = hashlib.sha256(lines[number - 2]).hexdigest() if number > 1 else "0" * 64
        must((commit["revision"], commit["prev"]) == (number, before), f"the chain breaks at line {number}")
    opened, closing = commits[0]["command"]["data"], commits[-1]["command"]["data"]
    must("seed" in closing, "the seed has not been revealed")
    seed, nonces = bytes.fromhex(closing["seed"]), [bytes.fromhex(nonce) for nonce in opened["nonces"]]
    must(hashlib.sha256(b"tavolata-luck-1\0" + seed).hexdigest() == opened["commitment"], "the promise is broken")
    if deal := opened.get("deal"):
        tables = [f"{deal['group']}-t{k}" for k in range(1, deal["tables"] + 1)]
        must(commits[0]["match"] in tables, "this is no table of its deal")
        must(deals.setdefault(tables[-1], seed) == seed, "another table of the deal has met other cards")
    if any(nonces):
        seed = hmac.digest(seed, b"".join(len(nonce).to_bytes(4, "big") + nonce for nonce in nonces), "sha256")
    draws = [commit["command"]["data"] for commit in commits if commit["command"]["type"] == "luck.resolve"]
    for draw in draws:
        must(outcome(seed, draw["draw_id"], draw["spec"]) == draw["outcome"], f"{draw['draw_id']} is no such draw")
    return len(draws)


def must(holds, sentence):
    holds or sys.exit(sentence)


seeds = {}
for name in sys.argv[1:]:
    with open(name, "rb") as file:
        print(f"{name}: {check(file.read().splitlines(), seeds)} draws come out again")
