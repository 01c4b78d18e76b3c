"""Which processes make a house, on which ports and with which settings: decided before anything is started."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from engine.games import all_games
from engine.kernel.refusal import Kind, Refusal
from services.kit.sockets import LOOPBACK, check_bind, free_ports
from services.local.keys import seed_file

SEEDS: Final = Path("keys") / "nats"
"""In the data folder: who each service is to NATS."""

WILDCARDS = ("0.0.0.0", "[::]")  # noqa: S104 - to tell them from an address
"""All addresses of this machine."""


class Service(msgspec.Struct, frozen=True):
    """One process, ``python -m <module> <arguments>`` with these settings. ``port`` 0: it serves nothing."""

    name: str
    game: str
    port: int
    settings: dict[str, object]
    module: str = "cli"

    @property
    def arguments(self) -> list[str]:
        if self.module != "cli":
            return []
        return ["serve", self.name, *(["--game", self.game] if self.game else [])]

    @property
    def label(self) -> str:
        return f"{self.name}-{self.game}" if self.game else self.name

    @property
    def is_web(self) -> bool:
        """Whether it speaks HTTP, and not gRPC."""
        return self.name == "gateway"

    @property
    def address(self) -> str:
        """Where it is found from this machine."""
        host = str(self.settings.get("bind", LOOPBACK)).rpartition(":")[0]
        return f"{host if host and host not in WILDCARDS else LOOPBACK}:{self.port}"


class Plan(msgspec.Struct, frozen=True):
    """A house: its folder, its front door, its log and its services in the order of starting."""

    data: Path
    door_port: int
    nats_port: int
    services: tuple[Service, ...]
    trust_file: Path | None = None


def plan_house(
    data: Path,
    port_base: int,
    *,
    bots: bool = False,
    exhibition: bool = False,
    settings: Mapping[str, object] | None = None,
    host: str = LOOPBACK,
    keys: Path | None = None,
) -> Plan:
    """Ports ``port_base`` and up: front door, NATS, deck, scoring, spectator, tournament, gateway, then the games; 0
    takes free ones.

    Behind them, in the same order, the Prometheus endpoints of the services; a house on free ports has none.
    ``bots`` adds the attendant that seats them, and ``exhibition`` lets it keep a table of its own going; ``settings``
    go to every service. ``host`` is where the gateway is found; the others stay on loopback. With ``keys``, the folder
    that they were made in, whoever asks must say who they are. Raises ``Refusal`` for ports that cannot be, for a house
    that is open to the world, and for a folder without keys.
    """
    check_bind(f"{host}:{port_base}", is_open=keys is None)
    games = sorted(all_games())
    count = 7 + len(games)
    last = 65535 - 2 * count
    if port_base and not 1024 <= port_base <= last:
        raise Refusal("bad_port_base", f"The first port is between 1024 and {last}, not {port_base}.", Kind.INVALID)
    ports = free_ports(count) if not port_base else list(range(port_base, port_base + count))
    door, nats, deck, scoring, spectator, tournament, gateway, *rules = ports
    common: dict[str, object] = {"nats_url": f"nats://{LOOPBACK}:{nats}", **(settings or {})}

    def service(name: str, port: int, game: str = "", **more: object) -> Service:
        metrics = port + count if port_base else 0
        label = f"{name}-{game}" if game else name
        bind = f"{host if name == 'gateway' else LOOPBACK}:{port}"
        own: dict[str, object] = {"bind": bind, "metrics_port": metrics}
        if name != "gateway":  # which asks services, and never the log
            own["nats_seed_file"] = seed_file(data / SEEDS, label)
        return Service(name, game, port, {**common, **_identity(keys, label), **own, **more})

    read = data / "read"
    rules_addresses = ",".join(f"{game}={LOOPBACK}:{port}" for game, port in zip(games, rules, strict=True))
    return Plan(
        data,
        door,
        nats,
        (
            service("deck", deck, key_file=data / "deck" / "master.key"),
            service("scoring", scoring, database_url=f"sqlite:///{read / 'scoring.sqlite'}"),
            service("spectator", spectator, database_url=f"sqlite:///{read / 'spectator.sqlite'}"),
            service(
                "tournament",
                tournament,
                key_file=data / "tournament" / "master.key",
                people_url=f"sqlite:///{data / 'tournament' / 'people.sqlite'}",
                database_url=f"sqlite:///{read / 'tournament.sqlite'}",
                rules_addresses=rules_addresses,
            ),
            *(
                service("rules", port, game, deck_address=f"{LOOPBACK}:{deck}")
                for game, port in zip(games, rules, strict=True)
            ),
            service(
                "gateway",
                gateway,
                scoring_address=f"{LOOPBACK}:{scoring}",
                spectator_address=f"{LOOPBACK}:{spectator}",
                tournament_address=f"{LOOPBACK}:{tournament}",
                rules_addresses=rules_addresses,
            ),
            *(
                [
                    Service(
                        "bots",
                        "",
                        0,
                        {"url": f"{LOOPBACK}:{door}", "exhibition": exhibition, **_identity(keys, "bots")},
                        module="bots",
                    )
                ]
                if bots
                else []
            ),
        ),
        keys and keys / "trust.json",
    )


def _identity(keys: Path | None, label: str) -> dict[str, object]:
    """Whom a service believes, and what it signs with. Raises ``Refusal``."""
    if keys is None:
        return {}
    trust, signing = keys / "trust.json", keys / "sign" / f"{label}.json"
    if not trust.exists():
        raise Refusal("no_keys", f"{keys} holds no keys; `tavolata keys init {keys}` makes some.", Kind.MISSING)
    return {"trust_file": trust, **({"signing_key_file": signing} if signing.exists() else {})}
