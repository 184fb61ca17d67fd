"""The people of the experiments, the budgets of their items, and how mechanisms are compared on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import sottovoce as sv
from experiments.cells import Cell, Row, Samples, exact
from experiments.data import Data
from experiments.ipldp.comparisons import paired
from experiments.respondents import Respondents

FILE = "kosarak_first100k_top100.csv"
DATASETS = ZIPF, PART, STAND_IN = "Zipf", "part of Kosarak", "Kosarak stand-in"
#: People in the Kosarak data of the paper.
_PUBLISHED = 646_510
#: Levels of budgets in all experiments.
LEVELS = 4
#: The paper's names of our methods, and the unbiased estimate, whose losses theory predicts.
METHODS = {"NS": "norm_sub", "MLE": "mle", "emp": "inversion"}


def sources(frame: pd.DataFrame) -> str:
    """What is said of the data wherever it is shown."""
    people = int(frame.loc[frame["dataset"] == PART, "n"].max())
    return (
        "*Zipf*: 100,000 draws from a Zipf law with exponent 2 on 20 items, made once. "
        f"*Part of Kosarak*: `{FILE}`, {people:,} people, where the paper has {_PUBLISHED:,}; the line *Data* below says what the file is. "
        f"*Kosarak stand-in*: no data, but the shares of `{FILE}` given to {_PUBLISHED:,} people, to see what the number of people does."
    )


class ItemHolders(Respondents):
    """How many people hold each item, the most frequent item first."""

    def rare(self, p: NDArray[np.float64]) -> float:
        """The share of the rarer half of the items."""
        return float(p[len(p) // 2 :].sum())

    def people(self, ratio: float) -> int:
        """How many people a sample ratio asks."""
        return round(ratio * int(self.counts.sum()))

    def budgets(self, free: float, low: float, high: float) -> dict[int, float]:
        """Budgets from low to high in four levels, the rarest items with the smallest; the share `free` of the items, the most frequent, has none.

        Where the levels cannot be equally large, those with the smaller budgets have one item more.
        """
        rarest_first = np.arange(round(free * len(self.counts)), len(self.counts))[::-1]
        levels = zip(np.linspace(low, high, LEVELS).tolist(), np.array_split(rarest_first, LEVELS), strict=True)
        return {item: round(budget, 9) for budget, items in levels for item in items.tolist()}

    def losses(self, mechanism: sv.Mechanism, n: int) -> dict[str, float]:
        """The mean MSE and RE of the unbiased estimate."""
        squared, absolute = self.errors(mechanism, n)
        return {"MSE": n * float(squared.sum()), "RE": float((absolute / self.p).sum())}


def respondents_of(dataset: str, data: Data) -> ItemHolders:
    """Zipf, the part of Kosarak, or as many people as the paper had with the shares of that part."""
    if dataset == ZIPF:
        weights = np.arange(1, 21) ** -2.0
        counts = np.random.default_rng(2023).multinomial(100_000, weights / weights.sum())
    else:
        counts = data.table(FILE)["count"].to_numpy()
    if dataset == STAND_IN:
        marks = np.round(np.cumsum(counts) * (_PUBLISHED / counts.sum())).astype(np.int64)  # rounded so that the sum is kept
        counts = np.diff(marks, prepend=0)
    return ItemHolders(np.sort(counts)[::-1])


def compared(cell: Cell, respondents: ItemHolders, n: int, mechanisms: Mapping[str, sv.Mechanism]) -> list[Row]:
    """Runs in which the same n people report through each mechanism, and each method estimates.

    MSE and RE are those of (25), of counts f = n·p: MSE is n times `l2`, RE is K times `relative` of `sv.distance`. "zeros" is the share of items that are
    estimated to be held by nobody, "rare" the estimated share of people who hold an item of the rarer half, beside the true one. The method "NS/MLE" is the ratio of the two, from the same reports.
    """
    samples, gains = Samples(), []
    for name, mechanism, run, source in cell.trials(mechanisms):
        tally = sv.Tally(mechanism, keep_reports=True).add(mechanism.perturb(respondents.asked(n, cell.random(run)), source))
        for label, method in METHODS.items():
            found = sv.estimate(tally, method, progress=False)
            away = sv.distance(found, respondents.p)
            samples.add({"MSE": n * away.l2, "RE": len(respondents.p) * away.relative}, mechanism=name, method=label)
            samples.add({"zeros": float((found.p <= 1e-9).mean()), "rare": respondents.rare(found.p)}, mechanism=name, method=label)
    for name, mechanism in mechanisms.items():
        samples.predict(respondents.losses(mechanism, n), mechanism=name, method="emp")
        for metric in ("MSE", "RE"):
            gain = paired(*(samples.values(metric, mechanism=name, method=label) for label in ("NS", "MLE")))
            figures = {"runs": cell.runs, "mean": gain.value, "error": gain.error}
            gains.append({"mechanism": name, "method": "NS/MLE", "metric": metric} | figures)
    truth = exact("rare", respondents.rare(respondents.p), runs=cell.runs, mechanism="none", method="truth")
    return [{"n": n} | row for row in (*samples.rows(), *gains, truth)]


def direct(domain: sv.Domain, budgets: Mapping[int, float], names: Iterable[str]) -> dict[str, sv.Mechanism]:
    """IPRR with its budgets; KRR and uRR with the smallest of them for all (sensitive) items."""
    least = min(budgets.values())
    made = {
        "KRR": lambda: sv.krr(domain, least),
        "uRR": lambda: sv.urr(domain, least, budgets),
        "IPRR": lambda: sv.iprr(domain, budgets),
    }
    return {name: made[name]() for name in names}
