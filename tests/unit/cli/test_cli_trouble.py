"""The command line when something is wrong: files, streams, signals, rows."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from processes import PROGRAM, answers, as_json, listening, run


def test_wrong_usage(tmp_path: Path) -> None:
    assert b"No such option" in run(tmp_path, "check", "--colour", code=2).stderr
    assert b"No such command" in run(tmp_path, "chekc", code=2).stderr
    assert sv.__version__ in run(tmp_path, "--version").stdout.decode()


def test_half_broken_answers_are_counted_and_shown(place: Path) -> None:
    (place / "answers.csv").write_bytes(b"id,answer\n1,flu\n2,fluu\n3\n4,none\n5,caf\xe9\n6,\n")
    done = run(place, "perturb", "answers.csv", "-o", "r.parquet")
    said = done.stderr.decode()
    assert "4 rows were left out (2 used)" in said
    assert "answers.csv, line 3: 'fluu'" in said
    assert pq.read_metadata(place / "r.parquet").num_rows == 2
    strict = run(place, "perturb", "answers.csv", "-o", "s.parquet", "--strict", code=4)
    assert b"nothing was written" in strict.stderr
    assert not (place / "s.parquet").exists()
    assert not list(place.glob(".*"))
    assert as_json(place, "perturb", "answers.csv", "-o", "r.parquet")["skipped"]["count"] == 4


def test_half_broken_reports_are_counted_and_shown(place: Path) -> None:
    lines = run(place, "perturb", "answers.csv").stdout.splitlines()
    (place / "r.ndjson").write_bytes(b"\n".join([*lines[:100], b"{broken", *lines[100:200], lines[0][:40]]) + b"\n")
    found = as_json(place, "estimate", "r.ndjson")
    assert (found["n"], found["skipped"]["count"]) == (200, 2)
    assert "2 of 202 rows were left out (2 × it is not JSON)" in found["cautions"][0]
    assert b"r.ndjson, line 101" in run(place, "estimate", "r.ndjson").stderr
    assert as_json(place, "estimate", "r.ndjson", "--strict", code=4)["code"] == 4


def test_files_that_cannot_be_read_or_written(place: Path) -> None:
    assert b"none.csv: there is no such file" in run(place, "perturb", "none.csv", code=3).stderr
    assert b"no/where/" in run(place, "perturb", "answers.csv", "-o", "no/where/r.parquet", code=3).stderr
    assert b"is a folder" in run(place, "perturb", "answers.csv", "-o", str(place) + "/", "--format", "parquet", code=3).stderr
    assert b"end its name in .parquet or .ndjson" in run(place, "perturb", "answers.csv", "-o", "r.xlsx", code=1).stderr
    run(place, "perturb", "answers.csv", "-o", "r.parquet")
    assert b"end the name in .html" in run(place, "estimate", "r.parquet", "--html", "page.pdf", code=1).stderr
    assert b"no/where" in run(place, "estimate", "r.parquet", "--html", "no/where/page.html", code=3).stderr
    assert as_json(place, "estimate", "r.parquet", "-o", "no/where/x.csv", code=3)["code"] == 3
    (place / "locked").mkdir()
    (place / "locked").chmod(0o500)
    if os.geteuid():
        run(place, "perturb", "answers.csv", "-o", "locked/r.parquet", code=3)
    (place / "elsewhere").mkdir()
    assert b"no study was named" in run(place / "elsewhere", "estimate", "x.parquet", code=1).stderr


def test_a_full_disk_leaves_no_half_file(place: Path) -> None:
    """A limit on the size of files fails as a full disk does: in the middle of a write."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    for name in ("r.ndjson", "r.parquet"):
        (place / name).write_text("what was there before")
        (place / "many.csv").write_text("answer\n" + "\n".join(answers(40_000)) + "\n")
        done = run(place, "perturb", "many.csv", "-o", name, code=3, preexec_fn=limited)
        assert b"too large" in done.stderr.lower()
        assert (place / name).read_text() == "what was there before"
    assert not list(place.glob(".*"))
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*PROGRAM, "perturb", "answers.csv"], cwd=place, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 3
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr


def test_nothing_that_is_read_is_written_over(place: Path) -> None:
    run(place, "perturb", "answers.csv", "-o", "r.ndjson")
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    (place / "same.parquet").hardlink_to(place / "r.ndjson")
    for arguments in (
        ("perturb", "answers.csv", "-o", "answers.csv", "--format", "ndjson"),
        ("check", "study.toml", "--compiled", "study.toml"),
        ("estimate", "r.ndjson", "-o", "same.parquet"),
        ("perturb", "answers.csv", "-o", "study.toml", "--format", "ndjson"),
    ):
        assert b"would be replaced" in run(place, *arguments, code=1).stderr
    (place / "truth.csv").write_text("item,share\nflu,1\n")
    assert b"would be replaced" in run(place, "estimate", "r.ndjson", "--truth", "truth.csv", "-o", "truth.csv", code=1).stderr
    assert b"written twice" in run(place, "estimate", "r.ndjson", "--html", "z.html", "--chart", "./z.html", code=1).stderr
    assert {name: (place / name).read_bytes() for name in before} == before


def test_strict_writes_nothing_to_the_standard_output_either(place: Path) -> None:
    (place / "big.csv").write_text("answer\n" + "flu\n" * 1_200_000 + "BAD\n")
    assert run(place, "perturb", "big.csv", "--strict", code=4).stdout == b""
    assert len(run(place, "perturb", "answers.csv", "--strict").stdout.splitlines()) == 4000


def test_closed_full_and_narrow_streams(place: Path) -> None:
    def shell(script: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
        program = f'sv() {{ {" ".join(PROGRAM)} "$@"; }}; {script}'
        return subprocess.run(
            ["bash", "-c", program], cwd=place, env=os.environ | environment, capture_output=True, check=False, timeout=60
        )

    closed = shell("sv perturb study.toml <&-")
    assert (closed.returncode, b"Traceback" in closed.stderr) == (1, False)
    assert b"Traceback" not in shell("sv check study.toml >&-").stderr
    full = shell("sv check study.toml --json > /dev/full")
    assert (full.returncode, full.stderr.count(b"\n")) == (3, 1)
    for command in ("check", "plan", "mechanisms", "check --json"):
        done = shell(f"sv {command} | true; exit ${{PIPESTATUS[0]}}")
        assert done.returncode in {0, 141}, command
        assert done.stderr == b""
    assert shell("sv perturb study.toml answers.csv -o q.ndjson 2>&-").returncode == 0
    assert len(shell("sv perturb study.toml answers.csv -o /dev/stdout --format ndjson | cat").stdout.splitlines()) == 4000
    assert len(shell("sv perturb study.toml answers.csv -o >(cat) --format ndjson; sleep 0.2").stdout.splitlines()) == 4000
    for option in ("--help", "--version"):
        done = shell(f"sv {option} > /dev/full")
        assert (done.returncode, b"Traceback" in done.stderr) == (3, False), option
    for encoding in ("latin-1", "ascii"):
        told = shell("sv plan study.toml --json", PYTHONIOENCODING=encoding)
        assert (told.returncode, told.stderr) == (0, b"")
        assert json.loads(told.stdout)["promise"].startswith("ULDP at ε")
        assert shell("sv check study.toml", PYTHONIOENCODING=encoding).returncode == 0


def test_folders_say_what_they_leave_aside(place: Path) -> None:
    (place / "reports").mkdir()
    run(place, "perturb", "answers.csv", "-o", "reports/a.parquet")
    (place / "reports" / "notes.md").write_text("x")
    assert b"not read, since their endings say nothing: reports/notes.md" in run(place, "tally", "reports").stderr


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_an_interrupted_command_leaves_nothing_behind(place: Path, sent: signal.Signals, code: int) -> None:
    (place / "r.parquet").write_text("what was there before")
    program = [*PROGRAM, "perturb", "study.toml", "-", "-o", "r.parquet"]

    pipe = subprocess.PIPE
    with subprocess.Popen(program, cwd=place, stdin=pipe, stderr=pipe, preexec_fn=listening) as process:  # noqa: PLW1509 - no threads
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"answer\n" + b"flu\n" * 3_000_000)  # some batches go through, then it waits for more
        process.stdin.flush()
        until = time.monotonic() + 60
        while not list(place.glob(".*.part")) and time.monotonic() < until:
            time.sleep(0.02)
        assert list(place.glob(".*.part"))
        process.send_signal(sent)
        try:
            process.wait(timeout=60)
        finally:
            process.kill()
        said = process.stderr.read()
        process.stdin.close()
    assert process.returncode == code
    assert b"Traceback" not in said
    assert sent != signal.SIGINT or b"interrupted; no file was left half-written" in said
    assert not list(place.glob(".*"))
    assert (place / "r.parquet").read_text() == "what was there before"
