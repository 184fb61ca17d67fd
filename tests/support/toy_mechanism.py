"""A package of someone else that declares a mechanism, for an entry point."""

from __future__ import annotations

import sottovoce as sv
from sottovoce.catalogue import mechanism


@mechanism(use="a test", report="an item", promises=("LDP",))
def third(domain: sv.Domain, epsilon: float) -> sv.Mechanism:
    """K-ary randomized response again."""
    return sv.krr(domain, epsilon)
