"""Figures with their errors, and what they decide."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest

from experiments.bounds import BOUNDS
from experiments.cells import Modes, Samples, grid
from experiments.measured import Measured, measured, pick
from experiments.verdicts import AGREES, DIFFERS, PARTLY, UNDECIDED, Claim, all_of, bounded, judged, kept, span
from messages import refused
from paths import ROOT


@pytest.mark.parametrize(
    ("figure", "low", "high", "verdict"),
    [
        (Measured(12, 0.5), 10, math.inf, AGREES),
        (Measured(10.5, 0.5), 10, math.inf, UNDECIDED),
        (Measured(8, 0.5), 10, math.inf, DIFFERS),
        (Measured(1.0, 0.1), 0.5, 1.5, AGREES),
        (Measured(1.45, 0.1), 0.5, 1.5, UNDECIDED),
        (Measured(2.0, 0.1), 0.5, 1.5, DIFFERS),
        (Measured(12, math.nan), 10, math.inf, UNDECIDED),  # a single run decides nothing
        (Measured(10), 10, math.inf, AGREES),  # computed, not simulated
        (Measured(12, 0.0, 1), 10, math.inf, UNDECIDED),  # two runs that were alike are not exact
        (Measured(12, 0.0, 99), 10, math.inf, AGREES),
    ],
)
def test_verdicts(figure: Measured, low: float, high: float, verdict: str) -> None:
    assert judged(figure, low, high) == verdict


def test_verdicts_on_several_figures() -> None:
    assert all_of([AGREES, AGREES]) == AGREES
    assert all_of([AGREES, DIFFERS]) == PARTLY
    assert all_of([DIFFERS, UNDECIDED]) == DIFFERS
    assert all_of([AGREES, UNDECIDED]) == UNDECIDED


def test_a_claim_is_a_bound_on_figures() -> None:
    figures = {name: Measured(value) for name, value in zip("abcdef", (1.0, 0.1, 0.2, 0.3, 0.4, 0.5), strict=True)}
    assert span(figures) == "from 0.1 (b) to 1 (a)"
    assert span({"a": Measured(1.0)}) == "1 (a)"
    assert kept(figures, low=0.4) == "3 of 6"
    assert bounded("It is small", "nowhere", span(figures), figures, high=1) == Claim("It is small", "nowhere", span(figures), AGREES)
    failed = bounded("It is large", "nowhere", "", figures.items(), low=1)
    assert (failed.verdict, failed.because) == (PARTLY, "not so for b; c; d; e and in 1 other cases; why was not tested")
    assert bounded("It is large", "nowhere", "", figures, low=1, because="a reason").because == "a reason"


def test_grids_list_the_settings_of_a_mode() -> None:
    settings = grid(name="ab", n=Modes(fast=(1,), full=(1, 2)), where=lambda setting: setting != {"name": "b", "n": 2})
    assert settings(False) == [{"name": "a", "n": 1}, {"name": "b", "n": 1}]
    assert settings(True) == [{"name": "a", "n": 1}, {"name": "a", "n": 2}, {"name": "b", "n": 1}]


def test_figures_carry_their_errors() -> None:
    rng = np.random.default_rng(1)
    a, b = 10 + rng.normal(size=100_000), 2 + 0.1 * rng.normal(size=100_000)
    ratio = Measured(10, 1) / Measured(2, 0.1)
    assert ratio.error == pytest.approx((a / b).std(), rel=0.05)
    assert str(Measured(0.00123, 0.00004)) == "(1.230 ± 0.040)e-3"
    assert str(Measured(12.3, math.nan)) == "12.3 (one run)"
    assert str(Measured(1234.5)) == "1,234"


def test_a_line_is_found_or_refused() -> None:
    samples = Samples()
    for value in (1.0, 3.0):
        samples.add({"tv": value}, mechanism="RR", method="emp")
    frame = pd.DataFrame([{"epsilon": 0.1} | row for row in samples.rows()])
    found = measured(frame, epsilon=0.1, mechanism="RR", metric="tv")
    assert (found.value, found.error) == (2.0, 1.0)
    with refused(LookupError, 0, "epsilon", 0.2):
        measured(frame, epsilon=0.2)
    assert pick(frame, method="EM").empty


#: Bounds that are written where a claim is: signs and who is ahead (0, 1), seconds (1, 60), rounding, and two shares of one claim.
PLAIN = {"0", "1", "1.0", "60", "1e-15", "0.01", "0.05"}


def test_like_claims_have_like_bounds() -> None:
    """Factors that words are taken to mean are written in one place, and the index page states them."""
    written = {
        (path.parent.name, path.stem, bound)
        for name in ("uldp", "lip", "ipldp", "small_samples")
        for path in (ROOT / "experiments" / name).glob("*.py")
        for bound in re.findall(r"\b(?:low|high)=(-?\d[\d.e-]*)(?=[,)\n])", path.read_text(encoding="utf-8"))
    }
    assert {each for each in written if each[2] not in PLAIN} == set()
    page = (ROOT / "docs" / "reproduction" / "README.md").read_text(encoding="utf-8")
    for bound in BOUNDS:
        assert f"| {bound.words} | {bound.told} |" in page
        assert bound.low < bound.high
        assert bound.low > -math.inf or bound.high < math.inf
