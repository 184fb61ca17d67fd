"""A plan of a questionnaire can aim at every share or at one question, and what can't be reached is refused with a way out."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from messages import refused
from sottovoce.errors import ParameterError
from sottovoce.findings.questionnaire import QuestionnaireFindings
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.strategy_plan import StrategyPlan

HEAD = 'name = "office"\ntitle = "The office"\n'
SMOKES = '[[questions]]\nname = "smokes"\ntext = "Do you smoke?"\nitems = ["never", "formerly", "daily"]\n'
AGE = '[[questions]]\nname = "age"\ntext = "How old are you?"\nnumbers = {from = 18, to = 98, bins = 8}\n'
TOWN = '[[questions]]\nname = "town"\ntext = "Where?"\nitems = ["a", "b"]\n'


def read(*questions: str, privacy: str = 'notion = "ldp"\nepsilon = 2.0\n') -> Questionnaire:
    found = sv.Study.from_toml(f"{HEAD}[privacy]\n{privacy}{''.join(questions)}")
    assert isinstance(found, Questionnaire)
    return found


@pytest.mark.parametrize(
    ("bins", "privacy", "name"),
    [
        (8, 'notion = "ldp"\nepsilon = 2.0\n', "krr"),
        (40, 'notion = "ldp"\nepsilon = 2.0\n', "window"),
        (8, 'notion = "uldp"\nepsilon = 2.0\n', "ubd"),
    ],
)
def test_so_many_people_are_enough_for_the_mean(bins: int, privacy: str, name: str) -> None:
    """The interval of the mean is as wide as planned when so many people answer, all ages alike."""
    sensitive = ('sensitive = ["daily"]\n', "sensitive = [{from = 18, to = 58}]\n") if "uldp" in privacy else ("", "")
    study = read(SMOKES + sensitive[0], AGE.replace("bins = 8", f"bins = {bins}") + sensitive[1], privacy=privacy)
    assert name in {part.name for form in study.mechanism.groups.values() for part in form.parts}
    plan = study.plan(within=2, about="age")
    assert isinstance(plan, StrategyPlan)
    needed = plan.needed(plan.used)
    assert needed is not None
    random = np.random.default_rng(7)
    smokes = random.choice(["never", "formerly", "daily"], needed)
    reports = study.perturb({"smokes": smokes, "age": random.uniform(18, 98, needed)}, sv.SeededSource(1))
    mean = QuestionnaireFindings.of(study, sv.Tally(study.mechanism).add(reports))["age"].mean()
    assert (mean.high - mean.low) / 2 == pytest.approx(2, rel=0.05)
    assert plan.rows[-1][0] == "people for ± 2 on the mean of 'age'"
    assert plan.to_dict()["about"] == "age"
    assert "don't count" not in plan.legend


def test_one_question_needs_fewer_people_than_all() -> None:
    study = read(SMOKES, AGE, TOWN)
    every, one = study.plan(within=0.02), study.plan(within=0.02, about="town")
    assert one.needed(one.used) <= every.needed(every.used)
    assert one.needed(one.strategies[-1]) < every.needed(every.strategies[-1])
    assert one.rows[-1][0] == "people for ± 2 points on 'town'"
    assert "about" not in every.to_dict()
    assert "don't count 'age'. Add --about age" in every.legend
    assert study.plan(5000).half_width(every.used, 0, 5000) == StrategyPlan.of(study, 5000).half_width(every.used, 0, 5000)


def test_what_cannot_be_planned_for_is_refused() -> None:
    study = read(SMOKES, AGE)
    for wrong, named in (
        ({"within": 2}, "--about age"),
        ({"within": 2, "about": "smokes"}, "'smokes'"),
        ({"within": 40, "about": "age"}, "between 0 and 35"),
        ({"within": 0, "about": "age"}, "'age'"),
        ({"within": 2, "about": "mean"}, "'smokes', 'age'"),
        ({"about": "age"}, "--within"),
        ({"within": 0.02, "confidence": 2}, "confidence is 2"),
        ({"target": 0.05}, "as a whole"),
    ):
        with refused(ParameterError, named):
            study.plan(**wrong)


def test_numbers_alone_have_no_shares_to_plan_for() -> None:
    study = read(AGE)
    with refused(ParameterError, "--about: 'age'"):
        study.plan(within=0.02)
    plan = study.plan(within=2, about="age")
    assert plan.needed(plan.used) > 0


def test_questions_that_have_no_row_are_explained() -> None:
    joint = read(SMOKES + 'together = "both"\n', TOWN + 'together = "both"\n', AGE)
    with refused(ParameterError, "'smokes+town'"):
        joint.plan(within=0.02, about="town")
    clear = read(SMOKES + 'sensitive = ["daily"]\n', TOWN, privacy='notion = "uldp"\nepsilon = 1.0\n')
    with refused(ParameterError, "in the clear"):
        clear.plan(within=0.02, about="town")
