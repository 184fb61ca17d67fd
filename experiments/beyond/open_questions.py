"""Which θ is best for uRAP, and which hash range for LH-LIP: two questions that the papers left open."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

import sottovoce as sv
from experiments.beyond.limits import RATIO, at_least, at_most, hardest, worst_ratio
from experiments.cells import Cell, Modes, Row, Setting, exact
from experiments.charts import Axis, curves
from experiments.experiment import Picture
from experiments.measured import pick
from experiments.verdicts import AGREES, Claim, all_of, settled

#: Pairs (K, sensitive) whose reports can be listed, so that their information is exact.
_PAIRS = ((20, 3), (20, 6))
_SIZES, _FUNCTIONS = (8, 50), 64
_BOUND, _ALL = "Cramér-Rao, hardest population", "Cramér-Rao, all people sensitive"

FIGURES = ("8", "9")
TITLE = "Charts 8 and 9: which θ for uRAP, which hash range for LH-LIP"
ABOUT = "Two parameters that the papers leave open, each tried over its range."
RUNS = Modes(fast=1, full=1)


def settings(full: bool) -> list[Setting]:
    epsilons, pairs = ((0.5, 1.0, 2.0, 4.0), _PAIRS) if full else ((1.0, 4.0), _PAIRS[:1])
    thetas: list[Setting] = [
        {"question": "theta", "size": size, "sensitive": sensitive, "epsilon": e} for size, sensitive in pairs for e in epsilons
    ]
    return thetas + [{"question": "range", "size": size, "sensitive": size, "epsilon": e} for size in _SIZES for e in epsilons]


def measure(cell: Cell) -> list[Row]:
    return _ranges(cell["size"], cell["epsilon"]) if cell["question"] == "range" else _thetas(cell.setting)


def _thetas(setting: Setting) -> list[Row]:
    """For each θ, over the limit: inversion in the worst case, and the Cramér-Rao bound at the hardest population and where all people hold sensitive items."""
    size, sensitive, epsilon = (setting[name] for name in ("size", "sensitive", "epsilon"))
    limit, p, items = sv.uldp_limit(size, sensitive, epsilon).value, hardest(size, sensitive, epsilon), list(range(sensitive))
    alike, rows = np.where(np.arange(size) < sensitive, 1 / sensitive, 0.0), []
    for theta in np.arange(0.32, 0.985, 0.03).round(2):
        mechanism = sv.urap(sv.Domain(size), epsilon, items, theta=float(theta))
        rows.append({"x": float(theta)} | exact("ratio", worst_ratio(mechanism, limit), method="inversion, worst case"))
        for method, people in ((_BOUND, p), (_ALL, alike)):
            rows.append({"x": float(theta)} | exact("ratio", sv.cramer_rao(mechanism, people, 1).sum() / limit, method=method))
    half = math.exp(epsilon / 2)
    rows.append(
        {"x": half / (half + 1)} | exact("chosen", worst_ratio(sv.urap(sv.Domain(size), epsilon, items), limit), method="published")
    )
    best = sv.urap(sv.Domain(size), epsilon, items, theta="optimal")
    assert isinstance(best.channel, sv.UnaryChannel)
    return [*rows, {"x": float(best.channel.a[0])} | exact("chosen", worst_ratio(best, limit), method="optimal")]


def _ranges(size: int, epsilon: float) -> list[Row]:
    """For each hash range g: what a report leaves of the squared error under a Zipf prior; the g of the library, and that of LDP."""
    prior = 1 / np.arange(1, size + 1)
    prior /= prior.sum()

    def left(g: int | None) -> tuple[int, float]:
        mechanism = sv.lh_lip(sv.Domain(size), epsilon, prior, g=g, functions=_FUNCTIONS)
        assert isinstance(mechanism.channel, sv.HashTableChannel)
        return mechanism.channel.buckets, sv.mmse_loss(mechanism)

    sizes = sorted({2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150})
    tried = [left(g) for g in sizes]
    least = min(loss for _, loss in tried)
    rows = [{"x": float(g)} | exact("ratio", loss / least, method="mmse") for g, loss in tried]
    for method, g in (("LDP's", round(math.exp(epsilon)) + 1), ("chosen", None)):
        used, loss = left(g)
        rows.append({"x": float(used)} | exact("chosen", loss / least, method=method))
    return rows


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    shown = pick(frame, metric="ratio").assign(ε=lambda each: each["epsilon"].map("{:g}".format))
    thetas, ranges = (pick(shown, question=question) for question in ("theta", "range"))
    panel = "K = " + thetas["size"].astype(str) + ", " + thetas["sensitive"].astype(str) + " sensitive"
    yield Picture(
        "Chart 8, which theta",
        curves(thetas.assign(panel=panel), Axis("x", "θ, the chance to keep a sensitive bit"), RATIO, color="ε", panels="panel", form="~g"),
        "uRAP with every θ: inversion in the worst case, and the Cramér-Rao bound at the population where the limit is attained and where all people hold sensitive items (below the limit, which is that of the hardest population, it may come there). Computed, not simulated. No data file.",
    )
    panel, axis = "K = " + ranges["size"].astype(str), Axis("x", "hash range g", log=True)
    yield Picture(
        "Chart 9, which hash range",
        curves(ranges.assign(panel=panel), axis, "squared error, over that of the best g", color="ε", panels="panel", form="~g"),
        f"LH-LIP under a Zipf(1) prior, {_FUNCTIONS} hash functions: what is left of the squared error, over the least. Computed, not simulated. No data file.",
    )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    thetas, found, gains, apart = pick(frame, question="theta"), [], [], []
    for (size, sensitive, epsilon), part in thetas.groupby(["size", "sensitive", "epsilon"]):
        best = {method: each.loc[each["mean"].idxmin()] for method, each in pick(part, metric="ratio").groupby("method")}
        published, optimal = (pick(part, metric="chosen", method=method).iloc[0] for method in ("published", "optimal"))
        found.append(
            f"({size}, {sensitive}), ε = {epsilon:g}: {optimal['x']:.3f} against {published['x']:.3f} published, by likelihood {best[_BOUND]['x']:.2f} (hardest population) or {best[_ALL]['x']:.2f} (all people sensitive)"
        )
        gains.append(float(optimal["mean"] / best["inversion, worst case"]["mean"]))
        apart.append(abs(float(optimal["x"] - best[_BOUND]["x"])))
    yield settled(
        'There is one best θ, and `theta="optimal"` finds it',
        "Chart 8",
        f"its worst case is at most {max(gains):.5f} times that of the best θ of a grid in steps of 0.03",
        all_of([at_most(max(gains), 1.0001), AGREES if _unimodal(thetas) else "differs"]),
    )
    yield settled(
        "For likelihood another θ may be best than for inversion, and it may depend on the population (told apart in steps of 0.03)",
        "Chart 8",
        "; ".join(found),
        at_least(max(apart), 0.03),
    )
    ranges = pick(frame, question="range", metric="chosen")
    ours, theirs = (pick(ranges, method=method).reset_index(drop=True) for method in ("chosen", "LDP's"))
    yield settled(
        "Given a prior, the library's hash range is (nearly) the best of all",
        "Chart 9",
        f"at most {ours['mean'].max():.4f} times the loss of the best range that was tried",
        at_most(ours["mean"].max(), 1.01),
    )
    worst, many = theirs.loc[theirs["mean"].idxmax()], theirs[theirs["size"] == theirs["size"].max()]
    yield settled(
        "LDP's hash range, e^ε + 1, is as good",
        "Chart 9",
        f"at most {many['mean'].max():.3f} times the best with {many['size'].iloc[0]} items; {worst['mean']:.2f} times with {worst['size']} items at ε = {worst['epsilon']:g} (g = {worst['x']:.0f}, where "
        f"{ours.loc[theirs['mean'].idxmax(), 'x']:.0f} is chosen)",
        all_of([at_most(many["mean"].max(), 1.05), at_most(worst["mean"], 1.05)]),
        "where ε is large for the number of items hashing itself loses: the best range is then a larger one, with fewer collisions",
    )


def _unimodal(thetas: pd.DataFrame) -> bool:
    """Whether every curve of inversion falls, and then rises."""
    lines = pick(thetas, metric="ratio", method="inversion, worst case").sort_values("x").groupby(["size", "sensitive", "epsilon"])
    return all((np.diff(np.sign(np.diff(each["mean"]))) >= 0).all() for _, each in lines)
