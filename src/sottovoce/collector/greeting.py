"""What `serve` prints on a terminal: where the survey and the dashboard are, how to sign in, and how to stop."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from ipaddress import ip_address

from sottovoce.collector.settings import Settings

#: Studies whose URLs are shown.
_MOST = 10
#: What the list of tokens shows about the token of a greeting, and how long it opens dashboards if the collector can't revoke it.
TOKEN_NOTE, TOKEN_LASTS = "made by serve on a terminal", "1d"


def greets(settings: Settings) -> bool:
    """Whether a person reads the log: it goes to a terminal, and JSON wasn't requested."""
    return sys.stderr is not None and sys.stderr.isatty() and not settings.json_logs


#: What to do about a store without studies, while a collector runs.
EMPTY = "The store has no studies yet. Add one with: sottovoce store add study.toml"


def is_local(host: str) -> bool:
    """Whether only this machine can connect, so that a link with a token doesn't work elsewhere.

    >>> is_local("127.0.0.1"), is_local("::1"), is_local("localhost"), is_local("0.0.0.0"), is_local("collector.example")
    (True, True, True, False, False)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


#: What to do so that respondents know whose page they are on.
NAMELESS = 'The pages don\'t say who runs this collector. Set operator and contact, such as SOTTOVOCE_OPERATOR="City Health Office".'


def greeting(address: str, studies: Sequence[str], token: str, db: str, operator: str = "") -> str:
    """The text. Without a token, it shows how to create one, and without an operator, how to name one."""
    store = "" if db == Settings().db or "://" in db else f" --db {db}"
    lines = [f"The collector runs at {address}. Press Ctrl+C to stop it."]
    for name in studies[:_MOST]:
        link = f"{address}/d/{name}" + (f"#token={token}" if token else "")
        lines += ["", f"  {name}", f"    survey     {address}/s/{name}", f"    dashboard  {link}"]
    if len(studies) > _MOST:
        lines += ["", f"  and {len(studies) - _MOST} more studies. List them with: sottovoce store studies{store}"]
    if not studies:
        lines += ["", f"{EMPTY}{store}"]
    elif token:
        lines += ["", "The dashboard links contain a token and work until you stop the collector. Keep them to yourself."]
    else:
        lines += ["", f"The dashboard asks for a token. Create one with: sottovoce token create {studies[0]}{store}"]
    if not operator:
        lines += ["", NAMELESS]
    return "\n".join([*lines, "", ""])
