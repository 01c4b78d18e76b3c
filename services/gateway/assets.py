"""What the pages are made of, held in memory and served under one name that changes with any of it.

Ours lie in ``web/``, the libraries in its ``node_modules`` as npm has put them there; nothing is bundled. A browser
keeps all of it for ever, because another content is another name. The import map says where the libraries are; its
hash stands in the policy, so it is the only script that may stand in a page.
"""

import base64
import hashlib
from mimetypes import guess_type
from pathlib import Path
from typing import Final, Self

import msgspec

from engine.kernel.refusal import Kind, Refusal
from services.gateway.answers import Answer, made_for_ever

WEB: Final = Path(__file__).parent / "web"

LIBRARIES: Final = {
    "preact": "preact/dist/preact.mjs",
    "preact/hooks": "preact/hooks/dist/hooks.mjs",
    "htm": "htm/dist/htm.mjs",
    "@preact/signals-core": "@preact/signals-core/dist/signals-core.mjs",
    "@preact/signals": "@preact/signals/dist/signals.mjs",
}
"""Name in an ``import`` → file below ``node_modules``."""


class Assets:
    """Every file by its path below ``/assets/<version>/``."""

    def __init__(self, files: dict[str, Answer]) -> None:
        self.files = files
        digest = hashlib.sha256()
        for path, asset in sorted(files.items()):
            digest.update(f"{path}\0{len(asset.body)}\0".encode() + asset.body)
        self.version = digest.hexdigest()[:16]
        imports = {name: self.url(f"lib/{name}.js") for name in LIBRARIES}
        self.import_map = msgspec.json.encode({"imports": imports}).decode()
        hashed = base64.b64encode(hashlib.sha256(self.import_map.encode()).digest()).decode()
        self.policy = "; ".join((
            "default-src 'none'",
            f"script-src 'self' 'sha256-{hashed}'",
            "style-src 'self'",
            "img-src 'self' data:",
            "connect-src 'self'",
            "font-src 'self'",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'self'",
        ))  # fmt: skip

    @classmethod
    def read(cls, folder: Path = WEB) -> Self:
        """Raises ``Refusal`` (``pages_missing``) where the libraries have not been set up."""
        files: dict[str, Answer] = {}
        for below in ("css", "js", "img"):
            for file in sorted((folder / below).rglob("*")):
                if file.is_file():
                    files[file.relative_to(folder).as_posix()] = _asset(file)
        for name, place in LIBRARIES.items():
            file = folder / "node_modules" / place
            if not file.is_file():
                raise Refusal("pages_missing", "The pages are not set up; run `make setup`.", Kind.INVALID)
            files[f"lib/{name}.js"] = _asset(file)
        return cls(files)

    def url(self, path: str) -> str:
        return f"/assets/{self.version}/{path}"


def _asset(file: Path) -> Answer:
    media_type = "text/javascript" if file.suffix in (".js", ".mjs") else guess_type(file.name)[0]
    return made_for_ever(file.read_bytes(), media_type or "application/octet-stream")
