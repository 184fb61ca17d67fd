"""Figures 5 and 10: ε against total variation and squared error, for mechanisms that everybody shares."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

import sottovoce as sv
from experiments.bounds import ALIKE, BETTER, CLEARLY, CLOSE
from experiments.cells import Cell, Modes, Row, Samples, Setting
from experiments.charts import EPSILON
from experiments.experiment import Picture
from experiments.measured import Measured, measured, pick
from experiments.uldp.comparisons import ABOUT_FILES, alike_in_squares, loss_charts
from experiments.uldp.gains import SENSITIVE, Lookup, gain_claims
from experiments.uldp.simulation import CENSUS, GROUPS, MANHATTAN, METHODS, NAMES, log_size, measure_run, mechanisms, people_of
from experiments.verdicts import Claim, bounded, judged, kept, settled, span

#: EM as it was published takes so many steps from the uniform distribution, in so many runs, up to this ε, for RR: there emp+thr is uniform, too.
_STEPS, _STEP_RUNS, _STEP_EPSILON = 1000, 20, 1.0
STOPPED = f"EM, {_STEPS} steps"

FIGURES = ("5", "10")
TITLE = "Figures 5 and 10: ε against the loss"
ABOUT = (
    "Everybody uses the same mechanism; half of all people are asked, each once, as in the paper. The paper goes from ε = 0.1 to 10 and does not list the values between: "
    "we take 0.1, 0.2, 0.5, 1, 2, 4, 10 (the fast mode: 0.1, 1, 4, 10), and ln K. The gain is judged up to ε = 4 (our choice): beyond it all mechanisms come close to no privacy."
)
DATA = (MANHATTAN, CENSUS)
RUNS = Modes(fast=2, full=100)


def settings(full: bool) -> list[Setting]:
    epsilons = (0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 10.0) if full else (0.1, 1.0, 4.0, 10.0)
    return [{"people": group, "epsilon": epsilon} for group in GROUPS for epsilon in sorted((*epsilons, log_size(group)))]


def measure(cell: Cell) -> list[Row]:
    people, epsilon, samples = people_of(cell["people"], cell.data), cell["epsilon"], Samples()
    for name, mechanism in mechanisms(people.domain, epsilon, people.sensitive).items():
        for run in range(cell.runs):
            tally = measure_run(samples, people, mechanism, name, METHODS, cell, run)
            if name == "RR" and epsilon <= _STEP_EPSILON and run < _STEP_RUNS:
                away = sv.distance(sv.estimate(tally, "em", iterations=_STEPS + 1, progress=False), people.p)
                samples.add({"tv": away.tv, "mse": away.l2}, mechanism=name, method=STOPPED)
        samples.predict(people.losses(mechanism), mechanism=name, method="emp")
    return samples.rows(file=people.file, asked=people.n)


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    rules = {file: log_size(group) for group, file in zip(frame["people"], frame["file"], strict=True)}
    shown = frame[frame["method"] != STOPPED].assign(
        panel=lambda each: each["file"] + " · " + each["method"].where(each["mechanism"] != "no privacy", "")
    )
    panels = [f"{file} · {method}" for file in rules for method in METHODS]
    none = shown[shown["mechanism"] == "no privacy"]
    parts = [
        pd.concat([shown[shown["panel"] == panel], none[none["file"] == panel.split(" · ")[0]].assign(panel=panel)]) for panel in panels
    ]
    yield from loss_charts(
        ("Figure 5", "Figure 10"),
        pd.concat(parts),
        EPSILON,
        "ε against the {loss}; file and method stand above each panel, the dotted line is ε = ln K. Rings: the prediction, for *emp*. *EM* is the maximum of "
        f"the likelihood, which EM climbs towards. {ABOUT_FILES}",
        dash="",
        panels="panel",
        rules={panel: (rules[panel.split(" · ")[0]], "ε = ln K") for panel in panels},
    )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    def tv(group: str, epsilon: float, mechanism: str, method: str) -> Measured:
        return measured(frame, people=group, epsilon=epsilon, mechanism=mechanism, method=method, metric="tv")

    yield from gain_claims(frame, tv)
    yield from _low_privacy(tv)
    yield from _methods(frame, tv)
    yield alike_in_squares(
        frame[frame["method"] != STOPPED].query("mechanism != 'no privacy'"), ("people", "epsilon", "method"), NAMES[:4], "Figure 10"
    )


def _low_privacy(tv: Lookup) -> Iterator[Claim]:
    for group, (sensitive, items) in SENSITIVE.items():
        epsilon = log_size(group)
        ratio = tv(group, epsilon, "uRR", "EM") / tv(group, epsilon, "no privacy", "emp")
        plain = tv(group, epsilon, "RR", "EM") / tv(group, epsilon, "no privacy", "emp")
        yield settled(
            f"{group}: uRR at ε = ln K is almost the same as no privacy ({ALIKE.told})",
            "Sections 4.3 and 6.2, Figure 5",
            f"uRR (EM) has {ratio} times the error without privacy; RR {plain} times",
            judged(ratio, *ALIKE.ends),
            f"the theory asks for few sensitive items, and {sensitive} of {items} are not; asking half of everybody, each once, halves the variance that is due to who is asked, and leaves what privacy adds to it",
        )


def _methods(frame: pd.DataFrame, tv: Lookup) -> Iterator[Claim]:
    def cells(method: str) -> list[tuple[str, float, str]]:
        return list(pick(frame, metric="tv", method=method)[["people", "epsilon", "mechanism"]].itertuples(index=False, name=None))

    def ratios(over: str, under: str, among: list[tuple[str, float, str]]) -> dict[str, Measured]:
        return {f"{group}, {name}, ε = {e:g}": tv(group, e, name, over) / tv(group, e, name, under) for group, e, name in among}

    every = cells("EM")
    for method in ("EM", "emp+thr"):
        found = ratios("emp", method, every)
        yield bounded(
            f"{method} is significantly better than emp, since its estimates are never negative ({CLEARLY.told})",
            "Section 6.2, Figure 5",
            f"the error of *emp* is {span(found)} times that of *{method}*; so in {kept(found, low=CLEARLY.low)} cases, and at least as good in {kept(found, low=BETTER.low)}",
            found,
            *CLEARLY.ends,
            because="with much information nearly every estimate is positive anyway"
            + (", and the threshold throws away small shares that are real (not tested apart)" if method == "emp+thr" else ""),
        )
    far = ratios("emp+thr", "EM", [each for each in every if each[1] >= 4 and each[2] in {"RAPPOR", "uRAP"}])
    yield bounded(
        "EM is better than emp+thr for RAPPOR and uRAP when ε is large (4 or more)",
        "Section 6.2, Figure 5",
        f"emp+thr over EM: {span(far)}",
        far,
        *BETTER.ends,
    )
    whole = ratios("emp+thr", "EM", every)
    early = ratios("emp+thr", STOPPED, cells(STOPPED))
    yield bounded(
        f"As a whole EM and emp+thr are very close ({CLOSE.told})",
        "Section 6.2, Figure 5",
        f"emp+thr over EM: {span(whole)}",
        whole,
        *CLOSE.ends,
        because=f"above 1.5 it is the exception of the row before. Below, it may be that we take the maximum of the likelihood itself, where the published EM starts from emp+thr and stops by a rule that is not stated: for RR at ε ≤ {_STEP_EPSILON:g} emp+thr is the uniform distribution "
        f"or next to it, and {_STEPS:,} steps of EM from there leave emp+thr over EM {span(early)}: EM has hardly left its start, and the top that it climbs to is further "
        "from the truth",
    )
