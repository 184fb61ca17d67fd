"""Figures 8 and 13 and Table 1: personal sensitive places behind two tags, and what is known about where they are."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

import sottovoce as sv
from experiments.charts import curves
from experiments.everybody import Floats
from experiments.experiment import Cell, Experiment, Picture, Row, Samples, Setting
from experiments.measured import pick
from experiments.uldp.people import MANHATTAN, log_size
from experiments.uldp.table_1 import claims, tables
from experiments.uldp.tagged import BASES, CASES, ESTIMATES, TAGS, Tagged, squares, tagged


def settings(full: bool) -> list[Setting]:
    epsilons = (0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 10.0) if full else (0.1, 0.5, 2.0, 10.0)
    return [{"epsilon": epsilon} for epsilon in sorted((*epsilons, log_size("Manhattan")))]


def measure(cell: Cell) -> list[Row]:
    crowd, samples = tagged(cell.data), Samples()
    p, r = crowd.people.p, crowd.behind.p
    mechanisms = {
        name: sv.pum(crowd.people.domain, cell.setting["epsilon"], TAGS, crowd.people.sensitive, base) for name, base in BASES.items()
    }
    for run in range(cell.runs):
        places, tags = crowd.asked(cell.random(run))
        for number, (name, mechanism) in enumerate(mechanisms.items()):
            reports = mechanism.perturb(places, cell.source(run, number), tags=tags)
            tally = sv.Tally(mechanism, keep_reports=True).add(reports)
            for label, method in ESTIMATES.items():
                found = sv.estimate(tally, method, progress=False)
                first = sv.distance(found, r).l1
                before: dict[str, float] = {}
                for case in CASES:
                    terms = _terms(sv.resolve_tags(found, mechanism, crowd.knowledge(case)), crowd, first, p)
                    gain = {f"{metric} gain": before[metric] / terms[metric] for metric in ("tv", "mse") if before}
                    samples.add(terms | gain, mechanism=name, method=label, knowledge=case)
                    before = terms
    for name, mechanism in mechanisms.items():
        first = 2 * crowd.behind.losses(mechanism)["tv"]
        for case in CASES:
            known = {"mse": squares(mechanism, crowd, case)} if case != CASES[0] else {}
            samples.predict({"first": first} | known, mechanism=name, method="emp", knowledge=case)
    return [{"file": crowd.people.file} | row for row in samples.rows()]


def _terms(resolved: sv.Resolved, crowd: Tagged, first: float, p: Floats) -> dict[str, float]:
    """The loss, both terms of Theorem 1, and whether the loss is above their sum: with the absolute value of the bots' shares, and as printed."""
    away, second = sv.distance(resolved, p), resolved.bound(crowd.truth)
    printed = sum(share * sv.distance(resolved.spreads[tag], crowd.truth[tag]).l1 for tag, share in resolved.bots.items())
    broken = {name: float(away.l1 > first + term + 1e-12) for name, term in (("broken", second), ("broken as printed", printed))}
    behind = float(crowd.behind.p[len(p) :].sum())
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
    for name, metric, label in (("Figure 8", "tv", "total variation"), ("Figure 13", "mse", "squared error")):
        chart = curves(
            pick(shown, metric=metric),
            x="epsilon",
            label="ε",
            metric=label,
            color="knowledge",
            dash="",
            panels="panel",
            log_x=True,
            columns=2,
            rules={"": log_size("Manhattan")},
        )
        yield Picture(
            name,
            chart,
            f"ε against the {label} with homes and offices behind tags, on {frame['file'].iloc[0]} (a part of the check-ins of another Foursquare dataset than the paper's), by what is known about the tags: "
            "nothing, the venues of each kind, or the truth. Dashed line: ε = ln K."
            + (" Rings: the prediction for *emp* where the knowledge is fixed." if metric == "mse" else ""),
        )


EXPERIMENT = Experiment(
    name="figures-8-13",
    figures=("8", "13", "table 1"),
    title="Figures 8 and 13, Table 1: personal places",
    about=(
        "Regions with a busy medical centre are sensitive to everybody; who is at home or in an office elsewhere sends the bot of that tag in place of the region (κ = 2 tags). "
        "The bots' shares are spread over the regions by what is known of the tags. The paper does not list its values of ε: we take 0.1, 0.2, 0.5, 1, 2, 4, 10 (the fast mode: 0.1, 0.5, 2, 10), and ln K. We count a check-in at a home or an office as a person at home or at work, as the paper does."
    ),
    data=(MANHATTAN,),
    fast_runs=3,
    full_runs=100,
    settings=settings,
    measure=measure,
    pictures=pictures,
    claims=claims,
    tables=tables,
)
