"""The names of studies, which are part of their URLs."""

from __future__ import annotations

import re

from sottovoce.errors import ParameterError

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


def is_name(name: str) -> bool:
    """Whether a study may have this name."""
    return _NAME.fullmatch(name) is not None


def checked_name(name: str) -> str:
    """The name of a study, or a `ParameterError`."""
    if not is_name(name):
        raise ParameterError(f'{name!r} is no name for an address; use small letters, digits, "-", "_" and ".", at most 64 of them')
    return name
