"""The mechanisms that Figures 10a and 12a compare: randomized response, unary encoding and local hashing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd

import sottovoce as sv
from experiments.charts import Axis
from experiments.lip import printed
from experiments.lip.comparisons import PROMISED, exact_chart
from experiments.lip.mechanism_names import BEST, HALF, HALF_PRINTED, LH, LH_BEST, LH_PRINTED, OLH, OUE, RR, RR_LDP, RR_PRINTED, UE, UE_BEST
from experiments.lip.simulation import BITS
from sottovoce.arrays import Floats

#: The buckets of LH-LIP in the paper (Section 5.1.4), and the public hash functions of all hashed mechanisms here.
BUCKETS, FUNCTIONS = 4, 64
FAMILIES = {
    "randomized response": (RR_PRINTED, HALF_PRINTED, RR, HALF, RR_LDP, BEST),
    "unary encoding": (UE, UE_BEST, OUE, RR, BEST),
    "local hashing": (LH_PRINTED, LH, LH_BEST, OLH, RR, BEST),
}
#: Unary reports are read as in the paper too, bit by bit.
READ_BY_BITS = ((UE, BITS), (OUE, BITS))
#: A channel whose error may be further than this from the least is not called the best.
GAP = 0.005


def mechanisms(domain: sv.Domain, epsilon: float, prior: Floats, *, best: bool, sizes: bool = True) -> dict[str, sv.Mechanism]:
    """The mechanisms of the paper as printed and corrected, those of LDP, and where asked for the best channel and the best hashing size."""
    found = {
        RR_PRINTED: printed.rr_lip(domain, epsilon, prior),
        HALF_PRINTED: printed.rr_lip(domain, epsilon / 2, prior),
        RR: sv.rr_lip(domain, epsilon, prior),
        HALF: sv.rr_lip(domain, epsilon / 2, prior),
        RR_LDP: sv.krr(domain, epsilon),
        UE: sv.ue_lip(domain, epsilon, prior),
        UE_BEST: sv.ue_lip(domain, epsilon, prior, theta="optimal"),
        OUE: sv.oue(domain, epsilon),
        LH_PRINTED: printed.lh_lip(domain, epsilon, prior, BUCKETS, FUNCTIONS),
        LH: sv.lh_lip(domain, epsilon, prior, BUCKETS, FUNCTIONS),
        OLH: printed.olh(domain, epsilon, round(math.exp(epsilon)) + 1, FUNCTIONS),
    }
    if sizes:
        found[LH_BEST] = sv.lh_lip(domain, epsilon, prior, functions=FUNCTIONS)
    if best:
        optimum = sv.optimal_lip(domain, epsilon, prior, progress=False)
        if optimum.gap <= GAP * optimum.loss:
            found[BEST] = optimum
    return found


def families(frame: pd.DataFrame, x: Axis = PROMISED, **options: Any) -> Iterator[tuple[str, Any]]:
    """A chart for each family of mechanisms."""
    for family, names in FAMILIES.items():
        part = frame[frame["mechanism"].isin(names)]
        ranked = part.assign(rank=part["mechanism"].map({name: place for place, name in enumerate(names)})).sort_values(
            "rank", kind="stable"
        )
        yield family, exact_chart(ranked, x, panels="prior", **options)
