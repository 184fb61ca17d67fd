"""Charts of the papers: what they draw is what the tables beside the pages contain, on scales that can be compared."""

from __future__ import annotations

import csv
import functools
import math
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from experiments.charts import LIMITS
from experiments.page import Results
from experiments.papers import NAMES, paper_of
from experiments.words import headed
from paths import ROOT

COMMITTED = ROOT / "docs" / "reproduction"
#: Columns of a table that are measured, and don't say where.
MEASURED = {"runs", "mean", "error", "predicted", "level", "own_level", "released", "least", "q1", "median", "q3", "largest"}
#: Charts that draw lines of the table under another name, or at other places, of these columns.
NAMED_OTHERWISE = {
    ("uldp", "Figure 6"): ("sensitive", "mechanism"),
    ("uldp", "Figure 11"): ("sensitive", "mechanism"),
    ("lip", "Figure 7, fair"): ("mechanism",),
    ("lip", "Figure 10a, fair"): ("mechanism",),
    ("beyond", "Chart 4, ULDP, what likelihood can gain"): ("method",),
    ("beyond", "Chart 7, a known prior"): ("method",),
}
BOX = ("least", "q1", "median", "q3", "largest")
Line = dict[str, Any]


def number(text: Any) -> Any:
    try:
        return float(str(text).removeprefix("ρ = "))
    except ValueError:
        return text


def same(one: Any, other: Any) -> bool:
    one, other = number(one), number(other)
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-15)
    return str(one) == str(other)


def key(line: Line, by: tuple[str, ...]) -> tuple[str, ...]:
    """Where a line or a record belongs, with numbers written alike."""
    values = [number(line[name]) for name in by]
    return tuple(f"{value:.10g}" if isinstance(value, float) else str(value) for value in values)


class Lines:
    """The lines of a table, read without the code that draws it."""

    def __init__(self, path: Path, otherwise: tuple[str, ...]) -> None:
        with path.open(encoding="utf-8", newline="") as file:
            self.lines = list(csv.DictReader(file))
        self.places = [name for name in self.lines[0] if name not in {*MEASURED, *otherwise}]
        self._found: dict[tuple[str, ...], dict[tuple[str, ...], list[Line]]] = {}

    def of(self, record: Line) -> list[Line]:
        """The lines that a drawn record may come from; the metric isn't asked for, because levels are drawn under any."""
        by = tuple(name for name in self.places if name != "metric" and record.get(name) is not None)
        assert by, record
        if by not in self._found:
            index: dict[tuple[str, ...], list[Line]] = defaultdict(list)
            for line in self.lines:
                index[key(line, by)].append(line)
            self._found[by] = index
        found = self._found[by].get(key(record, by), [])
        return [line for line in found if line["metric"] == record.get("metric")] or found

    def has(self, record: Line) -> bool:
        """Whether a drawn point with its error is a line of the table: as it is, as a root error, as what theory says, or as a level."""
        if record.get("mechanism") in LIMITS and same(record["mean"], 1):
            return True
        for line in self.of(record):
            mean, error, predicted = (number(line[name]) for name in ("mean", "error", "predicted"))
            error = 0.0 if error == "" else error
            drawn = [(mean, error)]
            if mean > 0:
                drawn.append((math.sqrt(mean), error / (2 * math.sqrt(mean))))
            if predicted != "" and predicted >= 0:
                drawn.append((math.sqrt(predicted), 0.0))
            drawn += [(number(line[name]), 0.0) for name in ("level", "own_level") if line.get(name)]
            shown = number(record["mean"])
            half = (record["high"] - shown) / 2
            if any(same(shown, value) and (same(half, spread) or same(half, 0.0)) for value, spread in drawn):
                return record.get("predicted") is None or any(
                    same(record["predicted"], value) for value in (predicted, math.sqrt(max(predicted or 0.0, 0.0)))
                )
        return False


@dataclass(frozen=True)
class Drawn:
    """A chart as it is drawn: its specification, the records of all its panels, and the table that it is about."""

    where: str
    name: str
    chart: Line
    lines: Lines

    @property
    def records(self) -> list[Line]:
        return [record for records in self.chart["datasets"].values() for record in records]

    @property
    def wrong(self) -> list[Line]:
        """The drawn records that are not in the table."""
        return wrong(self.records, self.lines)


@functools.cache
def charts(name: str) -> list[Drawn]:
    """The charts of a paper, from the tables in the repository."""
    found = []
    for experiment, frame, _ in Results(paper_of(name), COMMITTED, charts=False).found.values():
        for picture in experiment.pictures(frame):
            lines = Lines(COMMITTED / name / f"{experiment.name}.csv", NAMED_OTHERWISE.get((name, picture.name), ()))
            found.append(Drawn(f"{name}: {picture.name}", picture.name, picture.drawn().to_dict(validate=False), lines))
    return found


def wrong(records: list[Line], lines: Lines) -> list[Line]:
    """The drawn records that are not in the table."""
    curves = [record for record in records if "high" in record]
    boxes = [record for record in records if not curves and record.get("q1") is not None and "letter" not in record]
    fields = [record for record in records if "letter" in record]
    assert curves or boxes or fields
    found = [record for record in curves if not lines.has(record)]
    found += [box for box in boxes if not any(all(same(line[name], box[name]) for name in BOX) for line in lines.of(box))]
    for field in fields:
        if "mean" in field:  # the least of the methods
            rivals = [line for line in lines.of({**field, "method": None}) if line["metric"] == "mse"]
            means = [number(line["mean"]) for line in lines.of(field)]
            right = any(f"{mean:.1e}" == field["field"] for mean in means) and len(rivals) > 1
        else:  # a column for each method
            methods = {line["method"]: number(line["mean"]) for line in lines.of(field) if line["metric"] in ("ratio", "tv")}
            right = all(name not in field or field[name] is None or same(field[name], mean) for name, mean in methods.items())
        found += [] if right else [field]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_charts_draw_the_tables(name: str) -> None:
    assert charts(name)
    for chart in charts(name):
        assert len(chart.records) >= 6, chart.where
        assert chart.wrong == [], chart.where


@pytest.mark.parametrize("column", ["mean", "high", "predicted"])
def test_a_point_off_its_line_is_found(column: str) -> None:
    """The comparison above can fail."""
    chart = next(each for each in charts("uldp") if each.name == "Figure 5")
    record = next(each for each in chart.records if each.get("predicted") and each["high"] > each["mean"])
    original = record[column]
    record[column] *= 1.001
    try:
        assert chart.wrong == [record]
    finally:
        record[column] = original


def panels(chart: Line) -> Iterator[Line]:
    for part in chart.get("vconcat", [chart]):
        yield from part.get("hconcat", [part])


def domains(panel: Line, axis: str) -> set[tuple[float, ...]]:
    scales = [layer["encoding"][axis].get("scale", {}) for layer in panel["layer"] if axis in layer.get("encoding", {})]
    return {tuple(scale["domain"]) for scale in scales if "domain" in scale}


@pytest.mark.parametrize("name", NAMES)
def test_panels_can_be_compared(name: str) -> None:
    """Panels have one scale, or the key says that they don't; titles are words; series differ in more than their colours."""
    for drawn in charts(name):
        chart, where = drawn.chart, drawn.where
        if "own vertical scale" not in str(chart["title"].get("subtitle", "")):
            assert len(set().union(*(domains(panel, "y") for panel in panels(chart)))) <= 1, where
        text = str([chart["title"], *(panel.get("title") for panel in panels(chart))])
        assert chart["title"]["text"].startswith(drawn.name), where
        assert re.findall(r"\w+\.csv|_\w+_|₁", text) == [], where
        if "'mark': {'type': 'line'" in str(chart):
            assert {"strokeDash", "shape"} <= {name for panel in panels(chart) for layer in panel["layer"] for name in layer["encoding"]}, (
                where
            )


def test_heads_are_words() -> None:
    assert headed("mechanism") == "Mechanism"
    assert headed("method") == headed("winner") == "Estimator"
