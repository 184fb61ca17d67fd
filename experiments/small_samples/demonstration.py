"""Why the published correction works at all: mended it does nothing, and as published it shrinks."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from experiments.cells import Cell, Modes, Row, Setting
from experiments.charts import Axis, curves
from experiments.experiment import Picture
from experiments.measured import pick
from experiments.small_samples import demonstration_claims
from experiments.small_samples.demonstration_runs import PEOPLE, interior, regularised, shrinkage
from experiments.small_samples.simulation import ABOUT_PRINTED, CENSUS, FILES, PRINTED

FIGURES = ("12", "demonstration")
TITLE = "Why the published correction works at all"
ABOUT = (
    "The correction is p̂ − α·â, with â a formula for the bias of a maximum of the likelihood. Its second derivative lacks a factor 2, and its scores have the mean 1 and not 0. "
    "Mended, and without Tikhonov's λ, it vanishes at every maximum inside the simplex. As published it draws the estimate towards uniform, which costs bias and saves variance."
)
DATA = FILES
RUNS = Modes(fast=4, full=100)


def settings(_: bool) -> list[Setting]:
    return [
        *({"part": "interior", "size": size} for size in (3, 4, 5)),
        *({"part": "shrinkage", "file": file} for file in FILES),
        *({"part": "lambda", "file": file} for file in (PRINTED, CENSUS)),
    ]


def measure(cell: Cell) -> list[Row]:
    return {"interior": interior, "shrinkage": shrinkage, "lambda": regularised}[cell["part"]](cell).rows()


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    shown = pick(frame, part="lambda", metric="mse")
    axis = Axis("tikhonov", "regularisation λ", log=True, form=".0e")
    yield Picture(
        "The regularisation and the missing factor",
        curves(shown, axis, "mean squared error", color="method", dash="none", panels="file", log_y=False),
        f"Tikhonov's λ (the paper takes 10⁻³) against the mean squared error of the correction, with the second derivative as printed and with its factor 2; "
        f"{', '.join(map(str, PEOPLE))} people at ε = 0.1, 2, ln K, ∞. All points come from the same reports. {ABOUT_PRINTED}; `{CENSUS}`: a stand-in.",
    )


def tables(frame: pd.DataFrame) -> str:
    """What the mended correction does at maxima inside the simplex, and what the published one does to bias and variance."""
    inside = pick(frame, part="interior")
    lines = [
        "*Maxima inside the simplex.* k-RR at ε = 1, 3,000 people: the largest entry of â, and how far p̂ − â lies from p̂ once it is normalised (means over runs).",
        "",
    ]
    lines += ["| K | formula | largest entry | moves p̂ by |", "| --- | --- | --- | --- |"]
    for size in sorted(set(inside["size"])):
        for name in dict.fromkeys(inside["method"]):
            largest, moved = (pick(inside, size=size, method=name, metric=metric)["mean"].iloc[0] for metric in ("largest", "moved"))
            lines.append(f"| {int(size)} | {name} | {largest:.1e} | {moved:.1e} |")
    lines += [
        "",
        f"*What the correction does.* {', '.join(map(str, PEOPLE))} people at ε = 0.1, 2, ln K, ∞; 'shrunk' is EM's estimate and the uniform distribution, mixed by one weight; r is the correlation of the squared errors with EM's over the runs.",
    ]
    part = pick(frame, part="shrinkage")
    for file in FILES:
        lines += ["", f"| `{file}` | weight | mse | bias² | variance | r |", "| --- | --- | --- | --- | --- | --- |"]
        for name in sorted(dict.fromkeys(pick(part, metric="mse")["method"]), key=lambda each: (not each.startswith("EM"), each)):
            of_one = pick(part, file=file, method=name)[lambda each: each["rank"].isna()].set_index("metric")["mean"]
            weight = f"{of_one['weight']:.2g}" if "weight" in of_one else "–"
            r = f"{of_one['r']:.2f}" if "r" in of_one and name not in {"EM", "EM loop"} else "–"
            lines.append(f"| {name} | {weight} | {of_one['mse']:.2e} | {of_one['bias2']:.2e} | {max(0.0, of_one['variance']):.2e} | {r} |")
    return "\n".join(lines)


claims = demonstration_claims.claims
