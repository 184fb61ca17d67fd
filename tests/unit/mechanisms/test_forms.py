"""The guarantee of a questionnaire, by brute force over all records and all reports."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sottovoce as sv
from messages import refused
from sottovoce.arithmetic import ONE, log_above
from sottovoce.errors import ClaimError, DomainError, ParameterError, ReportError
from sottovoce.mechanisms import Form, Forms, Mechanism, Part, identity
from sottovoce.notions import LDP, RecordULDP, together
from sottovoce.reports import PopulationReports


def part(mechanism: Mechanism, *names: str, sizes: Sequence[int] = ()) -> Part:
    return Part.of(mechanism, dict(zip(names, sizes or [len(mechanism.domain)], strict=True)))


def joint(epsilon: float, **sizes: int) -> Part:
    domain = sv.Domain.product(**{name: list(range(size)) for name, size in sizes.items()})
    return part(sv.krr(domain, epsilon), *sizes, sizes=list(sizes.values()))


def whole(form: Form, sizes: dict[str, int]) -> Any:
    """The matrix of a form over all records: one report about each part, independent of the others."""
    names, rows = list(sizes), []
    matrices = [each.channel.matrix(exact=True) for each in form.parts]
    for record in itertools.product(*(range(size) for size in sizes.values())):
        answers = {name: np.array([code]) for name, code in zip(names, record, strict=True)}
        chosen = [matrix[int(each.codes(answers)[0])] for matrix, each in zip(matrices, form.parts, strict=True)]
        rows.append([math.prod(entries) for entries in itertools.product(*chosen)])
    return np.array(rows, dtype=object)


def brute(forms: Forms, sizes: dict[str, int]) -> float:
    """The largest log-ratio of any report between any two records: the form is part of the report."""
    worst = Fraction(1)
    for form, weight in zip(forms.groups.values(), forms.weights, strict=True):
        matrix = whole(form, sizes) * Fraction(weight, ONE)
        for column in matrix.T.tolist():
            top, bottom = max(column), min(column)
            if bottom == 0:
                return math.inf if top else 0.0
            worst = max(worst, top / bottom)
    return max(0.0, log_above(worst))


def evenly(count: int) -> list[int]:
    return [ONE // count] * (count - 1) + [ONE - ONE // count * (count - 1)]


def test_a_split_a_sample_and_blocks_give_the_level_that_they_claim() -> None:
    sizes = {"a": 2, "b": 3, "c": 2}
    alone = {name: sv.Domain(size) for name, size in sizes.items()}
    split = Forms({"1": Form.of([part(sv.krr(alone[n], e), n) for n, e in zip("abc", (0.5, 1.0, 0.25), strict=True)], LDP(1.75))}, [ONE])
    sample = Forms({n: Form.of([part(sv.krr(alone[n], 1.75), n)], LDP(1.75)) for n in "abc"}, evenly(3))
    block = Forms({"1": Form.of([joint(1.75, a=2, b=3)], LDP(1.75)), "2": Form.of([joint(1.75, b=3, c=2)], LDP(1.75))}, evenly(2))
    for forms in (split, sample, block):
        assert brute(forms, sizes) <= 1.75
        assert brute(forms, sizes) == pytest.approx(1.75, abs=1e-12)
        assert forms.level == pytest.approx(brute(forms, sizes), abs=1e-15)


@st.composite
def questionnaires(draw: st.DrawFn) -> tuple[Forms, dict[str, int]]:
    sizes = {name: draw(st.integers(2, 3)) for name in "abc"[: draw(st.integers(1, 3))]}
    groups: dict[str, Form] = {}
    for number in range(draw(st.integers(1, 3))):
        left, parts = list(sizes), list[Part]()
        while left and (not parts or draw(st.booleans())):
            names = [left.pop(draw(st.integers(0, len(left) - 1))) for _ in range(min(len(left), draw(st.integers(1, 2))))]
            epsilon = draw(st.floats(0.1, 3.0))
            if len(names) > 1:
                parts.append(joint(epsilon, **{name: sizes[name] for name in names}))
            else:
                make = draw(st.sampled_from([sv.krr, sv.oue, sv.subset_selection]))
                parts.append(part(make(sv.Domain(sizes[names[0]]), epsilon), names[0]))
        groups[str(number)] = Form.of(parts, LDP(20.0))
    return Forms(groups, evenly(len(groups))), sizes


@given(questionnaires())
@settings(max_examples=40, deadline=None)
def test_the_certified_level_is_that_of_the_whole_record(drawn: tuple[Forms, dict[str, int]]) -> None:
    forms, sizes = drawn
    assert forms.level == pytest.approx(brute(forms, sizes), abs=1e-12)


def test_a_person_who_draws_twice_tells_more() -> None:
    """The level of two submissions of one person is not that of one: the draw is made once, and kept."""
    forms = Forms({n: Form.of([part(sv.krr(sv.Domain(2), 1.0), n)], LDP(1.0)) for n in "ab"}, evenly(2))
    pairs = zip(forms.groups.values(), forms.weights, strict=True)
    once = [whole(form, {"a": 2, "b": 2}) * Fraction(weight, ONE) for form, weight in pairs]
    reports = np.hstack(once)
    twice = np.array([[x * y for x in row for y in row] for row in reports.tolist()], dtype=object)
    worst = max(max(column) / min(column) for column in twice.T.tolist())
    assert log_above(worst) == pytest.approx(2.0)
    with pytest.raises(ClaimError):  # and a form that asks again is refused
        Form.of([part(sv.krr(sv.Domain(2), 1.0), "a"), part(sv.krr(sv.Domain(2), 1.0), "b")], LDP(1.0))


def test_uldp_with_clear_questions_by_brute_force() -> None:
    """Between records that a report leaves possible the ratio is at most e^ε, and only answers that aren't sensitive are ruled out."""
    hidden = sv.urr(sv.Domain("xyz"), 1.0, sensitive="x")
    form = Form.of([part(hidden, "ill"), part(identity(sv.Domain(2)), "town")], RecordULDP(1.0))
    matrix, records = whole(form, {"ill": 3, "town": 2}), list(itertools.product(range(3), range(2)))
    worst = Fraction(1)
    for column in matrix.T.tolist():
        possible = [entry for entry in column if entry]
        if possible:
            worst = max(worst, max(possible) / min(possible))
        towns = {records[k][1] for k, entry in enumerate(column) if entry}
        answers = {records[k][0] for k, entry in enumerate(column) if entry}
        assert len(towns) <= 1
        assert answers <= {0, 1, 2}
        assert 0 in answers or answers in (set(), {1}, {2})  # the sensitive answer is ruled out only by another one that is shown
        assert answers != {0}
    assert log_above(worst) <= 1.0
    assert form.certify().level == pytest.approx(log_above(worst), abs=1e-12)
    with refused(ClaimError, "form"):
        Form.of([part(identity(sv.Domain(2)), "town")], LDP(1.0))
    with refused(ClaimError, "form"):
        Form.of([part(sv.krr(sv.Domain(2), 9.0), "q")], RecordULDP(1.0))


def test_a_product_is_judged_as_its_matrix_is() -> None:
    parts = [part(sv.krr(sv.Domain(3), 0.7), "a"), part(sv.oue(sv.Domain(2), 0.4), "b")]
    form = Form.of(parts, LDP(1.2))
    plain = LDP(1.2).check(form)  # by the columns of the Kronecker product
    assert plain.level == pytest.approx(together(LDP(1.2), parts).level, abs=1e-15)
    rows = form.channel.matrix(exact=True)
    assert all(sum(row) == 1 for row in rows.tolist())


def test_reports_travel_and_are_counted_side_by_side() -> None:
    parts = [part(sv.krr(sv.Domain(3), 1.0), "a"), part(sv.oue(sv.Domain(10), 1.0), "b")]
    channel = Form.of(parts, LDP(2.0)).channel
    reports = channel.perturb(np.arange(30), sv.SeededSource(1))
    assert channel.reports_from_bytes(reports.to_bytes()) == reports
    assert channel.reports_from_arrow(reports.to_arrow()) == reports
    assert (reports[:10] + reports[10:]) == reports
    counts = channel.statistic.count(reports)
    assert counts[:3].sum() == 30
    assert channel.statistic.possible(counts, 30)
    assert not channel.statistic.possible(counts + 1, 30)
    with refused(ReportError, "3 bytes"):
        channel.reports_from_bytes(reports.to_bytes()[:-1])
    broken = bytearray(reports.to_bytes())
    broken[0] = 7
    with refused(ReportError, 7):
        channel.reports_from_bytes(bytes(broken))


def test_forms_are_drawn_with_their_weights_and_words() -> None:
    forms = Forms({n: Form.of([part(sv.krr(sv.Domain(2), 1.0), n)], LDP(1.0)) for n in "abc"}, [ONE // 2, ONE // 4, ONE // 4])
    assert forms.draw(4, sv.ReplaySource([0, ONE // 2 - 1, ONE // 2, ONE - 1])).tolist() == [0, 0, 1, 2]
    drawn = np.bincount(forms.draw(40_000, sv.SeededSource(1)), minlength=3)
    expected = np.array([20_000, 10_000, 10_000])
    assert ((drawn - expected) ** 2 / expected).sum() < 27.6  # chi-squared with two degrees of freedom: once in a million
    reports = forms.perturb({"a": np.zeros(50, int), "b": np.ones(50, int), "c": np.zeros(50, int)}, source=sv.SeededSource(2))
    assert isinstance(reports, PopulationReports)
    assert forms.reports_from_arrow(reports.to_arrow()) == reports
    assert sv.Tally(forms).add(reports).n == 50


def test_the_margin_of_a_block_is_direct() -> None:
    block = joint(1.0, a=2, b=3)
    margin = block.margin(["b"])
    assert margin is not None
    summed = np.zeros((3, 3), dtype=object)
    matrix = block.channel.matrix(exact=True)
    for x, row in enumerate(matrix.tolist()):
        for y, entry in enumerate(row):
            summed[x % 3, y % 3] += Fraction(entry, 1)
    assert (summed / 2 == margin.matrix(exact=True)).all()
    assert block.margin_counts(np.arange(6), ["b"]).tolist() == [3, 5, 7]
    assert part(sv.oue(sv.Domain(6), 1.0), "a", "b", sizes=[2, 3]).margin(["b"]) is None


def test_bad_forms() -> None:
    one = Form.of([part(sv.krr(sv.Domain(2), 1.0), "a")], LDP(1.0))
    with refused(ParameterError, "twice"):
        Form.of([part(sv.krr(sv.Domain(2), 1.0), "a"), part(sv.krr(sv.Domain(2), 1.0), "a")], LDP(2.0))
    with refused(ParameterError):
        Forms({"1": one}, [ONE - 1])
    with refused(DomainError):
        Forms({}, [])
    with refused(DomainError, 129):
        Forms({str(k): one for k in range(129)}, evenly(129))
    with refused(ParameterError):
        Forms({"1": one, "2": Form.of([part(sv.krr(sv.Domain(2), 1.0), "b")], LDP(2.0))}, evenly(2))
