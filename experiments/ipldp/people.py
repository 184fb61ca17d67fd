"""The people of the experiments, the budgets of their items, and how mechanisms are compared on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import sottovoce as sv
from experiments.data import Data
from experiments.everybody import Everybody
from experiments.experiment import Cell, Row, Samples
from experiments.ipldp.reading import paired

FILE = "kosarak_first100k_top100.csv"
ZIPF, PART, STAND_IN = "Zipf", "part of Kosarak", "Kosarak stand-in"
#: People in the Kosarak data of the paper.
_PUBLISHED = 646_510
#: The mechanisms, so that each has one colour on the page.
ORDER = ("KRR", "uRR", "IPRR", "IDUE opt0", "IDUE opt1", "IDUE opt2", "IPUE")
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


class Crowd(Everybody):
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


def crowd_of(dataset: str, data: Data) -> Crowd:
    """Zipf, the part of Kosarak, or as many people as the paper had with the shares of that part."""
    if dataset == ZIPF:
        weights = np.arange(1, 21) ** -2.0
        counts = np.random.default_rng(2023).multinomial(100_000, weights / weights.sum())
    else:
        counts = data.table(FILE)["count"].to_numpy()
    if dataset == STAND_IN:
        marks = np.round(np.cumsum(counts) * (_PUBLISHED / counts.sum())).astype(np.int64)  # rounded so that the sum is kept
        counts = np.diff(marks, prepend=0)
    return Crowd(np.sort(counts)[::-1])


def compared(cell: Cell, crowd: Crowd, n: int, mechanisms: Mapping[str, sv.Mechanism]) -> list[Row]:
    """Runs in which the same n people report through each mechanism, and each method estimates.

    MSE and RE are those of (25), of counts f = n·p: MSE is n times `l2`, RE is K times `relative` of `sv.distance`. "zeros" is the share of items that are
    estimated to be held by nobody, "rare" the estimated share of people who hold an item of the rarer half, beside the true one. The method "NS/MLE" is the ratio of the two, from the same reports.
    """
    samples, gains = Samples(), []
    for stream, (name, mechanism) in enumerate(mechanisms.items()):
        for run in range(cell.runs):
            reports = mechanism.perturb(crowd.asked(n, cell.random(run)), cell.source(run, stream))
            tally = sv.Tally(mechanism, keep_reports=True).add(reports)
            for label, method in METHODS.items():
                found = sv.estimate(tally, method, progress=False)
                away = sv.distance(found, crowd.p)
                samples.add({"MSE": n * away.l2, "RE": len(crowd.p) * away.relative}, mechanism=name, method=label)
                samples.add({"zeros": float((found.p <= 1e-9).mean()), "rare": crowd.rare(found.p)}, mechanism=name, method=label)
        samples.predict(crowd.losses(mechanism, n), mechanism=name, method="emp")
        for metric in ("MSE", "RE"):
            gain = paired(*(samples.values(metric, mechanism=name, method=label) for label in ("NS", "MLE")))
            figures = {"runs": cell.runs, "mean": gain.value, "error": gain.error}
            gains.append({"mechanism": name, "method": "NS/MLE", "metric": metric} | figures)
    truth = {"mechanism": "none", "method": "truth", "metric": "rare", "runs": cell.runs, "mean": crowd.rare(crowd.p), "error": 0.0}
    return [{"n": n} | row for row in (*samples.rows(), *gains, truth)]


def direct(crowd: Crowd, budgets: Mapping[int, float], names: Iterable[str]) -> dict[str, sv.Mechanism]:
    """IPRR with its budgets; KRR and uRR with the smallest of them for all (sensitive) items."""
    least = min(budgets.values())
    made = {
        "KRR": lambda: sv.krr(crowd.domain, least),
        "uRR": lambda: sv.urr(crowd.domain, least, budgets),
        "IPRR": lambda: sv.iprr(crowd.domain, budgets),
    }
    return {name: made[name]() for name in names}
