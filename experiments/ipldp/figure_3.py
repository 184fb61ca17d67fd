"""Figure 3: IPRR and uRR, and how many items are sensitive (experiment 4)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pandas as pd

from experiments.charts import curves
from experiments.experiment import Cell, Experiment, Picture, Row, Setting
from experiments.ipldp.people import FILE, LEVELS, ORDER, PART, STAND_IN, ZIPF, compared, crowd_of, direct, sources
from experiments.ipldp.reading import kept, ratios, span, verdict
from experiments.measured import Measured, pick
from experiments.verdicts import AGREES, DIFFERS, Claim, judged, settled

_LOW, _HIGH = 0.1, 10.0


def settings(full: bool) -> list[Setting]:
    tenths = range(10) if full else (0, 4, 8)
    return [{"dataset": d, "nr": tenth / 10} for d in (ZIPF, PART, STAND_IN) for tenth in tenths if d != ZIPF or tenth <= 8]


def measure(cell: Cell) -> list[Row]:
    crowd = crowd_of(cell.setting["dataset"], cell.data)
    return compared(cell, crowd, crowd.people(1.0), direct(crowd, crowd.budgets(cell.setting["nr"], _LOW, _HIGH), ("uRR", "IPRR")))


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    shown = frame[frame["method"].isin(["NS", "MLE", "emp"])]
    for metric in ("MSE", "RE"):
        chart = curves(
            pick(shown, metric=metric),
            x="nr",
            label="share of items that are not sensitive",
            metric=f"{metric} of (25)",
            panels="dataset",
            order=ORDER,
        )
        told = "Rings: the prediction for *emp*, the unbiased estimate, which the paper does not show."
        yield Picture(
            f"Figure 3, {metric}",
            chart,
            f"NR, the share of items without a budget, against the {metric} of counts. {told} {sources(frame)}",
        )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    published = frame[frame["method"].isin(["NS", "MLE"]) & frame["metric"].isin(["MSE", "RE"])]
    found = ratios(published, {"mechanism": "uRR"}, {"mechanism": "IPRR"})
    yield settled(
        "IPRR is better than uRR for every share of sensitive items",
        "Section 7.2, Figure 3",
        f"uRR/IPRR from {span(found)}; above 1 in {kept(found, low=1.0)} cells",
        verdict(found, low=1.0),
        "without free items uRR is KRR, which has its noise on all items alike; IPRR has it on the rare ones, to which NS then moves people, and which RE weighs most (a reason that was not tested)",
    )
    falls: dict[str, Measured] = {}
    for _, part in published.groupby("dataset", sort=False):
        shares = sorted(set(part["nr"]))
        for few, more in pairwise(shares):
            steps = ratios(part, {"nr": few}, {"nr": more})
            falls |= {f"{part['dataset'].iloc[0]}, NR {few:g} to {more:g}, {label}": each for label, each in steps.items()}
    rises = {label: each for label, each in falls.items() if judged(each, low=1.0, among=len(falls)) == DIFFERS}
    series = sorted({", ".join(label.split(", ")[2:]) for label in rises})
    yield settled(
        "All losses fall as fewer items are sensitive",
        "Section 7.2, Figure 3",
        f"a step of NR divides the loss by {span(falls)}; more than 1 in {kept(falls, low=1.0)} steps",
        verdict(falls, low=1.0),
        f"losses rise by more than chance explains among {len(falls)} steps in {len(rises)} of them ({'; '.join(series) or 'none'}): with NS the people whom noise moves to the sensitive items are shared by fewer, rarer "
        "ones (a reason that was not tested). Other steps are flat: of 20 items in four levels every second step leaves as many with the smallest budget",
    )
    yield settled(
        "On Zipf NR goes up to 0.8, since fewer than four items would be left for the four levels beyond",
        "Section 7.2",
        f"20 items, of which NR = 0.8 leaves 4; for Kosarak the range is lost in print: here up to {frame['nr'].max():g}, which leaves 10 of 100",
        AGREES if round(20 * (1 - 0.8)) == LEVELS else DIFFERS,
    )


EXPERIMENT = Experiment(
    name="figure-3",
    figures=("3",),
    title="Figure 3: the share of items without a budget",
    about="Experiment 4 of Table 2: budgets from 0.1 to 10 in four levels for the rarest items, none for the share NR of the items, the most frequent; everybody is asked.",
    data=(FILE,),
    fast_runs=10,
    full_runs=100,
    settings=settings,
    measure=measure,
    pictures=pictures,
    claims=claims,
)
