"""Error bars for every mechanism: how often they hold the truth."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

import sottovoce as sv
from experiments.beyond.axes import pooled
from experiments.beyond.people import POPULATIONS, SENSITIVE, SIZE, population
from experiments.charts import curves
from experiments.experiment import Cell, Experiment, Picture, Row, Samples, Setting
from experiments.measured import Measured, pick
from experiments.verdicts import Claim, all_judged, settled

_LEVEL = 0.95


def settings(full: bool) -> list[Setting]:
    people = (100, 300, 1000, 10_000, 100_000) if full else (300, 10_000)
    return [{"population": name, "n": n} for name in (POPULATIONS if full else ("zipf",)) for n in people]


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
    p, n, samples = population(cell.setting["population"]), cell.setting["n"], Samples()
    for stream, (name, mechanism) in enumerate(_mechanisms().items()):
        for run in range(cell.runs):
            found = sv.estimate(sv.Tally.simulate(mechanism, p, n, cell.source(run, stream)), "projected", progress=False)
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
            x="n",
            label="people",
            metric="share of intervals that hold the truth",
            panels="panel",
            log_x=True,
            log_y=False,
            form="~g",
            x_form="~s",
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
    yield settled(
        f"So do the simultaneous {_LEVEL:.0%} intervals, for all items at once",
        "Chart 14",
        f"over all populations and numbers of people at least {pools[name]} ({name})",
        all_judged(pools.values(), low=_LEVEL - 0.025),
    )


EXPERIMENT = Experiment(
    name="intervals",
    figures=("14",),
    title="Chart 14: error bars for every mechanism",
    about="Confidence intervals were the last of the open questions. These ask which shares the reports do not contradict.",
    data=(),
    fast_runs=10,
    full_runs=100,
    settings=settings,
    measure=measure,
    pictures=pictures,
    claims=claims,
)
