"""sottovoce perturb: from answers to reports."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from invoking import as_json, complaint, run
from messages import wording
from processes import SHARES


def test_from_answers_to_an_estimate_in_files_and_in_a_pipe(place: Path) -> None:
    told = as_json(place, "perturb", "study.toml", "answers.csv", "-o", "reports.parquet")
    assert (told["answers"], told["reports"], told["skipped"]["count"]) == (4000, 4000, 0)
    assert pq.read_metadata(place / "reports.parquet").num_rows == 4000
    found = as_json(place, "estimate", "study.toml", "reports.parquet", "--level", "0.999999999")
    assert {"n", "method", "gap", "items"} <= set(found)
    assert (found["n"], found["method"]) == (4000, "mle")
    held = [row["low"] <= SHARES[row["item"]] <= row["high"] for row in found["items"]]
    assert [row["item"] for row in found["items"]] == list(SHARES)
    assert all(held)
    assert sum(row["p"] for row in found["items"]) == pytest.approx(1)
    lines = run(place, "perturb", stdin=(place / "answers.csv").read_bytes()).stdout
    assert len(lines.splitlines()) == 4000
    assert {tuple(json.loads(line)) for line in lines.splitlines()} == {("study", "id", "report")}
    piped = as_json(place, "estimate", "study.toml", stdin=lines)
    assert piped["n"] == 4000
    assert piped["fingerprint"] == found["fingerprint"]


def test_half_broken_answers_are_counted_and_shown(place: Path) -> None:
    (place / "answers.csv").write_bytes(b"id,answer\n1,flu\n2,fluu\n3\n4,none\n5,caf\xe9\n6,\n")
    said = run(place, "perturb", "answers.csv", "-o", "r.parquet").stderr.decode()
    wording(said)
    assert "4 rows" in said
    assert "2 used" in said
    assert "answers.csv, line 3: 'fluu'" in said
    assert pq.read_metadata(place / "r.parquet").num_rows == 2
    complaint(place, "perturb", "answers.csv", "-o", "s.parquet", "--strict", code=4, kind="report")
    assert not (place / "s.parquet").exists()
    assert not list(place.glob(".*"))
    assert as_json(place, "perturb", "answers.csv", "-o", "r.parquet", "--force")["skipped"]["count"] == 4


def test_strict_writes_nothing_to_the_standard_output_either(place: Path) -> None:
    """Not even when there are more answers than are read at once."""
    (place / "big.csv").write_text("answer\n" + "flu\n" * 1_200_000 + "BAD\n")
    assert run(place, "perturb", "big.csv", "--strict", code=4).stdout == b""
    assert len(run(place, "perturb", "answers.csv", "--strict").stdout.splitlines()) == 4000
