"""Strategies of questionnaires against exhaustive search, and against their own forms."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator

import numpy as np
import pytest

from messages import refused
from sottovoce import Domain, krr, subset_selection
from sottovoce.errors import ParameterError
from sottovoce.utility.designs import joint_error
from sottovoce.utility.losses import losses
from sottovoce.utility.strategies import Asked, Strategy, block, least_error, sample, split, strategies


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


def partitions(items: list[int]) -> Iterator[list[list[int]]]:
    """All ways to put some of the items into disjoint blocks."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    yield from partitions(rest)
    for size in range(len(rest) + 1):
        for others in itertools.combinations(rest, size):
            left = [item for item in rest if item not in others]
            for found in partitions(left):
                yield [[first, *others], *found]


def exhaustive(topics: list[Asked], epsilon: float) -> float:
    """The least weighted error of any mixture of forms, each of them disjoint blocks that share ε evenly."""
    columns = []
    for form in partitions(list(range(len(topics)))):
        if not form:
            continue
        told, budget = np.zeros(len(topics)), epsilon / len(form)
        for each in form:
            u = math.prod(topics[q].size for q in each)
            for q in each:
                told[q] = 1 / (topics[q].alone(budget) if len(each) == 1 else joint_error(topics[q].size, u, budget))
        columns.append(told)
    matrix, weights = np.array(columns).T, np.array([each.weight for each in topics])
    chances = np.full(matrix.shape[1], 1 / matrix.shape[1])
    error = math.inf
    for _ in range(20_000):
        known = matrix @ chances
        error = float(weights @ (1 / known))
        worth = (weights / known**2) @ matrix
        if worth.max() <= (1 + 1e-4) * error:
            break
        chances = chances * np.sqrt(worth / error)
        chances /= chances.sum()
    return error


def test_the_plan_is_within_a_few_percent_of_all_that_is_possible() -> None:
    """Two hundred questionnaires of two to four questions, against every mixture of splits, samples, blocks and blocks that share ε."""
    random, worst = np.random.default_rng(23), 1.0
    for _ in range(200):
        count = int(random.integers(2, 5))
        sizes = random.choice([2, 3, 4, 5, 8, 12, 20], count)
        weights = random.choice([0.5, 1.0, 2.0], count)
        epsilon = float(random.uniform(0.3, 7.0))
        topics = [topic(int(size), float(weight)) for size, weight in zip(sizes, weights, strict=True)]
        worst = max(worst, strategies(topics, epsilon)[0].total / exhaustive(topics, epsilon))
    assert worst <= 1.035


def test_thirty_questions_take_less_than_two_seconds() -> None:
    random = np.random.default_rng(1)
    topics = [topic(int(random.choice([2, 3, 4, 5, 7, 10, 20, 41])), float(random.uniform(0.5, 2))) for _ in range(30)]
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
