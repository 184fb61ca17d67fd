"""Piles of things that are added a few at a time: small ones upon large ones, so that adding a few to many does not copy the many."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from typing import TypeVar

Pile = TypeVar("Pile", bound=Sized)


def stacked(piles: Sequence[Pile], more: Pile, join: Callable[[Sequence[Pile]], Pile]) -> tuple[Pile, ...]:
    """One more pile on top, joined with those below that are not at least twice its size.

    There are then at most log₂ n piles, and each thing is copied at most log₂ n times.

    >>> stacked(["aaaaaaaaaa", "bbb", "c"], "d", "".join)
    ('aaaaaaaaaa', 'bbbcd')
    """
    top, size = len(piles), len(more)
    while top and len(piles[top - 1]) < 2 * size:
        top -= 1
        size += len(piles[top])
    return (*piles[:top], join([*piles[top:], more]))
