"""Special functions and solvers of our own, against scipy."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce import special
from sottovoce.arrow import column_of_numbers, column_of_texts, numbers_of_column
from sottovoce.optima.solvers import least_between, root_between

numbers = st.floats(-50, 50)


@given(st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1e6)), min_size=1))
def test_special_functions_are_those_of_scipy(pairs: list[tuple[float, float]]) -> None:
    from scipy import special as other

    x, y = np.array(pairs).T
    np.testing.assert_allclose(special.xlogy(x, y), other.xlogy(x, y), rtol=1e-14)
    p, q = x / 1e6, (y + 1) / 1e6
    np.testing.assert_allclose(special.relative_entropy(p, q), other.rel_entr(p, q), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(special.log_gamma(x + 0.5), other.gammaln(x + 0.5), rtol=1e-12, atol=1e-12)
    many = np.resize(x + 0.5, special._FEW + 1)
    np.testing.assert_allclose(special.log_gamma(many), other.gammaln(many), rtol=1e-12, atol=1e-12)


@given(st.floats(0, 1))
def test_normal_quantiles_are_those_of_scipy(chance: float) -> None:
    from scipy.special import ndtri

    assert special.normal_quantile(chance) == pytest.approx(float(ndtri(chance)), rel=1e-12, abs=1e-12)


@given(
    st.sampled_from(["square", "corner", "waves", "line", "flat", "steep"]),
    numbers,
    st.floats(1e-6, 30),
    numbers,
    numbers,
    st.integers(-12, -3),
)
def test_the_least_value_is_found_by_the_same_steps_as_scipys(
    kind: str, low: float, width: float, centre: float, slope: float, digits: int
) -> None:
    """To the last bit: tables of channels, and so the fingerprints of studies, come from here."""
    from scipy.optimize import minimize_scalar

    losses: dict[str, Callable[[float], float]] = {
        "square": lambda x: (x - centre) ** 2,
        "corner": lambda x: abs(x - centre),
        "waves": lambda x: math.sin(slope * x + centre),
        "line": lambda x: slope * x,
        "flat": lambda x: 0.0,
        "steep": lambda x: (x - centre) ** 4 + math.cos(20 * x),
    }
    found = minimize_scalar(losses[kind], bounds=(low, low + width), method="bounded", options={"xatol": 10.0**digits})
    assert least_between(losses[kind], low, low + width, 10.0**digits) == (float(found.x), float(found.fun))


@given(st.floats(-1, 1), st.floats(0.1, 20), st.floats(0.01, 5))
def test_the_root_is_found(root: float, bend: float, slope: float) -> None:
    def kinked(x: float) -> float:
        return slope * (x - root) * (bend if x > root + 0.1 else 1.0) + (slope * 0.1 * (1 - bend) if x > root + 0.1 else 0.0)

    assert root_between(kinked, -2.0, 2.0, 1e-12) == pytest.approx(root, abs=1e-10)


STEEP: dict[str, tuple[Callable[[float], float], float]] = {
    "exponential": (lambda x: math.exp(-50 * x) - 1e-8, math.log(1e8) / 50),
    "flat on one side": (lambda x: (x - 0.3) ** 3 if x > 0.3 else -1e-12, 0.3),
}


@pytest.mark.parametrize("name", STEEP)
def test_the_root_of_a_steep_function_is_found_in_few_calls(name: str) -> None:
    function, root = STEEP[name]
    calls = []

    def counted(x: float) -> float:
        calls.append(x)
        return function(x)

    assert root_between(counted, 0.0, 1.0, 1e-10) == pytest.approx(root, abs=1e-9)
    assert len(calls) < 50


@pytest.mark.parametrize("dtype", ["u1", "i2", "i4", "u8", "f8"])
def test_numbers_go_to_arrow_and_back(dtype: str) -> None:
    values = np.arange(20).astype(dtype)[::2]
    column = column_of_numbers(values)
    assert column.to_pylist() == values.tolist()
    assert numbers_of_column(column[3:7]).tolist() == values[3:7].tolist()
    assert numbers_of_column(column[:0]).tolist() == []
    assert numbers_of_column(column[:0]).dtype == np.dtype(dtype)


def test_columns_that_have_no_plain_buffer() -> None:
    assert np.isnan(numbers_of_column(pa.array([1, None, 3]))[1])
    assert numbers_of_column(pa.array([True, False])).tolist() == [True, False]
    assert column_of_texts([]).to_pylist() == []
    assert column_of_texts(["", "Käse", "日本"]).to_pylist() == ["", "Käse", "日本"]
