"""Section 4.5: weighted sums of people's numbers, each with a prior, a weight and an offset of her own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

import sottovoce as sv
from experiments.bounds import ALIKE, KEPT, OPTIMAL
from experiments.cells import Cell, Modes, Row, Samples, grid
from experiments.experiment import Picture
from experiments.lip import printed
from experiments.lip.comparisons import Errors, above_one, between, both, ends, error_chart, level_chart, true_levels
from experiments.lip.corners import best_channel, lip_rules
from experiments.lip.encodings import BUCKETS, FUNCTIONS
from experiments.lip.mechanism_names import BEST, LH, OUE, RR, RR_LDP, RR_PRINTED, UE
from experiments.lip.own_priors import PERSON, Person, about_people, everyone
from experiments.lip.simulation import PLAIN, POSTERIOR, Rival, known
from experiments.measured import Measured, pick
from experiments.verdicts import Claim, judged, settled
from sottovoce.arrays import Floats

#: The numbers that the answers stand for.
VALUES = np.arange(5.0)
#: The estimate of Remark 2 without the factor x, which is left out in print.
REMARK = "Remark 2 as printed"

FIGURES = ("4.5",)
TITLE = "Section 4.5: weighted sums"
ABOUT = (
    "S = Σ(c·R + b) over all people, R from 0 to 4. Everyone has a prior of her own, a weight c between ½ and 1½ and an offset b between −1 and 1; each mechanism knows them. The paper derives the estimate, (36), (37) "
    'and Remark 2, and has no figure of it. The best channel is that for sums (`sv.optimal_lip` with `utility="sum"`), which (15) asks for.'
)
RUNS = Modes(fast=40, full=400)

settings = grid(epsilon=Modes(fast=[1.0, 3.0, 5.0], full=np.arange(0.5, 5.25, 0.5).tolist()))


@dataclass(frozen=True)
class Weighted:
    """A person whose number c·R + b is summed."""

    person: Person
    weight: float
    offset: float

    def known(self, rival: Rival) -> float:
        """The exact squared error of her part: over every answer and report."""
        matrix, prior = rival.mechanism.channel.matrix(), self.person.prior
        away = (VALUES @ rival.table(matrix, prior))[None, :] - VALUES[:, None]
        return self.weight**2 * float((prior[:, None] * matrix * away**2).sum())


def weighted_people(epsilon: float, people: int) -> list[Weighted]:
    found = []
    for prior, random in everyone(people, len(VALUES)):
        weight, offset = random.uniform(0.5, 1.5), random.uniform(-1.0, 1.0)
        found.append(Weighted(Person(prior, _mechanisms(prior, epsilon)), weight, offset))
    return found


def _mechanisms(prior: Floats, epsilon: float) -> dict[str, sv.Mechanism]:
    domain = sv.Domain(len(prior))
    return {
        RR_PRINTED: printed.rr_lip(domain, epsilon, prior),
        RR: sv.rr_lip(domain, epsilon, prior),
        BEST: best_channel(prior, lip_rules(prior, np.eye(len(prior)), epsilon), VALUES),
        LH: sv.lh_lip(domain, epsilon, prior, BUCKETS, FUNCTIONS),
        UE: sv.ue_lip(domain, epsilon, prior),
        RR_LDP: sv.krr(domain, epsilon),
        OUE: sv.oue(domain, epsilon),
    }


def measure(cell: Cell) -> list[Row]:
    samples, people = Samples(), weighted_people(cell["epsilon"], cell.runs)
    names = list(people[0].person.mechanisms)
    for stream, (name, reading) in enumerate([*((name, POSTERIOR) for name in names), (RR_LDP, PLAIN)]):
        level = max(printed.lip_level(each.person.mechanisms[name], each.person.prior) for each in people)
        series = {"mechanism": name, "estimate": reading, "level": level}
        away = np.zeros(cell.runs)
        for number, each in enumerate(people):
            rival = Rival(name, reading, each.person.mechanisms[name])
            answers = each.person.answers(cell.random(number), cell.runs)
            reports = rival.mechanism.perturb(answers, cell.source(number, stream))
            away += each.weight * (rival.each(reports, each.person.prior) @ VALUES - VALUES[answers])
            samples.add({PERSON: each.known(rival)}, **series)
        for error in away**2 / len(people):
            samples.add({"mse": float(error)}, **series)
        samples.predict({"mse": float(samples.values(PERSON, **series).mean())}, **series)
    return [*samples.rows(), known(_remark(people), 0.0, REMARK)]


def _remark(people: list[Weighted]) -> float:
    """Σ q·P/λ without x is 1 whatever was reported: what is left is the spread of the data, and the distance of its mean from 1."""
    means = np.array([each.weight * (each.person.prior @ VALUES) + each.offset for each in people])
    spreads = [each.weight**2 * (each.person.prior @ VALUES**2 - (each.person.prior @ VALUES) ** 2) for each in people]
    return float((sum(spreads) + (means - 1).sum() ** 2) / len(people))


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    yield Picture(
        "Section 4.5",
        error_chart(frame),
        f"ε against the root error of a weighted sum, for each person (synthetic, no data file). {about_people(frame)} Each has a weight and an offset of her own.",
    )
    yield Picture(
        "Section 4.5, true levels",
        level_chart(frame),
        "The certified level of LIP of the same mechanisms, the largest among all people.",
    )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    errors, here = Errors(frame, ["epsilon"]), "Section 4.5"
    sums = _together(pick(frame, metric="mse"))
    yield settled(
        f"The error of a weighted sum is the sum of everyone's own errors, each by the square of her weight ({ALIKE.told})", f"{here}, (37), Theorem 1",
        f"simulated squared error of the sum over the exact errors of all people, mean over all ε and mechanisms: {sums}", judged(sums, *ALIKE.ends),
    )  # fmt: skip
    plain = errors.over((RR_LDP, PLAIN), RR_LDP)
    yield settled(
        "Knowing the prior when reports are read lowers the error of a sum", f"{here}, contribution (3)", f"k-RR, context-free over prior-aware: {ends(plain)}", above_one(plain)
    )  # fmt: skip
    yield both(
        "Knowing the prior when reports are made lowers it further, for sums", f"{here}, contribution (3)", "k-RR over RR-LIP", errors.over(RR_LDP, RR_PRINTED), errors.over(RR_LDP, RR),
        f"kept private, RR-LIP answers from a noise that grows for rare answers; for the best channel it is {ends(errors.over(RR_LDP, BEST))}",
    )  # fmt: skip
    costs = errors.over(RR, BEST)
    yield settled(
        f"RR-LIP is the best ε-LIP mechanism for sums (kept private; {OPTIMAL.told})", "Theorem 3, Remark 2", f"corrected RR-LIP over the best channel: {ends(costs)}", between(costs, *OPTIMAL.ends),
        "its form does not depend on the numbers; a channel that does tells neighbouring numbers apart less, and distant ones more",
    )  # fmt: skip
    yield both(
        "UE-LIP is not appropriate for sums (judged: more error than RR-LIP)", here, "UE-LIP over RR-LIP, both by the posterior", errors.over(UE, RR_PRINTED), errors.over(UE, RR),
        "at small ε a set of bits tells more than one answer does, of sums too, if the whole report is read",
    )  # fmt: skip
    levels = true_levels(pick(frame, mechanism=RR_PRINTED, metric="mse"), ["epsilon"])
    yield settled(
        "The RR-LIP of Theorem 3 is ε-LIP for everyone", f"Theorem 3, {here}", f"largest true level over ε: {ends(levels)}", between(levels, *KEPT.ends),
        "among many people someone has an answer whose probability is below 1/(e^ε + 1)",
    )  # fmt: skip
    wrong = errors.over({"mechanism": REMARK}, BEST)
    yield settled(
        "Remark 2's estimate Σ q·P/λ is the best one for a sum", "Remark 2", f"root error as printed over that of the best channel: {ends(wrong)}", between(wrong, *OPTIMAL.ends),
        "the number x is left out from the sum: without it, it is 1 whatever was reported. With it, it is the posterior mean that all others here use",
    )  # fmt: skip


def _together(lines: pd.DataFrame) -> Measured:
    """Simulated over exact errors, the mean over all lines. At one ε all mechanisms have the same answers: their errors are taken as one."""
    parts = [[Measured.of(row) / Measured(row["predicted"]) for row in part.to_dict("records")] for _, part in lines.groupby("epsilon")]
    error = float(np.sqrt(sum(np.mean([each.error for each in part]) ** 2 for part in parts))) / len(parts)
    return Measured(float(np.mean([np.mean([each.value for each in part]) for part in parts])), error, parts[0][0].freedom)
