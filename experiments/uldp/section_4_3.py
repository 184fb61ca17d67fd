"""Section 4.3: the worst cases that the experiments are said to confirm, computed exactly: no runs, no data."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pandas as pd

import sottovoce as sv
from experiments.bounds import ALIKE, AN_ORDER, FACTOR, SAME_ORDER
from experiments.cells import Cell, Modes, Row, exact, grid
from experiments.charts import curves
from experiments.experiment import Picture
from experiments.measured import Measured, measured
from experiments.uldp.comparisons import SENSITIVE_ITEMS
from experiments.uldp.simulation import NAMES, mechanisms
from experiments.verdicts import Claim, bounded, span

_HIGH = 0.1
#: People; the ratios hardly depend on them.
_N = 10**7

FIGURES = ("4.3",)
TITLE = "Section 4.3: the worst cases"
ABOUT = "What theory promises about *emp* at high and at low privacy, for the population that is worst for each mechanism. Exact, so that it carries no Monte-Carlo error."
RUNS = Modes(fast=1, full=1)

settings = grid(
    items=Modes(fast=(625,), full=(400, 625)),
    regime=("high", "low"),
    sensitive=Modes(fast=(1, 20, 100), full=(1, 2, 5, 10, 20, 50, 100, 200)),
)


def measure(cell: Cell) -> list[Row]:
    """Worst-case losses, as multiples: of the least that any mechanism can have (high privacy), of the loss without privacy (ε = ln K)."""
    items, size, high = cell["items"], cell["sensitive"], cell["regime"] == "high"
    epsilon = _HIGH if high else math.log(items)
    made = mechanisms(sv.Domain(items), epsilon, list(range(size)))
    if high:
        least = {"squared error to the limit": ("l2", sv.uldp_limit(items, size, epsilon).value / _N)}
    else:
        least = {
            metric: (loss, _worst(made["no privacy"], loss))
            for metric, loss in (("l1 to no privacy", "l1"), ("squared error to no privacy", "l2"))
        }
    return [
        exact(metric, _worst(made[name], loss) / unit, mechanism=name, method="emp")
        for name in NAMES[:4]
        for metric, (loss, unit) in least.items()
    ]


def _worst(mechanism: sv.Mechanism, loss: str) -> float:
    """The l1 or l2 loss at the population that is worst for it."""
    return float(getattr(sv.worst_case(mechanism, _N, loss).losses, loss))


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    shown = frame[(frame["items"] == 625) & (frame["metric"] != "squared error to no privacy")]
    titles = {
        "high": f"ε = {_HIGH}: worst squared error, in multiples of the limit",
        "low": "ε = ln K: worst l1 loss, in multiples of no privacy",
    }
    panels = shown.assign(panel=shown["regime"].map(titles))
    chart = curves(
        panels, SENSITIVE_ITEMS, "worst error, in multiples", panels="panel", common=False, rules={titles["low"]: (625**0.75, "K^(3/4)")}
    )
    yield Picture(
        "Section 4.3",
        chart,
        "The worst population for each mechanism with *emp*, K = 625, computed and not simulated. Left: against the least worst-case error that any ULDP mechanism can have. "
        "Right: against no privacy; dotted line: K^{3/4}.",
    )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    sizes, items = sorted(set(frame["sensitive"])), sorted(set(frame["items"]))
    where = "Section 4.3"

    def figure(of: int, size: int, name: str, metric: str) -> Measured:
        return measured(frame, items=of, sensitive=size, mechanism=name, metric=metric)

    limit = "squared error to the limit"
    urap, urr = (
        {f"K = {of}, {size} sensitive": figure(of, size, name, limit) for of in items for size in sizes} for name in ("uRAP", "uRR")
    )
    yield bounded(
        f"High privacy (ε = {_HIGH}): uRAP has the best order: its worst squared error is {SAME_ORDER.told}, whatever |X_S|",
        where,
        f"uRAP {span(urap)} times the limit; uRR {span(urr)} times",
        urap,
        *SAME_ORDER.ends,
        because="with one sensitive item the limit is of the order 1/(nε), which uRR reaches; that of uRAP is 1/(nε²): example below",
    )
    many = {f"K = {of}": figure(of, sizes[-1], "uRR", limit) for of in items}
    yield bounded(
        f"High privacy: uRR has not the best order (with {sizes[-1]} sensitive items {AN_ORDER.told})",
        where,
        f"uRR {span(many)} times the limit",
        many,
        *AN_ORDER.ends,
    )
    few = [size for size in sizes if size <= 20]
    for name in ("uRR", "uRAP"):
        near = {f"K = {of}, {size} sensitive": figure(of, size, name, "l1 to no privacy") for of in items for size in few}
        yield bounded(
            f"ε = ln K and few sensitive items (20 at most): {name} is almost the same as no privacy ({ALIKE.told})",
            where,
            f"worst l1 loss over that without privacy: {span(near)}",
            near,
            *ALIKE.ends,
            because="its loss is about 1 + |X_S|/K^{3/4} times that without privacy, and 20 items are not few beside "
            + ", ".join(f"{of**0.75:.0f}" for of in items),
        )
    for name, metric, told, expected in (
        ("RR", "l1 to no privacy", "twice", lambda of: 2.0),
        ("RR", "squared error to no privacy", "four times", lambda of: 4.0),
        ("RAPPOR", "squared error to no privacy", "√K times", math.sqrt),
        ("RAPPOR", "l1 to no privacy", "√K times", math.sqrt),
    ):
        ratios = {f"K = {of}": figure(of, sizes[0], name, metric) for of in items}
        relative = {f"K = {of}": each / Measured(expected(of)) for each, of in zip(ratios.values(), items, strict=True)}
        yield bounded(
            f"ε = ln K: the worst {'l1 loss' if metric.startswith('l1') else 'squared error'} of {name} is {told} that without privacy",
            "Section 4.3, Appendix C.1",
            "; ".join(f"{of}: {each.value:.3g} times" for of, each in ratios.items()),
            relative,
            *FACTOR.ends,
            because=f"the squared error is √K times as large, and an l1 loss goes with its root: K^{{1/4}} = {', '.join(f'{of**0.25:.3g}' for of in items)}; example below"
            if (name, metric) == ("RAPPOR", "l1 to no privacy")
            else "",
        )
