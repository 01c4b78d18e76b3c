"""The keys of a house in a folder, and tokens that they sign."""

from pathlib import Path

from services.kit.access.grants import Grant, ServiceGrant
from services.kit.access.making import write_signing_keys, write_trust
from services.kit.access.signing import SigningKey, signing_key
from services.kit.access.tokens import SERVICE_SECONDS_MAX, issue
from services.kit.access.trust import Trust


class Keys:
    """Made anew in ``folder``."""

    def __init__(self, folder: Path) -> None:
        write_signing_keys(folder)
        self.folder = folder
        self.trust_file = write_trust(folder)

    @property
    def trust(self) -> Trust:
        return Trust(self.trust_file)

    def key(self, name: str = "operator") -> SigningKey:
        return signing_key(self.folder / "sign" / f"{name}.json")

    def token(self, grant: Grant, life_s: int = 600) -> str:
        name = grant.service if isinstance(grant, ServiceGrant) else "operator"
        return issue(self.key(name), grant, min(life_s, SERVICE_SECONDS_MAX))
