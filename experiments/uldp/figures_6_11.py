"""Figures 6 and 11: the number of sensitive items against total variation and squared error; which are sensitive is drawn anew in each run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from experiments.bounds import BETTER, CLOSE, FAR
from experiments.cells import Cell, Modes, Row, Samples, Setting
from experiments.experiment import Picture
from experiments.measured import Measured, measured
from experiments.uldp.comparisons import ABOUT_FILES, PAIRS, SENSITIVE_ITEMS, alike_in_squares, loss_charts
from experiments.uldp.simulation import CENSUS, GROUPS, MANHATTAN, METHODS, NAMES, log_size, measure_run, mechanisms, people_of
from experiments.verdicts import Claim, bounded, outside, span

_HIGH = 0.1
_METHODS = {name: METHODS[name] for name in ("emp", "EM")}

FIGURES = ("6", "11")
TITLE = "Figures 6 and 11: how many items are sensitive"
ABOUT = "Sensitive items are drawn at random in each run; everybody uses the same mechanism, and half of all people are asked."
DATA = (MANHATTAN, CENSUS)
RUNS = Modes(fast=2, full=100)


def settings(full: bool) -> list[Setting]:
    sizes = (1, 5, 19, 20, 50, 76, 99, 100, 200, 300) if full else (1, 5, 20, 50, 100)
    return [
        {"people": group, "epsilon": epsilon, "sensitive": size}
        for group, (_, items) in GROUPS.items()
        for epsilon in (_HIGH, log_size(group))
        for size in (*sizes, items)
    ]


def measure(cell: Cell) -> list[Row]:
    """With all items sensitive uRR is RR, and uRAP is RAPPOR: their errors do not depend on X_S, and are measured once."""
    everybody, epsilon, size = people_of(cell["people"], cell.data), cell["epsilon"], cell["sensitive"]
    domain, samples = everybody.domain, Samples()
    names = ("RR", "RAPPOR", "no privacy") if size == len(domain) else ("uRR", "uRAP")
    predicted: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    for run in range(cell.runs):
        chosen = cell.random(run, 1).permutation(len(domain))[:size].tolist()
        people = replace(everybody, sensitive=chosen)
        made = mechanisms(domain, epsilon, chosen)
        for name in names:
            measure_run(samples, people, made[name], name, _METHODS, cell, run)
            predicted[name].append(people.losses(made[name]))
    for name, each in predicted.items():
        samples.predict({metric: float(np.mean([one[metric] for one in each])) for metric in ("tv", "mse")}, mechanism=name, method="emp")
    return samples.rows(file=everybody.file)


def _filled(frame: pd.DataFrame) -> pd.DataFrame:
    """The result with RR, RAPPOR and no privacy at every number of sensitive items, and both new mechanisms where all items are sensitive."""
    parts = [frame]
    for (_, _), part in frame.groupby(["people", "epsilon"], sort=False):
        sizes = sorted(set(part["sensitive"]))
        fixed = part[part["sensitive"] == sizes[-1]]
        parts += [fixed.assign(sensitive=size, predicted=float("nan")) for size in sizes[:-1]]
        parts += [fixed[fixed["mechanism"] == old].assign(mechanism=new) for old, new in PAIRS]
    return pd.concat(parts, ignore_index=True)


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    shown = _filled(frame).sort_values("sensitive", kind="stable")
    shown["mechanism"] = pd.Categorical(shown["mechanism"], NAMES)
    shown["method"] = pd.Categorical(shown["method"], list(_METHODS))
    shown = shown.sort_values(["people", "epsilon", "mechanism", "method", "sensitive"], kind="stable")
    regime = np.where(shown["epsilon"] == _HIGH, f"ε = {_HIGH}", "ε = ln K")
    shown = shown.assign(panel=shown["file"] + ", " + regime, mechanism=shown["mechanism"].astype(str), method=shown["method"].astype(str))
    yield from loss_charts(
        ("Figure 6", "Figure 11"),
        shown,
        SENSITIVE_ITEMS,
        "The number of sensitive items, drawn anew in each run, against the {loss}. At the right end all items are sensitive, and uRR is RR, uRAP is RAPPOR. Rings: the "
        f"prediction for *emp*, averaged over the draws. {ABOUT_FILES}",
        panels="panel",
        columns=2,
    )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    whole = _filled(frame)
    cells = list(
        whole[["people", "epsilon", "sensitive"]]
        .drop_duplicates()
        .sort_values(["people", "epsilon", "sensitive"])
        .itertuples(index=False, name=None)
    )

    def tv(group: str, epsilon: float, size: int, mechanism: str, method: str) -> Measured:
        return measured(whole, people=group, epsilon=epsilon, sensitive=size, mechanism=mechanism, method=method, metric="tv")

    def rival(name: str, other: str, high: bool, method: str) -> dict[str, Measured]:
        """The error of the other mechanism over that of the named one, where items of both kinds exist."""
        return {
            f"{group}, {size} sensitive": tv(group, e, size, other, method) / tv(group, e, size, name, method)
            for group, e, size in cells
            if (e == _HIGH) == high and size < GROUPS[group][1]
        }

    for name, high in (("uRAP", True), ("uRR", False)):
        regime = f"ε = {_HIGH}" if high else "ε = ln K"
        for method in _METHODS:
            found = {other: rival(name, other, high, method) for other in NAMES[:4] if other != name}
            pooled = {f"{other} ({where})": each for other in found for where, each in found[other].items()}
            lost = outside(pooled, *BETTER.ends)
            yield bounded(
                f"{regime}: {name} is the best of the four whatever the number of sensitive items, by {method}",
                "Section 6.2, Figure 6",
                f"over the error of {name}, that of " + "; of ".join(f"{other}: {span(each)}" for other, each in found.items()),
                pooled,
                *BETTER.ends,
                because=f"better: {'; '.join(lost)}{_one_item(name, lost)}",
            )
    yield from _near_nothing(cells, tv)
    both = whole[whole["mechanism"] != "no privacy"]
    yield alike_in_squares(both, ("people", "epsilon", "sensitive", "method"), NAMES[:4], "Figure 11")


def _one_item(name: str, lost: list[str]) -> str:
    """Why uRR beats uRAP where one item is sensitive."""
    if name != "uRAP" or not all(each.startswith("uRR") and ", 1 sensitive" in each for each in lost):
        return "; why was not tested"
    return ": with one sensitive item uRR shows the others as they are with probability 1 − e^−ε, uRAP only with 1 − e^{−ε/2}"


def _near_nothing(cells: list[tuple[str, float, int]], tv: Callable[[str, float, int, str, str], Measured]) -> Iterator[Claim]:
    for name, most in (("uRR", 100), ("uRAP", 20)):
        for group in GROUPS:
            low = [each for each in cells if each[0] == group and each[1] != _HIGH]
            ratios = {
                size: tv(*cell, name, "EM") / tv(*cell, "no privacy", "emp") for *_, size in low for cell in [(group, low[0][1], size)]
            }
            below = {f"{size} sensitive": ratio for size, ratio in ratios.items() if size < most}
            beyond = min(size for size in ratios if size >= most)
            yield bounded(
                f"{group}, ε = ln K: {name} is close to no privacy ({CLOSE.told}) with fewer than {most} sensitive items",
                "Section 6.2, Figure 6",
                f"{name} (EM) over no privacy: {', '.join(f'{ratio} ({size})' for size, ratio in below.items())}; {ratios[beyond]} ({beyond} sensitive)",
                below,
                *CLOSE.ends,
                because=f"not so with {', '.join(outside(below, *CLOSE.ends))}: of {GROUPS[group][1]} items these are not few, and what theory promises is for few (not tested further)",
            )
    for group in GROUPS:
        low = [each for each in cells if each[0] == group and each[1] != _HIGH]
        sizes = [size for *_, size in low]
        few, many = max(size for size in sizes if size <= 20), min(size for size in sizes if size >= 100)
        rises = {name: tv(group, low[0][1], many, name, "emp") / tv(group, low[0][1], few, name, "emp") for name in ("uRAP", "uRR")}
        yield bounded(
            f"{group}, ε = ln K: beyond 20 sensitive items the error of uRAP rises rapidly ({FAR.told} up to {many})",
            "Section 6.2, Figure 6",
            f"*emp*, from {few} to {many} sensitive items: uRAP {rises['uRAP']} times, uRR {rises['uRR']} times",
            {"uRAP": rises["uRAP"]},
            *FAR.ends,
        )
