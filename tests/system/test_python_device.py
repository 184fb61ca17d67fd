"""The Python device with real processes, real sockets and a real collector."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import sottovoce as sv
from collectors import Served, added, found_ids, named, recounted, serving
from parts import node
from paths import ROOT
from scripted_server import until
from sottovoce.errors import StudyError
from suites.device_kills import kills_lose_no_report, listed, many_studies, started

CLIENT = ROOT / "clients" / "js" / "dist" / "sottovoce.js"
#: A program that records one answer and ends at once.
ENDS = """
import sys, time, sottovoce as sv
device = sv.Device(sys.argv[1])
print(device.record(sv.Study.load(sys.argv[2]), "often", url=sys.argv[3]).state)
"""
#: A program that forks while its thread waits for a collector.
FORKS = """
import os, sys, sottovoce as sv
device = sv.Device(sys.argv[1])
first, second = (sv.Study.load(path) for path in sys.argv[2:4])
device.record(first, "often", url=sys.argv[4])
child = os.fork()
if child == 0:
    state = device.record(second, "often", url=sys.argv[5]).state
    device.flush(30)  # unless its thread was quicker
    os._exit(0 if state == "waiting" and device.status(second).state == "sent" else 1)
_, status = os.waitpid(child, 0)
device.flush(30)
print(os.waitstatus_to_exitcode(status), device.status(first).state, device.status(second).state)
"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    url = str(tmp_path / "collector.sqlite")
    added(url, named("scale"), named("block"))
    with serving(url, tmp_path) as found:
        yield found


def place(served: Served, kind: str) -> str:
    return f"{served.address}/studies/{named(kind).name}"


def test_kills_lose_no_report(served: Served, tmp_path: Path) -> None:
    kills_lose_no_report(served, tmp_path, 12)


def test_two_programs_on_one_ledger_draw_each_answer_once(served: Served, tmp_path: Path) -> None:
    studies = many_studies(30)
    added(served.url, *studies)
    file = listed(tmp_path / "studies.txt", studies, served.address)
    programs = [started(tmp_path / "ledger.json", file, 0, 30, answer) for answer in (0, 1)]
    reports: dict[str, Any] = {}
    for program in programs:
        for line in program.communicate(timeout=120)[0].splitlines():
            if line.startswith('["recorded"'):
                _, study, state, drawn = json.loads(line)
                assert state in {"waiting", "sent"}
                if drawn:
                    assert reports.setdefault(study, drawn) == drawn
        assert program.returncode == 0
    for study in studies:
        assert len(found_ids(served.url, study.name)) == study.reports
    recounted(served.url, *(study.name for study in studies))


def test_a_study_is_fetched_checked_and_answered(served: Served, tmp_path: Path) -> None:
    with sv.Device(tmp_path / "ledger.json") as device:
        study = device.study(place(served, "block"))
        assert study.fingerprint == named("block").fingerprint
        status = device.record(study, smokes="no", age=30, symptoms=["cough"], town=3)
        assert device.flush() <= 1  # the thread may have been quicker
        until(lambda: device.status(study).state == "sent")
    assert [each.hex() for each in found_ids(served.url, study.name)] == [each.id for each in status.reports]
    with pytest.raises(StudyError) as error:
        sv.Device(tmp_path / "ledger.json", send="never").study(f"{served.address}/studies/nothing")
    assert f"{served.address}/studies/nothing" in str(error.value)


def test_the_program_on_the_page_about_telemetry_reports_once(tmp_path: Path) -> None:
    """The counts of a week that is over become one report. Its other rules are tested in tests/unit/devices/test_telemetry_page.py."""
    page = (ROOT / "docs" / "how-to" / "telemetry.md").read_text(encoding="utf-8")
    program, tested, then = (code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if ">>>" not in code)
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    text = re.sub("(?m)^closes.*\n", "", text)
    year, week, _ = date.today().isocalendar()
    quarter = f"{year}-q{(min(week, 52) - 1) // 13 + 1}"
    study = sv.Study.from_toml(text.replace("2027-q1", quarter))
    url = str(tmp_path / "collector.sqlite")
    added(url, study)
    (tmp_path / "editor-2027-q1.toml").write_text(text)
    counts = tmp_path / ".local" / "state" / "editor" / "counts.json"
    counts.parent.mkdir(parents=True)
    with serving(url, tmp_path) as served:
        (tmp_path / "telemetry.py").write_text(program.replace("https://collector.example", served.address))

        def run(*arguments: str) -> str:
            environment = os.environ | {"HOME": str(tmp_path)}
            command = [sys.executable, *arguments]
            return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True, timeout=60).stdout

        for _ in range(2):
            seen = {"startup_ms": [740], "theme": ["dark"], "feature": ["search"]}
            counts.write_text(json.dumps({"quarter": quarter, "week": -1, "seen": seen}))
            assert run("telemetry.py") == ""
            assert json.loads(counts.read_text())["seen"] == {}
        assert len(found_ids(url, study.name)) == 1
        assert run("-c", then) == "True\n"
    assert run("-c", tested) == "waiting \n"
    ledger = json.loads(counts.with_name("ledger.json").read_text())
    assert ledger["lines"][study.fingerprint]["state"] == "sent"


def test_reports_wait_for_a_collector_that_is_down(tmp_path: Path) -> None:
    url = str(tmp_path / "collector.sqlite")
    added(url, named("scale"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}/studies/scale"
    with sv.Device(tmp_path / "ledger.json") as device:
        device.record(named("scale"), "often", url=address)
        until(lambda: device.status(address).reason)
        assert "refused" in device.status(address).reason
        with serving(url, tmp_path, port=port):
            until(lambda: device.status(address).state == "sent")
    assert len(found_ids(url, "scale")) == 1


def test_what_the_collector_refuses_is_final(served: Served, tmp_path: Path) -> None:
    with sv.Device(tmp_path / "ledger.json", send="never") as device:
        device.record(named("scale"), "often", url=f"{served.address}/studies/gone")
        device.record(named("ldp"), "flu", url=place(served, "block"))
        assert device.flush() == 0
        gone, replaced = device.status(named("scale")), device.status(named("ldp"))
        assert (gone.state, replaced.state) == ("refused", "refused")
        assert (gone.reports, replaced.reports) == ((), ())
        assert "a different study" in replaced.reason


def test_a_program_that_ends_at_once_still_sends(served: Served, tmp_path: Path) -> None:
    (tmp_path / "study.json").write_text(json.dumps(named("scale").compile()))
    arguments = [sys.executable, "-c", ENDS, str(tmp_path / "ledger.json"), str(tmp_path / "study.json")]
    for _ in range(2):
        done = subprocess.run([*arguments, place(served, "scale")], capture_output=True, text=True, check=True, timeout=60)
        assert (done.stdout.strip() in {"waiting", "sent"}, done.stderr) == (True, "")
    assert len(found_ids(served.url, "scale")) == 1
    with listening() as server:
        start = time.monotonic()
        arguments[3] = str(tmp_path / "other.json")
        subprocess.run([*arguments, f"{server}/studies/scale"], check=True, timeout=60)
        assert time.monotonic() - start < 15  # three seconds, and the start of Python
    assert json.loads((tmp_path / "other.json").read_bytes())["lines"][named("scale").fingerprint]["state"] == "waiting"


@contextmanager
def listening() -> Iterator[str]:
    """A server that takes connections and never answers."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def test_a_fork_has_a_thread_of_its_own(served: Served, tmp_path: Path) -> None:
    studies = [*many_studies(2)[1:], named("scale")]
    added(served.url, studies[0])
    for k, study in enumerate(studies):
        (tmp_path / f"{k}.json").write_text(json.dumps(study.compile()))
    urls = [f"{served.address}/studies/{study.name}" for study in studies]
    files = [str(tmp_path / f"{k}.json") for k in range(2)]
    command = [sys.executable, "-W", "ignore", "-c", FORKS, str(tmp_path / "ledger.json"), *files, *urls]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.split() == ["0", "sent", "sent"]
    for study in studies:
        assert len(found_ids(served.url, study.name)) == 1


def test_python_and_javascript_devices_find_the_same_costs() -> None:
    program = f"""
        import {{ readFileSync }} from "node:fs";
        import {{ readStudy, price }} from {json.dumps(str(CLIENT))};
        for (const file of process.argv.slice(1)) {{
            const study = await readStudy(JSON.parse(readFileSync(file, "utf8")).study);
            const costs = study.blocks.map(({{ level }}) => [level, price(study, {{ level }})]);
            console.log(JSON.stringify([study.fingerprint, Object.fromEntries(costs)]));
        }}
    """
    files = sorted((ROOT / "spec" / "vectors" / "studies").glob("*.json"))
    done = subprocess.run(
        [node(), "--input-type=module", "-e", program, *map(str, files)], capture_output=True, text=True, check=True, timeout=120
    )
    theirs = dict(json.loads(line) for line in done.stdout.splitlines())
    assert len(theirs) == len(files)
    for file in files:
        study = sv.Study.from_json(json.dumps(json.loads(file.read_text(encoding="utf-8"))["study"]))
        found = {level: sv.price(study, level or None) for level in study.blocks}
        assert {level: {"epsilon": each.epsilon, "shown": each.shown} for level, each in found.items()} == theirs[study.fingerprint]
