"""Two maps for practitioners: which mechanism for which ε and how many sensitive items, which estimator for which ε and how many people."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

import sottovoce as sv
from experiments.beyond.limits import METHODS, ULDP, at_least, at_most, somewhere, uldp_mechanisms, worst_ratio
from experiments.beyond.populations import POPULATIONS, estimated, mechanism_of, population
from experiments.cells import Cell, Modes, Row, Samples, Setting, exact
from experiments.charts import EPSILON, NUMBER_OF_PEOPLE, Axis, winners
from experiments.experiment import Picture
from experiments.verdicts import Claim, all_of, settled

#: Sensitive items up to which every set size is tried.
_TRIED, _BEST = 20, "lift of the best set size"
#: Mechanisms from the plainest report to the best error, and how far from the limit the plain one may be.
_PLAINEST, _NEAR = ("urr", "lift of oue", "lift of subset_selection", "ubd"), 1.05
#: The mechanisms of the map, and those that need two sensitive items.
_SINGLE, _LIFTED = ("urr", "urap, θ published", "urap, θ optimal", "ubd"), ("lift of oue", "lift of subset_selection")
_METHODS = dict.fromkeys(("projected", "normalized", "threshold", "mle", "map", "auto"), 10_000)

FIGURES = ("12", "13")
TITLE = "Charts 12 and 13: who wins where"
ABOUT = "The first map is computed, the second simulated."
RUNS = Modes(fast=4, full=30)


def settings(full: bool) -> list[Setting]:
    epsilons, sensitive = (
        ((0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0), (1, 2, 3, 5, 10, 20, 35, 50, 75, 95))
        if full
        else ((0.1, 1.0, 2.0, 4.0), (2, 10, 50))
    )
    budgets, people = ((0.5, 1.0, 2.0, 3.0, 4.0), (100, 300, 1000, 3000, 10_000, 30_000, 100_000)) if full else ((1.0, 3.0), (1000, 10_000))
    mechanisms: list[Setting] = [
        {"map": "mechanisms", "sensitive": s, "epsilon": e, "population": "", "n": 0} for s in sensitive for e in epsilons
    ]
    names = tuple(POPULATIONS) if full else ("zipf", "sparse")
    return mechanisms + [
        {"map": "estimators", "sensitive": 0, "epsilon": e, "population": p, "n": n} for p in names for e in budgets for n in people
    ]


def measure(cell: Cell) -> list[Row]:
    epsilon = cell["epsilon"]
    if cell["map"] == "estimators":
        samples = Samples()
        estimated(samples, cell, mechanism_of("oue", epsilon), population(cell["population"]), cell["n"], _METHODS)
        return samples.rows()
    items, domain = list(range(cell["sensitive"])), sv.Domain(100)
    limit, part = sv.uldp_limit(100, len(items), epsilon).value, domain.subset(items)
    mechanisms = uldp_mechanisms(domain, epsilon, len(items), (*_SINGLE, *(_LIFTED if len(items) > 1 else ())))
    rows = [exact("ratio", worst_ratio(each, limit), method=name) for name, each in mechanisms.items()]
    if 1 < len(items) <= _TRIED:
        sizes = [sv.utility_optimized(sv.subset_selection(part, epsilon, size=k), domain) for k in range(1, len(items))]
        rows.append(exact("ratio", min(worst_ratio(each, limit) for each in sizes), method=_BEST))
    return rows


def _best_methods(frame: pd.DataFrame) -> pd.DataFrame:
    """For each n, ε and population: the method with the least total variation, and how much less than mle's it is."""
    tv = frame[(frame["map"] == "estimators") & (frame["metric"] == "tv")]
    table = tv.pivot_table(index=["population", "epsilon", "n"], columns="method", values="mean")
    gain = table["mle"] / table.min(axis=1)
    return table.assign(winner=table[list(_METHODS)].idxmin(axis=1), gain=gain).reset_index()


def _ratios(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["map"] == "mechanisms"].pivot_table(index=["sensitive", "epsilon"], columns="method", values="mean").reset_index()


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    table = _ratios(frame)
    plain = [next(name for name in _PLAINEST if row.get(name, 9) <= _NEAR) for _, row in table.iterrows()]
    loses = table[["urr", "urap, θ published"]].min(axis=1)
    first = table.assign(panel="the plainest mechanism within 5 % of the limit", mechanism=plain, text=table["urr"].map(_short))
    second = table.assign(
        panel="the better of uRR and uRAP as published",
        mechanism=["urr" if row["urr"] <= row["urap, θ published"] else "urap, θ published" for _, row in table.iterrows()],
        text=loses.map(_short),
    )
    yield Picture(
        "Chart 12, which mechanism",
        winners(
            pd.concat([first, second]),
            EPSILON,
            Axis("sensitive", "number of sensitive items"),
            winner="mechanism",
            number="how many times the limit uRR (left), or the better of the two (right), is",
            panels="panel",
            order=ULDP,
        ),
        "K = 100, worst-case squared error of inversion, computed from formulas: it depends on neither n nor chance. `ubd` is at the limit in every field. From plain to elaborate: `urr` (a report is an "
        "item), the lift of OUE (independent bits), the lift of subset selection (a set of fixed size), `ubd` (sets of two sizes). No data file.",
    )
    best = _best_methods(frame)
    best = best.assign(panel="oue, " + best["population"].map(POPULATIONS), text=best["gain"].map(_short))
    yield Picture(
        "Chart 13, which estimator",
        winners(
            best,
            NUMBER_OF_PEOPLE,
            EPSILON,
            winner="winner",
            number="how many times as far away maximum likelihood is",
            panels="panel",
            order=METHODS,
        ),
        "K = 100, `oue`: the method with the least mean total variation, and by what factor maximum likelihood is further away. Where two methods are alike the colour is a matter of chance. No data file: the "
        "populations are those named.",
    )


def _short(value: float) -> str:
    return f"{value:.2f}" if value < 9.95 else f"{value:.0f}"


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    table = _ratios(frame)
    single = table["lift of subset_selection"].max()
    loss = (table["lift of subset_selection"] / table[_BEST]).max()
    where = table.loc[table["lift of subset_selection"].idxmax()]
    yield settled(
        "The one set size of LDP loses a tenth of the limit at most, and is not always the best size",
        "Chart 12",
        f"the lift of subset selection: at most {single:.3f} times the limit ({where['sensitive']:.0f} of 100 sensitive, ε = {where['epsilon']:g}); with the best size (up to {_TRIED} sensitive) "
        f"{table[_BEST].max():.3f} times; LDP's over the best up to {loss:.3f} times",
        all_of([at_most(single, 1.1), somewhere(loss, 1.01)]),
        "more than a tenth is lost there; why was not tested",
    )
    published = table[["urr", "urap, θ published"]].min(axis=1)
    where = table.loc[published.idxmax()]
    yield settled(
        "There is a gap between uRR and uRAP as published: the better of the two may need half as many people again as the limit",
        "Chart 12",
        f"at most {published.max():.2f} times the limit ({where['sensitive']:.0f} of 100 sensitive, ε = {where['epsilon']:g}); half of the fields below {published.median():.2f}",
        somewhere(published.max(), 1.5),
    )
    plain = table[table["urr"] <= _NEAR]
    border = plain[plain["sensitive"] > 1].groupby("sensitive")["epsilon"].min()
    yield settled(
        "uRR suffices where sensitive items are few or ε is large",
        "Chart 12",
        "within 5 % of the limit from ε = "
        + ", ".join(f"{e:g} ({s} sensitive)" for s, e in border.items())
        + f"; in {len(plain)} of {len(table)} fields",
        at_least(len(plain) / len(table), 0.2),
    )
    best = _best_methods(frame)
    counts = best["winner"].value_counts()
    lost = best[best["winner"] != "mle"]["gain"]
    yield settled(
        "No single estimator is best everywhere; maximum likelihood is hardly ever it",
        "Chart 13",
        f"best in how many of {len(best)} fields: {', '.join(f'{name} {count}' for name, count in counts.items())}; mle is up to {lost.max():.1f} times as far away as the best",
        all_of(
            [
                at_most(counts.max() / len(best), 0.9),
                at_most(counts.get("mle", 0) / len(best), 0.2),
            ]
        ),
    )
