"""The program on the page about telemetry, over many weeks: one report in each quarter, about the week that was drawn."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import sottovoce as sv
from devices import Memory, ScriptedCollector, device
from paths import ROOT

PAGE = (ROOT / "docs" / "how-to" / "telemetry.md").read_text(encoding="utf-8")
(STUDY,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
PROGRAM = next(code for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "def observe" in code)
OPEN = re.sub("(?m)^closes.*\n", "", STUDY)
FEATURES = ["search", "export", "plugins", "sync", "macros", "print"]

Program = Callable[[str], ModuleType]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, collector: ScriptedCollector) -> Program:
    """Makes the program of an installation. Its collector has the study of each quarter, and counts."""

    def found(_: Any, url: str, __: float) -> sv.Study:
        if collector.offline:
            raise sv.UnreachableError("offline")
        quarter = url.rsplit("/", 1)[1]
        return sv.Study.from_toml(OPEN.replace("editor-2027-q1", quarter))

    monkeypatch.setattr("sottovoce.devices.device.loaded", found)

    def made(name: str) -> ModuleType:
        module = ModuleType("telemetry")
        monkeypatch.setenv("HOME", str(tmp_path / name))
        exec(compile(PROGRAM, "telemetry.py", "exec"), vars(module))
        return module

    return made


def year(program: ModuleType, starts: int = 3) -> list[str]:
    """Use the program on each day of ISO year 2027. Returns the weeks in which something was kept."""
    kept = []
    for k in range(364):
        day = date(2027, 1, 4) + timedelta(days=k)
        for _ in range(starts):
            program.quietly(program.observe, day, startup_ms=740, theme="dark")
        for name in FEATURES:
            program.quietly(program.observe, day, feature=name)
        if json.loads(program.COUNTS.read_text())["seen"]:
            kept.append("{}-w{}".format(*day.isocalendar()[:2]))
    return kept


def test_one_report_in_each_quarter_about_one_week(program: Program, collector: ScriptedCollector) -> None:
    editor = program("one")
    kept = year(editor, 1)
    weeks = sorted({int(each.partition("-w")[2]) for each in kept})
    assert [(week - 1) // 13 for week in weeks] == [0, 1, 2, 3]
    assert len(kept) == 4 * 7  # the days of the drawn weeks, and no other day
    assert editor.device.spent().epsilon == 4.0
    editor.device.flush()
    assert sorted({url.rsplit("/", 1)[1] for url, _, _ in collector.sent}) == [f"editor-2027-q{k}" for k in (1, 2, 3, 4)]
    assert len(collector.counted) == 4
    assert "740" not in editor.COUNTS.with_name("ledger.json").read_text()
    editor.device.close()


def test_the_week_is_drawn_once_and_any_of_ten(program: Program) -> None:
    editor, found = program("one"), set()
    day = date(2027, 4, 5)
    for _ in range(200):
        editor.observe(day)
        first = json.loads(editor.COUNTS.read_text())["week"]
        editor.observe(day)
        assert json.loads(editor.COUNTS.read_text())["week"] == first
        found.add(first)
        editor.COUNTS.unlink()
    assert found == set(range(10))
    editor.device.close()


def test_the_last_days_of_a_year_belong_to_its_last_quarter(program: Program) -> None:
    editor = program("one")
    place = editor.quarter_and_week
    assert [place(date(2027, 1, 3)), place(date(2027, 1, 4)), place(date(2027, 4, 4)), place(date(2027, 4, 5))] == [
        ("2026-q4", 12),
        ("2027-q1", 0),
        ("2027-q1", 12),
        ("2027-q2", 0),
    ]
    editor.device.close()


def test_nothing_stops_the_program_and_nothing_is_lost_offline(program: Program, collector: ScriptedCollector) -> None:
    editor = program("one")
    collector.offline = True
    start = date(2027, 1, 4)
    for k in range(80):
        editor.quietly(editor.observe, start + timedelta(days=k), startup_ms=500, theme="dark")
    assert json.loads(editor.COUNTS.read_text())["seen"]["startup_ms"] == [500] * 7
    assert editor.device.spent().epsilon == 0.0
    collector.offline = False
    editor.quietly(editor.observe, start + timedelta(days=81), startup_ms=500, theme="dark")
    assert (json.loads(editor.COUNTS.read_text())["seen"], editor.device.spent().epsilon) == ({}, 1.0)
    editor.device.opt_out()
    editor.quietly(editor.observe, start + timedelta(days=82), startup_ms=500, theme="dark")
    assert not editor.COUNTS.exists()
    editor.device.close()


def test_features_beyond_the_cap_are_chosen_at_random(program: Program) -> None:
    editor = program("one")
    study = sv.Study.from_toml(OPEN)
    seen = {"startup_ms": [1, 3, 2], "theme": ["light", "dark"], "feature": [*FEATURES, "search"]}
    chosen = [editor.answers(seen) for _ in range(300)]
    assert {(each["startup_ms"], each["theme"], len(set(each["features"]))) for each in chosen} == {(2, "dark", 3)}
    counts = {name: sum(name in each["features"] for each in chosen) for name in FEATURES}
    assert all(80 < count < 220 for count in counts.values())  # 150 expected, and 9 standard deviations
    assert device().record(study, chosen[0], url="https://collector.example/studies/editor").state == "waiting"
    with pytest.raises(sv.DomainError):
        device().record(study, chosen[0] | {"features": FEATURES[:4]}, url="https://collector.example/studies/editor")
    editor.device.close()


def test_the_cap_can_change_with_the_program() -> None:
    """As the page says: the ledger has what was used, and the program chooses the cap each time."""
    storage = Memory()
    studies = [sv.Study.from_toml(OPEN.replace("editor-2027", f"editor-{k}")) for k in range(4)]
    answers = {"startup_ms": 740, "theme": "dark", "features": []}

    def record(k: int, cap: float) -> str:
        url = f"https://collector.example/studies/{k}"
        return device(storage, cap=cap).record(studies[k], answers, url=url).state

    assert record(0, 2.0) == record(1, 2.0) == "waiting"
    for cap in (2.0, 1.0):
        with pytest.raises(sv.LedgerError):
            record(2, cap)
    assert record(2, 3.0) == "waiting"
    assert device(storage).spent().epsilon == 3.0
