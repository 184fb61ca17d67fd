"""sottovoce estimate: from reports to shares, in every form."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from invoking import as_json, complaint, run
from messages import wording
from processes import SHARES
from studies import STUDIES


def test_estimates_in_every_form(place: Path) -> None:
    run(place, "perturb", "answers.csv", "-o", "r.parquet")
    files = ["--html", "page.html", "--chart", "chart.png", "-o", "x.csv", "-o", "x.parquet", "-o", "x.json"]
    done = run(place, "estimate", "r.parquet", *files, "--truth", "answers.csv", "--level", "0.9")
    assert "90% intervals" in done.stdout.decode()
    table = pd.read_csv(place / "x.csv", dtype={"remark": str}).fillna({"remark": ""})
    assert table["item"].tolist() == list(SHARES)
    assert list(table.columns)[:5] == ["item", "p", "low", "high", "truth"]
    assert table["level"].unique().tolist() == [0.9]
    pd.testing.assert_frame_equal(pd.read_parquet(place / "x.parquet"), table)
    assert json.loads((place / "x.json").read_text())["level"] == 0.9
    assert (place / "chart.png").read_bytes().startswith(b"\x89PNG")
    assert "Which of these do you have?" in (place / "page.html").read_text()
    assert as_json(place, "estimate", "r.parquet", "--method", "uniform")["items"][0]["p"] == 0.2
    alone, at_once = (as_json(place, "estimate", "r.parquet", *option) for option in ([], ["--simultaneous"]))
    assert (alone["simultaneous"], at_once["simultaneous"], alone["found"]["control"], at_once["found"]["control"]) == (
        *(False, True),
        *("fdr", "familywise"),
    )
    assert all(one["low"] >= all_["low"] and one["high"] < all_["high"] for one, all_ in zip(alone["items"], at_once["items"], strict=True))
    assert "intervals for all items at once" in run(place, "estimate", "r.parquet", "--simultaneous").stdout.decode()
    said = complaint(place, "estimate", "r.parquet", "--method", "magic", kind="parameter")
    assert all(each in said for each in ("'magic'", "mle", "projected"))
    assert "2" in complaint(place, "estimate", "r.parquet", "--level", "2", kind="parameter")


def test_marked_answers_are_spread(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDIES["tags"])
    (tmp_path / "answers.csv").write_text("answer,tag\n" + "0 / 0,home\n" * 2000 + "2 / 2,\n" * 3000)
    (tmp_path / "homes.csv").write_text("item,share\n0 / 0,1\n")
    run(tmp_path, "perturb", "answers.csv", "-o", "r.parquet")
    sure = ("--level", "0.999999999")  # reports are drawn securely: an interval of 95 % misses once in twenty runs
    known = as_json(tmp_path, "estimate", "r.parquet", "--tag-spread", "home=homes.csv", *sure)
    vague = as_json(tmp_path, "estimate", "r.parquet", *sure)
    assert known["items"][0]["p"] == pytest.approx(0.4, abs=0.1)
    assert vague["items"][0]["p"] < 0.2
    assert known["tags"][0]["low"] < 0.4 < known["tags"][0]["high"]
    for found in (known, vague):
        assert found["items"][0]["low"] <= 0.4 <= found["items"][0]["high"]
    for found in (known, vague):
        wording(re.sub(r"\d[\d.]*", "…", found["marked"]))
    assert "gym=homes.csv" in complaint(tmp_path, "estimate", "r.parquet", "--tag-spread", "gym=homes.csv", kind="parameter")


def test_half_broken_reports_are_counted_and_shown(place: Path) -> None:
    lines = run(place, "perturb", "answers.csv").stdout.splitlines()
    (place / "r.ndjson").write_bytes(b"\n".join([*lines[:100], b"{broken", *lines[100:200], lines[0][:40]]) + b"\n")
    found = as_json(place, "estimate", "r.ndjson")
    assert (found["n"], found["skipped"]["count"]) == (200, 2)
    wording(found["cautions"][0])
    assert "2 of 202 rows" in found["cautions"][0]
    said = run(place, "estimate", "r.ndjson").stderr.decode()
    wording(said)
    assert "r.ndjson, line 101" in said
    assert "r.ndjson, line 101" in complaint(place, "estimate", "r.ndjson", "--strict", code=4, kind="report")
