"""The charts of both losses, and the comparisons that the claims of several figures are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from experiments.bounds import CLOSE
from experiments.charts import Axis, curves
from experiments.experiment import Picture
from experiments.measured import Measured, measured, pick
from experiments.uldp.simulation import NINE
from experiments.verdicts import UNDECIDED, Claim, bounded

#: Each mechanism of the paper after the one that it is held against.
PAIRS = (("RR", "uRR"), ("RAPPOR", "uRAP"))
#: What charts are drawn along.
SENSITIVE_ITEMS, ATTRIBUTES = Axis("sensitive", "number of sensitive items", log=True), Axis("attributes", "number of attributes")
#: What the captions say of the files.
ABOUT_FILES = "The Manhattan file is a part of the check-ins of another Foursquare dataset than the paper's, and the census file is a stand-in unless it is called us_census_1990."


def loss_charts(names: tuple[str, str], shown: pd.DataFrame, x: Axis, told: str, **options: Any) -> Iterator[Picture]:
    """Total variation and squared error against x, a chart for each."""
    for name, metric, label in zip(names, ("tv", "mse"), ("total variation", "squared error"), strict=True):
        yield Picture(name, curves(pick(shown, metric=metric), x, label, **options), told.format(loss=label))


def about_nine(claim: Claim, most: int) -> Claim:
    """A claim about nine attributes, which is open where fewer were measured."""
    because = "the claim is about nine attributes, which the full mode measures"
    return claim if most == NINE else replace(claim, verdict=UNDECIDED, because=because)


def best(frame: pd.DataFrame, metric: str, names: Sequence[str]) -> str:
    """The mechanism with the least mean."""
    means = pick(frame, metric=metric).set_index("mechanism")["mean"]
    return str(means[list(names)].idxmin())


def _spoken(name: str, value: float | str) -> str:
    """A value of a setting, as one says it."""
    return {"epsilon": f"ε = {value}", "sensitive": f"{value} sensitive", "attributes": f"{value} attributes"}.get(name, str(value))


def alike_in_squares(frame: pd.DataFrame, by: Sequence[str], names: Sequence[str], figure: str) -> Claim:
    """The claim of Appendix C.2 for one figure: who is best in total variation is best in squared error."""
    costs, same = {}, 0
    for key, part in frame.groupby(list(by), sort=False):
        first, second = best(part, "tv", names), best(part, "mse", names)
        chosen, least = (measured(part, metric="mse", mechanism=name) for name in (first, second))
        alike = Measured(1.0, 0 * least.error, least.freedom)  # of few runs, perhaps by chance; of one, unknown
        costs[", ".join(_spoken(name, value) for name, value in zip(by, key, strict=True))] = alike if first == second else chosen / least
        same += first == second
    found = f"the same mechanism is best in {same} of {len(costs)} cases"
    if same < len(costs):
        worst = max(costs, key=lambda each: costs[each].value)
        found += f"; elsewhere the best in total variation has at most {costs[worst]} times the least squared error ({worst})"
    return bounded(
        f"The squared error of {figure} is similar to the total variation (who is best is best in both, or {CLOSE.told} of the best)",
        "Appendix C.2",
        found,
        costs,
        high=CLOSE.high,
        because="many small errors weigh more in the total variation, and few large ones in squares (not tested)",
    )
