"""The guarantee of planned questionnaires by brute force: all forms, all records and all reports, from the integers that are sampled."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sottovoce as sv
from messages import refused
from sottovoce.arithmetic import ONE, log_above
from sottovoce.errors import ClaimError, ParameterError
from sottovoce.mechanisms import Form, Forms, Part
from sottovoce.notions import LDP
from sottovoce.study import Study
from sottovoce.study.questionnaire import Questionnaire

#: The chance of a form if a person has this record, out of 2^64; a study's doesn't depend on the record.
Chance = Callable[[str, tuple[int, ...]], int]


def questionnaire(
    notion: str, epsilon: float | dict[str, float], questions: list[tuple[int, int, float]], strategy: str = "", numbers: bool = False
) -> Questionnaire:
    """Questions with so many answers, so many of them sensitive, and a weight; or numbers in so many bins. ε can have levels."""
    privacy = f"epsilon = {epsilon!r}"
    if isinstance(epsilon, dict):
        privacy = f"levels = {{{', '.join(f'{name} = {each!r}' for name, each in epsilon.items())}}}"
    text = f'name = "t"\ntitle = "T"\n{strategy}\n[privacy]\nnotion = "{notion}"\n{privacy}\n'
    for number, (size, sensitive, weight) in enumerate(questions):
        answers = f"numbers = {{from = 0, to = {size}, bins = {size}}}" if numbers else f"items = {[f'a{k}' for k in range(size)]}"
        text += f'[[questions]]\nname = "q{number}"\ntext = "?"\n{answers}\nweight = {weight}\n'
        if sensitive and notion == "uldp":
            text += f"sensitive = {[f'a{k}' for k in range(sensitive)]}\n"
    study = Study.from_toml(text)
    assert isinstance(study, Questionnaire)
    return study


def columns(forms: Forms, sizes: dict[str, int], chance: Chance | None = None, tier: str = "") -> list[list[Fraction]]:
    """Of every report of a level, which shows its form, how likely it is under each record."""
    weights = dict(zip(forms.names, forms.weights, strict=True))
    records = list(itertools.product(*(range(size) for size in sizes.values())))
    found = []
    for name, form in ((name, forms.groups[name]) for name in forms.tiers[tier]):
        matrices, rows = [part.channel.matrix(exact=True) for part in form.parts], []
        for record in records:
            answers = {question: np.array([code]) for question, code in zip(sizes, record, strict=True)}
            chosen = [matrix[int(part.codes(answers)[0])] for matrix, part in zip(matrices, form.parts, strict=True)]
            drawn = Fraction(weights[name] if chance is None else chance(name, record), ONE)
            rows.append([drawn * math.prod(map(Fraction, entries)) for entries in itertools.product(*chosen)])
        found += [list(column) for column in zip(*rows, strict=True)]
    return found


def level(reports: list[list[Fraction]]) -> float:
    """The largest log-ratio between records that a report leaves possible."""
    ratios = [max(column) / min(filter(None, column)) for column in reports if any(column)]
    return max(0.0, log_above(max(ratios)))


@st.composite
def planned(draw: st.DrawFn) -> Questionnaire:
    """Questionnaires with one ε, or with two or three levels."""
    questions = draw(st.lists(st.tuples(st.integers(2, 3), st.integers(0, 3), st.sampled_from([0.5, 1.0, 3.0])), min_size=1, max_size=3))
    notion = draw(st.sampled_from(["ldp", "uldp"]))
    questions = [(size, min(sensitive, size), weight) for size, sensitive, weight in questions]
    if not any(sensitive for _, sensitive, _ in questions):
        questions[0] = (questions[0][0], 1, 1.0)
    strategy = draw(st.sampled_from(["", 'strategy = {kind = "split"}', 'strategy = {kind = "sample"}', 'strategy = {kind = "block"}']))
    budgets = st.floats(0.2, 8.0)
    epsilon = draw(st.one_of(budgets, st.fixed_dictionaries({"low": budgets, "high": budgets}, optional={"more": budgets})))
    return questionnaire(notion, epsilon, questions, strategy, numbers=notion == "ldp" and draw(st.booleans()))


@given(planned())
@settings(max_examples=60, deadline=None)
def test_the_level_of_the_whole_record_is_what_is_promised(study: Questionnaire) -> None:
    sizes = {question.name: len(question.domain) for question in study.questions}
    for tier, epsilon in study.written.levels.items():
        reports = columns(study.mechanism, sizes, tier=tier)
        assert sum(map(sum, zip(*reports, strict=True))) == math.prod(sizes.values())
        assert level(reports) == pytest.approx(study.mechanism.levels[tier], abs=1e-12)
        assert study.mechanism.levels[tier] <= epsilon
        for column in reports:
            if study.written.notion == "ldp":
                assert all(column) or not any(column)
            else:
                assert shows_no_sensitive_answer(study, sizes, column)
    assert study.mechanism.level == max(study.mechanism.levels.values())


def shows_no_sensitive_answer(study: Questionnaire, sizes: dict[str, int], column: list[Fraction]) -> bool:
    """Whether a report leaves all answers to a question possible, or one that isn't sensitive, whatever the answers to the others."""
    possible = np.array([entry != 0 for entry in column]).reshape(*sizes.values())
    if not possible.any():
        return True
    factors: list[Any] = []
    for axis, question in enumerate(study.questions):
        mine = possible.any(axis=tuple(k for k in range(len(sizes)) if k != axis))
        shown = [question.domain.item(int(code)) for code in np.flatnonzero(mine)]
        if not mine.all() and (len(shown) != 1 or shown[0] in question.sensitive):
            return False
        factors.append(mine)
    return bool((possible == reduce(np.logical_and.outer, factors)).all())


@pytest.mark.parametrize(
    ("notion", "strategy", "kind"),
    [
        ("ldp", "", "block"),
        ("ldp", 'strategy = {kind = "sample", questions = 2}', "sample"),
        ("ldp", 'strategy = {kind = "split"}', "split"),
        ("uldp", 'strategy = {kind = "split"}', "split"),
        ("uldp", 'strategy = {kind = "sample", questions = 1}', "sample"),
    ],
)
def test_each_strategy_uses_the_whole_budget_and_no_more(notion: str, strategy: str, kind: str) -> None:
    """Under ULDP the third question is clear, and costs nothing."""
    study = questionnaire(notion, 3.0, [(3, 2, 1.0), (2, 2, 1.0), (2, 0, 1.0)], strategy)
    assert study.asking.chosen(study.written.strategy).kind == kind
    found = level(columns(study.mechanism, {"q0": 3, "q1": 2, "q2": 2}))
    assert 3.0 - 1e-9 < found <= 3.0
    assert found == pytest.approx(study.mechanism.level, abs=1e-15)


def test_a_mixture_of_numbers_uses_the_whole_budget_and_no_more() -> None:
    """Some questions are reported at several budgets."""
    study = questionnaire("ldp", 5.0, [(2, 0, 3.0), (3, 0, 2.0), (6, 0, 1.0)], numbers=True)
    assert study.asking.strategies()[0].kind == "mixed"
    assert len({part.questions for part in study.mechanism.parts}) < len(study.mechanism.parts)
    found = level(columns(study.mechanism, {"q0": 2, "q1": 3, "q2": 6}))
    assert 5.0 - 1e-9 < found <= 5.0
    assert found == pytest.approx(study.mechanism.level, abs=1e-12)


@pytest.mark.parametrize("notion", ["ldp", "uldp"])
def test_each_of_two_levels_uses_its_budget_and_no_more(notion: str) -> None:
    """Under ULDP the third question is clear, and both levels report it with the same part."""
    study = questionnaire(notion, {"careful": 0.5, "usual": 3.0}, [(3, 2, 1.0), (2, 2, 1.0), (2, 0, 1.0)])
    for tier, epsilon in {"careful": 0.5, "usual": 3.0}.items():
        found = level(columns(study.mechanism, {"q0": 3, "q1": 2, "q2": 2}, tier=tier))
        assert epsilon - 1e-9 < found <= epsilon
        assert found == pytest.approx(study.mechanism.levels[tier], abs=1e-15)


def test_a_level_that_depends_on_the_answers_tells_more() -> None:
    """The level is chosen before the answers. If people with something to hide choose the careful one, it is a report itself."""
    study = questionnaire("ldp", {"careful": 0.5, "usual": 2.0}, [(2, 0, 1.0), (2, 0, 1.0)])
    sizes = {"q0": 2, "q1": 2}
    weights = dict(zip(study.mechanism.names, study.mechanism.weights, strict=True))
    found = []
    for tier in study.levels:

        def chance(form: str, record: tuple[int, ...], *, careful: bool = tier == "careful") -> int:
            return weights[form] // (4 if (record[0] == 0) != careful else 1)

        found += columns(study.mechanism, sizes, chance, tier)
    assert level(found) > study.mechanism.level


# ---- strategies that draw again ----


def asked_alone(epsilon: float) -> Forms:
    """One of two yes/no questions, drawn evenly."""
    parts = {name: Part.of(sv.krr(sv.Domain(2), epsilon), {name: 2}) for name in "ab"}
    return Forms({name: Form.of([part], LDP(epsilon)) for name, part in parts.items()}, [ONE // 2, ONE // 2])


def test_a_person_who_draws_twice_gives_twice_the_level() -> None:
    forms, sizes = asked_alone(1.0), {"a": 2, "b": 2}
    once = columns(forms, sizes)
    twice = [[x * y for x, y in zip(first, second, strict=True)] for first in once for second in once]
    assert level(once) == pytest.approx(1.0, abs=1e-12)
    assert level(twice) == pytest.approx(2.0, abs=1e-12)
    assert level(twice) > forms.level


def test_a_form_that_contains_both_draws_is_refused() -> None:
    """The certificate of a form is about all its parts, so a strategy that asks a second question at the whole budget can't be made."""
    first, second = (form.parts[0] for form in asked_alone(1.0).groups.values())
    with refused(ClaimError, 2):
        Form.of([first, second], LDP(1.0))
    assert Form.of([first, second], LDP(2.0)).certify().level == pytest.approx(2.0)
    with refused(ParameterError, "twice"):
        Form.of([first, first], LDP(2.0))


@pytest.mark.parametrize("patience", [1, 2, 5])
def test_a_person_who_draws_until_she_likes_her_form_tells_more(patience: int) -> None:
    """Who has something to hide (answer 0 to question a) draws again when asked about it: then the form itself is a report."""
    forms = asked_alone(1.0)

    def chance(form: str, record: tuple[int, ...]) -> int:
        disliked = ONE >> (patience + 1)
        return (disliked if form == "a" else ONE - disliked) if record[0] == 0 else ONE // 2

    assert level(columns(forms, {"a": 2, "b": 2}, chance)) >= 1.0 + patience * math.log(2) - 1e-9


def test_each_person_of_a_table_draws_once() -> None:
    """The forms that were drawn are those of the first words, one for each person, whatever she answers."""
    study = questionnaire("ldp", 2.0, [(2, 0, 1.0)] * 4)
    table = {f"q{k}": ["a0", "a1"] * 500 for k in range(4)}
    reports = study.perturb(table, sv.SeededSource(5))
    assert np.array_equal(reports.levels, study.mechanism.draw(1000, sv.SeededSource(5)))
    assert sum(len(part) for part in reports.parts.values()) == len(reports) == 1000
    assert all(len(form.parts) == 1 for form in study.mechanism.groups.values())
