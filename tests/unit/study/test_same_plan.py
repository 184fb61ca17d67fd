"""A study file is the same study on every machine, although floating point differs there in the last digits."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.mechanisms import Forms
from sottovoce.study.planned_asking import chosen
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.utility.strategies import _plain
from studies import QUESTIONNAIRES


@pytest.mark.parametrize("kind", QUESTIONNAIRES)
def test_noise_in_the_plan_leaves_the_forms_as_they_are(kind: str) -> None:
    study = sv.Study.from_toml(QUESTIONNAIRES[kind])
    assert isinstance(study, Questionnaire)
    made = {level: chosen(study.asking_at(level or None), study.written.strategy) for level in study.written.levels}
    dice = np.random.default_rng(1)
    for _ in range(3):
        levels = {}
        for level, each in made.items():
            chances = np.array(each.strategy.chances) * (1 + 1e-12 * dice.standard_normal(len(each.strategy.chances)))
            levels[level] = each.asking.forms(replace(each.strategy, chances=tuple(chances.tolist())), level)
        assert Forms.of_levels(levels) == study.mechanism


def test_uneven_budgets_are_plain_and_keep_the_sum() -> None:
    dice = np.random.default_rng(2)
    for epsilon in (0.1, 1.0, 2.0, 3.7):
        for number in (2, 3, 7, 30):
            budgets = dice.dirichlet(np.ones(number)) * epsilon
            plain = _plain(budgets, epsilon)
            assert sum(map(Fraction, plain.tolist())) <= Fraction(epsilon)
            assert plain.sum() >= epsilon - 1e-6 * number
            assert all(float(f"{budget:.12f}") == budget > 0 for budget in plain.tolist())
            assert np.array_equal(plain, _plain(budgets * (1 + 1e-13), epsilon))
