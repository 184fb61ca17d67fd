"""Ordered domains: numbers in bins, and scales."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from messages import refused

AGES = (18, 100, 41)


def test_a_number_falls_into_the_bin_between_its_edges() -> None:
    age = sv.Domain.numbers(*AGES)
    assert len(age) == 41
    assert age.ordered
    assert age.edges is not None
    assert age.edges.tolist() == [18.0 + 2 * k for k in range(42)]
    assert age.centres.tolist() == [19.0 + 2 * k for k in range(41)]
    assert age.encode([18, 19.99, 20, 99.9, 100]).tolist() == [0, 0, 1, 40, 40]
    assert age.encode(np.array([25, 26], dtype=np.uint8)).tolist() == [3, 4], "integers are numbers, not codes"
    assert age.encode([Decimal("30.5"), 31]).tolist() == [6, 6]
    assert age.encode(["30 to under 32", 31]).tolist() == [6, 6], "labels are items too"
    assert age.code(31) == age.code("30 to under 32") == 6
    assert age.item(40) == "98 to 100"
    assert 200 in age
    assert "abc" not in age


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=40, unique=True),
    st.lists(st.floats(-2e6, 2e6), min_size=1),
    st.booleans(),
    st.booleans(),
)
def test_every_number_has_the_bin_that_contains_it(edges: list[float], values: list[float], low: bool, high: bool) -> None:
    found = sorted(edges)
    whole = ([-math.inf] if low else []) + found + ([math.inf] if high else [])
    domain = sv.Domain.numbers(edges=whole)
    below, above = domain.beyond(values)
    assert below == sum(value < whole[0] for value in values)
    assert above == sum(value > whole[-1] for value in values)
    for value, code in zip(values, domain.encode(values).tolist(), strict=True):
        clipped = min(max(value, whole[0]), whole[-1])
        assert whole[code] <= clipped
        assert clipped < whole[code + 1] or (code == len(domain) - 1 and clipped == whole[-1])
    assert domain.closed == (not low, not high)
    assert np.isfinite(domain.centres).all()
    assert (np.diff(domain.centres) >= 0).all()


def test_open_bins_stand_at_their_finite_edge() -> None:
    income = sv.Domain.numbers(edges=[-math.inf, 0, 20_000, 50_000, math.inf])
    assert list(income) == ["under 0", "0 to under 20000", "20000 to under 50000", "50000 or more"]
    assert income.centres.tolist() == [0, 10_000, 35_000, 50_000]
    assert income.encode([-1e9, 1e9]).tolist() == [0, 3]
    assert income.beyond([-1e9, 1e9]) == (0, 0), "open bins clip nothing"


def test_whole_numbers_have_the_middle_of_their_bins() -> None:
    years = sv.Domain.numbers(18, 100, bins=41, whole=True)
    assert [years.item(code) for code in (0, 39, 40)] == ["18 to 19", "96 to 97", "98 to 100"]
    ages = np.arange(18, 101)
    codes = years.encode(ages)
    assert years.centres.tolist() == [ages[codes == code].mean() for code in range(41)]
    assert years.encode([18.9]).tolist() == [0]
    opened = sv.Domain.numbers(edges=[-math.inf, 18, 30.5, 65, math.inf], whole=True)
    assert list(opened) == ["17 or less", "18 to 30", "31 to 64", "65 or more"]
    assert opened.centres.tolist() == [17, 24, 47.5, 65]
    assert list(sv.Domain.numbers(0, 3, bins=3, whole=True)) == ["0", "1", "2 to 3"]
    with refused(sv.DomainError, "whole"):
        sv.Domain.numbers(0, 3, bins=10, whole=True)


def test_logarithmic_bins() -> None:
    income = sv.Domain.numbers(100, 100_000, bins=3, log=True)
    assert income.edges is not None
    assert income.edges.tolist() == [100, 1000, 10_000, 100_000]
    assert sv.Domain.numbers(0.1, 0.7, bins=6).edges.tolist() == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]  # type: ignore[union-attr]  # numbers have edges


def test_edges_whose_decimals_do_not_end_are_rounded() -> None:
    """People read the edges, in the labels of bins."""
    assert list(sv.Domain.numbers(0, 100, bins=30))[:3] == ["0 to under 3.33", "3.33 to under 6.67", "6.67 to under 10"]
    assert list(sv.Domain.numbers(1, 99, bins=30, log=True))[19:22] == [
        "18.36 to under 21.4",
        "21.4 to under 24.94",
        "24.94 to under 29.07",
    ]
    assert sv.Domain.numbers(0, 1, bins=1024).edges.tolist() == [k / 1024 for k in range(1025)]  # type: ignore[union-attr]  # likewise


@given(st.floats(1e-3, 1e3), st.floats(1.0, 1e6), st.integers(2, 300))
def test_edges_are_where_they_should_be(low: float, more: float, bins: int) -> None:
    """Within 0.5 % of a bin of equal width, and of one of equal ratio."""
    high = low + more
    edges = np.asarray(sv.Domain.numbers(low, high, bins=bins).edges)
    assert edges == pytest.approx(np.linspace(low, high, bins + 1), abs=0.0051 * (high - low) / bins)
    logs = np.log(np.asarray(sv.Domain.numbers(low, high, bins=bins, log=True).edges))
    assert logs == pytest.approx(np.linspace(logs[0], logs[-1], bins + 1), abs=0.0075 * (logs[-1] - logs[0]) / bins)


def test_edges_of_ends_that_are_very_far_apart_or_together() -> None:
    assert sv.Domain.numbers(1e-300, 1e299, bins=2, log=True).edges.tolist() == [1e-300, 0.316, 1e299]  # type: ignore[union-attr]  # likewise
    for low, high in ((1.0, math.nextafter(1.0, 2.0)), (0.0, 5e-324)):
        with refused(sv.DomainError, "increase"):
            sv.Domain.numbers(low, high, bins=2)


def test_scales() -> None:
    mood = sv.Domain.scale(["awful", "bad", "fair", "good", "great"])
    assert mood.ordered
    assert mood.edges is None
    assert mood.centres.tolist() == [1, 2, 3, 4, 5]
    assert mood.encode(["great", "awful"]).tolist() == [4, 0]
    stars = sv.Domain.scale(0, 10)
    assert stars.centres.tolist() == list(range(11))
    assert sv.Domain.scale(-2, 2).encode([-2, 2]).tolist() == [0, 4]
    assert sv.Domain.scale(1, 5).encode([5, 1]).tolist() == [4, 0]
    with refused(sv.DomainError, 6):
        sv.Domain.scale(1, 5).encode([6])
    assert not sv.Domain(["a", "b"]).ordered
    assert sv.Domain.scale(["a", "b"]) != sv.Domain(["a", "b"]), "an order is part of what a domain is"


def test_an_axis_of_a_product_may_be_numbers() -> None:
    people = sv.Domain.product(age=sv.Domain.numbers(0, 100, bins=10), sex=["f", "m"])
    assert people.encode({"age": [5, 95], "sex": ["m", "f"]}).tolist() == [1, 18]
    assert not people.ordered
    margin, _ = people.margin(["age"])
    assert margin.ordered
    assert margin.centres[0] == 5
    with refused(sv.DomainError, "both"):
        sv.Domain.product(both=people)


def test_items_between_two_numbers() -> None:
    age = sv.Domain.numbers(0, 100, bins=10)
    assert age.between(20, 29.9) == ["20 to under 30"]
    assert age.between(100, 100) == ["90 to 100"]
    assert sv.Domain.scale(1, 5).between(2, 3) == [2, 3]
    assert sv.Domain.numbers(edges=[-math.inf, 0, 1]).between(-50, -40) == ["under 0"]
    for low, high in ((101, 120), (-20, -10)):
        with refused(sv.DomainError, low, high):
            age.between(low, high)
    with refused(sv.DomainError, 30, 20):
        age.between(30, 20)
    with refused(sv.DomainError):
        sv.Domain(["a", "b"]).between(1, 2)


@pytest.mark.parametrize(
    ("arguments", "values"),
    [
        ({"low": 5, "high": 5, "bins": 3}, [5]),
        ({"low": 6, "high": 5, "bins": 3}, [6, 5]),
        ({"low": 0, "high": 5, "bins": 1}, [1]),
        ({"low": 0, "high": 5, "bins": 2.5}, [2.5]),
        ({"low": 0, "high": 5, "bins": True}, [True]),
        ({"low": 0, "high": math.inf, "bins": 3}, ["inf"]),
        ({"low": math.nan, "high": 5, "bins": 3}, ["nan"]),
        ({"low": "0", "high": 5, "bins": 3}, ["'0'"]),
        ({"low": 0, "high": 5}, []),
        ({"low": 0, "high": 5, "bins": 3, "log": True}, [0]),
        ({"edges": [0, 1, 2], "bins": 2}, []),
        ({"edges": [0, 1]}, [2]),
        ({"edges": [0, 2, 1]}, [1, 2]),
        ({"edges": [0, 1, 1]}, [1]),
        ({"edges": [0, math.inf, math.inf]}, [2, "inf"]),
        ({"edges": [math.inf, 5, 7]}, [2, 5, "inf"]),
        ({"edges": [0, 5, -math.inf]}, [3, 5, "-inf"]),
        ({"edges": [0, math.nan, 2]}, [2, "nan"]),
        ({"edges": [0, "1", 2]}, ["'1'"]),
        ({"edges": "012"}, ["012"]),
        ({"edges": 7}, [7]),
    ],
)
def test_numbers_that_make_no_bins_are_refused(arguments: dict[str, Any], values: list[Any]) -> None:
    with refused(sv.DomainError, *values):
        sv.Domain.numbers(**arguments)


@pytest.mark.parametrize(
    "arguments", [(["one"],), ([],), (1, 1), (5, 1), (1.5, 3), (1, None), ("abc",), (["a", "a"],), (["a", ""],), (True, 3)]
)
def test_scales_that_are_none_are_refused(arguments: tuple[Any, ...]) -> None:
    with refused(sv.DomainError):
        sv.Domain.scale(*arguments)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, None, "abc", "", True, [1], 1j])
def test_values_that_are_no_numbers_are_refused_with_their_place(value: Any) -> None:
    age = sv.Domain.numbers(*AGES)
    with refused(sv.DomainError, 2):
        age.encode([30, value])
    with refused(sv.DomainError):
        age.code(value)
    assert value not in age


def test_centres_need_an_order() -> None:
    with refused(sv.DomainError, "Domain.numbers"):
        _ = sv.Domain(["a", "b"]).centres
    assert sv.Domain(["a", "b"]).closed == (True, True)
