"""Strategies of questionnaires against exhaustive search, and against their own forms."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

from all_forms import AllForms, questionnaires
from messages import refused
from sottovoce import Domain, krr, subset_selection
from sottovoce.errors import ParameterError
from sottovoce.utility.designs import joint_error
from sottovoce.utility.losses import losses
from sottovoce.utility.strategies import block, least_error, sample, split, strategies
from sottovoce.utility.strategy import Asked, Strategy


def topic(size: int, weight: float = 1.0, name: str = "q", *, joins: bool = True) -> Asked:
    return Asked(name, size, lambda epsilon: least_error(size, epsilon), weight, joins)


@pytest.mark.parametrize(("size", "epsilon"), [(2, 1.0), (3, 0.5), (10, 3.0), (40, 1.0), (100, 2.0)])
def test_the_least_error_is_that_of_real_mechanisms(size: int, epsilon: float) -> None:
    equal = [1 / size] * size
    real = min(losses(make(Domain(size), epsilon), equal, 1).l2 for make in (krr, subset_selection))
    assert least_error(size, epsilon) == pytest.approx(real, rel=1e-6)


def test_the_joint_error_is_that_of_the_margin_of_a_block() -> None:
    domain = Domain.product(a=list(range(3)), b=list(range(4)))
    channel = krr(domain, 2.0).channel
    assert joint_error(4, 12, 2.0) == pytest.approx((1 - 1 / 4) / channel.s**2, rel=1e-9)  # type: ignore[attr-defined]  # direct


def test_the_plan_is_within_a_few_percent_of_all_that_is_possible() -> None:
    """Every mixture of forms with any blocks and any budgets; tests/long has two hundred questionnaires."""
    ratios = []
    for sizes, weights, epsilon, joins in questionnaires(40, 24):
        topics = [topic(size, weight, joins=each) for size, weight, each in zip(sizes, weights, joins, strict=True)]
        ratios.append(strategies(topics, epsilon)[0].total / AllForms(sizes, weights, epsilon, joins).least_error())
    assert max(ratios) <= 1.035
    assert min(ratios) >= 0.98


@pytest.mark.parametrize("part", [1.0, 0.5, 0.0])
def test_thirty_questions_take_less_than_two_seconds(part: float) -> None:
    """Of processor time; `part` of the questions can be reported jointly."""
    random = np.random.default_rng(1)
    topics = [
        topic(int(random.choice([2, 3, 4, 5, 7, 10, 20, 41])), float(random.uniform(0.5, 2)), joins=bool(random.random() < part))
        for _ in range(30)
    ]
    took = []
    for epsilon in (1.0, 4.0, 8.0):
        began = time.process_time()
        found = strategies(topics, epsilon)[0]
        took.append(time.process_time() - began)
        assert len(found.forms) <= 64
    assert max(took) < 2


def told(strategy: Strategy, topics: list[Asked]) -> list[float]:
    """The error of every topic from its forms alone."""
    found = np.zeros(len(topics))
    for form, chance in zip(strategy.forms, strategy.chances, strict=True):
        for part in form:
            u = math.prod(topics[q].size for q in part.topics)
            for q in part.topics:
                alone = topics[q].alone(part.epsilon)
                found[q] += chance / (alone if len(part.topics) == 1 else joint_error(topics[q].size, u, part.epsilon))
    return (1 / found).tolist()


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 5.0])
def test_forms_are_what_the_errors_say(epsilon: float) -> None:
    topics = [topic(2), topic(2, 2.0), topic(5), topic(12), topic(41, joins=False), topic(3, 0.5)]
    pinned = sample(topics, epsilon, 3), split(topics, epsilon, even=True), block(topics[:4], epsilon, 2)
    for strategy in (*strategies(topics, epsilon), *pinned):
        assert told(strategy, topics[: len(strategy.errors)]) == pytest.approx(strategy.errors, rel=1e-6)
        assert sum(strategy.chances) == pytest.approx(1)
        for form in strategy.forms:
            assert sum(part.epsilon for part in form) <= epsilon * (1 + 1e-12)
            asked = [q for part in form for q in part.topics]
            assert len(set(asked)) == len(asked)


def test_figures_of_the_mathematics() -> None:
    """Ten yes-or-no questions: the best block over the best sample, ε = 2 to 8; what must not join doesn't."""
    gains = {2: 1.30, 3: 1.82, 4: 2.04, 6: 2.57, 8: 2.92}
    for epsilon, gain in gains.items():
        found = {each.kind: each for each in strategies([topic(2)] * 10, float(epsilon))}
        assert found["sample"].total / found["block"].total == pytest.approx(gain, abs=0.02)
        alone = block([topic(2, joins=False)] * 10, float(epsilon))
        assert alone.asked == (1, 1)


def test_blocks_of_one_topic_each_are_not_listed() -> None:
    """They would be the sample that asks one topic, under another name."""
    found = strategies([topic(5)] * 10, 1.0)
    assert [(each.kind, each.asked) for each in found] == [("sample", (1, 1)), ("split", (10, 10))]
    assert block([topic(5)] * 10, 1.0).total == pytest.approx(found[0].total, rel=1e-3)


def test_an_uneven_split() -> None:
    budgets = [part.epsilon for part in split([topic(2), topic(2), topic(100)], 2.0).forms[0]]
    assert budgets == pytest.approx([0.26, 0.26, 1.49], abs=0.03)


def test_bad_strategies() -> None:
    with refused(ParameterError):
        strategies([], 1.0)
    with refused(ParameterError, 4):
        sample([topic(2)] * 3, 1.0, 4)
    with refused(ParameterError, 4):
        block([topic(2)] * 3, 1.0, 4)
    with refused(ParameterError):
        block([topic(2), topic(9, joins=False)], 1.0, 2)
    with refused(ParameterError, "10,000"):
        block([topic(100)] * 2, 1.0, 2)
