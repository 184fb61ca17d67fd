"""Figures 8 and 13 and Table 1: personal sensitive places behind two tags, and what is known about where they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

import sottovoce as sv
from experiments.cells import Cell, Modes, Row, Samples, Setting
from experiments.charts import EPSILON
from experiments.experiment import Picture
from experiments.uldp import table_1
from experiments.uldp.comparisons import loss_charts
from experiments.uldp.personal_places import BASES, CASES, ESTIMATES, TAGS, Tagged, squares, tagged_people
from experiments.uldp.simulation import MANHATTAN, log_size
from sottovoce.arrays import Floats

FIGURES = ("8", "13", "table 1")
TITLE = "Figures 8 and 13, Table 1: personal places"
ABOUT = (
    "Regions with a busy medical centre are sensitive to everybody; who is at home or in an office elsewhere sends the bot of that tag in place of the region (κ = 2 tags). "
    "The bots' shares are spread over the regions by what is known of the tags. The paper does not list its values of ε: we take 0.1, 0.2, 0.5, 1, 2, 4, 10 (the fast mode: 0.1, 0.5, 2, 10), and ln K. We count a check-in at a home or an office as a person at home or at work, as the paper does."
)
DATA = (MANHATTAN,)
RUNS = Modes(fast=3, full=100)


def settings(full: bool) -> list[Setting]:
    epsilons = (0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 10.0) if full else (0.1, 0.5, 2.0, 10.0)
    return [{"epsilon": epsilon} for epsilon in sorted((*epsilons, log_size("Manhattan")))]


def measure(cell: Cell) -> list[Row]:
    tagged, samples = tagged_people(cell.data), Samples()
    p, r = tagged.people.p, tagged.behind.p
    mechanisms = {name: sv.pum(tagged.people.domain, cell["epsilon"], TAGS, tagged.people.sensitive, base) for name, base in BASES.items()}
    for run in range(cell.runs):
        places, tags = tagged.asked(cell.random(run))
        for number, (name, mechanism) in enumerate(mechanisms.items()):
            reports = mechanism.perturb(places, cell.source(run, number), tags=tags)
            tally = sv.Tally(mechanism, keep_reports=True).add(reports)
            for label, method in ESTIMATES.items():
                found = sv.estimate(tally, method, progress=False)
                first = sv.distance(found, r).l1
                before: dict[str, float] = {}
                for case in CASES:
                    terms = _terms(sv.resolve_tags(found, mechanism, tagged.knowledge(case)), tagged, first, p)
                    gain = {f"{metric} gain": before[metric] / terms[metric] for metric in ("tv", "mse") if before}
                    samples.add(terms | gain, mechanism=name, method=label, knowledge=case)
                    before = terms
    for name, mechanism in mechanisms.items():
        first = 2 * tagged.behind.losses(mechanism)["tv"]
        for case in CASES:
            known = {"mse": squares(mechanism, tagged, case)} if case != CASES[0] else {}
            samples.predict({"first": first} | known, mechanism=name, method="emp", knowledge=case)
    return samples.rows(file=tagged.people.file)


def _terms(resolved: sv.Resolved, tagged: Tagged, first: float, p: Floats) -> dict[str, float]:
    """The loss, both terms of Theorem 1, and whether the loss is above their sum: with the absolute value of the bots' shares, and as printed."""
    away, second = sv.distance(resolved, p), resolved.bound(tagged.truth)
    printed = sum(share * sv.distance(resolved.spreads[tag], tagged.truth[tag]).l1 for tag, share in resolved.bots.items())
    broken = {name: float(away.l1 > first + term + 1e-12) for name, term in (("broken", second), ("broken as printed", printed))}
    behind = float(tagged.behind.p[len(p) :].sum())
    return {
        "tv": away.tv,
        "mse": away.l2,
        "l1": away.l1,
        "first": first,
        "second": second,
        "l1 over first": away.l1 / first,
        "behind": behind,
    } | broken


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    shown = frame.assign(panel=frame["mechanism"] + ", " + frame["method"])
    told = (
        f"ε against the {{loss}} with homes and offices behind tags, on {frame['file'].iloc[0]} (a part of the check-ins of another Foursquare dataset than the paper's), by what is known about the tags: "
        "nothing, the venues of each kind, or the truth. Dashed line: ε = ln K."
    )
    options = {"color": "knowledge", "dash": "", "panels": "panel", "columns": 2, "rules": {"": (log_size("Manhattan"), "ε = ln K")}}
    figure_8, figure_13 = loss_charts(("Figure 8", "Figure 13"), shown, EPSILON, told, **options)
    yield figure_8
    yield replace(figure_13, caption=f"{figure_13.caption} Rings: the prediction for *emp* where the knowledge is fixed.")


claims, tables = table_1.claims, table_1.tables
