"""Inversion of hashed reports."""

from __future__ import annotations

from sottovoce.arrays import Floats
from sottovoce.channels.inversion import Contained
from sottovoce.errors import UnsupportedError


class HashedInversion(Contained):
    """A report supports the own item, or any other with the chance of its bucket."""

    def products(self, p: Floats, shares: Floats | None = None) -> Floats:
        raise UnsupportedError("buckets of two items are independent, those of three are not: the covariance of hashed reports is unknown")
