"""What is believed and what is not: forgeries of every kind, keys beyond their kinds, time."""

import base64
import hashlib
import hmac
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.kernel.ports import Unavailable
from engine.kernel.refusal import Kind, Refusal
from services.kit.access.carried import Own
from services.kit.access.grants import (
    ALL,
    CasterGrant,
    Grant,
    OrganiserGrant,
    PlayerGrant,
    RefereeGrant,
    SeatGrant,
    ServiceGrant,
)
from services.kit.access.making import revoke, write_signing_keys, write_trust
from services.kit.access.signing import SigningKey, signing_key
from services.kit.access.tokens import LEEWAY_SECONDS, LIFE_SECONDS_MAX, TOKEN_BYTES_MAX, check, issue, read
from services.kit.access.trust import LOOK_SECONDS, Trust, padless
from tests.access.keys import Keys
from tests.cli.here import here

SEAT = SeatGrant("m1", 2)
AT = 1_800_000_000

GRANTS: list[Grant] = [
    SEAT,
    PlayerGrant("p-1"),
    OrganiserGrant("open-2026"),
    OrganiserGrant(ALL),
    RefereeGrant(event="open-2026"),
    RefereeGrant(match="m1"),
    CasterGrant(event=ALL),
    ServiceGrant("rules-just4fun"),
]


def at(seconds: float) -> Callable[[], float]:
    return lambda: seconds


def refused(text: str, trust: Trust, now: float = AT) -> str:
    with pytest.raises(Refusal) as caught:
        read(text, trust, at(now))
    assert caught.value.kind is Kind.UNAUTHENTICATED
    assert not text or text not in caught.value.sentence
    return caught.value.code


def part(value: Any) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def signed(key: SigningKey, payload: Any, **head: Any) -> str:
    text = f"{part({'alg': 'EdDSA', 'typ': 'JWT', 'kid': key.kid} | head)}.{part(payload)}"
    return f"{text}.{part(key.private().sign(text.encode()))}"


def claims(**more: Any) -> dict[str, Any]:
    return {"aud": "tavolata", "iat": AT, "exp": AT + 60, "grant": {"kind": "seat", "match": "m1", "seat": 2}} | more


@pytest.mark.parametrize("grant", GRANTS, ids=repr)
def test_what_was_granted_is_read(keys: Keys, grant: Grant) -> None:
    token = read(keys.token(grant), keys.trust)
    assert token.grant == grant
    assert len(keys.token(grant)) < TOKEN_BYTES_MAX / 2


def test_our_own_writing_is_believed(keys: Keys) -> None:
    assert read(signed(keys.key(), claims()), keys.trust, at(AT)).grant == SEAT


def test_a_forgery_is_no_token(keys: Keys) -> None:
    """Every way to make one up is answered with the same words."""
    good = signed(keys.key(), claims())
    head, payload, signature = good.split(".")
    public = keys.key().public().x
    stranger = SigningKey("stranger", padless(Ed25519PrivateKey.generate().private_bytes_raw()), ("seat",))
    posing = SigningKey(keys.key().kid, stranger.d, ("seat",))
    hs_head = part({"alg": "HS256", "typ": "JWT", "kid": keys.key().kid})
    by_secret = part(hmac.new(public.encode(), f"{hs_head}.{payload}".encode(), hashlib.sha256).digest())
    forgeries = {
        "no signature": f"{part({'alg': 'none', 'kid': keys.key().kid})}.{payload}.",
        "alg none with a signature": f"{part({'alg': 'none', 'kid': keys.key().kid})}.{payload}.{signature}",
        "the public key as a secret": f"{hs_head}.{payload}.{by_secret}",
        "another algorithm of the same key": signed(keys.key(), claims(), alg="RS256"),
        "another seat": f"{head}.{part(claims(grant={'kind': 'seat', 'match': 'm1', 'seat': 3}))}.{signature}",
        "a longer life": f"{head}.{part(claims(exp=AT + 90))}.{signature}",
        "half a signature": f"{head}.{payload}.{signature[:40]}",
        "a stranger's key": signed(stranger, claims()),
        "a stranger's key under a name of ours": signed(posing, claims()),
        "no key named": signed(keys.key(), claims(), kid=None),
        "a key that is a number": signed(keys.key(), claims(), kid=7),
        "its own key in its head": signed(stranger, claims(), kid="x", jwk={"kty": "OKP", "x": stranger.public().x}),
        "too long": f"{head}.{payload}.{signature}{'A' * TOKEN_BYTES_MAX}",
        "words": "let me in",
        "half a character": f"{good}\ud800",
        "padding": f"{good}==",
        "two dots": "..",
    }
    assert {name: refused(text, keys.trust) for name, text in forgeries.items()} == dict.fromkeys(
        forgeries, "token_invalid"
    )
    assert refused("", keys.trust) == "token_missing"


def test_claims_are_strict(keys: Keys) -> None:
    wrong: dict[str, Any] = {
        "for others": claims(aud="elsewhere"),
        "for several": claims(aud=["tavolata"]),
        "no end": {name: value for name, value in claims().items() if name != "exp"},
        "no beginning": {name: value for name, value in claims().items() if name != "iat"},
        "an end in words": claims(exp=str(AT + 60)),
        "an end that is no whole second": claims(exp=AT + 60.5),
        "ends before it begins": claims(exp=AT - 1),
        "begins tomorrow": claims(iat=AT + 3_600, exp=AT + 3_660),
        "holds too long": claims(exp=AT + LIFE_SECONDS_MAX + 1),
        "more than we say": claims(admin=True),
        "no grant": claims(grant=None),
        "an unknown kind": claims(grant={"kind": "admin"}),
        "a seat without a match": claims(grant={"kind": "seat", "seat": 1}),
        "a seat below 0": claims(grant={"kind": "seat", "match": "m1", "seat": -1}),
        "a match that is no id": claims(grant={"kind": "seat", "match": "m 1", "seat": 0}),
        "a player who is a bot": claims(grant={"kind": "player", "player": "bot:greedy"}),
        "a referee of nothing": claims(grant={"kind": "referee"}),
        "a referee of both": claims(grant={"kind": "referee", "event": "*", "match": "m1"}),
        "no object": [1],
        "no JSON": b"{",
    }
    told = {name: refused(signed(keys.key(), payload), keys.trust) for name, payload in wrong.items()}
    assert told == dict.fromkeys(wrong, "token_invalid")


def test_a_key_signs_its_kinds_and_no_other(keys: Keys) -> None:
    """A key that was stolen from a service makes no seats, unless it is that of the tournament service, which hands
    them out; and none makes who runs, directs or shows anything.
    """
    wanted: list[Grant] = [OrganiserGrant(ALL), RefereeGrant(event=ALL), CasterGrant(event=ALL)]
    for thief, more in (("gateway", [SEAT]), ("bots", [SEAT]), ("rules-memcel", [SEAT]), ("tournament", [])):
        key = keys.key(thief)
        for grant in (*wanted, *more):
            with pytest.raises(Refusal) as caught:
                issue(key, grant, 60)
            assert caught.value.code == "not_yours_to_sign"
        for grant in (*wanted, *more, ServiceGrant("rules-just4fun")):
            greedy = SigningKey(key.kid, key.d, ("seat", "organiser", "referee", "caster", "service"), "rules-just4fun")
            assert refused(issue(greedy, grant, 60, at(AT)), keys.trust) == "token_invalid", (thief, grant)
    operator = keys.key()
    greedy = SigningKey(operator.kid, operator.d, ("service",), "tournament")
    assert refused(issue(greedy, ServiceGrant("tournament"), 60, at(AT)), keys.trust) == "token_invalid"
    for grant in (PlayerGrant("p"), SEAT):
        assert read(issue(keys.key("tournament"), grant, 60, at(AT)), keys.trust, at(AT)).grant == grant


def test_a_token_ends(keys: Keys) -> None:
    text = issue(keys.key(), SEAT, 60, at(AT))
    token = read(text, keys.trust, at(AT + 60 + LEEWAY_SECONDS - 0.1))
    assert refused(text, keys.trust, AT + 60 + LEEWAY_SECONDS) == "token_expired"
    with pytest.raises(Refusal) as caught:
        check(token, keys.trust, at(AT + 60 + LEEWAY_SECONDS))
    assert caught.value.code == "token_expired"
    assert read(text, keys.trust, at(AT - LEEWAY_SECONDS)).grant == SEAT, "our clock may be a little behind"


@pytest.mark.parametrize("life_s", [0, -5, LIFE_SECONDS_MAX + 1])
def test_nobody_signs_what_nobody_would_believe(keys: Keys, life_s: int) -> None:
    with pytest.raises(Refusal) as caught:
        issue(keys.key(), SEAT, life_s)
    assert caught.value.code == "bad_life"


def test_a_service_renews_its_token_in_time(keys: Keys) -> None:
    now = [float(AT)]
    own = Own(keys.key("rules-just4fun"), lambda: now[0])
    first = own()
    now[0] += Own.LIFE_SECONDS / 2 - 1
    assert own() == first
    now[0] += 1
    second = own()
    assert second != first
    assert read(second, keys.trust, at(now[0])).grant == ServiceGrant("rules-just4fun")


def test_a_revoked_key_is_believed_no_more_in_a_moment(own_keys: Keys) -> None:
    elapsed = [0.0]
    trust = Trust(own_keys.trust_file, lambda: elapsed[0])
    text = own_keys.token(SEAT)
    token = read(text, trust)
    revoke(own_keys.trust_file, own_keys.key().kid)
    elapsed[0] += LOOK_SECONDS
    for ask in (lambda: read(text, trust), lambda: check(token, trust)):
        with pytest.raises(Refusal) as caught:
            ask()
        assert (caught.value.code, caught.value.kind) == ("token_revoked", Kind.UNAUTHENTICATED)
    assert read(own_keys.token(ServiceGrant("bots")), trust).grant == ServiceGrant("bots"), "other keys hold"


def test_a_revocation_is_not_missed_for_the_time_of_its_file(own_keys: Keys) -> None:
    """It is written into the file in place, in as many bytes; clocks of files are coarse, and copies keep them."""
    elapsed = [0.0]
    trust = Trust(own_keys.trust_file, lambda: elapsed[0])
    text = own_keys.token(SEAT)
    before = own_keys.trust_file.stat()
    revoke(own_keys.trust_file, own_keys.key().kid)
    os.utime(own_keys.trust_file, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = own_keys.trust_file.stat()
    assert (after.st_size, after.st_ino) == (before.st_size, before.st_ino)
    elapsed[0] += LOOK_SECONDS
    assert refused(text, trust) == "token_revoked"


def test_keys_that_can_no_longer_be_read_let_nobody_in(own_keys: Keys) -> None:
    elapsed = [0.0]
    trust = Trust(own_keys.trust_file, lambda: elapsed[0])
    text = own_keys.token(SEAT)
    whole = own_keys.trust_file.read_bytes()
    for broken in (whole[:-40], b"", None):
        own_keys.trust_file.unlink() if broken is None else own_keys.trust_file.write_bytes(broken)
        elapsed[0] += LOOK_SECONDS
        with pytest.raises(Unavailable) as caught:
            read(text, trust)
        assert caught.value.code == "trust_file_damaged"
    own_keys.trust_file.write_bytes(whole)
    elapsed[0] += LOOK_SECONDS
    assert read(text, trust).grant == SEAT


def test_a_file_of_keys_is_strict(own_keys: Keys) -> None:
    document = json.loads(own_keys.trust_file.read_text())
    key = next(each for each in document["keys"] if "service" not in each["signs"])
    for keys in (
        [key, key],
        [key | {"x": "AAAA"}],
        [key | {"signs": ["admin"]}],
        [key | {"signs": ["service"]}],
        [key | {"service": "gateway"}],
        [key | {"d": "secret"}],
    ):
        own_keys.trust_file.write_text(json.dumps({"keys": keys}))
        with pytest.raises(Refusal) as caught:
            Trust(own_keys.trust_file)
        assert caught.value.code == "trust_file"


def test_keys_are_made_once_and_revocations_stay(own_keys: Keys) -> None:
    folder = own_keys.folder
    names = ["bots", "gateway", "operator", "rules-just4fun", "rules-memcel", "rules-welcome_to", "tournament"]
    assert [each.stem for each in sorted((folder / "sign").iterdir())] == names
    before = {each: each.read_bytes() for each in (folder / "sign").iterdir()}
    revoke(own_keys.trust_file, own_keys.key("gateway").kid)
    assert write_signing_keys(folder) == []
    (folder / "sign" / "bots.json").unlink()
    assert [each.stem for each in write_signing_keys(folder)] == ["bots"]
    write_trust(folder)
    trust = Trust(own_keys.trust_file)
    gateway, bots = trust.key(own_keys.key("gateway").kid), trust.key(own_keys.key("bots").kid)
    assert gateway is not None
    assert gateway.revoked
    assert bots is not None
    assert not bots.revoked
    assert all(each.read_bytes() == text for each, text in before.items() if each.stem != "bots")


def test_a_private_key_is_private(own_keys: Keys) -> None:
    path = own_keys.folder / "sign" / "operator.json"
    assert path.stat().st_mode & 0o777 == 0o600
    key = signing_key(path)
    assert key.d not in repr(key)
    assert key.d not in own_keys.trust_file.read_text()
    path.chmod(0o604)
    with pytest.raises(Refusal) as caught:
        signing_key(path)
    assert caught.value.code == "signing_key_open"


def test_a_key_is_revoked_by_command_and_certificates_are_made(tmp_path: Path) -> None:
    folder = tmp_path / "keys"
    assert here("keys", "init", folder, "--tls", "--name", "house.example", "--json").code == 0
    shown = {each["path"]: each["id"] for each in here("keys", "show", folder, "--json").document}
    assert {"tls/ca.pem", "tls/rules-welcome-to.pem", "tls/nats-1.pem", "tls/operator.pem"} <= set(shown)
    kid = shown["sign/operator.json"]
    assert here("keys", "revoke", folder, kid).code == 0
    found = Trust(folder / "trust.json").key(kid)
    assert found is not None
    assert found.revoked
    assert "unknown_key" in here("keys", "revoke", folder, "nobody").err


@pytest.mark.parametrize("text", ["é", "let me in", "a.b", "a.b.c" * TOKEN_BYTES_MAX])
def test_what_a_command_is_given_and_is_no_token_is_said_before_anybody_is_asked(text: str) -> None:
    ran = here("--token", text, "match", "list", "--server", "127.0.0.1:1")
    assert ran.code == 1
    assert ran.err.startswith("token_invalid: ")
    assert text not in ran.err
