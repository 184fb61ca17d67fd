"""Figure 2: KRR, uRR and IPRR for small budgets, large ones, and both at once (experiments 1 to 3)."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from experiments.bounds import ALIKE, AN_ORDER, BETTER, CLEARLY, CLOSE
from experiments.cells import Cell, Modes, Row, grid
from experiments.charts import curves
from experiments.experiment import Picture
from experiments.ipldp.comparisons import LOSSES, ORDER, SAMPLE_RATIO, figures, loss_charts, pooled, predicted, published, ratios
from experiments.ipldp.simulation import DATASETS, FILE, PART, compared, direct, respondents_of, sources
from experiments.measured import measured, pick
from experiments.verdicts import Claim, all_of, bounded, kept, settled, span, verdict

RANGES = {"high": (0.1, 1.0), "low": (1.0, 10.0), "hybrid": (0.1, 10.0)}

FIGURES = ("2",)
TITLE = "Figure 2: budgets and the number of people"
ABOUT = (
    "Experiments 1 to 3 of Table 2. The less frequent half of the items is sensitive, with budgets in four levels, the rarest items with the smallest; KRR and uRR "
    "give the smallest budget to all (sensitive) items. SR·n people are drawn without putting back, and estimates are held against the shares in the whole dataset: "
    "f = n·p in (25). *NS* is Norm-Sub, *MLE* the exact maximum of the likelihood, *emp* the unbiased estimate."
)
DATA = (FILE,)
RUNS = Modes(fast=10, full=100)

settings = grid(dataset=DATASETS, privacy=RANGES, sr=Modes(fast=(0.2, 1.0), full=(0.2, 0.4, 0.6, 0.8, 1.0)))


def measure(cell: Cell) -> list[Row]:
    respondents = respondents_of(cell["dataset"], cell.data)
    budgets = respondents.budgets(0.5, *RANGES[cell["privacy"]])
    return compared(cell, respondents, respondents.people(cell["sr"]), direct(respondents.domain, budgets, ("KRR", "uRR", "IPRR")))


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    names = {privacy: f", {privacy} privacy" if privacy != "hybrid" else ", hybrid" for privacy in RANGES}
    shown = frame.assign(panel=frame["dataset"] + frame["privacy"].map(names))
    spread = f"Budgets: from 0.1 to 1 (high privacy), from 1 to 10 (low), from 0.1 to 10 (hybrid). {sources(frame)}"
    told = f"Sample ratio against the {{metric}} of counts. {spread}"
    yield from loss_charts("Figure 2", published(shown), SAMPLE_RATIO, told, panels="panel")
    told = "the same for the unbiased estimate, *emp*, before NS cuts it; rings: the prediction. But for the luck of who is asked it does not depend on the number of people."
    chart = curves(pick(shown, method="emp", metric="MSE"), SAMPLE_RATIO, LOSSES["MSE"], panels="panel", order=ORDER)
    yield Picture("Figure 2, unbiased", chart, f"MSE, {told} {spread}")


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    shown = published(frame)
    high, low = pick(shown, privacy="high"), pick(shown, privacy="low")
    for name in ("KRR", "uRR"):
        found = ratios(pooled(high), {"mechanism": name}, {"mechanism": "IPRR"})
        exact = predicted(pooled(pick(frame, privacy="high", metric="MSE")), {"mechanism": name}, {"mechanism": "IPRR"})
        yield bounded(
            f"With small budgets IPRR is about one order of magnitude better than {name}",
            "Section 7.2, Figure 2 (a), (d)",
            f"{name}/IPRR (means over SR) {span(found)}; {AN_ORDER.told}: {kept(found, low=AN_ORDER.low)} cases",
            found,
            *AN_ORDER.ends,
            because=f"the MSE of the *unbiased* estimates differs by {exact} times; NS and MLE cut off more from the worse one, and RE, a first power, shows the root of a "
            f"factor. {_moved(frame)}",
        )
    yield from _with_people(high, frame)
    yield from _methods(frame)
    found = {
        f"{name}, {label}": each
        for name in ("KRR", "uRR")
        for label, each in ratios(low, {"mechanism": name}, {"mechanism": "IPRR"}).items()
    }
    yield bounded(
        "With large budgets, too, IPRR is better than KRR and uRR",
        "Section 7.2, Figure 2 (b), (e)",
        f"KRR/IPRR and uRR/IPRR {span(found)}",
        found,
        *BETTER.ends,
    )
    found = ratios(pooled(pick(shown, mechanism="IPRR")), {"privacy": "high"}, {"privacy": "hybrid"})
    yield bounded(
        "With small and large budgets at once the losses are close to those with small ones; what IPRR gains is limited",
        "Section 7.2, Figure 2 (c), (f)",
        f"IPRR, high/hybrid (means over SR) {span(found)}; close: {CLOSE.told}. KRR and uRR are the same mechanisms in both",
        found,
        *CLOSE.ends,
        because="the squared error of IPRR falls by more where the large budgets are large (not tested further)",
    )
    found = ratios(pooled(shown), {"mechanism": "KRR"}, {"mechanism": "uRR"})
    by_method = {name: ratios(pooled(pick(shown, method=name)), {"mechanism": "KRR"}, {"mechanism": "uRR"}) for name in ("NS", "MLE")}
    yield bounded(
        "uRR is better than KRR",
        "Section 7.2",
        f"KRR/uRR (means over SR) {span(found)}; above 1 in {kept(found, low=BETTER.low)} cases",
        found,
        *BETTER.ends,
        because=f"it is above 1 in {kept(by_method['MLE'], low=BETTER.low)} cases with MLE, in {kept(by_method['NS'], low=BETTER.low)} with NS. {_moved(frame)}",
    )


def _moved(frame: pd.DataFrame) -> str:
    """What NS does to the rarer half of the items, which has the noise of uRR and IPRR."""
    rare = pooled(pick(frame, metric="rare", privacy="high", dataset=PART))
    truth = measured(rare, method="truth")
    shares = ", ".join(f"{100 * measured(rare, method='NS', mechanism=name).value:.0f} % with {name}" for name in ("KRR", "uRR", "IPRR"))
    return (
        "uRR and IPRR have their noise on the rarer half of the items, and NS moves people there: on the part of Kosarak with small budgets that half, truly "
        f"{100 * truth.value:.1f} % of the people, is estimated at {shares}; RE weighs just these items most"
    )


def _with_people(high: pd.DataFrame, frame: pd.DataFrame) -> Iterator[Claim]:
    """Whether losses fall with the number of people: as printed, and of shares."""
    few, all_people = {"sr": float(frame["sr"].min())}, {"sr": float(frame["sr"].max())}
    printed, relative = (ratios(pick(high, metric=metric), few, all_people) for metric in ("MSE", "RE"))
    shares = ratios(pick(high, metric="MSE").assign(mean=high["mean"] / high["n"], error=high["error"] / high["n"]), few, all_people)
    where = "Section 7.2, Figure 2 (a), (d)"
    yield bounded(
        "The loss falls with the number of people (MSE as printed)",
        where,
        f"SR {few['sr']:g} against SR {all_people['sr']:g}: {span(printed)} times",
        printed,
        *BETTER.ends,
        because="(25) divides squared errors of *counts* by n, which leaves n times the squared error of shares: for an unbiased estimate that is the same for any n "
        "(example below), and where NS or MLE cut off most of the noise it grows with n",
    )
    yield settled(
        "The same, by RE and by the squared error of shares (MSE/n)",
        where,
        f"RE: {span(relative)} times; MSE/n: {span(shares)} times; falls: {BETTER.told}",
        all_of([verdict(relative, *BETTER.ends), verdict(shares, *BETTER.ends)]),
        "RE hardly moves where nearly everything is noise that NS or MLE cut off; there more people change little (a reason that was not tested)",
    )


def _methods(frame: pd.DataFrame) -> Iterator[Claim]:
    """NS against MLE."""
    gains = pick(frame, method="NS/MLE")
    found = figures(pick(gains, privacy="high", mechanism="KRR"))
    yield bounded(
        "With small budgets NS and MLE are almost the same for KRR",
        "Section 7.2, Figure 2 (a), (d)",
        f"NS/MLE {span(found)}; almost the same: {ALIKE.told}",
        found,
        *ALIKE.ends,
    )
    found = figures(pick(gains, privacy="high", mechanism="IPRR"))
    yield bounded(
        "With small budgets MLE is clearly better than NS for IPRR",
        "Section 7.2, Figure 2 (a), (d)",
        f"NS/MLE {span(found)}; clearly: {CLEARLY.told}",
        found,
        *CLEARLY.ends,
    )
    found = ratios(pick(gains, mechanism="IPRR"), {"privacy": "high"}, {"privacy": "low"})
    yield bounded(
        "With large budgets MLE gains less over NS",
        "Section 7.2, Figure 2 (b), (e)",
        f"IPRR, NS/MLE with small budgets over NS/MLE with large ones: {span(found)}",
        found,
        *BETTER.ends,
    )
    zeros = pick(frame, metric="zeros", method="NS", mechanism="IPRR")
    few, all_people = {"sr": float(frame["sr"].min())}, {"sr": float(frame["sr"].max())}
    budgets, people = ratios(zeros, {"privacy": "high"}, {"privacy": "low"}), ratios(zeros, few, all_people)
    yield settled(
        "The reason: NS cuts more items off where budgets are small and people few",
        "Section 7.2",
        f"items that NS sets to zero, IPRR: small over large budgets {span(budgets)} times; SR {few['sr']:g} over SR {all_people['sr']:g} {span(people)} times",
        all_of([verdict(budgets, low=BETTER.low), verdict(people, low=BETTER.low)]),
    )
