"""URLs of studies. All spellings of one URL are the same study."""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import quote, urlsplit

from sottovoce.errors import ParameterError

_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
#: The end of a host that browsers read as an IPv4 address, however it is spelled.
_NUMBER = re.compile(r"(0x[0-9a-f]*|[0-9]+)")
_ENCODED = re.compile("%([0-9A-Fa-f]{2})")
#: Characters of a path that stand for themselves whether or not they are percent-encoded.
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def checked_url(url: str) -> str:
    """The URL of a study in its usual spelling, without what follows its path. It is encrypted, unless the collector is on this machine.

    >>> checked_url("https://Collector.example:443/studies/%61pp/#ticket=x")
    'https://collector.example/studies/app'
    """
    found = _usual(url) if isinstance(url, str) and url.isascii() and url.isprintable() else None
    if found is None:
        raise ParameterError(f"{url!r} isn't the URL of a study. Write for example https://collector.example/studies/my-survey.")
    parts = urlsplit(found)
    if parts.scheme == "http" and not _is_here(parts.hostname or ""):
        raise ParameterError(f"{url!r} isn't encrypted. Use an https URL.")
    return found


@lru_cache(maxsize=1024)
def is_at(kept: str, place: str) -> bool:
    """Whether the URL in a ledger is the one at a place. An older version may have written it in another spelling."""
    return bool(place) and (kept == place or (kept.isascii() and kept.isprintable() and _usual(kept) == place))


def _usual(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        port = parts.port  # refuses what is no number
    except ValueError:
        return None
    host = _host(parts.hostname or "")
    if parts.scheme not in _PORTS or host is None or "@" in parts.netloc or set(" \\") & set(url):
        return None
    path = _path(parts.path)
    if path is None:
        return None
    return f"{parts.scheme}://{host}{'' if port in {None, _PORTS[parts.scheme]} else f':{port}'}{path}"


def _host(host: str) -> str | None:
    host = host.removesuffix(".")
    try:
        found = ip_address(host)
    except ValueError:
        return host if _HOST.fullmatch(host) and not _NUMBER.fullmatch(host.rpartition(".")[2]) else None
    if found.version == 6:
        return None if "%" in host else f"[{found.compressed}]"
    return found.compressed


def _path(path: str) -> str | None:
    """A path without what browsers and collectors read in the same way: encoded letters, dots, and slashes at the end."""
    path = _ENCODED.sub(lambda found: letter if (letter := chr(int(found[1], 16))) in _UNRESERVED else found[0].upper(), path)
    kept: list[str] = []
    for segment in path.rstrip("/").split("/")[1:]:
        if not segment:
            return None
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(quote(segment, safe="%!$&'()*+,;=:@-._~"))
    return "".join(f"/{segment}" for segment in kept)


def _is_here(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
