"""What a package of somebody else holds: a mechanism that it declares, for an entry point."""

from __future__ import annotations

import sottovoce as sv
from sottovoce.catalogue import mechanism


@mechanism(use="a test", report="an item", promises=("LDP",))
def third(domain: sv.Domain, epsilon: float) -> sv.Mechanism:
    """K-ary randomized response again."""
    return sv.krr(domain, epsilon)
