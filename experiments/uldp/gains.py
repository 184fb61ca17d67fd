"""The claims of Figure 5 about how much the new mechanisms gain."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pandas as pd

from experiments.bounds import AN_ORDER, BETTER
from experiments.measured import Measured, pick
from experiments.uldp.comparisons import PAIRS
from experiments.uldp.simulation import GROUPS, METHODS
from experiments.verdicts import Claim, bounded, kept, outside, span

#: Gains are judged up to this ε: beyond it all mechanisms come close to no privacy.
_MOST = 4.0
#: How many people the paper asks, and how many of how many items are sensitive, there and here.
_PUBLISHED = {"Manhattan": 179_527, "census": 1_229_143}
SENSITIVE = {"Manhattan": (15, 625), "census": (76, 400)}

#: The total variation by people, ε, mechanism and method; gains by people and method.
Lookup = Callable[[str, float, str, str], Measured]
Gains = Callable[[str, str], dict[str, Measured]]


def gain_claims(frame: pd.DataFrame, tv: Lookup) -> Iterator[Claim]:
    """How much better the new mechanisms are than the old ones, and where more so."""

    def gains(group: str, method: str) -> dict[str, Measured]:
        below = [each for each in sorted(set(pick(frame, people=group)["epsilon"])) if each <= _MOST]
        return {f"{old}/{new}, ε = {e:g}": tv(group, e, old, method) / tv(group, e, new, method) for e in below for old, new in PAIRS}

    for group in GROUPS:
        found = {method: gains(group, method) for method in METHODS}
        for methods in (("emp",), ("emp+thr", "EM")):
            pooled = {f"{where}, {method}": each for method in methods for where, each in found[method].items()}
            above = sum(each.value > 100 for each in pooled.values())
            yield bounded(
                f"{group}, ε ≤ {_MOST:g}: uRR and uRAP are one to two orders of magnitude better than RR and RAPPOR, by {' and '.join(methods)} ({AN_ORDER.told})",
                "Section 6.2, Figure 5",
                "; ".join(f"*{method}*: {span(found[method])} times" for method in methods)
                + f"; so in {kept(pooled, low=AN_ORDER.low)} cases, more than 100 times in {above}",
                pooled,
                *AN_ORDER.ends,
                because=_why_less(tv, group, methods, outside(pooled, *AN_ORDER.ends), int(pick(frame, people=group)["asked"].iloc[0])),
            )
    yield from _between_groups(gains, tv, min(frame["epsilon"]))


def _why_less(tv: Lookup, group: str, methods: tuple[str, ...], where: list[str], asked: int) -> str:
    """What keeps the gain below an order of magnitude: the number of sensitive items for emp; otherwise a ceiling at small ε, and a floor at large ones."""
    few = [e for e in (float(each.split("ε = ")[1].split(",")[0]) for each in where) if e <= 1]
    parts = []
    if methods == ("emp",):
        sensitive, items = SENSITIVE[group]
        parts.append(
            f"{sensitive} of {items} items are sensitive: where the noise of the others counts for nothing, theory lets uRAP gain about {items / sensitive:.3g} times, and uRR its power 3/2, {(items / sensitive) ** 1.5:.3g} times, and less at larger ε"
        )
    elif few:
        parts.append(
            f"ε ≤ 1: an estimate that is a distribution is never further than 1 from the truth, however bad the mechanism (at ε = {min(few):g} RR has {tv(group, min(few), 'RR', 'EM')} by EM)"
        )
    if methods != ("emp",) and len(few) < len(where):
        floors = {old: tv(group, _MOST, old, methods[-1]) / tv(group, _MOST, "no privacy", "emp") for old, _ in PAIRS}
        parts.append(
            f"larger ε: the error without privacy is a floor that no mechanism here passes, and at ε = {_MOST:g} it leaves little room: with no loss at all one would gain {' and '.join(f'{each} times on {old}' for old, each in floors.items())}, by {methods[-1]}"
        )
    return "; ".join(parts) + f". That we ask {asked:,} people, and the paper {_PUBLISHED[group]:,}, may matter, too (not tested)"


def _between_groups(gains: Gains, tv: Lookup, least: float) -> Iterator[Claim]:
    for method in ("emp", "EM"):
        here, there = gains("Manhattan", method), gains("census", method)
        ratios = {where: here[where] / there[where] for where in here if where in there}
        close = ", ".join(f"{tv(group, least, 'RR', method)} on {group}" for group in GROUPS)
        yield bounded(
            f"The gain is larger on Manhattan than on the census, where more items are sensitive, by {method}",
            "Section 6.2, Figure 5",
            f"the gain on Manhattan over the gain on the census, ε ≤ 4: {span(ratios)}",
            ratios,
            *BETTER.ends,
            because=f"at small ε the errors of RR and RAPPOR are close to 1, the largest possible, on both files (RR at ε = {least:g}: {close}), so that nothing more can be gained"
            if method == "EM"
            else "",
        )
