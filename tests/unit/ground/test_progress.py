"""Long work says how far it is, on standard error only, and only where it is wanted; and work in parts is the same work."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce import parallel
from sottovoce.progress import Progress


@pytest.fixture
def tally() -> sv.Tally:
    return sv.Tally.simulate(sv.rappor(sv.Domain(50), 1.0), np.full(50, 0.02), 3000, sv.SeededSource(1), keep_reports=True)


def test_a_bar_is_shown_when_asked_for(tally: sv.Tally, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sottovoce.progress._PATIENCE", 0.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    sv.estimate(tally, "em", tolerance=1e-1, progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "estimating (em)" in shown.err
    assert "nats missing at most" in shown.err


def test_short_work_and_work_off_a_terminal_are_silent(
    tally: sv.Tally, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Progress("short", shown=True) as bar:
        bar.at(0.5)
    monkeypatch.setattr("sottovoce.progress._PATIENCE", 0.0)
    sv.estimate(tally, "em", tolerance=1.0)
    sv.estimate(tally, "em", tolerance=1.0, progress=False)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr("sys.stderr", None)
    assert sv.estimate(tally).method == "mle"


def test_parts_add_up(monkeypatch: pytest.MonkeyPatch, tally: sv.Tally) -> None:
    """Counts are the same and likelihoods agree, whether the reports are gone through in one part or in several."""
    reports = tally.blocks[0].reports
    assert reports is not None
    alone, shrunk = sv.estimate(tally, tolerance=1e-6), sv.estimate(tally, "auto")
    hashed = sv.olh(sv.Domain(50), 1.0)
    pairs = hashed.perturb(np.arange(500) % 50, sv.SeededSource(1))
    counted = sv.Tally(hashed).add(pairs)
    monkeypatch.setattr(parallel, "_PARALLEL_FROM", 1)
    monkeypatch.setattr(parallel, "_threads", 3)
    again = sv.Tally(tally.blocks[0].mechanism, keep_reports=True).add(reports)
    assert again == tally
    assert sv.Tally(hashed).add(pairs) == counted
    assert sv.estimate(again, tolerance=1e-6).p == pytest.approx(alone.p, abs=1e-6)
    monkeypatch.setattr("sottovoce.estimators.shrinkage._ITEMS", 7)
    assert sv.estimate(again, "auto").p == pytest.approx(shrunk.p, abs=1e-12)
    assert sv.estimate(again, "auto").chosen == pytest.approx(shrunk.chosen)
