"""Which items a promise is about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.domain import Domain, Item
from sottovoce.errors import DomainError


@dataclass(frozen=True, order=True)
class Bot:
    """The stand-in for every personal sensitive item that carries the tag."""

    tag: str

    def __repr__(self) -> str:
        return f"⊥{self.tag}"

    __str__ = __repr__


def checked_domain(domain: Domain) -> Domain:
    """The domain, or a `DomainError` if it is something else."""
    if not isinstance(domain, Domain):
        raise DomainError(f"The domain is {domain!r}. Make one with Domain([...]).")
    return domain


def mask_of(domain: Domain, sensitive: Iterable[Item]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """The sensitive items as a mask. An empty list is an error."""
    if sensitive is None:
        raise DomainError("No item is sensitive. Name at least one, or use identity(domain) for reports without obfuscation.")
    mask = checked_domain(domain).indicator(sensitive)
    if not mask.any():
        raise DomainError("No item is sensitive. Name at least one, or use identity(domain) for reports without obfuscation.")
    return mask
