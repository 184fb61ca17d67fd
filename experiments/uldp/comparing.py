"""Comparisons that the claims of several figures are made of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from experiments.measured import Measured, measured, pick
from experiments.verdicts import DIFFERS, Claim, all_judged, judged, reason

#: Each mechanism of the paper after the one that it is held against.
PAIRS = (("RR", "uRR"), ("RAPPOR", "uRAP"))
#: Degrees of freedom below which runs that were all alike do not make a figure exact (0: it was computed, not drawn).
_FEW = 9
#: So many failing cases are named.
_NAMED = 4


def span(figures: Mapping[str, Measured]) -> str:
    """The least and the largest of some figures, and where they are."""
    least, most = min(figures, key=lambda each: figures[each].value), max(figures, key=lambda each: figures[each].value)
    return f"from {figures[least]} ({least}) to {figures[most]} ({most})"


def verdict(figures: Iterable[Measured], low: float = -math.inf, high: float = math.inf) -> str:
    """Whether all figures lie between two bounds."""
    return all_judged(map(_known, figures), low, high)


def _known(figure: Measured) -> Measured:
    """The figure, with an unknown error if it has none because a few runs were alike."""
    return replace(figure, error=math.nan) if figure.error == 0 and 0 < figure.freedom < _FEW else figure


def outside(figures: Mapping[str, Measured], low: float = -math.inf, high: float = math.inf) -> list[str]:
    """Where the figures are certainly not between two bounds."""
    return [where for where, each in figures.items() if judged(_known(each), low, high, len(figures)) == DIFFERS]


def untested(settled: str, figures: Mapping[str, Measured], low: float = -math.inf, high: float = math.inf) -> str:
    """Where a claim fails, if it does, of which we do not know the reason."""
    names = outside(figures, low, high)
    more = f" and in {len(names) - _NAMED} other cases" if len(names) > _NAMED else ""
    return reason(settled, f"not so for {'; '.join(names[:_NAMED])}{more}; why was not tested")


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
    settled = verdict(costs.values(), high=1.25)
    return Claim(
        f"The squared error of {figure} tells the same as the total variation (who is best is best in both, or costs a quarter more at most)",
        "Appendix C.2",
        found,
        settled,
        reason(settled, "many small errors weigh more in the total variation, and few large ones in squares (not tested)"),
    )
