"""Settings: the only place that reads the environment, once, at the start of a process.

Every setting is ``TAVOLATA_<NAME>``; a value that cannot be is refused with the variable's name.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from engine.kernel.refusal import Kind, Refusal
from services.kit.partition import PARTITIONS_MAX

Address: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[^\s]+:[0-9]{1,5}$")]
"""host:port."""

Port: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=65535)]

RulesAddresses: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^([a-z0-9_-]+=[^\s,=]+:[0-9]{1,5}(,|$))*$")]
"""game=host:port, with commas between them."""


Hosts: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^([A-Za-z0-9.-]+(,|$))*$")]
"""Names of this machine, with commas between them."""


GRPC: Final[Mapping[str, str]] = {
    "GRPC_VERBOSITY": "ERROR",  # it tells of every connection that ends, in lines that are no JSON
    # Its event engine hands each message through two more threads than its older poller: twice the wake-ups, and half
    # as much again of a core and of the delay of a message (docs/performance.md).
    "GRPC_EXPERIMENTS": "-event_engine_client,-event_engine_listener,-event_engine_for_all_other_endpoints",
}
"""What gRPC's own library is told by the environment, which it reads when it is imported; the image says the same."""

SECRETS: Final = ("master_key", "token")
"""Settings whose value is never shown."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one service needs to know of its surroundings."""

    nats_url: str = "nats://127.0.0.1:4222"
    nats_seed_file: Path | None = None
    """The NKEY seed that this process proves itself to NATS with; without it, it is nobody there."""
    partitions: Annotated[int, msgspec.Meta(ge=1, le=PARTITIONS_MAX)] = 1
    replicas: Literal[1, 3, 5] = 1
    """How many NATS nodes keep each line, of a log that is made now."""
    bind: Address = "127.0.0.1:0"
    """host:port of the gRPC server; port 0 takes a free one."""
    metrics_host: str = "127.0.0.1"
    metrics_port: Port = 0
    """Of the Prometheus endpoint; 0 is none."""
    otlp_endpoint: Annotated[str, msgspec.Meta(pattern=r"^(https?://[^\s]+)?$")] = ""
    """Where traces are sent (OTLP over gRPC, ``http://host:4317``); empty is nowhere."""
    tls_ca_file: Path | None = None
    tls_cert_file: Path | None = None
    tls_key_file: Path | None = None
    """All three or none: who signs certificates here, and this process's own, shown to whoever it speaks to."""
    trust_file: Path | None = None
    """The public keys of tokens. Without it nobody is asked who they are, and the house stays on loopback."""
    signing_key_file: Path | None = None
    """The key that this process signs its own tokens with."""
    token: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_.-]*$")] = ""
    """Who client commands are, for a house that asks. Never shown."""
    deck_address: Address = "127.0.0.1:7402"
    scoring_address: Address = "127.0.0.1:7403"
    spectator_address: Address = "127.0.0.1:7404"
    tournament_address: Address = "127.0.0.1:7405"
    key_file: Path = Path("data/deck/master.key")
    master_key: str = ""
    """What would stand in ``key_file``, for whoever is handed secrets as variables. Never shown."""
    database_url: str = "sqlite:///data/read/tavolata.sqlite"
    database_password_file: Path | None = None
    """The password of both databases, kept out of their URLs."""
    people_url: str = "sqlite:///data/tournament/people.sqlite"
    """The database of people, which no log can rebuild: never that of a read model."""
    rules_addresses: RulesAddresses = ""
    """Where each game is played, for whoever opens matches: ``just4fun=127.0.0.1:7407,...``."""
    hosts: Hosts = ""
    """Names that a gateway on loopback goes by beside those of loopback: of what stands before it."""
    origins: Annotated[str, msgspec.Meta(pattern=r"^(https?://[A-Za-z0-9.:-]+(,|$))*$")] = ""
    """Pages of other houses that may ask this gateway (CORS), ``https://name`` with commas between them."""
    proxies: Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f.:/]+(,|$))*$")] = ""
    """Addresses of what stands before the gateway, with commas between: they are believed whom they speak for."""
    durability: Literal["strict", "fast"] = "strict"
    """Whether an acknowledged commit is on disk (strict) or follows within 100 ms (fast)."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    grace_s: Annotated[int, msgspec.Meta(ge=0, le=600)] = 5
    """Seconds that running calls have when the service stops."""
    url: Address = "127.0.0.1:7400"
    """The front door that client commands knock at."""
    language: Literal["en", "it", "fr", "ko"] = "en"
    """Of the sentences that client commands print."""
    exhibition: bool = False
    """Whether the bots keep a table of their own going."""

    def __rich_repr__(self) -> list[tuple[str, object]]:
        """What may be shown of it, in a log or a traceback."""
        shown = {field: getattr(self, field) for field in self.__struct_fields__}
        return [(field, "..." if field in SECRETS and value else value) for field, value in shown.items()]

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{field}={value!r}' for field, value in self.__rich_repr__())})"


def settings(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings of this process. Raises ``Refusal`` naming the variable that is wrong."""
    given = os.environ if environment is None else environment
    known = {f"TAVOLATA_{field.upper()}": field for field in Settings.__struct_fields__}
    unknown = sorted(name for name in given if name.startswith("TAVOLATA_") and name not in known)
    if unknown:
        raise Refusal("unknown_setting", f"{unknown[0]} is no setting of Tavolata.", Kind.INVALID)
    values = {field: given[name] for name, field in known.items() if name in given}
    for field, value in values.items():
        try:
            msgspec.convert({field: value}, Settings, strict=False, dec_hook=_path)
        except msgspec.ValidationError as error:
            raise Refusal("bad_setting", f"TAVOLATA_{field.upper()}: {error}.", Kind.INVALID) from error
    return msgspec.convert(values, Settings, strict=False, dec_hook=_path)


def rules_by_game(addresses: RulesAddresses) -> dict[str, Address]:
    """``just4fun=127.0.0.1:7407`` → the address of each game."""
    pairs = (each.partition("=") for each in addresses.split(",") if each)
    return {game: address for game, _, address in pairs}


def wants_tracebacks() -> bool:
    """Whether whoever runs this is after a fault of ours; must not raise, since it is asked while one is told."""
    return os.environ.get("TAVOLATA_LOG_LEVEL") == "debug"


def child_environment(values: Mapping[str, object]) -> dict[str, str]:
    """This process's environment with ``TAVOLATA_`` settings replaced by ``values``, for a service started by it; what
    it says to gRPC goes before what we would say.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TAVOLATA_")}
    given = {name: value for name, value in values.items() if value is not None}
    return {**GRPC, **inherited} | {f"TAVOLATA_{name.upper()}": str(value) for name, value in given.items()}


def _path(kind: type, value: object) -> object:
    if kind is Path and isinstance(value, str):
        return Path(value)
    raise NotImplementedError(kind)
