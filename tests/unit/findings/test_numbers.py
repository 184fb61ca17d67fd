"""Findings of numbers and scales: the mean and the quartiles first, then the distribution."""

from __future__ import annotations

import io
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import sottovoce as sv
from sottovoce.findings import Findings, findings_chart, findings_page
from sottovoce.findings.display.estimates import COMMAND, findings_parts
from sottovoce.findings.display.text import print_parts
from sottovoce.findings.figures import notes_of

HEAD = 'name = "ages"\nquestion = "How old are you?"\n'
PRIVACY = '[privacy]\nnotion = "ldp"\nepsilon = 2.0\n[mechanism]\nname = "krr"\n'


def found(line: str, p: Any = None, n: int = 20_000, **options: Any) -> Findings:
    study = sv.Study.from_toml(f"{HEAD}{line}\n{PRIVACY}")
    shares = np.full(len(study.domain), 1 / len(study.domain)) if p is None else np.asarray(p)
    return Findings.of(study, sv.estimate(sv.Tally.simulate(study.mechanism, shares, n, sv.SeededSource(2))), **options)


def printed(findings: Findings) -> str:
    out = io.StringIO()
    print_parts(findings_parts(findings, COMMAND), Console(file=out, width=100))
    return out.getvalue()


def test_numbers_have_a_mean_and_quartiles_everywhere() -> None:
    findings = found("numbers = {from = 0, to = 100, bins = 20}")
    data = findings.to_dict()
    assert findings.estimate.method == "smooth"
    assert data["mean"]["low"] < 50 < data["mean"]["high"]
    assert [each["q"] for each in data["quantiles"]] == [0.25, 0.5, 0.75]
    text, page = printed(findings), findings_page(findings)
    for figure in findings.figures:
        value, low, high = figure.cells
        assert float(low) <= float(value) <= float(high), "also as rounded"
        assert figure.low is not None
        assert figure.high is not None
        half = 0.5 / 10**figure.digits + 1e-9
        assert abs(float(low) - figure.low) <= half >= abs(float(high) - figure.high), "what is written is what the chart shows"
        for shown in (text, page):
            assert figure.name in shown
            assert value in shown
    assert text.count("Numbers outside 0–100") == page.count("Numbers outside 0–100") == 1, "what holds for all is said once"
    assert "clearly above zero" not in text


def test_a_scale_has_a_mean() -> None:
    findings = found('scale = ["never", "rarely", "often", "always"]')
    assert [figure.name for figure in findings.figures] == ["mean"]
    assert "quantiles" not in findings.to_dict()
    assert "mean" in printed(findings)
    assert findings.order(2) == [0, 1, 2, 3], "in its order, as a whole"


def test_other_domains_have_neither() -> None:
    data = found('items = ["a", "b", "c"]').to_dict()
    assert "mean" not in data
    assert "quantiles" not in data


def test_a_quartile_in_an_open_bin_is_not_known() -> None:
    findings = found("numbers = {edges = [0, 10, 20, inf]}", [0.3, 0.4, 0.3], level=0.99)
    *_, upper = findings.figures
    assert upper.name == "upper quartile"
    assert upper.value is None
    assert "not known" in printed(findings)
    page = findings_page(findings)
    assert "not known" in page
    notes = notes_of(findings.figures)
    assert any(note.startswith("Upper quartile:") for note in notes)
    assert any(note.startswith("Lower quartile, median:") for note in notes), "the same note is shown once"
    assert findings.to_dict()["quantiles"][2]["value"] is None


@pytest.mark.parametrize(
    ("line", "size", "scale"),
    [
        ("numbers = {from = 0, to = 100, bins = 20}", 20, "linear"),
        ("numbers = {from = 1, to = 1000, bins = 12, log = true}", 12, "log"),
        ("numbers = {from = 1, to = 99, bins = 30, log = true}", 30, "log"),
        ("numbers = {from = 1, to = 99, bins = 30}", 30, "linear"),
        ("numbers = {edges = [1, 2, 5, 10, 20, 50]}", 5, "linear"),
        ("numbers = {edges = [-inf, 0, 10, 30, inf]}", 4, "linear"),
        ("numbers = {edges = [-inf, 0, inf]}", 2, "linear"),
    ],
)
def test_the_chart_is_a_density_with_a_band(line: str, size: int, scale: str) -> None:
    findings = found(line, beside={"truth": np.full(size, 1 / size)})
    form = findings_chart(findings).to_dict()
    upper = form["vconcat"][0]["layer"][0]["encoding"]["x"]["scale"]
    assert upper["type"] == scale
    rows = next(data for data in form["datasets"].values() if "low" in data[0] and "y" in data[0])
    assert len(rows) == size
    assert all(math.isfinite(row[key]) for row in rows for key in ("x", "x2", "y", "low", "high"))
    assert all(row["x"] < row["x2"] and row["low"] <= row["y"] <= row["high"] for row in rows)
    if scale == "linear" and size == 4:  # bins of different widths are drawn by their density
        areas = [(row["x2"] - row["x"]) * row["y"] for row in rows]
        assert areas == pytest.approx(findings.p.tolist())


@pytest.mark.parametrize(
    ("line", "mechanism", "count"),
    [
        ("numbers = {from = 0, to = 100, bins = 8}", "krr", 7),
        ("numbers = {from = 0, to = 100, bins = 40}", "window", 9),
        ("numbers = {edges = [-inf, 0, inf]}", "krr", 1),
    ],
)
def test_cumulative_shares_have_a_band(line: str, mechanism: str, count: int) -> None:
    study = sv.Study.from_toml(f"{HEAD}{line}\n{PRIVACY.replace('krr', mechanism)}")
    size = len(study.domain)
    findings = Findings.of(
        study, sv.estimate(sv.Tally.simulate(study.mechanism, np.full(size, 1 / size), 5000, sv.SeededSource(2))), level=0.9
    )
    rows = findings.to_dict()["cumulative"]
    assert len(rows) == count
    for row in rows:
        asked = findings.estimate.cdf(row["value"], 0.9)
        assert (row["p"], row["low"], row["high"]) == (asked.value, asked.low, asked.high)
        assert 0 <= row["low"] <= row["p"] <= row["high"] <= 1
    form = findings_chart(findings).to_dict()
    first = form["vconcat"][0]
    assert "with 90% intervals" in " ".join(first["title"]["text"])
    drawn = form["datasets"][first["layer"][0]["data"]["name"]]
    assert [row["x"] for row in drawn[1:-1]] == [row["value"] for row in rows]
    assert (drawn[0]["y"], drawn[0]["high"], drawn[-1]["y"], drawn[-1]["high"]) == pytest.approx((0, 0, 1, 1))
    for row, each in zip(drawn[1:-1], rows, strict=True):
        assert row["y"] <= each["low"]
        assert each["high"] <= row["high"]
    assert "cumulative" not in found('scale = ["never", "rarely", "often", "always"]').to_dict()


def test_a_band_that_is_far_wider_than_the_line_is_cut_off() -> None:
    """Reports say little about a rare bin, and the line would lie on the axis."""
    whole = found("numbers = {from = 0, to = 100, bins = 8}")
    ranges = findings_chart(whole).to_dict()["vconcat"][1]
    assert whole.high is not None
    assert ranges["layer"][0]["encoding"]["y"]["scale"]["domain"][1] >= whole.high.max()
    assert "beyond" not in " ".join(ranges["title"]["text"])
    wide = replace(whole, high=np.where(np.arange(8) == 3, 1.0, whole.high), p=np.minimum(whole.p, 0.2))
    ranges = findings_chart(wide).to_dict()["vconcat"][1]
    assert 4 * wide.p.max() <= ranges["layer"][0]["encoding"]["y"]["scale"]["domain"][1] < 6 * wide.p.max()
    assert all(layer["mark"].get("clip") for layer in ranges["layer"] if layer["mark"]["type"] == "rect")
    assert "reach beyond the chart" in " ".join(ranges["title"]["text"])


@pytest.mark.parametrize(("people", "charts"), [(300, 1), (20_000, 1), (10_000_000, 2)])
def test_shares_of_ranges_that_say_nothing_are_not_drawn(people: int, charts: int) -> None:
    """Reports through a window say little about single bins and much about shares below numbers."""
    study = sv.Study.from_toml(f"{HEAD}numbers = {{from = 0, to = 100, bins = 40}}\n{PRIVACY.replace('krr', 'window')}")
    tally = sv.Tally.simulate(study.mechanism, np.full(40, 1 / 40), people, sv.SeededSource(2))
    findings = Findings.of(study, sv.estimate(tally))
    drawn = findings_chart(findings).to_dict()["vconcat"]
    assert len(drawn) == charts
    said = " ".join(drawn[0]["title"]["text"])
    assert "Share of the people with a smaller number, with 95% intervals" in said
    assert ("too uncertain to draw" in said) == (charts == 1)
    rows = [row for data in findings_chart(findings).to_dict()["datasets"].values() for row in data]
    assert sum("quartile" in str(row.get("text")) for row in rows) == 2, "the quartiles have their names"


def test_very_many_bins_are_not_listed() -> None:
    findings = found("numbers = {from = 0, to = 1, bins = 300}")
    assert findings.order(40) == []
    text = printed(findings)
    assert "--output writes all 300 items" in text
    assert text.count("\n") < 40
    page = findings_page(findings)
    assert "This page doesn’t list all of the 300 shares." in page
    assert page.count("<figure") == 1


def test_few_people_are_told_what_to_read() -> None:
    """Shares of bins say little, and the figures more."""
    told = found("numbers = {from = 0, to = 100, bins = 40}").cautions
    assert [caution for caution in told if "Read the mean, the quartiles and the shares below single numbers instead" in caution]


def test_the_mean_of_labels_says_what_they_count() -> None:
    text = printed(found('scale = ["never", "rarely", "often", "always"]'))
    assert "Labels count from 1 (never) to 4 (always)." in text


def test_a_mean_that_the_reports_do_not_show_is_no_number() -> None:
    line, p = "numbers = {from = 50, to = 5000, bins = 20, log = true}", np.eye(20)[12]
    few, many = (found(line, p, n) for n in (12, 20_000))
    mean = few.figures[0]
    assert mean.remark == few.estimate.mean().remark == "can't tell"
    assert mean.cells[0] == "can't tell"
    assert few.headline == f"The reports can’t tell the average answer yet: it is between {mean.cells[1]} and {mean.cells[2]}."
    assert few.to_dict()["mean"]["remark"] == "can't tell"
    for table in (few.to_frame(), few.to_arrow().to_pandas()):
        assert table.set_index("quantity").loc["mean", "remark"] == "can't tell"
        assert [*table["remark"][:20]] == few.shares.remarks
    assert [each.get("remark", "") for each in few.to_dict()["items"]] == few.shares.remarks
    assert "can't tell" in printed(few)
    assert "can&#39;t tell" in findings_page(few)
    assert not any("Read the mean" in each for each in few.cautions)
    assert not any(each.remark for each in many.figures)
    assert set(many.to_frame()["remark"][20:]) == {""}
    assert re.fullmatch(
        r"The (average|median) answer is [\d.]+, between [\d.]+ and [\d.]+\.( Half of the answers are smaller\.)?", many.headline
    )
    assert "remark" not in many.to_dict()["mean"]
