"""A budget for each item: what it gains over the smallest budget for all, notion by notion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

import sottovoce as sv
from experiments.beyond.limits import at_least, at_most, inverted
from experiments.cells import Cell, Modes, Row, Samples, Setting, exact
from experiments.charts import EPSILON, LIMIT, curves
from experiments.experiment import Picture
from experiments.measured import Measured, pick
from experiments.verdicts import Claim, all_of, judged, settled

#: Items; those with a budget where the others are free; those of them with the smallest budget.
_SIZE, _SENSITIVE, _STRICT = 100, 20, 5
_NOTIONS = {
    "ipldp": "IPLDP: 20 of 100 items have a budget",
    "item_uldp": "ItemULDP: 20 of 100 items have a budget",
    "minid": "MinID-LDP: all 100 items have a budget",
}

FIGURES = ("5", "6")
TITLE = "Charts 5 and 6: a budget for each item"
ABOUT = "K = 100. Each panel is a promise of its own; in each, the mechanisms that keep it. *At the smallest*: the mechanism spends the smallest budget on all items with one."
RUNS = Modes(fast=30, full=500)


def settings(full: bool) -> list[Setting]:
    epsilons, ratios = ((0.1, 0.2, 0.5, 1.0, 2.0, 4.0), (2.0, 4.0)) if full else ((0.1, 1.0), (4.0,))
    return [{"notion": notion, "ratio": ratio, "epsilon": epsilon} for ratio in ratios for notion in _NOTIONS for epsilon in epsilons]


def _mechanisms(notion: str, epsilon: float, ratio: float) -> dict[str, sv.Mechanism]:
    """The mechanisms that keep a promise: five items at ε, the others of those with a budget at a multiple of it."""
    domain = sv.Domain(_SIZE)
    items = list(range(_SIZE if notion == "minid" else _SENSITIVE))
    budgets = {item: epsilon if item < _STRICT else epsilon * ratio for item in items}
    if notion == "minid":
        models = {f"idue, {model}": sv.idue(domain, budgets, model=model) for model in ("opt0", "opt1", "opt2")}
        return models | {
            "oue at the smallest": sv.oue(domain, epsilon),
            "subset_selection at the smallest": sv.subset_selection(domain, epsilon),
        }
    direct = {"iprr": sv.iprr(domain, budgets), "urr at the smallest": sv.urr(domain, epsilon, items)}
    if notion == "ipldp":
        return direct
    smallest = {
        "urap, θ optimal, at the smallest": sv.urap(domain, epsilon, items, theta="optimal"),
        "ubd at the smallest": sv.ubd(domain, epsilon, items),
    }
    return {"ipue": sv.ipue(domain, budgets)} | direct | smallest


def measure(cell: Cell) -> list[Row]:
    notion, epsilon, ratio = (cell[name] for name in ("notion", "epsilon", "ratio"))
    samples, limit = Samples(), sv.uldp_limit(_SIZE, _SIZE if notion == "minid" else _SENSITIVE, epsilon).value
    inverted(samples, cell, _mechanisms(notion, epsilon, ratio), limit)
    if notion != "minid":
        return samples.rows()
    return [*samples.rows(), exact("ratio", sv.uldp_limit(_SIZE, _SIZE, epsilon * min(2.0, ratio)).value / limit, mechanism=LIMIT)]


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    for number, ratio in enumerate(sorted(set(frame["ratio"])), start=5):
        shown = pick(frame, ratio=float(ratio))
        yield Picture(
            f"Chart {number}, item budgets that differ by {ratio:g}",
            curves(
                shown.assign(panel=shown["notion"].map(_NOTIONS)),
                replace(EPSILON, label="smallest budget ε"),
                "squared error, over that of the smallest budget for all",
                panels="panel",
                form="~g",
            ),
            f"Five items have the budget ε, the others of those with a budget {ratio:g} ε. 1 is the least that any mechanism can have which gives all of these items the smallest budget (ULDP, and LDP in the last panel); below 1 the budgets gain. Different notions protect differently: compare within a panel only. IPLDP and ItemULDP have "
            "no known limit; MinID-LDP implies LDP at min(largest, 2 · smallest) budget, whose limit is the black line (nobody knows whether it can be met). Points: simulated at the worst "
            "population; rings: predicted. No data file.",
        )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    known = frame.assign(value=frame["predicted"].fillna(frame["mean"]))
    table = known.pivot_table(index=["notion", "ratio", "epsilon"], columns="mechanism", values="value").reset_index()
    budgets, items, all_items = (table[table["notion"] == notion] for notion in ("ipldp", "item_uldp", "minid"))
    gain = budgets["urr at the smallest"] / budgets["iprr"]
    yield settled(
        "Budgets per item gain at least twice over the smallest budget for all, with items as reports",
        "Charts 5 and 6, IPLDP",
        f"uRR at the smallest over iprr: from {gain.min():.1f} (ε = {_at(budgets, gain.idxmin())}) to {gain.max():.1f} times (ε = {_at(budgets, gain.idxmax())})",
        all_of([at_least(gain.min(), 2.0), at_least(gain.max(), 2.0)]),
        "where the smallest budget is large already, most answers are true and little is left to gain",
    )
    unary = items["iprr"] / items["ipue"]
    small, large = unary[items["epsilon"] <= 0.1], unary[items["epsilon"] >= 1]
    yield settled(
        "The unary analogue of iprr (an open question) wins at small budgets, iprr at large ones",
        "Charts 5 and 6, ItemULDP",
        f"iprr over ipue: from {small.min():.2f} to {small.max():.2f} at ε = 0.1, from {large.min():.2f} to {large.max():.2f} for ε ≥ 1",
        all_of(
            [
                at_least(small.min(), 1.0),
                at_most(large[items["epsilon"] >= items["epsilon"].max()].max(), 1.0),
            ]
        ),
    )
    best = items[["ipue", "iprr"]].min(axis=1)
    over = items["ubd at the smallest"] / best
    yield settled(
        "The better of ipue and iprr beats the best mechanism there is for the smallest budget",
        "Charts 5 and 6, ItemULDP",
        f"ubd at the smallest over the better of the two: from {over.min():.2f} (ε = {_at(items, over.idxmin())}) to {over.max():.2f} times (ε = {_at(items, over.idxmax())})",
        at_least(over.min(), 1.0),
    )
    less = all_items["oue at the smallest"] / all_items["idue, opt0"]
    left = all_items["idue, opt0"] / all_items[LIMIT]
    yield settled(
        "Where every item has a budget less is gained: every item is compared with the strictest one",
        "Charts 5 and 6, MinID-LDP",
        f"OUE at the smallest over idue: from {less.min():.2f} to {less.max():.2f} times; idue is {left.min():.1f} to {left.max():.1f} times above the bound",
        judged(Measured(float(less.max())), high=float(gain.max())),
    )


def _at(table: pd.DataFrame, index: int) -> str:
    return f"{table.loc[index, 'epsilon']:g}, {table.loc[index, 'ratio']:g} ε"
