"""Sets of at most some boxes: every claim of the channel beside an enumeration of all sets and all reports."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import reference
import sottovoce as sv
from messages import refused
from sottovoce.arithmetic import ONE, log_above
from sottovoce.channels import CappedChannel, DirectChannel
from sottovoce.checks import conform
from sottovoce.checks.statistics import FALSE_ALARM
from sottovoce.errors import ClaimError, DomainError, ParameterError, ReportError, UnsupportedError
from sottovoce.mechanisms import Part
from sottovoce.mechanisms.capped import capped_subset
from sottovoce.notions import LDP
from sottovoce.optima.capped import best_capped, capped_variance
from sottovoce.wire import describe, restore

#: Boxes, marks, the cap, ε, and the size of reports (None: the best).
SMALL = [(2, 0, 1, 1.0, None), (4, 0, 2, 2.0, 2), (5, 0, 3, 0.5, 2), (4, 1, 2, 1.0, 2), (3, 2, 1, 3.0, 2), (3, 0, 3, 1.0, 2)]


def made(boxes: int, marks: int, cap: int, epsilon: float, chosen: int | None = None) -> Part:
    return capped_subset({f"box {k}": 2 + marks for k in range(boxes)}, cap, epsilon, chosen)


def channel_of(part: Part) -> CappedChannel:
    assert isinstance(part.channel, CappedChannel)
    return part.channel


def law(channel: CappedChannel, answer: tuple[int, ...], dummies: tuple[int, ...]) -> dict[frozenset[int], Fraction]:
    """The chances of all reports of a set that is filled up with these dummies, from the definition."""
    filled, everything = {*answer, *dummies}, channel.items + channel.cap
    reports = [frozenset(each) for each in combinations(range(everything), channel.chosen)]
    meets = sum(bool(each & filled) for each in reports)
    high, low = Fraction(channel.include, ONE * meets), Fraction(ONE - channel.include, ONE * (len(reports) - meets))
    return {each: high if each & filled else low for each in reports}


@pytest.mark.parametrize(("boxes", "marks", "cap", "epsilon", "chosen"), SMALL)
def test_the_matrix_is_that_of_the_definition(boxes: int, marks: int, cap: int, epsilon: float, chosen: int | None) -> None:
    part = made(boxes, marks, cap, epsilon, chosen)
    channel = channel_of(part)
    matrix = channel.matrix(exact=True)
    answers = [each for size in range(cap + 1) for each in combinations(range(boxes), size)]
    assert sorted(channel.sets.listed()) == sorted([*answers, *((boxes + mark,) for mark in range(marks))])
    for row, answer in zip(matrix.tolist(), channel.sets.listed(), strict=True):
        told = law(channel, answer, tuple(range(channel.items, channel.items + cap - len(answer))))
        assert row == [told[frozenset(report)] for report in channel.outputs()]
        assert sum(row) == 1
    worst = max(max(column) / min(column) for column in matrix.T.tolist())
    assert part.certify().level == log_above(worst) <= epsilon
    assert part.certify().level == pytest.approx(epsilon, abs=1e-15)
    assert conform(part)


@pytest.mark.parametrize(("boxes", "marks", "cap", "epsilon", "chosen"), SMALL)
def test_which_dummies_fill_a_set_makes_no_difference(boxes: int, marks: int, cap: int, epsilon: float, chosen: int | None) -> None:
    channel = channel_of(made(boxes, marks, cap, epsilon, chosen))
    for answer in channel.sets.listed():
        seen = []
        for dummies in combinations(range(channel.items, channel.items + cap), cap - len(answer)):
            kept: dict[frozenset[int], Fraction] = {}
            for report, chance in law(channel, answer, dummies).items():
                read = frozenset(place for place in report if place < channel.items)
                kept[read] = kept.get(read, Fraction(0)) + chance
            seen.append(kept)
        assert all(each == seen[0] for each in seen)


@pytest.mark.parametrize(("boxes", "marks", "cap", "epsilon", "chosen"), SMALL)
def test_a_box_alone_has_the_chances_of_the_enumeration(boxes: int, marks: int, cap: int, epsilon: float, chosen: int | None) -> None:
    """Constant over the boxes and over what else is chosen; rounded towards privacy without marks, to 2^-64 with them."""
    part = made(boxes, marks, cap, epsilon, chosen)
    channel = channel_of(part)
    found = part.margin(["box 1"])
    assert found is not None
    claimed = found.matrix(exact=True)
    for row, answer in zip(channel.numerators().tolist(), channel.sets.listed(), strict=True):
        for box in range(boxes):
            item = 0 if box in answer else 1 if answer == () or answer[0] < boxes else 2 + answer[0] - boxes
            seen = [Fraction(0)] * (2 << marks)
            for report, chance in zip(channel.outputs(), row, strict=True):
                bits = sum(1 << mark for mark in range(marks) if boxes + mark in report)
                seen[bits + (0 if box in report else 1 << marks)] += chance / ONE
            assert max(abs(a - b) for a, b in zip(seen, claimed[item].tolist(), strict=True)) <= Fraction(2, ONE)
            if isinstance(found, DirectChannel):
                assert claimed[0, 0] <= seen[0] if item == 0 else claimed[1, 0] >= seen[0]
    if marks == 0:
        assert LDP(epsilon).check(sv.Mechanism(sv.Domain(2), found, LDP(epsilon))).holds


@given(st.integers(1, 5), st.integers(0, 2), st.integers(1, 3), st.integers(1, 4), st.floats(0.05, 6.0))
@settings(max_examples=40, deadline=None)
def test_the_level_is_that_of_the_enumeration(boxes: int, marks: int, cap: int, chosen: int, epsilon: float) -> None:
    cap, chosen = min(boxes, cap), min(boxes + marks, chosen)
    part = made(boxes, marks, cap, epsilon, chosen)
    everything = np.ones(part.channel.size, dtype=np.bool_)
    assert part.channel.columns.widest is not None
    assert part.channel.columns.widest.ratio == max(1, part.channel.columns.largest_pair(everything, everything).ratio)
    rows = part.channel.numerators()
    assert all(sum(row) == ONE for row in rows.tolist())
    assert part.certify().level == log_above(max(max(column) / min(column) for column in rows.T.tolist())) <= epsilon


def test_the_best_size_and_its_error() -> None:
    """Beside asking one of 20 boxes by randomized response, at most three of which are chosen, each by a tenth of the people."""
    for epsilon, ratio, size in ((1.0, 0.47, 2), (2.0, 0.30, 1), (4.0, 0.18, 1)):
        truth = math.expm1(epsilon) / (math.exp(epsilon) + 1)
        seen = (1 - truth) / 2 + truth * 0.1
        sampled = 20 * seen * (1 - seen) / truth**2
        best = min(range(1, 21), key=lambda k: capped_variance(20, 3, k, epsilon, 0.1))
        assert capped_variance(20, 3, best, epsilon, 0.1) / sampled == pytest.approx(ratio, abs=5e-3)
        assert best == best_capped(20, 3, epsilon)[0] == size
    margin = channel_of(made(20, 0, 3, 2.0)).margin_of([7], [2] * 20)
    assert margin is not None
    assert margin.inversion is not None
    shares = margin.inversion.expected(np.array([0.1, 0.9]))
    assert margin.inversion.linear(shares, 1).variance[0] == pytest.approx(capped_variance(20, 3, 1, 2.0, 0.1))


def test_shares_come_back_out_of_the_reports() -> None:
    part = made(20, 0, 3, 2.0)
    ticked = np.zeros((60_000, 20), dtype=np.bool_)
    random = np.random.default_rng(3)
    for row, number in enumerate(random.integers(0, 4, len(ticked))):
        ticked[row, random.choice(20, number, replace=False, p=np.arange(20, 0, -1) / 210)] = True
    answers = {f"box {k}": np.where(ticked[:, k], 0, 1) for k in range(20)}
    counts = part.channel.statistic.count(part.channel.perturb(part.codes(answers), sv.SeededSource(1)))
    for k in range(20):
        margin, name = part.margin([f"box {k}"]), f"box {k}"
        assert margin is not None
        mechanism = sv.Mechanism(sv.Domain(["yes", "no"]), margin, LDP(2.0))
        found = sv.estimate(sv.Tally.from_counts(mechanism, {"": (60_000, part.margin_counts(counts, [name]))}))
        low, high = found.interval(1 - 1e-6)
        assert low[0] <= ticked[:, k].mean() <= high[0]
        assert high[0] - low[0] < 0.07


def test_marks_are_counted_beside_the_boxes() -> None:
    part = made(3, 2, 2, 2.0, 2)
    channel = channel_of(part)
    reports = channel.perturb(np.arange(4000) % channel.size, sv.SeededSource(1))
    counts = channel.statistic.count(reports)
    dense = reports.dense()
    for box in range(3):
        expected = [
            ((dense[:, box] == inside) & (dense[:, 3] == first) & (dense[:, 4] == second)).sum()
            for inside in (True, False)
            for second in (False, True)
            for first in (False, True)
        ]
        assert part.margin_counts(counts, [f"box {box}"]).tolist() == expected
    assert channel.statistic.possible(counts, 4000)
    assert not channel.statistic.possible(counts, 3999)
    wrong = counts.copy()
    wrong[1] = wrong[0] + 1
    assert not channel.statistic.possible(wrong, 4000)
    assert not channel.statistic.possible(counts[:-1], 4000)
    assert part.margin(["box 0", "box 1"]) is None
    assert channel.inversion is None
    with refused(UnsupportedError, "box by box"):
        assert channel.model


def test_sampling_of_large_sets_accepts_the_channel_and_rejects_a_tenth_more() -> None:
    """What a box tells is tested by exact binomial tests: false alarm 1e-9. Small channels are tested report by report in `conform`."""
    part, wrong = made(62, 0, 10, 2.0), made(62, 0, 10, 2.2)
    ticked = {f"box {k}": np.full(300_000, int(k % 7 != 0)) for k in range(62)}
    assert part.channel.size > 1 << 36
    counts = part.channel.statistic.count(part.channel.perturb(part.codes(ticked), sv.SecureSource()))
    values = []
    for each in (part, wrong):
        margin = each.margin(["box 0"])
        assert margin is not None
        chances = margin.matrix()
        values.append([tail(int(counts[1 + k]), 300_000, float(chances[int(k % 7 != 0), 0])) for k in range(62)])
    assert min(values[0]) > FALSE_ALARM / 62
    assert min(values[1]) < FALSE_ALARM


def tail(count: int, people: int, chance: float) -> float:
    return float(min(binom.cdf(count, people, chance), binom.sf(count - 1, people, chance)))


@pytest.mark.parametrize("place", range(len(SMALL)))
def test_sampling_accepts_the_channel_and_rejects_a_tenth_more(place: int) -> None:
    """The number of reports that meet the filled set is binomial: the stated channel passes, the one with 1.1·ε does not."""
    boxes, marks, cap, epsilon, chosen = SMALL[place]
    channel = channel_of(made(boxes, marks, cap, epsilon, chosen))
    wrong = channel_of(made(boxes, marks, cap, 1.1 * epsilon, channel.chosen))
    for code, answer in enumerate(channel.sets.listed()):
        dense = channel.perturb(np.full(300_000, code), sv.SecureSource()).dense()
        filled = [*answer, *range(channel.items, channel.items + cap - len(answer))]
        meets = int(dense[:, filled].any(axis=1).sum())
        assert tail(meets, 300_000, channel.include / ONE) > FALSE_ALARM / channel.size
        assert tail(meets, 300_000, wrong.include / ONE) < FALSE_ALARM


@pytest.mark.parametrize("place", range(len(SMALL)))
def test_words_become_reports_as_the_specification_says(place: int) -> None:
    channel = channel_of(made(*SMALL[place]))
    codes = np.arange(2000) % channel.size
    words = sv.SeededSource(place).take(2000 * 40)
    reports, read = channel.perturb(codes, sv.ReplaySource(words)), iter(words.tolist())
    assert reports.tolist() == [reference.report(describe(channel), code, read) for code in codes.tolist()]


@pytest.mark.parametrize(("boxes", "cap"), [(7, 3), (62, 2), (62, 61), (30, 15)])
def test_codes_number_the_sets(boxes: int, cap: int) -> None:
    """The kernel reads a set out of its code, so that at a large ε a report of one item names one of its boxes."""
    channel = channel_of(made(boxes, 0, cap, 40.0, 1))
    random = np.random.default_rng(1)
    ticked = np.zeros((200, boxes), dtype=np.bool_)
    for row in range(200):
        ticked[row, random.choice(boxes, random.integers(0, cap + 1), replace=False)] = True
    codes = channel.combined([np.where(ticked[:, k], 0, 1) for k in range(boxes)], [2] * boxes)
    assert 0 <= codes.min() <= codes.max() < channel.size
    named = np.zeros((200, boxes), dtype=np.bool_)
    for seed in range(400 if boxes == 7 else 40):
        dense = channel.perturb(codes, sv.SeededSource(seed)).dense()
        assert (dense[:, :boxes] <= ticked).all()
        assert (dense[:, boxes:].sum(axis=1) + dense[:, :boxes].sum(axis=1) == 1).all()
        named |= dense[:, :boxes]
    if boxes == 7:
        assert (named == ticked).all()


def test_forms_travel() -> None:
    channel = channel_of(made(19, 1, 3, 2.0))
    assert restore(describe(channel)) == channel
    reports = channel.perturb(np.arange(500), sv.SeededSource(1))
    assert channel.reports_from_bytes(reports.to_bytes()) == reports
    assert channel.reports_from_arrow(reports.to_arrow()) == reports
    assert reports.to_bytes()[:3] == reports[:1].to_bytes()
    with refused(ReportError, 0):
        channel.reports_from_bytes(bytes(3))
    with refused(ReportError, 3):
        channel.reports_from_bytes(reports.to_bytes()[:-1])
    with pytest.raises(ReportError):
        channel.reports_from_bytes(bytes([0, 0, 0x80]))


BAD: dict[str, dict[str, Any]] = {
    "cap": {"cap": 4},
    "no cap": {"cap": 0},
    "chosen": {"chosen": 4},
    "include": {"include": "5"},
    "certain": {"include": str(ONE)},
    "negative": {"marks": -1},
    "boxes": {"boxes": 70, "cap": 60},
}


@pytest.mark.parametrize("case", BAD)
def test_tables_that_no_channel_has(case: str) -> None:
    form = {"kind": "capped", "boxes": 3, "marks": 0, "cap": 2, "chosen": 1, "include": str(ONE // 4 * 3)}
    assert restore(form).size == 7
    with refused(ParameterError):
        CappedChannel.of_form({**form, **BAD[case]})


def test_bad_sets() -> None:
    part = made(4, 1, 2, 1.0)
    columns = {f"box {k}": np.array([0, 1]) for k in range(4)}
    with refused(DomainError, 4, 2):
        part.codes(columns)
    with refused(DomainError):
        part.codes(columns | {"box 0": np.array([1, 2]), "box 1": np.array([1, 2])})
    with refused(ParameterError):
        capped_subset({"one": 2, "two": 3}, 1, 1.0)
    with refused(ParameterError, 5):
        made(4, 0, 5, 1.0)
    with pytest.raises(ClaimError):
        Part.of(sv.Mechanism(sv.Domain(part.channel.size), part.channel, LDP(0.99)), {})
    with pytest.raises(UnsupportedError):
        made(62, 0, 10, 1.0).channel.matrix()
