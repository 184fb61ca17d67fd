"""Loops: plain Python and machine code give the same bits, and a small study needs no compiler."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from sottovoce import loops
from sottovoce.loops import Loop, loop, part
from zoo import ZOO

METHODS = ("inversion", "mle", "auto")


def everything(name: str) -> list[Any]:
    """What a study gives: reports, their bytes, counts, estimates and intervals."""
    mechanism = ZOO[name](1.0)
    codes = (np.arange(900) ** 2 % len(mechanism.domain)).astype(np.uint8)
    reports = mechanism.channel.sample(codes, sv.SeededSource(11))
    again = mechanism.channel.reports_from_bytes(reports.to_bytes())
    tally = sv.Tally(mechanism, keep_reports=True).add(reports).add(again)
    found: list[Any] = [reports.to_bytes(), *(block.counts.tolist() for block in tally.blocks)]
    for method in METHODS:
        try:
            made = sv.estimate(tally, method)
            found += [made.p.tolist(), *(end.tolist() for end in made.interval(0.9))]
        except sv.UnsupportedError:
            continue
    return found


@pytest.mark.parametrize("name", ZOO)
def test_plain_python_and_machine_code_give_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Loop, "__call__", lambda self, *arguments: (self.run_plain if self._steps else self.machine)(*arguments))
    plain = everything(name)
    monkeypatch.setattr(Loop, "__call__", lambda self, *arguments: self.machine(*arguments))
    assert everything(name) == plain


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int64, np.uint64])
def test_codes_of_every_width_give_the_same_reports(dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """In plain Python a narrow integer must not wrap where machine code widens it."""
    monkeypatch.setattr(Loop, "__call__", Loop.run_plain)
    domain = sv.Domain(255)
    codes = np.arange(0, 255, 3)
    for build in (sv.krr, sv.hadamard, sv.olh, sv.oue, sv.subset_selection):
        channel = build(domain, 1.0).channel
        expected = channel.sample(codes, sv.SeededSource(2)).to_bytes()
        assert channel.sample(codes.astype(dtype), sv.SeededSource(2)).to_bytes() == expected


def a_loop(steps: Callable[..., int] | None) -> Loop:
    @part
    def double(value: int) -> int:
        return 2 * value

    @loop(steps)
    def total(values: Any) -> int:
        found = 0
        for i in range(len(values)):
            found += double(values[i])
        return found

    total.function.__globals__["double"] = double
    return total


def test_a_loop_is_compiled_when_its_work_has_paid_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "_compiled", lambda function: lambda values: ("machine", function(values)))
    small = a_loop(lambda values: len(values))
    values = np.arange(loops._PATIENCE // 4)
    expected = 2 * int(values.sum())
    assert [small(values) == expected for _ in range(4)] == [True] * 4
    assert small(values[:1]) == ("machine", 0)
    assert small(values[:0]) == ("machine", 0)
    assert a_loop(None)(values[:1]) == ("machine", 0)


def test_a_large_call_is_compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "_compiled", lambda function: lambda values: "machine")
    assert a_loop(lambda values: loops._PATIENCE + 1)(np.zeros(1)) == "machine"


def test_a_person_is_told_when_compiling_takes_long(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    loops._announce.cache_clear()
    loops._announce()
    assert capsys.readouterr().err == ""
    loops._announce.cache_clear()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    loops._announce()
    loops._announce()
    assert capsys.readouterr().err == "compiling, once…\n"
    loops._announce.cache_clear()


def test_a_process_that_serves_others_compiles_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "_eager", False)
    monkeypatch.setattr(loops, "_compiled", lambda function: lambda values: "machine")
    small = a_loop(lambda values: len(values))
    assert small(np.zeros(1)) == 0
    loops.compile_at_once()
    assert small(np.zeros(1)) == "machine"


def test_the_name_of_machine_code_depends_on_the_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler's own cache notices changes in the file of a loop only."""
    from sottovoce.channels.hashed import pass_kernels

    function = pass_kernels.pass_over_hashes.function
    before = loops._digest(function)

    @part
    def contained(running: Any, k: int) -> bool:
        return bool(running[k] > 0)

    monkeypatch.setitem(pass_kernels.gather_hashed.__globals__, "contained", contained)
    assert loops._digest(function) != before
