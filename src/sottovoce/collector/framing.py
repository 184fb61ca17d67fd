"""Limits on HTTP framing beyond those of the parser.

A proxy may interpret some of these requests differently (RFC 9112 forbids them too). Others are cheap to send and slow to read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sottovoce.collector.http import LENGTH_DIGITS, Headers

#: The most bytes of a request's line and headers, and the most header fields.
HEAD, FIELDS = 32 << 10, 128
#: The most requests that wait on a connection for the answer to an earlier one.
PIPELINED = 32
#: Parts of a chunked body: so many, and one more for so many bytes. No report is shorter, so each may have a chunk of its own.
PARTS, PART_BYTES = 256, 128
LONG = f"The request line and headers have more than {HEAD:,} bytes."
Wrong = tuple[str, str]
#: What a Host field may contain (RFC 3986, without the comma, which would make a list of it); the parser leaves blanks behind a value.
_HOST = re.compile(rb"[A-Za-z0-9._~!$&'()*+;=%:\[\]-]*[ \t]*").fullmatch


def wrong_with_field(*, in_body: bool) -> Wrong:
    """Check a header field, and return a kind of problem with a reason: it comes after the body, or there are too many."""
    if in_body:
        return "malformed", "The request has header fields behind the body (trailers). Leave them out."
    return "headers", f"The request has more than {FIELDS} header fields."


def wrong_with_headers(url: bytes, headers: Headers, version: str, waiting: Sequence[object], *, upgrade: bool) -> Wrong | None:
    """Check a request whose headers are complete, while `waiting` requests are ahead of it."""
    size, hosts, wrong = len(url), 0, None
    for name, value in headers:
        size += len(name) + len(value) + 4
        if name == b"host":
            hosts += 1
            if not _HOST(value):
                wrong = "The header host isn't a host name. Send the host of the URL."
        elif name == b"content-length":
            if len(value) > LENGTH_DIGITS and len(value.strip()) > LENGTH_DIGITS:
                wrong = f"The header content-length has {len(value):,} characters. Send a shorter number."
        elif name == b"transfer-encoding" and (value.strip().lower() != b"chunked" or version != "1.1"):
            wrong = "The transfer-encoding isn't supported. Use chunked with HTTP/1.1, or content-length."
    if size > HEAD:
        return "headers", LONG
    if version not in {"1.0", "1.1"}:
        wrong = f"HTTP/{version} isn't supported. Use HTTP/1.1."
    elif hosts > 1 or (not hosts and version == "1.1"):
        wrong = f"The header host occurs {hosts} times. Send it once."
    elif upgrade:
        wrong = "The collector doesn't support Upgrade. Leave out this header."
    if wrong is not None:
        return "malformed", wrong
    if len(waiting) >= PIPELINED:
        return "busy", f"{PIPELINED} requests already wait on this connection. Read their answers first."
    return None


class Chunks:
    """Counts the chunks of a body. Very small chunks cost a hundred times as much as their bytes."""

    __slots__ = ("_bytes", "_parts")

    def __init__(self) -> None:
        self._parts = self._bytes = 0

    def wrong(self, size: int) -> Wrong | None:
        """Check one more chunk of so many bytes."""
        self._parts += 1
        self._bytes += size
        if self._parts <= PARTS + self._bytes // PART_BYTES:
            return None
        return "malformed", f"The chunks of the body have fewer than {PART_BYTES} bytes on average. Send larger chunks or a Content-Length."
