"""Figure 12b: the work class is reported, the income behind it protected."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

import sottovoce as sv
from experiments.bounds import KEPT
from experiments.cells import Cell, Modes, Row, grid
from experiments.data import Data
from experiments.experiment import Picture
from experiments.lip import figure_8, printed
from experiments.lip.comparisons import Errors, Ratio, above_one, between, ends, error_chart, level_chart, true_levels
from experiments.lip.mechanism_names import RR, RR_LDP, RR_PRINTED
from experiments.lip.simulation import PeopleWithPrior, simulate
from experiments.measured import pick
from experiments.verdicts import Claim, all_of, settled
from sottovoce.arrays import Floats

FILE = "adult_workclass_income.csv"
CLASSES = {"Private": "Private", "Self-emp-inc": "Self-employed", "Self-emp-not-inc": "Self-employed", "Federal-gov": "Government", "Local-gov": "Government",
           "State-gov": "Government", "Without-pay": "Never-worked", "Never-worked": "Never-worked"}  # fmt: skip
INCOME, OWN = "LIP about income, best", "LIP about work class, best"


def table_of(data: Data) -> Floats:
    """People by income (rows) and work class (columns); those whose work class is not known are left out."""
    table = data.table(FILE)
    known = table[table["workclass"] != "?"]
    counts = known.assign(work=known["workclass"].map(CLASSES)).pivot_table(
        index="income", columns="work", values="count", aggfunc="sum", fill_value=0
    )
    return counts[list(dict.fromkeys(CLASSES.values()))].to_numpy(dtype=np.float64)


FIGURES = ("12b",)
TITLE = "Figure 12b: work class, with the income protected"
ABOUT = (
    "The prior is the histogram of the people of Adult whose work class is known; people are drawn from it with replacement, for of everybody together the prior would leave nothing to learn. *Without-pay* is counted with *Never-worked*, since every one of the eight work classes must go somewhere. Pr(work class | income) is counted, not learnt by a network. "
    "The paper solves numerically for its channel; ours is the proven optimum."
)
DATA = (FILE,)
RUNS = Modes(fast=100, full=100)

settings = grid(epsilon=Modes(fast=(0.1, 0.5, 1.0, 2.0, 5.0), full=(0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0)))


def measure(cell: Cell) -> list[Row]:
    counts, epsilon = table_of(cell.data), cell["epsilon"]
    people = PeopleWithPrior(counts.sum(axis=0) / counts.sum(), drawn=int(counts.sum()))
    domain, prior, secrets = people.domain, people.prior, counts / counts.sum(axis=1, keepdims=True)
    found: dict[str, sv.Mechanism] = {
        INCOME: sv.optimal_lip(domain, epsilon, prior, secrets=secrets.tolist(), progress=False),
        OWN: sv.optimal_lip(domain, epsilon, prior, progress=False),
        RR: sv.rr_lip(domain, epsilon, prior),
        RR_PRINTED: printed.rr_lip(domain, epsilon, prior),
        RR_LDP: sv.krr(domain, epsilon),
    }
    own = {name: printed.lip_level(each, prior) for name, each in found.items()}
    released = printed.lip_level(sv.identity(domain), prior, secrets)
    return [row | {"own_level": own[row["mechanism"]], "released": released} for row in simulate(cell, people, found, secrets).rows()]


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    what = f"`{FILE}`, complete, but its income has two classes and not the eight of the paper"
    yield Picture(
        "Figure 12b",
        error_chart(frame, dash="", log_y=False),
        f"ε against the root error of the histogram of work classes of as many people as there are with a known work class, drawn from them with replacement ({what}). Rings: the exact errors.",
    )
    levels = pd.concat([frame.assign(about="about income"), frame.assign(level=frame["own_level"], about="about the work class itself")])
    yield Picture(
        "Figure 12b, true levels",
        level_chart(levels[np.isfinite(levels["level"])], panels="about"),
        f"The certified level of LIP of the same channels, about income and about the work class (not shown where it is infinite: the best channel about income may show the work class as it is). Data: {what}.",
    )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    errors, here = Errors(frame, ["epsilon"]), "Section 5.2.2, Figure 12b"

    def over(above: str, below: str) -> list[Ratio]:
        return errors.over(above, below, least=1e-3)

    gains = over(RR_LDP, INCOME)
    nothing = [place["epsilon"] for place in errors.places(INCOME) if errors.exact(INCOME, **place).value <= 1e-3]
    yield settled(
        "LIP about income leaves less error than LDP (two classes of income here, eight in the paper)",
        here,
        f"k-RR over it: {ends(gains)}" + (f"; it has no error from ε = {nothing[0]:g} on" if nothing else ""),
        above_one(gains, strictly=True),
    )
    latent = over(OWN, INCOME)
    yield settled(
        "Protecting a secret behind the answer costs less than protecting the answer",
        "Section 5.2.2, insight d",
        f"best LIP about the work class over that about income: {ends(latent)}",
        above_one(latent),
    )
    own = {name: over(RR_LDP, name) for name in (RR_PRINTED, RR, OWN)}
    yield settled(
        "LIP leaves less error than LDP when both are read with the prior", "Section 5.2.2, insight b",
        f"k-RR over RR-LIP about the work class: as printed {ends(own[RR_PRINTED])}; corrected {ends(own[RR])}; best channel {ends(own[OWN])}",
        all_of([above_one(each) for each in own.values()]), "kept private, RR-LIP spends its noise on the rarest class; the best channel is never worse than k-RR",
    )  # fmt: skip
    released = float(frame["released"].iloc[0])
    weak, strong = (
        printed.lip_level(sv.identity(sv.Domain(5)), np.full(5, 0.2), figure_8.secrets(figure_8.UNIFORM, rho)) for rho in (0.3, 0.7)
    )
    yield Claim(
        "More ε is needed to bring the error to 0 than in the synthetic experiments, because income and work class are highly correlated", here,
        f"the work class as it is has level {released:.3g} about income (two classes); in Figure 8, mixed with a uniform prior, the answer as it is has {weak:.3g} (ρ = 0.3) and {strong:.3g} (ρ = 0.7)",
        "not tested", "the eight income classes of the paper are not in the published data, and neither is how its correlation was learnt",
    )  # fmt: skip
    levels = true_levels(pick(frame, mechanism=RR_PRINTED).assign(level=lambda each: each["own_level"]), ["epsilon"])
    yield settled(
        "RR-LIP (Theorem 3, merged answers: Corollary 1) keeps ε-LIP about the work class", "Corollary 1", f"true level over ε: {ends(levels)}",
        between(levels, *KEPT.ends), "hardly anybody has never worked or works without pay: the prior of that class is far below 1/(e^ε + 1)",
    )  # fmt: skip
