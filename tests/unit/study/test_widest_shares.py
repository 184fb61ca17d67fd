"""The plan of a questionnaire says how wide the intervals get, whatever people answer, and of whom its shares are."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.estimators.intervals import deviate
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.strategy_plan import StrategyPlan
from sottovoce.utility.strategies import least_error, widest_alone

PEOPLE = 20_000
HEAD = 'name = "office"\ntitle = "The office"\n[privacy]\n'
SMOKES = '[[questions]]\nname = "smokes"\ntext = "Do you smoke?"\nitems = ["never", "formerly", "daily"]\n'
QUIT = '[[questions]]\nname = "quit"\ntext = "Would you like to stop?"\nitems = ["yes", "no"]\nafter = {smokes = "daily"}\n'
TOWN = '[[questions]]\nname = "town"\ntext = "Where do you live?"\nitems = ["a", "b", "c", "d", "e", "f"]\n'
AGE = '[[questions]]\nname = "age"\ntext = "How old are you?"\nnumbers = {from = 18, to = 98, bins = 8}\n'
SENSITIVE = '[[questions]]\nname = "test"\ntext = "What did the test say?"\nitems = ["well", "ill", "unsure"]\nsensitive = ["ill"]\n'


def read(*questions: str, privacy: str = 'notion = "ldp"\nepsilon = 2.0\n', more: str = "") -> Questionnaire:
    found = sv.Study.from_toml(HEAD + privacy + more + "".join(questions))
    assert isinstance(found, Questionnaire)
    return found


def errors(study: Questionnaire, shares: dict[str, list[float]]) -> dict[str, list[float]]:
    """The standard errors of the unbiased estimate, when so many people answer with these shares."""
    random = np.random.default_rng(5)
    answers: dict[str, Any] = {name: random.choice(len(p), PEOPLE, p=p) for name, p in shares.items()}
    columns = {each.name: [each.answers.item(code) for code in answers[each.name].tolist()] for each in study.questions}
    tally = sv.Tally(study.mechanism).add(study.perturb(columns, sv.SeededSource(3)))
    return {name: each.stderr.tolist() for name, each in study.estimates(tally, "inversion").items()}


@pytest.mark.parametrize("strategy", ["", '[strategy]\nkind = "split"\n', '[strategy]\nkind = "sample"\nquestions = 1\n'])
def test_no_interval_is_wider_than_the_plan_says(strategy: str) -> None:
    """At some share the interval is as wide as the plan says, and at none wider."""
    study = read(SMOKES, TOWN, more=strategy)
    plan = StrategyPlan.of(study, PEOPLE)
    planned = [plan.half_width(plan.used, place, PEOPLE) for place in range(2)]
    seen = []
    for share in (1 / 6, 1 / 3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        found = errors(study, {"smokes": [share, *[(1 - share) / 2] * 2], "town": [share, *[(1 - share) / 5] * 5]})
        seen.append([deviate(0.95) * found[name][0] for name in ("smokes", "town")])
    assert np.max(seen, axis=0) == pytest.approx(planned, rel=0.03)


def test_equal_shares_are_known_better() -> None:
    """So a plan for equal shares promises too much: by a fifth for six answers, and not at all for two, which have no worse share."""
    plan = StrategyPlan.of(read(TOWN), PEOPLE)
    equal = np.sqrt(least_error(6, 2.0) / 6 / PEOPLE) * deviate(0.95)
    assert 1.15 < plan.half_width(plan.used, 0, PEOPLE) / equal < 1.5
    assert widest_alone(2, 2.0) == pytest.approx(least_error(2, 2.0) / 2)


def test_answers_that_are_not_all_protected() -> None:
    study = read(SENSITIVE, privacy='notion = "uldp"\nepsilon = 2.0\n')
    plan = StrategyPlan.of(study, PEOPLE)
    planned = plan.half_width(plan.used, 0, PEOPLE)
    seen = [deviate(0.95) * max(errors(study, {"test": shares})["test"]) for shares in ([0.5, 0.3, 0.2], [0.2, 0.6, 0.2], [0.1, 0.9, 0.0])]
    assert max(seen) <= 1.03 * planned
    assert max(seen) >= 0.8 * planned


def test_the_people_for_a_target_reach_it() -> None:
    study = read(SMOKES, TOWN)
    plan = StrategyPlan.of(study, within=0.03)
    needed = plan.needed(plan.used)
    assert needed is not None
    assert max(plan.half_width(plan.used, place, needed) for place in range(2)) <= 0.03
    assert max(plan.half_width(plan.used, place, needed - 2) for place in range(2)) > 0.03


def test_questions_for_some_people_are_named() -> None:
    """± of everyone is far from ± of those who are asked, and the plan says so."""
    study = read(SMOKES, QUIT)
    plan = StrategyPlan.of(study, PEOPLE)
    width = 100 * plan.half_width(plan.used, 1, PEOPLE)
    (of_all, of_some) = map(float, re.findall(r"± (\d+\.\d+)", plan.legend)[-2:])
    assert (of_all, of_some) == pytest.approx((width, 4 * width), abs=0.06)
    assert "'quit'" in plan.legend
    assert "'quit'" in StrategyPlan.of(study, within=0.03).legend
    assert "Only some" not in StrategyPlan.of(read(SMOKES, TOWN), PEOPLE).legend


def test_numbers_say_that_it_is_the_mean() -> None:
    legend = StrategyPlan.of(read(SMOKES, AGE), PEOPLE).legend
    assert "Of 'age' it is that of the mean" in legend
