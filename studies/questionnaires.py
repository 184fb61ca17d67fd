"""How close are the shares of questionnaires, by the planned strategy and by an even split, and do their intervals contain the truth?

    python studies/questionnaires.py [--runs 1000] [--mixed 300]

Takes about ten minutes on one core. Reports are made by the forms of each study, one person after the other; no step is shortened.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

import sottovoce as sv
from sottovoce.estimators.answered import Answered
from sottovoce.mechanisms import Forms
from sottovoce.study import Study
from sottovoce.study.planned_asking import chosen, even_split
from sottovoce.study.questionnaire import Questionnaire
from tables import written

N = 30_000
AMONG = "smokes, among those who answered"
YES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.95)
SIZES = (2, 2, 3, 4, 5, 8, 12, 20)
MIXED = """
[[questions]]
name = "smokes"
text = "Do you smoke?"
items = ["yes", "no"]
prefer_not_to_say = true
[[questions]]
name = "age"
text = "How old are you?"
numbers = {from = 18, to = 100, bins = 41, whole = true}
[[questions]]
name = "mood"
text = "How do you feel today?"
scale = ["awful", "bad", "fair", "good", "great"]
[[questions]]
name = "symptoms"
text = "Which of these did you have this week?"
choices = ["cough", "fever", "headache", "none of these"]
[[questions]]
name = "news"
text = "Where do you get your news? Choose up to three."
choices = ["television", "radio", "newspaper", "weekly", "website", "app", "podcast", "friends", "social media", "none of these"]
at_most = 3
[[questions]]
name = "district"
text = "Where do you live?"
items = 12
[[questions]]
name = "job"
text = "What do you work as?"
items = 20
[[questions]]
name = "alone"
text = "Do you live alone?"
items = ["yes", "no"]
"""


def questionnaire(questions: str, epsilon: float) -> Questionnaire:
    """A study of these questions, its strategy planned."""
    head = f'name = "measured"\ntitle = "Measured"\npeople = {N}\n[privacy]\nnotion = "ldp"\nepsilon = {epsilon}\n'
    study = Study.from_toml(head + questions)
    assert isinstance(study, Questionnaire)
    return study


def of_sizes(sizes: Sequence[int], epsilon: float) -> Questionnaire:
    """Questions with so many answers."""
    each = (f'[[questions]]\nname = "q{place}"\ntext = "Which?"\nitems = {size}\n' for place, size in enumerate(sizes))
    return questionnaire("".join(each), epsilon)


def falling(size: int, turn: int = 0) -> np.ndarray:
    """Shares in proportion to 1, 1/2, 1/3, …, turned around by some places."""
    p = 1 / np.arange(1, size + 1)
    return np.roll(p / p.sum(), turn)


def people(shares: Mapping[str, np.ndarray], random: np.random.Generator) -> dict[str, np.ndarray]:
    """The codes of N people's answers, which depend on each other: for half of the people one number decides all answers."""
    common, shared = random.random(N), random.random(N) < 0.5
    found = {}
    for name, p in shares.items():
        own = np.where(shared, common, random.random(N))
        found[name] = np.searchsorted(np.cumsum(p)[:-1], own, side="right")
    return found


#: Draws people's answers.
Draw = Callable[[Mapping[str, np.ndarray], np.random.Generator], dict[str, np.ndarray]]


def rmse(errors: Mapping[str, np.ndarray]) -> float:
    """Over all shares and runs."""
    return math.sqrt(float(np.mean(np.hstack(list(errors.values())) ** 2)))


def largest(errors: Mapping[str, np.ndarray]) -> float:
    """The mean over runs of the largest error of any share."""
    return float(np.abs(np.hstack(list(errors.values()))).max(axis=1).mean())


@dataclass
class Measured:
    """Errors and hits of runs: a row for each run, a column for each share, question by question."""

    errors: dict[str, np.ndarray]
    unbiased: dict[str, np.ndarray]
    hits: dict[str, np.ndarray]

    @property
    def coverage(self) -> list[float]:
        """Of each question: how often in percent its intervals contain the truth."""
        return [100 * float(each.mean()) for each in self.hits.values()]


def measured(study: Questionnaire, forms: Forms, shares: Mapping[str, np.ndarray], runs: int, draw: Draw = people) -> Measured:
    """Perturb the answers of new people in every run and estimate every question. Of numbers only the mean counts.

    The errors of unbiased estimates, which can be negative, are kept beside those of the default.
    """
    used = Questionnaire.of(study.written, forms)
    errors: dict[str, list[np.ndarray]] = {}
    unbiased: dict[str, list[np.ndarray]] = {}
    hits: dict[str, list[np.ndarray]] = {}
    for run in range(runs):
        answers = draw(shares, np.random.default_rng([23, run]))
        reports = forms.perturb(answers, source=sv.SeededSource(run))
        tally = sv.Tally(forms).add(reports)
        estimates, plain = used.estimates(tally), used.estimates(tally, "inversion")
        for name, p in shares.items():
            found = estimates[name]
            unbiased.setdefault(name, []).append(plain[name].p - p)
            if found.domain.edges is not None:
                mean, truth = found.mean(), found.domain.centres @ p
                low, high, error = np.array([mean.low]), np.array([mean.high]), np.array([mean.value - truth])
                hit = (low <= truth) & (truth <= high)
            else:
                low, high = found.interval(0.95)
                error, hit = found.p - p, (low <= p) & (p <= high)
            errors.setdefault(name, []).append(error)
            hits.setdefault(name, []).append(hit)
            if name == "smokes":
                among = Answered.of(found, np.array([True, True, False]))
                truth = p[0] / (p[0] + p[1])
                hits.setdefault(AMONG, []).append(np.array([among.interval.low[0] <= truth <= among.interval.high[0]]))
                errors.setdefault(AMONG, []).append(among.p[:1] - truth)
    return Measured(*({name: np.array(each) for name, each in found.items()} for found in (errors, unbiased, hits)))


def both(study: Questionnaire, shares: Mapping[str, np.ndarray], runs: int, draw: Draw = people) -> tuple[Measured, Measured]:
    """The planned strategy, and ε divided evenly over all questions, with the same people."""
    even = even_split(study.asking)
    return measured(study, study.mechanism, shares, runs, draw), measured(study, even.asking.forms(even.strategy), shares, runs, draw)


def asked(study: Questionnaire) -> str:
    """How many questions a person is asked, and how."""
    used = chosen(study.asking, study.written.strategy).strategy
    least, most = used.asked
    number = str(least) if least == most else f"{least} to {most}"
    how = {"split": "ε divided", "sample": "each alone", "block": "jointly" if most > 1 else "alone"}[used.kind]
    return f"{number}, {how}"


def write_shares(runs: int) -> None:
    cells: list[tuple[str, Sequence[int], float, list[np.ndarray]]] = []
    yes = [np.array([p, 1 - p]) for p in YES]
    cells += [("ten yes/no questions, 5 to 95 %", (2,) * 10, epsilon, yes) for epsilon in (1.0, 2.0, 4.0, 8.0)]
    cells += [("ten yes/no questions, all at 5 %", (2,) * 10, 2.0, [np.array([0.05, 0.95])] * 10)]
    cells += [("ten questions of five answers", (5,) * 10, epsilon, [falling(5, k) for k in range(10)]) for epsilon in (2.0, 4.0)]
    cells += [("ten questions of five equal answers", (5,) * 10, 2.0, [np.full(5, 0.2)] * 10)]
    cells += [("2, 2, 3, 4, 5, 8, 12 and 20 answers", SIZES, epsilon, [falling(k, k // 2) for k in SIZES]) for epsilon in (2.0, 4.0)]
    rows = []
    for label, sizes, epsilon, truth in cells:
        study = of_sizes(sizes, epsilon)
        planned, even = both(study, {f"q{place}": p for place, p in enumerate(truth)}, runs)
        for way, mine, other in (("default", planned.errors, even.errors), ("unbiased", planned.unbiased, even.unbiased)):
            figures = [f"{rmse(mine):.4f}", f"{rmse(other):.4f}", f"{rmse(other) / rmse(mine):.2f}"]
            figures += [f"{largest(mine):.4f}", f"{largest(other):.4f}", f"{largest(other) / largest(mine):.2f}"]
            coverage = f"{min(planned.coverage):.1f} to {max(planned.coverage):.1f} %" if way == "default" else ""
            rows.append([label, f"{epsilon:g}", asked(study), way, *figures, coverage])
            print(rows[-1], flush=True)
    header = ["questions", "ε", "asked of each", "estimates", "rmse", "split", "times", "largest error", "split", "times", "coverage"]
    written("questionnaires", header, rows)


def capped(count: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Sets of at most `most` of the boxes as rows of ones and zeros, and their shares: earlier boxes are chosen more often."""
    sets = [set(each) for number in range(most + 1) for each in itertools.combinations(range(count), number)]
    chosen = np.array([[box in each for box in range(count)] for each in sets], dtype=np.int64)
    weights = np.prod(np.where(chosen == 1, 0.6 * falling(count) / falling(count)[0], 1.0), axis=1)
    return chosen, weights / weights.sum()


def chance(forms: Forms, field: str) -> float:
    """The share of people who report about a field."""
    pairs = zip(forms.groups.values(), forms.weights, strict=True)
    return sum(weight for form, weight in pairs if field in form.questions) / 2**64


def write_mixed(runs: int) -> None:
    ages = np.exp(-((np.arange(41) - 12) ** 2) / 200)
    rows, sets = capped(10, 3)
    for epsilon in (2.0, 4.0):
        study = questionnaire(MIXED, epsilon)
        fields = {question.name: list(question.fields) for question in study.questions}
        shares = {"smokes": np.array([0.2, 0.7, 0.1]), "age": ages / ages.sum(), "mood": np.array([0.05, 0.15, 0.3, 0.35, 0.15])}
        shares |= {name: np.array([p, 1 - p]) for name, p in zip(fields["symptoms"], (0.3, 0.1, 0.4, 0.35), strict=True)}
        shares |= {name: np.array([p, 1 - p]) for name, p in zip(fields["news"], sets @ rows, strict=True)}
        shares |= {"district": falling(12), "job": falling(20, 5), "alone": np.array([0.25, 0.75])}
        planned, even = both(study, shares, runs, partial(with_boxes, boxes=fields["news"], chosen=rows, sets=sets))
        table = []
        for question in study.questions:
            numbers, names = question.domain.edges is not None, fields[question.name]
            label = f"{question.name}, its mean in years" if numbers else question.name
            what = f"{len(names)} boxes" if question.choices else str(len(question.domain))
            table.append([label, what, f"{chance(study.mechanism, names[0]):.0%}", *figures(planned, even, names)])
        table.append([AMONG, "2", "", *figures(planned, even, [AMONG])])
        written(f"questionnaires mixed {epsilon:g}", ["question", "answers", "people asked", "rmse", "split", "times", "coverage"], table)


def with_boxes(
    shares: Mapping[str, np.ndarray], random: np.random.Generator, *, boxes: list[str], chosen: np.ndarray, sets: np.ndarray
) -> dict[str, np.ndarray]:
    """People's answers, with sets of boxes that keep to the cap."""
    rows = chosen[random.choice(len(sets), N, p=sets)]
    return people(shares, random) | {name: 1 - rows[:, box] for box, name in enumerate(boxes)}


def figures(planned: Measured, even: Measured, names: list[str]) -> list[str]:
    """The errors of some shares, their ratio and coverage."""
    mine, other = (rmse({name: each.errors[name] for name in names}) for each in (planned, even))
    hit = 100 * float(np.hstack([planned.hits[name] for name in names]).mean())
    found = [f"{mine:.4f}", f"{other:.4f}", f"{other / mine:.2f}", f"{hit:.1f} %"]
    print(names[0], found, flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--mixed", type=int, default=300)
    given = parser.parse_args()
    if given.runs:
        write_shares(given.runs)
    if given.mixed:
        write_mixed(given.mixed)


if __name__ == "__main__":
    main()
