"""What the charts of this page share: mechanisms by promise, losses as ratios to the limit, exact lines, and the extremes that claims are about."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t as student

import sottovoce as sv
from experiments.cells import Cell, Samples
from experiments.charts import EPSILON, LIMIT, curves
from experiments.measured import Measured
from experiments.verdicts import AGREES, DIFFERS, UNDECIDED, judged
from sottovoce.arrays import Floats

#: People of a simulation whose loss is known to be proportional to 1/n.
PEOPLE = 1000
#: How seldom chance may put a simulated point further below a bound than it lies: there are hundreds of them.
_CHANCE = 3e-6
#: Digits of formulas.
_SMALL = 1e-6
#: The error of a bound that was simulated, and what a bound may lie below a limit by it.
_PERCENT, SLACK = 0.01, 0.03


#: What most charts of the page show.
RATIO = "squared error, in multiples of the limit"
#: Mechanisms and estimators by name, so that each has one colour on the page.
LDP = ("krr", "rappor", "oue", "olh", "hadamard", "subset_selection")
ULDP = ("urr", "urap, θ published", "urap, θ optimal", "lift of oue", "lift of hadamard", "lift of subset_selection", "ubd", "lift of olh")
METHODS = ("mle", "auto", "map", "threshold", "projected", "normalized", "em", "inversion")


def inverted(
    samples: Samples, cell: Cell, mechanisms: Mapping[str, sv.Mechanism], limit: float, without: Sequence[str] = (), **series: str
) -> None:
    """Simulate inversion at the worst population of each mechanism: n·l2 over the limit in every run, and what theory says of it."""
    worst = {name: sv.worst_case(mechanism, PEOPLE) for name, mechanism in mechanisms.items() if name not in without}
    for name, mechanism, _, source in cell.trials(mechanisms):
        if name in worst:
            tally = sv.Tally.simulate(mechanism, worst[name].p, PEOPLE, source)
            away = sv.distance(sv.estimate(tally, "inversion", progress=False), worst[name].p)
            samples.add({"ratio": away.l2 * PEOPLE / limit}, mechanism=name, **series)
    for name, each in worst.items():
        samples.predict({"ratio": each.losses.l2 * PEOPLE / limit}, mechanism=name, **series)


def ldp_mechanisms(domain: sv.Domain, epsilon: float) -> dict[str, sv.Mechanism]:
    """All mechanisms that protect every item alike."""
    return {name: getattr(sv, name)(domain, epsilon) for name in LDP}


def uldp_mechanisms(domain: sv.Domain, epsilon: float, sensitive: int, names: Iterable[str] | None = None) -> dict[str, sv.Mechanism]:
    """The mechanisms that protect the first items, and let the others be shown: all of them, or those that are named."""
    items = list(range(sensitive))

    def lift(make: Callable[[sv.Domain, float], sv.Mechanism]) -> Callable[[], sv.Mechanism]:
        return lambda: sv.utility_optimized(make(domain.subset(items), epsilon), domain)

    made: dict[str, Callable[[], sv.Mechanism]] = {
        "urr": lambda: sv.urr(domain, epsilon, items),
        "urap, θ published": lambda: sv.urap(domain, epsilon, items),
        "urap, θ optimal": lambda: sv.urap(domain, epsilon, items, theta="optimal"),
        "lift of oue": lift(sv.oue),
        "lift of olh": lift(sv.olh),
        "lift of hadamard": lift(sv.hadamard),
        "lift of subset_selection": lift(sv.subset_selection),
        "ubd": lambda: sv.ubd(domain, epsilon, items),
    }
    return {name: made[name]() for name in names or made}


def hardest(size: int, sensitive: int, epsilon: float) -> Floats:
    """The population at which the limit is attained: the weight α of the limit on the sensitive items, which are alike, and so are the others."""
    weight = sv.uldp_limit(size, sensitive, epsilon).alpha
    return np.where(np.arange(size) < sensitive, weight / sensitive, (1 - weight) / max(1, size - sensitive))


def worst_ratio(mechanism: sv.Mechanism, limit: float) -> float:
    """n times the worst-case squared error of inversion, over the limit."""
    return sv.worst_case(mechanism, PEOPLE).losses.l2 * PEOPLE / limit


def to_a_percent(value: float) -> Measured:
    """A Cramér-Rao bound: where reports cannot be listed the information in them is simulated, which leaves an error of about a percent."""
    return Measured(value, _PERCENT * value)


def at_most(value: float, high: float) -> str:
    """Whether a computed figure is no larger than a bound."""
    return judged(Measured(float(value)), high=high)


def at_least(value: float, low: float) -> str:
    """Whether a computed figure is no smaller than a bound."""
    return judged(Measured(float(value)), low=low)


def pooled(lines: pd.DataFrame) -> Measured:
    """The mean of independent lines."""
    error = math.sqrt(float((lines["error"] ** 2).sum(skipna=False))) / len(lines)
    return Measured(float(lines["mean"].mean()), error, float(lines["runs"].min()) - 1)


def ratio_chart(lines: pd.DataFrame, panel: str, **options: Any) -> Any:
    """Ratios to the limit against ε, after a series that is 1 everywhere; `panel` is the title of a panel, made of the columns of its lines."""
    columns = [name for name in lines if f"{{{name}" in panel]
    drawn = with_limit(lines, [*columns, "epsilon"], "ratio")
    titles = [panel.format(**row) for row in drawn[columns].to_dict("records")]
    return curves(drawn.assign(panel=titles), EPSILON, RATIO, panels="panel", form="~g", **options)


def with_limit(frame: pd.DataFrame, points: Sequence[str], metric: str) -> pd.DataFrame:
    """The lines of a chart, after a series that is 1 at every point: the limit."""
    ones = (
        frame[points].drop_duplicates().assign(mechanism=LIMIT, method="inversion", metric=metric, mean=1.0, error=0.0, predicted=math.nan)
    )
    return pd.concat([frame, ones], ignore_index=True)


def none_below(simulated: pd.DataFrame, known: Iterable[float]) -> tuple[str, str]:
    """Whether ratios to a limit stay above it: what was found, and the verdict.

    Formulas must not be below 1 at all; of simulated means, whose expectation may be 1, none may be further below than chance explains.
    """
    least = min(known)
    away = (simulated["mean"] - 1) / simulated["error"]
    found = f"the least by formula {least:.6f} times the limit; of {len(simulated)} simulated points the lowest lies {-away.min():.1f} errors below it"
    if least < 1 - _SMALL or (away < -student.isf(_CHANCE, simulated["runs"] - 1)).any():
        return found, DIFFERS
    return found, UNDECIDED if away.isna().any() else AGREES


def somewhere(most: float, low: float) -> str:
    """Whether the largest of some figures reaches what is said to be somewhere: if not, it may be where nobody looked."""
    return AGREES if most >= low else UNDECIDED
