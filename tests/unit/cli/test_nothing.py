"""Files without a single usable row: an error, and no empty file left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from invoking import complaint, run

HOPELESS = {
    "header only": "answer\n",
    "one row": "answer\nfluu\n",
    "other spellings": "answer\nFlu\nFLU\n",
    "empty rows": "id,answer\n1,\n2,\n",
}


@pytest.mark.parametrize("text", HOPELESS.values(), ids=HOPELESS)
def test_answers_of_which_none_can_be_used(text: str, place: Path) -> None:
    (place / "bad.csv").write_text(text)
    before = sorted(place.iterdir())
    assert "bad.csv" in complaint(place, "perturb", "bad.csv", "-o", "r.parquet", kind="report")
    complaint(place, "perturb", "bad.csv", "-o", "r.ndjson", kind="report")
    assert run(place, "perturb", "bad.csv", code=1).stdout == b""
    assert sorted(place.iterdir()) == before


def test_reports_of_which_none_can_be_used(place: Path) -> None:
    (place / "bad.ndjson").write_text('{"report": 99}\n{"answer": 1}\n')
    (place / "none.ndjson").write_text("\n")
    before = sorted(place.iterdir())
    for name in ("bad.ndjson", "none.ndjson"):
        assert name in complaint(place, "tally", name, "-o", "t.arrow", kind="report")
        assert name in complaint(place, "estimate", name, "--force", "-o", "shares.csv", "--html", "page.html", kind="report")
    assert sorted(place.iterdir()) == before
