"""The table that draws shares: its marks stand where the numbers say, and what people wrote stays text."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sottovoce.estimators import Interval
from sottovoce.findings.cautions import Caution, grouped
from sottovoce.findings.share_table import Scale, share_key, share_table
from sottovoce.findings.shares import Shares


def shares(p: list[float], low: list[float], high: list[float], **options: object) -> Shares:
    labels = options.pop("labels", [f"answer {k}" for k in range(len(p))])
    return Shares("item", labels, np.array(p), Interval(np.array(low), np.array(high)), **options)  # type: ignore[arg-type]  # as Shares takes them


def places(html: str, pattern: str) -> list[float]:
    return [float(each) for each in re.findall(pattern, html)]


def test_marks_stand_where_the_numbers_say() -> None:
    drawn = share_table(shares([0.1, 0.3], [0.05, 0.2], [0.15, 0.4]), Scale(0.0, 0.5, (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)))
    assert places(drawn, r'class="estimate" cx="([\d.]+)%"') == [20, 60]
    assert places(drawn, r'class="interval" x1="([\d.]+)%"') == [10, 40]
    assert places(drawn, r'class="interval" x1="[\d.]+%" x2="([\d.]+)%"') == [30, 80]
    assert places(drawn, r'class="tick" x="([\d.]+)%"') == [0, 20, 40, 60, 80, 100]
    assert "style=" not in drawn, "positions are attributes"


def test_hollow_dots_and_no_dots() -> None:
    found = shares([0.01, 0.3, 0.4], [0.0, 0.0, 0.3], [0.02, 0.6, 0.5], found=np.array([False, True, True]))
    first, second, third = share_table(found).split("<tr ")[2:]
    assert 'class="maybe"' in first
    assert "maybe zero" in first
    assert 'class="vague"' in second
    assert "can&#x27;t tell" in second
    assert "<circle" not in second
    assert "class=" not in third.partition(">")[0]
    key = share_key([found])
    assert "maybe zero" in key
    assert "estimate" in key


def test_small_shares_at_the_end_have_a_larger_scale() -> None:
    found = shares([0.6, 0.25, 0.05, 0.01], [0.55, 0.2, 0.03, 0.0], [0.65, 0.3, 0.08, 0.03])
    drawn = share_table(found, enlarged=True)
    whole, _, small = drawn.partition('<tr class="enlarged" aria-hidden="true">')
    assert "Enlarged: 0 to 8%" in small
    assert places(whole, r'class="estimate" cx="([\d.]+)%"') == pytest.approx([100 * 0.6 / 0.7, 100 * 0.25 / 0.7], abs=0.01)
    assert places(whole, r'<rect class="lens" width="([\d.]+)%"') == pytest.approx([100 * 0.08 / 0.7] * 2, abs=0.01), "what is enlarged"
    assert places(small, r'class="estimate" cx="([\d.]+)%"') == [62.5, 12.5]
    assert places(small, r'class="tick" x="([\d.]+)%"') == [0, 25, 50, 75, 100]
    assert "enlarged" not in share_table(found), "only if it's wanted"


@pytest.mark.parametrize(
    "high", [[0.65, 0.3], [0.65, 0.08], [0.65, 0.3, 0.2], [0.08, 0.08], [0.08, 0.65, 0.08], [-0.5, 0.65, 0.08, 0.08]], ids=str
)
def test_shares_keep_one_scale_if_few_are_small_or_they_are_not_last(high: list[float]) -> None:
    low = [min(0.0, each) for each in high]
    assert "enlarged" not in share_table(shares([each - 0.01 for each in high], low, high), enlarged=True)


def test_a_share_that_may_be_zero_is_not_written_as_zero() -> None:
    found = shares([0.0004, 0.3, 0.0004], [0.0, 0.28, 0.0], [0.012, 0.31, 0.012], found=np.array([False, True, True]))
    assert [found.cells(k, 1)[0] for k in range(3)] == ["under 0.1%", "30.0%", "0.0%"]
    assert found.cells(0, 0)[0] == "under 1%"


def test_what_is_compared_has_marks_and_a_column() -> None:
    drawn = share_table(shares([0.1, 0.3], [0.05, 0.2], [0.15, 0.4], beside={"truth": np.array([0.5, 0.25])}))
    assert drawn.count('class="beside-1"') == 2
    assert "25%" in drawn
    assert places(drawn, r'class="mark" x="([\d.]+)%"') == [100, 50], "the scale leaves room for it"


def test_marks_of_comparison_differ_and_never_hide_the_estimate() -> None:
    others = {"truth": np.array([0.1]), "plain": np.array([0.1])}
    drawn = share_table(shares([0.1], [0.05], [0.15], beside=others))
    assert drawn.index("beside-1") < drawn.index("beside-2") < drawn.index('class="interval"') < drawn.index('class="estimate"')
    assert places(drawn, r"translate\(0 (-?\d+)\)") == [-12, 12], "one above the estimate, one below"
    assert len(set(re.findall(r'class="beside-\d" d="([^"]+)"', drawn))) == 2
    key = share_key([shares([0.1], [0.05], [0.15], beside=others)])
    assert key.index("beside-1") < key.index("truth") < key.index("beside-2") < key.index("plain")


def test_ticks_are_fewer_where_there_is_little_room() -> None:
    scale = Scale.up_to(0.0031)
    drawn = share_table(shares([0.001], [0.0005], [0.0031]), scale)
    assert places(drawn, r'class="tick" x="[\d.]+%" y="1.2em">([\d.]+)%') == [0, 0.1, 0.2, 0.3], "each second one, from zero on"
    assert drawn.count("grid-line") == len(scale.ticks) == 8
    assert [text for _, text in Scale.up_to(0.031).marks] == ["0%", "1%", "2%", "3%"], "no digits that none of them needs"
    assert [text for _, text in Scale.up_to(0.3, -0.04).marks] == ["0%", "10%", "20%", "30%"]


@pytest.mark.parametrize("most", [0.011, 0.0342, 0.13, 0.21, 0.36, 0.42, 0.55, 0.677, 0.71, 0.82, 1.0])
def test_a_scale_begins_at_zero_and_little_of_it_is_empty(most: float) -> None:
    scale = Scale.up_to(most)
    assert scale.low == scale.ticks[0] == 0
    assert scale.high == scale.ticks[-1] >= most * 0.999
    assert 3 <= len(scale.ticks) <= 8
    assert most / scale.high > 0.7


def test_the_key_says_what_an_interval_stands_for() -> None:
    few, many = (shares([0.1] * n, [0.05] * n, [0.15] * n) for n in (3, 12))
    assert "by itself" not in share_key([few])
    assert "95% interval, for each row by itself" in share_key([many])
    assert "for all at once" in share_key([many], simultaneous=True)


def test_labels_stay_text() -> None:
    evil = '"><img src=x onerror=alert(1)>'
    drawn = share_table(shares([0.1], [0.05], [0.15], labels=[evil], beside={evil: np.array([0.2])}), head=evil)
    assert "<img" not in drawn
    assert drawn.count("&lt;img") == 4


@pytest.mark.parametrize(
    ("most", "least", "ticks"),
    [
        (0.62, 0.0, [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]),
        (1.0, 0.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.031, 0.0, [0.0, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.035]),
        (0.0012, 0.0, [0.0, 0.0002, 0.0004, 0.0006, 0.0008, 0.001, 0.0012]),
        (0.3, -0.04, [-0.05, 0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]),
        (0.0, 0.0, None),
    ],
)
def test_scales_end_at_round_shares(most: float, least: float, ticks: list[float] | None) -> None:
    scale = Scale.up_to(most, least)
    assert scale.low <= least
    assert scale.high >= most
    assert ticks is None or list(scale.ticks) == ticks
    assert 3 <= len(scale.ticks) <= 9
    assert len({text for _, text in scale.marks}) == len(scale.marks), "each tick has a text of its own"


def test_one_scale_for_several_tables() -> None:
    parts = [shares([0.1], [0.05], [0.15]), shares([0.6], [0.5], [0.7], beside={"truth": np.array([0.83])})]
    assert Scale.of(parts).high == pytest.approx(1.0)
    assert Scale.of(parts[:1]).high == pytest.approx(0.15)


def test_cautions_that_are_alike_are_one_line() -> None:
    few = [Caution(f"There are few for {n} items.", "There are few.") for n in (3, 5)]
    said = [("a", few[0]), ("b", few[1]), ("c", "Else."), ("a", "Else.")]
    assert grouped(said) == [
        (["a", "b"], "There are few."),
        (["c", "a"], "Else."),
    ]
    assert grouped([("a", few[0])]) == [(["a"], "There are few for 3 items.")]
