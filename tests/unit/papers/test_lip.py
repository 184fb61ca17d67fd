"""LIP paper: the second part of Lemma 2, Lemma 4 and Corollary 1, with exact fractions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sottovoce as sv

Rows = list[list[Fraction]]
Column = Sequence[Fraction]


def distributions(size: int, least: int = 0) -> st.SearchStrategy[list[Fraction]]:
    weights = st.lists(st.integers(least, 9), min_size=size, max_size=size).filter(any)
    return weights.map(lambda drawn: [Fraction(weight, sum(drawn)) for weight in drawn])


def dot(a: Column, b: Column) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def spread(values: Sequence[Fraction]) -> Fraction | float:
    """The largest ratio of two of these chances of one report, where it can be made at all."""
    if not any(values):
        return Fraction(1)
    return max(values) / min(values) if min(values) else math.inf


def pufferfish(columns: Rows, tables: Sequence[Rows]) -> Fraction | float:
    """The least e^ε of Definition 5 with all pairs of secrets: the largest ratio of Pr(y|g) to Pr(y|g')."""
    return max(spread([dot(row, column) for row in table]) for table in tables for column in columns)


def lip(columns: Rows, tables: Sequence[Rows], secrets: Sequence[Column]) -> Fraction | float:
    """The least e^ε of Definition 6: the largest ratio of Pr(y|g) to Pr(y), or the other way round."""
    found: list[Fraction | float] = []
    for table, chances in zip(tables, secrets, strict=True):
        for column in columns:
            given_g = [dot(row, column) for row in table]
            alone = dot(chances, given_g)
            found += [spread([each, alone]) for each, chance in zip(given_g, chances, strict=True) if chance]
    return max(found)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Rows, list[Rows], list[list[Fraction]]]:
    """A channel by columns, and scenarios: tables Pr(x|g), and the chances of the secrets."""
    size, reports, values = (draw(st.integers(2, 4)) for _ in range(3))
    channel = [draw(distributions(reports)) for _ in range(size)]
    tables = [[draw(distributions(size)) for _ in range(values)] for _ in range(draw(st.integers(1, 3)))]
    return [list(column) for column in zip(*channel, strict=True)], tables, [draw(distributions(values, 1)) for _ in tables]


@settings(max_examples=150)
@given(worlds())
def test_pufferfish_and_lip_for_a_set_of_scenarios(world: tuple[Rows, list[Rows], list[list[Fraction]]]) -> None:
    """Lemma 2, second part: ε-Pufferfish implies ε-LIP for the same scenarios, and that implies 2ε-Pufferfish. The notions agree."""
    columns, tables, secrets = world
    one, other = lip(columns, tables, secrets), pufferfish(columns, tables)
    assert one <= other
    assert other <= one * one
    mechanism = sv.from_matrix(sv.Domain(len(columns[0])), np.array(columns, dtype=np.float64).T)
    found = sv.Pufferfish(9.0, tables).check(mechanism).level
    assert found == pytest.approx(math.log(other), abs=1e-9)
    priors = [[dot(chances, column) for column in zip(*table, strict=True)] for table, chances in zip(tables, secrets, strict=True)]
    if all(min(prior) > 0 for prior in priors):
        levels = [sv.LIP(9.0, prior, table).check(mechanism).level for prior, table in zip(priors, tables, strict=True)]
        assert max(levels) == pytest.approx(math.log(one), abs=1e-9)


def test_both_constants_of_lemma_2_are_reached() -> None:
    """A common secret between two rare ones needs 2ε in the limit. Two secrets of which one is hardly ever there need no more than ε."""
    middle, rare = Fraction(1, 4), Fraction(1, 10**6)
    table = [[middle, 1 - middle], [2 * middle, 1 - 2 * middle], [middle / 2, 1 - middle / 2]]
    report = [[Fraction(1, 2), Fraction(0)]]  # one that only holders of the first answer make
    low, high = lip(report, [table], [[1 - 2 * rare, rare, rare]]), pufferfish(report, [table])
    assert high == 4
    assert 2 <= low < 2 * (1 + 2 * rare)
    two = [table[0], table[1]]
    assert lip(report, [two], [[1 - rare, rare]]) > pufferfish(report, [two]) * (1 - 2 * rare)


def test_lemma_2_needs_all_pairs_of_secrets() -> None:
    """Definition 5 compares stated pairs only. With a pair left out, reports may show a secret, and the first implication is false."""
    table = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    shown = sv.identity(sv.Domain(2))
    assert sv.Pufferfish(0.1, table, pairs=[(0, 1)]).check(shown).level == 0
    assert sv.LIP(0.1, [2 / 3, 1 / 3], table).check(shown).level == math.inf
    assert sv.Pufferfish(0.1, table).check(shown).level == math.inf


def solved(rows: Sequence[Column], right: Column) -> list[Fraction] | None:
    """The solution of a square system, or None."""
    size, system = len(rows), [[*row, value] for row, value in zip(rows, right, strict=True)]
    for i in range(size):
        pivot = next((r for r in range(i, size) if system[r][i]), None)
        if pivot is None:
            return None
        system[i], system[pivot] = system[pivot], system[i]
        system[i] = [value / system[i][i] for value in system[i]]
        for r in range(size):
            if r != i and system[r][i]:
                system[r] = [a - system[r][i] * b for a, b in zip(system[r], system[i], strict=True)]
    return [row[-1] for row in system]


def corners(prior: Column, growth: Fraction) -> list[tuple[Fraction, ...]]:
    """The corners of what a column Q(y|·)/Pr(y) may be under LIP: each entry between e^−ε and e^ε, their mean 1."""
    size = len(prior)
    units = [[Fraction(i == x) for i in range(size)] for x in range(size)]
    rules = [[growth * a - p for a, p in zip(unit, prior, strict=True)] for unit in units]
    rules += [[growth * p - a for a, p in zip(unit, prior, strict=True)] for unit in units]
    found = (solved([*tight, prior], [Fraction(0)] * (size - 1) + [Fraction(1)]) for tight in combinations(rules, size - 1))
    return sorted({tuple(each) for each in found if each is not None and all(dot(rule, each) >= 0 for rule in rules)})


def optima(prior: Column, growth: Fraction, worth: Callable[[Column], Fraction]) -> list[tuple[Fraction, int]]:
    """Channels with at most as many reports as answers that no channel beats, however many reports it has: what is told, and the reports.

    Prices u with u·ρ ≥ φ(ρ) at every corner prove it: φ is convex, so the same holds for every private column, and all reports of a
    channel together tell Σ λ·φ(ρ) ≤ Σ λ·u·ρ = Σ u.
    """
    found, every = [], corners(prior, growth)
    for chosen in combinations(every, len(prior)):
        chances = solved(list(zip(*chosen, strict=True)), [Fraction(1)] * len(prior))
        prices = solved(chosen, [worth(column) for column in chosen])
        if chances and prices and min(chances) >= 0 and all(dot(prices, column) >= worth(column) for column in every):
            found.append((sum(prices, Fraction(0)), sum(chance > 0 for chance in chances)))
    return found


PRIORS = [[(1, 3)] * 3, [(1, 2), (1, 4), (1, 4)], [(1, 10), (1, 5), (7, 10)], [(4, 9), (4, 9), (1, 9)], [(1, 3), (2, 3)]]


@pytest.mark.parametrize("prior", [[Fraction(*part) for part in each] for each in PRIORS], ids=lambda each: "-".join(map(str, each)))
@pytest.mark.parametrize("growth", [Fraction(11, 10), Fraction(2), Fraction(5)])
def test_as_many_reports_as_answers_are_enough(prior: list[Fraction], growth: Fraction) -> None:
    """Lemma 4, exactly, for the histogram and for a sum; and `optimal_lip` is that optimum with no more reports."""
    values = [Fraction(k) for k in range(len(prior))]
    goals: list[tuple[str, Callable[[Column], Fraction], Fraction]] = [
        ("histogram", lambda column: dot([p * p for p in prior], [x * x for x in column]), Fraction(1)),
        ("sum", lambda column: dot([p * v for p, v in zip(prior, values, strict=True)], column) ** 2, dot(prior, [v * v for v in values])),
    ]
    for utility, worth, whole in goals:
        found = optima(prior, growth, worth)
        assert found
        assert len({told for told, _ in found}) == 1
        best = sv.optimal_lip(sv.Domain(len(prior)), math.log(growth), [float(p) for p in prior], utility, progress=False)
        assert best.loss == pytest.approx(float(whole - found[0][0]), abs=1e-7)
        assert best.channel.matrix().shape[1] <= len(prior)


def test_fewer_reports_than_answers_may_be_enough() -> None:
    """Lemma 4 says that the best number of reports is that of the answers. It's a limit: in the paper's own example two do as well."""
    prior = [Fraction(1, 10), Fraction(1, 5), Fraction(7, 10)]
    found = optima(prior, Fraction(2), lambda column: dot([p * p for p in prior], [x * x for x in column]))
    assert {told for told, _ in found} == {Fraction(61, 100)}
    assert {reports for _, reports in found} == {2}


def published(prior: Column, growth: Fraction) -> Rows:
    """Theorem 3: the truth with probability 1 − 1/e^ε, otherwise a draw from the prior."""
    return [[p / growth + (1 - 1 / growth) * (x == y) for y, p in enumerate(prior)] for x in range(len(prior))]


def corrected(prior: Column, growth: Fraction) -> Rows:
    """Noise odds r_k = max(P_k, 1 − e^ε·P_k)/(e^ε − 1)."""
    noise = [max(p, 1 - growth * p) / (growth - 1) for p in prior]
    kept = 1 / sum(noise, Fraction(1))
    return [[kept * (r + (x == y)) for y, r in enumerate(noise)] for x in range(len(prior))]


def level(channel: Rows, prior: Column) -> Fraction | float:
    """e^ε of LIP about what the channel reads."""
    return max(spread([row[y], dot(prior, [each[y] for each in channel])]) for row in channel for y in range(len(channel[0])))


@settings(max_examples=150)
@given(st.data(), st.integers(2, 4), st.integers(2, 7), st.fractions(Fraction(11, 10), 8, max_denominator=20))
def test_merged_answers_keep_the_form(data: st.DataObject, size: int, raw: int, growth: Fraction) -> None:
    """Corollary 1: X = f(R), R is secret. (26): the level about R is that about X, so the form is that of X with the merged prior.

    It's private where Theorem 3 is: if and only if every merged probability is at least 1/(e^ε + 1). The corrected form always is.
    """
    merged = [data.draw(st.integers(0, size - 1)) for _ in range(raw)]
    merged[:size] = range(min(size, raw))
    size = max(merged) + 1
    prior = data.draw(distributions(len(merged), 1))
    sums = [sum((p for p, x in zip(prior, merged, strict=True) if x == y), Fraction(0)) for y in range(size)]
    if size < 2:
        return
    for channel, private in ((published(sums, growth), min(sums) * (growth + 1) >= 1), (corrected(sums, growth), True)):
        whole = [channel[x] for x in merged]  # what people report, by their raw answer
        assert all(min(row) >= 0 and sum(row) == 1 for row in whole)
        assert level(whole, prior) == level(channel, sums)
        assert (level(whole, prior) <= growth) == private
    rows = np.array(corrected(sums, growth), dtype=np.float64)
    made = sv.rr_lip(sv.Domain(size), math.log(growth), [float(p) for p in sums])
    assert made.channel.matrix() == pytest.approx(rows, abs=1e-9)


def test_protecting_raw_answers_costs_what_protecting_merged_ones_does() -> None:
    """Corollary 1, the optimum: with R as the secret the best channel for X leaves the same error as with X itself."""
    raw, merged = [0.05, 0.15, 0.3, 0.1, 0.4], [0, 0, 1, 2, 2]
    prior = np.bincount(merged, raw)
    rows = np.eye(3)[merged]  # Pr(X = x | R = r)
    for utility in ("histogram", "sum"):
        plain, behind = (
            sv.optimal_lip(sv.Domain(3), 1.0, prior, utility, progress=False, **given_) for given_ in ({}, {"secrets": rows.tolist()})
        )
        assert behind.loss == pytest.approx(plain.loss, abs=1e-7)


def test_merging_may_make_the_printed_form_private() -> None:
    """Four equal answers at e^ε = 2 break the bound (1/4 < 1/3). Merged two by two they keep it."""
    quarter, growth = [Fraction(1, 4)] * 4, Fraction(2)
    assert level(published(quarter, growth), quarter) == Fraction(5, 2)
    halves = published([Fraction(1, 2)] * 2, growth)
    assert level([halves[0], halves[0], halves[1], halves[1]], quarter) == 2
