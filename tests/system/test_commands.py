"""Commands as processes: what they load, how a shell sees them, and their streams. What they compute is tested in tests/unit/cli."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import invoking
from processes import INSTALLED, PROGRAM, answers, run
from studies import STUDIES


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--version",), 0),
        (("--help",), 0),
        (("chekc",), 2),
        (("check",), 0),
        (("check", "--json"), 0),
        (("check", "none.toml"), 3),
        (("plan", "--epsilon", "1", "--json"), 1),
        (("perturb", "answers.csv", "--seed", "1", "-o", "reports.ndjson", "--force"), 0),
        (("perturb", "--strict", "-"), 4),
    ],
)
def test_a_process_does_what_the_unit_tests_see(arguments: tuple[str, ...], code: int, place: Path) -> None:
    """The same bytes and the same exit code as in the process of the tests."""
    stdin = b"answer\nflu\nfluu\n"
    done = run(place, *arguments, code=code, stdin=stdin, program=INSTALLED)
    expected = invoking.run(place, *arguments, code=code, stdin=stdin)
    assert (done.stdout, done.stderr) == (expected.stdout, expected.stderr)


def test_nothing_heavy_is_loaded_for_help(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-X", "importtime", "-m", "sottovoce", "--help"], cwd=tmp_path, capture_output=True, check=True)
    loaded = done.stderr.decode()
    assert "typer" in loaded
    assert not [
        name for name in ("numpy", "numba", "scipy", "pyarrow", "pandas", "altair", "sqlalchemy", "uvicorn") if f" {name}\n" in loaded
    ]


HEAVY = ("numba", "scipy", "pandas", "altair")
#: Runs a command, and then prints the modules that it loaded.
LOADED = """
import sys
from sottovoce.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code
print(*sys.modules, file=sys.stderr)
"""


@pytest.mark.parametrize("kind", ["ldp", "uldp", "ipldp", "levels", "grid", "lifted"])
def test_nothing_heavy_is_loaded_for_a_small_study(kind: str, place: Path) -> None:
    """Neither a compiler nor a solver nor frames: each takes longer to load than the command takes in all."""
    (place / "small.toml").write_text(STUDIES[kind])
    rows = {"levels": "answer,level\nflu,usual\nhiv,careful\n", "grid": "latitude,longitude\n40.75,-74.0\n"}.get(kind, "answer\nflu\nhiv\n")
    head, first = rows.split("\n")[:2]
    (place / "small.csv").write_text(f"{head}\n" + f"{first}\n" * 5000)
    for arguments in (
        ("check", "small.toml"),
        ("plan", "small.toml"),
        ("perturb", "small.toml", "small.csv", "-o", "small.parquet"),
        ("estimate", "small.toml", "small.parquet"),
    ):
        done = subprocess.run([sys.executable, "-c", LOADED, *arguments], cwd=place, capture_output=True, check=True)
        loaded = done.stderr.decode().split()
        assert "sottovoce.cli" in loaded
        assert [name for name in HEAVY if name in loaded] == [], arguments


def test_completion_of_commands(tmp_path: Path) -> None:
    environment = os.environ | {"_SOTTOVOCE_COMPLETE": "complete_bash", "COMP_WORDS": "sottovoce che", "COMP_CWORD": "1"}
    done = subprocess.run(INSTALLED, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.stdout.decode().split() == ["check"]


def test_a_whole_pipeline_in_a_shell(place: Path) -> None:
    program = " ".join(PROGRAM)
    script = f"set -o pipefail; cat answers.csv | {program} perturb study.toml | {program} estimate study.toml --json"
    done = subprocess.run(["bash", "-c", script], cwd=place, capture_output=True, check=True)
    assert json.loads(done.stdout)["n"] == 4000
    first = subprocess.run(
        ["bash", "-c", f"{program} perturb study.toml answers.csv | head -1"], cwd=place, capture_output=True, check=True
    )
    assert first.stdout.startswith(b'{"study":')
    assert first.stderr == b""


def test_a_full_disk_leaves_no_half_file(place: Path) -> None:
    """A limit on the size of files fails as a full disk does: in the middle of a write."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    for name in ("r.ndjson", "r.parquet"):
        (place / name).write_text("what was there before")
        (place / "many.csv").write_text("answer\n" + "\n".join(answers(40_000)) + "\n")
        done = run(place, "perturb", "many.csv", "-o", name, "--force", code=3, preexec_fn=limited)
        assert b"too large" in done.stderr.lower()
        assert (place / name).read_text() == "what was there before"
    assert not list(place.glob(".*"))
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*PROGRAM, "perturb", "answers.csv"], cwd=place, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 3
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr


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
