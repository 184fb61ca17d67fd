"""Files for browsers: the client, and the scripts and styles of the pages, built from clients/js and shipped with the package."""

from __future__ import annotations

import gzip
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from hashlib import sha384
from importlib.resources import files

from sottovoce.collector.content_types import JSON, SCRIPT, STYLE, SVG, TEXT
from sottovoce.collector.http import Headers, Request, Response
from sottovoce.errors import RequestError

KINDS = {
    ".js": SCRIPT,
    ".css": STYLE,
    ".svg": SVG,
    ".txt": TEXT,
    ".ts": TEXT,  # type declarations
    ".json": JSON,
}


@dataclass(frozen=True)
class Asset:
    """A file: its bytes, plain and compressed, its type, and a digest that pages use for subresource integrity."""

    data: bytes
    packed: bytes
    kind: str
    digest: str


@cache
def assets() -> dict[str, Asset]:
    """All files, by name."""
    found = {}
    for file in files("sottovoce.collector").joinpath("static").iterdir():
        kind = KINDS.get(file.name[file.name.rfind(".") :])
        if kind is not None:
            data = file.read_bytes()
            digest = f"sha384-{b64encode(sha384(data).digest()).decode()}"
            found[file.name] = Asset(data, gzip.compress(data, mtime=0), kind, digest)
    return found


def asset_response(request: Request, known: str) -> Response:
    """The response with a file. `known` has the ETags of the versions that the browser has.

    Browsers check each time whether a file has changed, so a page never runs an older script.
    """
    found = assets().get(request.name)
    if found is None:
        raise RequestError("not-found", "There is no such file.")
    tag = f'"{found.digest}"'
    headers: Headers = [(b"etag", tag.encode()), (b"cache-control", b"no-cache"), (b"vary", b"accept-encoding")]
    if tag in [each.strip().removeprefix("W/") for each in known.split(",")]:
        return Response(304, b"", "", headers)
    if "gzip" in request.header(b"accept-encoding"):
        return Response(200, found.packed, found.kind, [*headers, (b"content-encoding", b"gzip")])
    return Response(200, found.data, found.kind, headers)
