"""Error bars for every mechanism: how often they hold the truth."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

import sottovoce as sv
from experiments.beyond.limits import pooled
from experiments.beyond.populations import POPULATIONS, SENSITIVE, SIZE, population
from experiments.cells import Cell, Modes, Row, Samples, grid
from experiments.charts import NUMBER_OF_PEOPLE, curves
from experiments.experiment import Picture
from experiments.measured import Measured, pick
from experiments.verdicts import Claim, all_judged, bounded, settled

_LEVEL = 0.95

FIGURES = ("14",)
TITLE = "Chart 14: error bars for every mechanism"
ABOUT = "Confidence intervals were the last of the open questions. These ask which shares the reports do not contradict."
RUNS = Modes(fast=10, full=100)

settings = grid(
    population=Modes(fast=["zipf"], full=POPULATIONS),
    n=Modes(fast=(300, 10_000), full=(100, 300, 1000, 10_000, 100_000)),
)


def _mechanisms() -> dict[str, sv.Mechanism]:
    domain, items = sv.Domain(SIZE), SENSITIVE
    budgets = {item: 0.5 if item < SIZE // 2 else 2.0 for item in items}
    return {
        "krr": sv.krr(domain, 1.0),
        "oue": sv.oue(domain, 1.0),
        "olh": sv.olh(domain, 1.0),
        "subset_selection": sv.subset_selection(domain, 1.0),
        "urr": sv.urr(domain, 1.0, items),
        "urap, θ optimal": sv.urap(domain, 1.0, items, theta="optimal"),
        "ubd": sv.ubd(domain, 1.0, items),
        "ipue": sv.ipue(domain, budgets),
    }


def measure(cell: Cell) -> list[Row]:
    p, n, samples = population(cell["population"]), cell["n"], Samples()
    for name, mechanism, _, source in cell.trials(_mechanisms()):
        found = sv.estimate(sv.Tally.simulate(mechanism, p, n, source), "projected", progress=False)
        (low, high), (lowest, highest) = found.interval(_LEVEL), found.interval(_LEVEL, simultaneous=True)
        covered = {"each": float(np.mean((low <= p) & (p <= high))), "all": float(np.all((lowest <= p) & (p <= highest)))}
        samples.add(covered, mechanism=name)
    return samples.rows()


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    shown = pick(frame, metric="each")
    yield Picture(
        "Chart 14, error bars",
        curves(
            shown.assign(panel=shown["population"].map(POPULATIONS)),
            NUMBER_OF_PEOPLE,
            "share of intervals that contain the truth",
            panels="panel",
            log_y=False,
            form="~g",
        ),
        f"The {_LEVEL:.0%} interval of each item by itself, ε = 1 (`ipue`: budgets 0.5 and 2), K = 100, every tenth item sensitive where some are. The intervals are the same for all methods but `mmse`. No data file: the "
        "populations are those named.",
    )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    part = pick(frame, metric="each")
    least, most = part.loc[part["mean"].idxmin()], part.loc[part["mean"].idxmax()]
    yield settled(
        f"The {_LEVEL:.0%} interval of an item holds its share about that often or more often, whatever the mechanism, the population and the number of people",
        "Chart 14",
        f"at least {Measured.of(least)} ({least['mechanism']}, {POPULATIONS[least['population']]}, n = {least['n']:,}), at most {most['mean']:.3f}",
        all_judged([Measured.of(row) for row in part.to_dict("records")], low=_LEVEL - 0.025),
    )
    pools = {name: pooled(each) for name, each in pick(frame, metric="all").groupby("mechanism")}
    name = min(pools, key=lambda each: pools[each].value)
    yield bounded(
        f"So do the simultaneous {_LEVEL:.0%} intervals, for all items at once",
        "Chart 14",
        f"over all populations and numbers of people at least {pools[name]} ({name})",
        pools,
        low=_LEVEL - 0.025,
    )
