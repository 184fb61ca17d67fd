"""Commands as processes: from a file of answers to an estimate."""

from __future__ import annotations

from pathlib import Path

from processes import SHARES, as_json, run


def test_from_a_file_of_answers_to_an_estimate(place: Path) -> None:
    (place / "study.toml").unlink()
    run(place, "new", "survey", "--items-from", "answers.csv", "--sensitive", "hiv")
    run(place, "perturb", "answers.csv", "-o", "reports.parquet")
    found = as_json(place, "estimate", "reports.parquet", "--level", "0.999999999")
    shares = {row["item"]: (row["low"], row["high"]) for row in found["items"]}
    assert (found["n"], set(shares)) == (4000, set(SHARES))
    assert all(low <= SHARES[item] <= high for item, (low, high) in shares.items())
