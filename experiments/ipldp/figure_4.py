"""Figure 4: IPRR and IDUE (experiment 5), beside what keeps the same promise as each."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pandas as pd

import sottovoce as sv
from experiments.bounds import ALIKE, BETTER, ROUNDING
from experiments.cells import Cell, Modes, Row, exact, grid
from experiments.experiment import Picture
from experiments.ipldp.comparisons import SAMPLE_RATIO, figures, loss_charts, pooled, published, ratios
from experiments.ipldp.simulation import DATASETS, FILE, PART, STAND_IN, ZIPF, compared, direct, respondents_of, sources
from experiments.measured import Measured, measured, pick
from experiments.verdicts import Claim, all_judged, all_of, bounded, judged, kept, settled, span, verdict

_LOW, _HIGH = 0.1, 10.0
_MODELS = ("opt0", "opt1", "opt2")

FIGURES = ("4",)
TITLE = "Figure 4: IPRR and IDUE"
ABOUT = (
    "Experiment 5 of Table 2: budgets from 0.1 to 10 in four levels for all items, the rarest with the smallest. IDUE's bits are chosen freely (opt0), with a + b = 1 (opt1) or "
    "with a = 1/2 (opt2). Two mechanisms are added, so that each of the two promises is kept by two: KRR keeps MinID-LDP like IDUE, and `sv.ipue` keeps what IPRR keeps "
    "(`sv.ItemULDP`). On the Kosarak stand-in only three sample ratios are measured."
)
DATA = (FILE,)
RUNS = Modes(fast=5, full=100)

settings = grid(
    dataset=DATASETS,
    sr=Modes(fast=(0.1, 1.0), full=[tenth / 10 for tenth in range(1, 11)]),
    where=lambda setting: setting["dataset"] != STAND_IN or setting["sr"] in (0.1, 0.5, 1.0),
)


def measure(cell: Cell) -> list[Row]:
    respondents = respondents_of(cell["dataset"], cell.data)
    domain, budgets, n = respondents.domain, respondents.budgets(0.0, _LOW, _HIGH), respondents.people(cell["sr"])
    mechanisms = {
        **direct(domain, budgets, ("IPRR",)),
        **{f"IDUE {model}": sv.idue(domain, budgets, model) for model in _MODELS},
        **direct(domain, budgets, ("KRR",)),
        "IPUE": sv.ipue(domain, budgets),
    }
    return [*compared(cell, respondents, n, mechanisms), *_promises(mechanisms, budgets, n)]


def _promises(mechanisms: dict[str, sv.Mechanism], budgets: dict[int, float], n: int) -> Iterator[Row]:
    """What each mechanism promises: as LDP, and the most sensitive items under the notions with budgets."""
    strictest = min(budgets, key=lambda item: budgets[item])
    for name, mechanism in mechanisms.items():
        levels = {
            "LDP": sv.LDP(_HIGH).check(mechanism).level,
            "MinID-LDP": sv.IDLDP(budgets).check(mechanism).levels[strictest],
            "ItemULDP": sv.ItemULDP(budgets).check(mechanism).levels[strictest],
        }
        for notion, level in levels.items():
            yield exact(notion, level, n=n, mechanism=name, method="certificate")


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    shown = frame[frame["method"].isin(["NS", "MLE", "emp"])]
    shown = shown.assign(panel=shown["dataset"] + ", " + shown["method"])
    told = f"Sample ratio against the {{metric}} of counts. {_told(frame)} {sources(frame)}"
    yield from loss_charts("Figure 4", shown, SAMPLE_RATIO, told, panels="panel", dash="")


def _told(frame: pd.DataFrame) -> str:
    levels = pick(frame, method="certificate", metric="MinID-LDP")
    words = ", ".join(
        f"{name} {measured(levels[levels['n'] == levels['n'].max()], mechanism=name)}" for name in dict.fromkeys(levels["mechanism"])
    )
    return (
        "Rings: the prediction for *emp*, the unbiased estimate. The mechanisms do not protect alike: a holder of one of the most sensitive items (ε = 0.1) is told "
        f"apart from others by up to e^ε, where ε is, by certificate: {words}. KRR and IPUE (`sv.ipue`, a unary encoding with the promise of IPRR) are not in the paper's figure."
    )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    shown = pooled(published(frame))
    zipf, kosarak = pick(shown, dataset=ZIPF), shown[shown["dataset"] != ZIPF]
    cases = (zipf["method"] == "NS") & (zipf["metric"] == "RE")
    close, clear = _to_each(zipf[cases], "IPRR"), _to_each(zipf[~cases], "IPRR")
    yield bounded(
        "IPRR is better than IDUE on Zipf, with NS and with MLE",
        "Section 7.2, Figure 4",
        f"IDUE/IPRR (means over SR) {span(close)} by RE with NS, {span(clear)} otherwise",
        close | clear,
        *BETTER.ends,
    )
    for claim, method, low, high in (
        ("IDUE is better than IPRR on Kosarak with NS", "NS", 0.0, 1.0),
        ("IPRR is better than IDUE on Kosarak with MLE", "MLE", 1.0, math.inf),
    ):
        found = _to_each(pick(kosarak, method=method), "IPRR")
        yield bounded(claim, "Section 7.2, Figure 4", f"IDUE/IPRR (means over SR) {span(found)}", found, low, high)
    yield from _reasons(frame)
    yield from _privacy(frame, shown)


def _to_each(frame: pd.DataFrame, name: str) -> dict[str, Measured]:
    """The ratio of IDUE to a mechanism, for each of its three models."""
    return {
        f"{model}, {label}": each
        for model in _MODELS
        for label, each in ratios(frame, {"mechanism": f"IDUE {model}"}, {"mechanism": name}).items()
    }


def _reasons(frame: pd.DataFrame) -> Iterator[Claim]:
    known = pooled(pick(frame, method="emp", metric="MSE")).assign(mean=lambda told: told["predicted"], error=0.0)
    gains = {label: Measured(1.0) / each for label, each in _to_each(known[known["dataset"] != STAND_IN], "IPRR").items()}
    shown = ", ".join(f"{each} ({label})" for label, each in gains.items())
    models = [Measured(gains[f"{model}, {PART}"].value / gains[f"{model}, {ZIPF}"].value) for model in _MODELS]
    yield settled(
        "The reason: unary encoding has more of an advantage where there are more items",
        "Section 7.2",
        f"IPRR/IDUE, MSE of the unbiased estimates as predicted: {shown}",
        all_judged(models, low=BETTER.low),
    )
    zeros = pooled(pick(frame, metric="zeros", method="NS"))
    found = {label: Measured(1.0) / each for label, each in _to_each(zeros[zeros["dataset"] != ZIPF], "IPRR").items()}
    yield bounded(
        "The reason: NS cuts off less of it than of IPRR",
        "Section 7.2",
        f"items that NS sets to zero on Kosarak, IPRR/IDUE (means over SR): {span(found)}",
        found,
        *BETTER.ends,
    )


def _privacy(frame: pd.DataFrame, shown: pd.DataFrame) -> Iterator[Claim]:
    certificates = pooled(pooled(pick(frame, method="certificate")), "dataset")  # which are the same for all
    ldp, apart = pick(certificates, metric="LDP"), pick(certificates, metric="MinID-LDP")
    relaxed, iprr = figures(ldp[ldp["mechanism"].str.startswith("IDUE")]), measured(ldp, mechanism="IPRR")
    yield settled(
        "IDUE's noise is relaxed to 0.2-LDP at most, twice the smallest budget, that of IPRR to 10-LDP",
        "Sections 4.3, 7.2",
        f"LDP level by certificate: IDUE {span(relaxed)}; IPRR {iprr}",
        all_of([verdict(relaxed, high=2 * _LOW), judged(iprr, _HIGH, _HIGH)]),
    )
    levels = {name: measured(apart, mechanism=name) for name in ("IPRR", "IDUE opt0")}
    yield settled(
        "Both are compared in the same privacy setting",
        "Section 7.2",
        f"a holder of a most sensitive item is told apart from others by e^ε with ε = {levels['IPRR']} under IPRR, {levels['IDUE opt0']} under IDUE",
        judged(levels["IPRR"] / levels["IDUE opt0"], high=1.0),
        "the budgets are the same, the promises are not: IPLDP limits a report by the budget of the item that is *reported*, MinID-LDP by the smaller budget of two items "
        "that are *held*; IPRR does not keep the latter (example below)",
    )
    found = _to_each(shown, "KRR")
    yield bounded(
        "Ours: where both keep MinID-LDP, IDUE is better than IPRR",
        "Figure 4, with KRR",
        f"the best IPRR that does is KRR at the smallest budget (example below), since a direct report needs that budget for every item then, while IDUE's other bits may use "
        f"more: IDUE/KRR (means over SR) {span(found)}",
        found,
        high=1.0,
    )
    unary = measured(pick(certificates, metric="ItemULDP"), mechanism="IPUE")
    yield settled(
        "To give each item a budget of its own, direct reports are the only way",
        "Section 5.1",
        f"a unary encoding, IPUE, raises a most sensitive item by e^ε at most with ε = {unary} (certificate of `sv.ItemULDP`), where its budget is {_LOW:g}",
        judged(unary / Measured(_LOW), low=1 + ROUNDING),
        "IPLDP is written for reports that are items; what it limits, how much a report raises an item, can be said of sets of items too, and a unary encoding keeps it",
    )
    found = ratios(shown, {"mechanism": "IPUE"}, {"mechanism": "IPRR"})
    many = {label: each for label, each in found.items() if not label.startswith(ZIPF)}
    yield settled(
        "Ours: with that promise for both, a unary encoding is better than direct reports among many items (Kosarak), and hardly worse among few",
        "Figure 4, with IPUE",
        f"IPUE/IPRR (means over SR): {span(found)}; below 1 in {kept(found, high=1.0)} cases; hardly worse: {ALIKE.told}",
        all_of([verdict(many, high=1.0), verdict(found, high=ALIKE.high)]),
    )
