"""A program that is killed without warning, again and again, while it records answers and sends the reports."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import sottovoce as sv
from collectors import Served, added, found_ids, named, recounted
from paths import ROOT
from sottovoce.study.compiled import fingerprint_of

PROGRAM = ROOT / "tests" / "support" / "recording_program.py"
#: Studies that a killed program may get through, and how many earlier ones it answers again.
EACH, AGAIN = 8, 3


def renamed(study: sv.Study, name: str) -> sv.Study:
    """The same study under another name."""
    form = study.compile() | {"name": name}
    own = {key: value for key, value in form.items() if key not in {"promise", "fingerprint"}}
    return sv.Study.from_json(json.dumps(form | {"fingerprint": fingerprint_of(own)}))


def many_studies(count: int) -> list[sv.Study]:
    """Questionnaires of which each person answers some questions, and studies of one question."""
    kinds = [named("sample"), named("scale"), named("three-reports")]
    return [renamed(kinds[k % len(kinds)], f"study-{k}") for k in range(count)]


def listed(path: Path, studies: list[sv.Study], address: str) -> Path:
    """The file that the program reads."""
    lines = [f"{address}/studies/{study.name}\t{json.dumps(study.compile())}" for study in studies]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def started(ledger: Path, studies: Path, first: int, last: int, place: int = 0) -> subprocess.Popen[str]:
    program = [sys.executable, str(PROGRAM), str(ledger), str(studies), str(first), str(last), str(place)]
    return subprocess.Popen(program, stdout=subprocess.PIPE, text=True)


class Seen:
    """What was seen of reports and forms, in what the program printed and in its ledger. Nothing of it ever changes."""

    def __init__(self) -> None:
        self.reports: dict[str, Any] = {}
        self.forms: dict[str, str] = {}
        self.promised = set[str]()

    def printed(self, lines: list[str]) -> None:
        for line in lines:
            if not line.endswith("\n") or line == "ready\n":
                continue
            kind, study, *rest = json.loads(line)
            if kind == "asked":
                self.form(study, rest[0])
                continue
            state, reports = rest
            assert state in {"waiting", "sent"}
            self.promised.add(study)
            self.report(study, reports)

    def kept(self, ledger: dict[str, Any]) -> None:
        for each in ledger.get("drawn", []):
            self.form(each["study"], each["form"])
        for study, line in ledger["lines"].items():
            self.report(study, [[each["id"], each["report"], each.get("level", "")] for each in line["reports"]])
        assert self.promised <= ledger["lines"].keys(), "a report that was promised is in the ledger"

    def report(self, study: str, reports: Any) -> None:
        if reports:
            assert self.reports.setdefault(study, reports) == reports, "drawn twice"
            self.form(study, reports[0][2])

    def form(self, study: str, form: str) -> None:
        if form:
            assert self.forms.setdefault(study, form) == form, "a form was drawn twice"


def kills_lose_no_report(served: Served, folder: Path, kills: int) -> None:
    """Kill the program so many times. In the end every study has one submission at the collector: the one that was drawn first."""
    studies = many_studies(kills * EACH)
    added(served.url, *studies)
    ledger, file, seen, dice = (
        folder / "device" / "ledger.json",
        listed(folder / "studies.txt", studies, served.address),
        Seen(),
        random.Random(),
    )
    next_one = killed_while_busy = 0
    for _ in range(kills):
        first = max(0, next_one - AGAIN)
        program = started(ledger, file, first, len(studies), dice.randrange(2))
        assert program.stdout is not None
        lines = [program.stdout.readline() for _ in range(1 + dice.randrange(2 * EACH))]
        time.sleep(dice.random() * 0.02)
        killed_while_busy += program.poll() is None
        program.kill()
        lines += program.stdout.readlines()
        program.wait(30)
        program.stdout.close()
        seen.printed(lines)
        if ledger.exists():
            kept = json.loads(ledger.read_bytes())
            seen.kept(kept)
            next_one = min(len(kept["lines"]), len(studies))
    assert killed_while_busy == kills
    last = started(ledger, file, 0, len(studies), 1)
    seen.printed(last.communicate(timeout=300)[0].splitlines(keepends=True))
    assert last.returncode == 0
    kept = json.loads(ledger.read_bytes())
    assert {line["state"] for line in kept["lines"].values()} == {"sent"}
    assert seen.promised == {study.fingerprint for study in studies} == kept["lines"].keys()
    for study in studies:
        ids = sorted(each.hex() for each in found_ids(served.url, study.name))
        assert len(ids) == study.reports
        if study.fingerprint in seen.reports:  # or it was acknowledged before anyone looked
            assert ids == sorted(each[0] for each in seen.reports[study.fingerprint])
    recounted(served.url, *(study.name for study in studies))
