"""Mechanisms that others are built on, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sottovoce.catalogue import MECHANISMS
from sottovoce.errors import ParameterError


def base_of(name: str, base: Any, promise: str, takes: tuple[str, ...]) -> Callable[..., Any]:
    """The constructor that a mechanism is built on: one that promises the notion, and takes just these parts."""
    suited = [each for each in MECHANISMS.values() if each.builds_itself and promise in each.promises and each.takes == takes]
    for each in suited:
        if each.name == base:
            return each.thing
    raise ParameterError(f"{base!r} can't be the base of {name}. Choose from {', '.join(each.name for each in suited)}.")
