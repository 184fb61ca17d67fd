"""Figure 9: Proposal and EM run by run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from experiments.bounds import ALMOST_ALL, MOST
from experiments.measured import Measured
from experiments.small_samples.comparisons import FLATTENED, Point, share_within
from experiments.verdicts import Claim, all_of, bounded, judged, outside, settled, span


def _correlation(point: Point) -> Measured:
    """r with its error (Fisher's z: 1/√(runs − 3), which is (1 − r²)/√(runs − 3) of r)."""
    r, runs = point.of("Proposal", "r"), point.of("Proposal", "r").freedom + 1
    return Measured(r.value, (1 - r.value**2) / math.sqrt(runs - 3) if runs > 3 else math.nan, r.freedom)


def _ahead(point: Point) -> Measured:
    """The share of runs in which Proposal is ahead, with its binomial error (of (k + 1)/(n + 2), since no share of few runs is certain)."""
    share = point.of("Proposal", "ahead")
    runs = share.freedom + 1
    likely = (share.value * runs + 1) / (runs + 2)
    return Measured(share.value, math.sqrt(likely * (1 - likely) / runs), share.freedom)


def pairs(every: Sequence[Point]) -> Iterator[Claim]:
    """The claims: how far the two go together, who is ahead how often, and whether that may be chance."""
    near = [(point, _correlation(point)) for point in every]
    share = share_within((r for _, r in near), ALMOST_ALL.low)
    without, alone = ([r.value for point, r in near if point.setting[group] == 0] for group in ("n2", "n3"))
    high = sum(r.value >= ALMOST_ALL.low for _, r in near)
    yield settled(
        "The squared errors of Proposal and EM have a correlation close to 1 in most settings",
        "Section 5.2, Figure 9",
        f"{span(near)}; close to 1 is from {ALMOST_ALL.low:g} on: {high} of {len(near)} settings (a share of {share}, with what their errors leave open)",
        judged(share, *MOST.ends),
        f"it is close to 1 where all people report at ε = ln K (N2 = 0: from {min(without):.2f} on), and often not where people report at ε = 2, be it all of them (N3 = 0: from {min(alone):.2f} to {max(alone):.2f}) or "
        "one of two groups. Proposal pulls EM towards one fixed place, so that the luck of a run shows "
        "less in it than in EM, and how far it pulls (α) is a matter of luck itself; with one smaller α for all runs r is higher (the demonstration's table; which of the two does it was not tested)",
    )
    verdicts = [judged(point.of("Proposal", "beyond EM"), high=0, among=len(every)) for point in every]
    better = [point for point, verdict in zip(every, verdicts, strict=True) if verdict == "agrees"]
    ahead = [(point, _ahead(point)) for point in better]
    if ahead:
        yield bounded(
            "Where Proposal's mse is smaller than EM's, it is ahead in almost all runs",
            "Section 5.2, Figure 9",
            f"share of runs, in the {len(better)} of {len(every)} settings where it is smaller beyond the Monte-Carlo error: {span(ahead)}; almost all is from {ALMOST_ALL.low:g} on",
            ahead,
            *ALMOST_ALL.ends,
            because="it fails where the two are close on average: " + _closeness(outside(ahead, *ALMOST_ALL.ends)),
        )
    chances = [point.of("Proposal", "p").value for point in every]
    significant = ["undecided" if math.isnan(chance) else "agrees" if chance < 0.05 else "differs" for chance in chances]
    signs = [point.of("Proposal", "beyond EM").value for point in every]
    ahead_of, behind = (
        sum(chance < 0.05 and (sign < 0) == first for chance, sign in zip(chances, signs, strict=True)) for first in (True, False)
    )
    yield settled(
        "The difference between Proposal and EM is significant (p < 0.05)",
        "Section 5.2, Figure 9",
        f"p < 0.05 in {significant.count('agrees')} of {len(every)} settings: in {ahead_of} Proposal is ahead, in {behind} EM",
        all_of([*significant, *(["differs"] * (behind > 0))]),
        f"in {behind} settings the difference is to EM's advantage: {FLATTENED}",
    )


def _closeness(failing: list[Point]) -> str:
    return "; ".join(f"{point}: {_ahead(point)} of the runs at {point.ratio('Proposal', 'EM')} times EM's mse" for point in failing)
