"""Figure 10b: the hashing size of LH-LIP against the error, for a hundred hash functions of each size."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import sottovoce as sv
from experiments.bounds import ALIKE, BETTER, KEPT, ZERO
from experiments.cells import Cell, Modes, Row, Samples, grid
from experiments.charts import Axis, boxes
from experiments.experiment import Picture
from experiments.lip import printed
from experiments.lip.comparisons import ERROR, LEVEL, Ratio, between, ends
from experiments.measured import Measured, measured, pick
from experiments.verdicts import UNDECIDED, Claim, all_of, judged, settled

EPSILON, ITEMS = 1.0, 20
PRIOR = np.arange(1, ITEMS + 1) / np.arange(1, ITEMS + 1).sum()
PRINTED, CORRECTED = "as printed", "corrected"
SAID = (12, 16)
_SIZE = Axis("size", "hashing size")

FIGURES = ("10b",)
TITLE = "Figure 10b: the hashing size"
ABOUT = (
    "All people share one prior here, in the paper too. It has 21 entries that sum to 1.05 in print; here it is proportional to 1, 2, …, 20. A run is a hash function, and its error is exact: nobody is simulated. The paper ranges over sizes 1 to 20; "
    "with one bucket there is no report."
)
RUNS = Modes(fast=25, full=100)

settings = grid(size=Modes(fast=(2, 4, 8, 12, 16, 20), full=range(2, ITEMS + 1)))


def hashed(homes: NDArray[np.int64], inner: sv.Mechanism) -> sv.Mechanism:
    """The mechanism over the buckets, as one over the items."""
    return sv.from_matrix(sv.Domain(ITEMS), inner.channel.matrix()[homes], sv.LIP(math.inf, PRIOR))


def measure(cell: Cell) -> list[Row]:
    samples, random = Samples(), cell.random(0)
    for _ in range(cell.runs):
        homes = _function(random, cell["size"])
        weights = printed.bucket_prior(homes, PRIOR, int(homes.max()) + 1)
        domain = sv.Domain(len(weights))
        for name, inner in ((PRINTED, printed.rr_lip(domain, EPSILON, weights)), (CORRECTED, sv.rr_lip(domain, EPSILON, weights))):
            level = printed.lip_level(inner, weights)  # that of a bucket is that of its items
            samples.add({"root": math.sqrt(sv.mmse_loss(hashed(homes, inner))), "level": level}, mechanism=name)
    return [row | samples.quantiles(row["metric"], mechanism=row["mechanism"]) for row in samples.rows()]


def _function(random: np.random.Generator, size: int) -> NDArray[np.int64]:
    """A random function from items to buckets, those that are empty left out; not a constant one."""
    while len(found := np.unique(random.integers(size, size=ITEMS), return_inverse=True)[1]) and found.max() == 0:
        pass
    return np.asarray(found, dtype=np.int64)


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    yield Picture(
        "Figure 10b",
        boxes(pick(frame, metric="root"), _SIZE, ERROR, color="mechanism", log_y=False),
        f"Exact root errors of LH-LIP at ε = 1 with {ITEMS} answers and P ∝ 1, 2, …, {ITEMS} (synthetic, no data file), over random hash functions: median, quartiles, extremes.",
    )
    yield Picture(
        "Figure 10b, true levels",
        boxes(pick(frame, metric="level"), _SIZE, LEVEL.label, color="mechanism", log_y=False),
        "What these functions give as LIP: the printed form breaks ε = 1 for nearly every function, the more the larger the hash.",
    )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    roots, here = pick(frame, metric="root"), "Section 5.1.4, Figure 10b"
    sizes, several = sorted(set(frame["size"])), bool((frame["runs"] > 1).all())  # a single function is spread over nothing
    verdicts, told = [], []
    for name in (PRINTED, CORRECTED):
        means = {size: measured(roots, size=size, mechanism=name) for size in sizes}
        inside, outside = (
            min((size for size in sizes if (SAID[0] <= size <= SAID[1]) == within), key=lambda size: means[size].value)
            for within in (True, False)
        )
        ratio = means[outside] / means[inside]
        verdicts.append(judged(ratio, *BETTER.ends))
        told.append(
            f"{name} the best mean is at {min(means, key=lambda size: means[size].value)}; the best other size ({outside}) over the best of 12 to 16 ({inside}): {ratio}"
        )
    yield settled(
        "The best hashing size is about 12 to 16 (ε = 1, 20 answers)", here, "; ".join(told), all_of(verdicts),
        "as printed, larger is better, for a larger hash is less private; kept private, few buckets are best" if verdicts[0] != "agrees" else "kept private, few buckets are best",
    )  # fmt: skip
    spread = [Measured(float(row.largest - row.least)) for row in pick(roots, mechanism=PRINTED).itertuples()]
    most = max(spread, key=lambda each: each.value)
    yield settled(
        "Functions of the same size differ in utility",
        here,
        f"largest less least root error of one size, as printed: up to {most}",
        judged(most, low=ZERO.high) if several else UNDECIDED,
    )
    inside = [row for row in pick(roots, mechanism=PRINTED).itertuples() if SAID[0] <= row.size <= SAID[1]]
    poor = [Ratio(f"size {row.size}", Measured(row.largest / row.median)) for row in inside]
    yield settled(
        "Even with 12 to 16 buckets some functions have poor utility (more than a tenth above the median)", here, f"largest root error over the median, as printed: {ends(poor)}",
        between(poor, low=ALIKE.high) if several else UNDECIDED, "the worst function is only a little worse than the median",
    )  # fmt: skip
    levels = [Ratio(f"size {row.size}", Measured(row.mean)) for row in pick(frame, metric="level", mechanism=PRINTED).itertuples()]
    kept = [Measured(row.largest) for row in pick(frame, metric="level", mechanism=CORRECTED).itertuples()]
    yield settled(
        "LH-LIP is ε-LIP at ε = 1", "Proposition 3, Figure 10b",
        f"mean true level as printed: {ends(levels)}; corrected at most {max(each.value for each in kept):.4g}",
        between(levels, *KEPT.ends), "the buckets' probabilities are below 1/(e + 1) = 0.27",
    )  # fmt: skip
