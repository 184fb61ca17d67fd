"""The precision against simulation: how wide the intervals are, how far off the estimate is, and how both fall with more people."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from collectors import matches, named, some_reports
from messages import refused
from sottovoce.estimators.intervals import deviate
from sottovoce.findings.precision import Precision
from sottovoce.findings.results import Findings
from sottovoce.tallies import Tally
from studies import STUDIES

PEOPLE, TIMES = 2000, 1500


def shares_of(study: sv.Study) -> Any:
    """Some population that is not uniform."""
    weights = 1.0 + np.arange(len(study.inputs)) % 5
    return weights / weights.sum()


def estimate_of(study: sv.Study, count: int) -> sv.Estimate:
    tally = Tally(study.mechanism).add(some_reports(study, count))
    return sv.estimate(tally, "uniform" if not count else None)


@pytest.mark.parametrize("kind", ["ldp", "uldp", "ipldp", "lip", "matrix", "lifted", "hadamard", "three-reports", "tags"])
def test_the_margin_and_the_total_variation_are_those_of_simulated_studies(kind: str) -> None:
    """The unbiased estimates of many studies of one population scatter as is foretold.

    With 1,500 studies a standard deviation is known to 1.8% and the mean of the total variation far better, so 12% and 5% are crossed by
    chance less than once in 10^9 (the largest of several deviations is a little larger than each).
    """
    study = named(kind)
    p, block = shares_of(study), next(iter(study.blocks.values()))
    found = np.array([_inverted(study, p, seed) for seed in range(TIMES)])
    precision = Precision.of(study, sv.Estimate(study.inputs, p, PEOPLE * study.reports, "inversion"))
    spread = found.std(axis=0)
    size = len(study.domain)
    widest = deviate(0.95, 1 + len(study.tags)) * spread[:size].max()
    if study.tags:
        widest = max(widest, deviate(0.95) * spread[size:].max())
    assert precision.margin == pytest.approx(widest, rel=0.12)
    assert precision.tv == pytest.approx(np.abs(found - p).sum(axis=1).mean() / 2, rel=0.05)
    assert precision.margin != pytest.approx(1.25 * widest, rel=0.12), "the test can fail"
    assert block.channel.size == len(p)


def _inverted(study: sv.Study, p: Any, seed: int) -> Any:
    tally = Tally.simulate(study.blocks[""], p, PEOPLE, sv.SeededSource(seed), reports=study.reports)
    return sv.estimate(tally, "inversion").p


@pytest.mark.parametrize("kind", ["levels", "tags-and-levels"])
def test_with_levels_the_margin_is_that_of_the_standard_errors(kind: str) -> None:
    study = named(kind)
    estimate = estimate_of(study, 900)
    precision = Precision.of(study, estimate, 0.9)
    z = [deviate(0.9, 1 + len(study.tags))] * len(study.domain) + [deviate(0.9)] * len(study.tags)
    assert precision.margin == pytest.approx(float((np.array(z) * estimate.stderr).max()))
    assert precision.tv == pytest.approx(float(estimate.stderr.sum()) / math.sqrt(2 * math.pi))


@pytest.mark.parametrize("kind", ["levels", "tags-and-levels"])
def test_with_levels_and_nobody_yet_the_margin_is_that_of_equally_many_at_each(kind: str) -> None:
    study = named(kind)
    source = study.mechanism
    uniform = np.full(len(study.inputs), 1 / len(study.inputs))
    each = 200_000
    tally = Tally.simulate(source, uniform, dict.fromkeys(study.blocks, each), sv.SeededSource(1))
    later = Precision.of(study, sv.estimate(tally, "projected"))
    assert later.margin is not None
    early = Precision.of(study, estimate_of(study, 0))
    assert early.margin_with(later.people) == pytest.approx(later.margin, rel=0.02)


def test_the_law_in_n() -> None:
    """Four times as many people halve the margin, and as many as are needed bring it to the target, and one fewer does not."""
    study = named("uldp")
    precision = Precision.of(study, estimate_of(study, 1000))
    assert precision.margin is not None
    assert precision.margin_with(4000) == pytest.approx(precision.margin / 2)
    assert precision.tv_with(4000) == pytest.approx(precision.tv_with(1000) / 2)
    for target in (0.5, 0.03, 0.01, 0.0001):
        needed = precision.needed(target)
        assert needed is not None
        assert precision.margin_with(needed) <= target * (1 + 1e-12)
        assert precision.margin_with(needed - 1) > target * (1 - 1e-12)
    told = precision.to_dict(0.02)
    assert told["more"] == told["needed"] - 1000
    assert precision.to_dict(0.9)["more"] == 0
    curve = told["curve"]
    assert curve[0]["people"] == 100
    assert curve[-1]["people"] == max(100_000, 2 * told["needed"])
    assert [point["people"] for point in curve] == sorted({point["people"] for point in curve})
    assert 20 <= len(curve) <= 25
    assert all(point["margin"] == pytest.approx(precision.margin * math.sqrt(1000 / point["people"])) for point in curve)


def shown(study: sv.Study, estimate: sv.Estimate, level: float = 0.95) -> Precision:
    return Precision.of(study, estimate, level, Findings.of(study, estimate, level=level).tables)


@pytest.mark.parametrize("count", [60, 3000])
@pytest.mark.parametrize("kind", STUDIES)
def test_the_margin_is_half_the_widest_interval_that_a_page_shows(kind: str, count: int) -> None:
    """For one question, numbers, products, marked answers, grids and levels."""
    study = named(kind)
    estimate = estimate_of(study, count)
    findings = Findings.of(study, estimate)
    told, plain = shown(study, estimate).to_dict(0.03), findings.to_dict()
    tables = [plain["items"], *plain["margins"].values(), plain.get("cumulative", []), plain.get("tags", [])]
    rows = [row for table in tables for row in table]
    if all(row["high"] - row["low"] < 1 for row in rows):
        assert told["margin"] == pytest.approx(max(row["high"] - row["low"] for row in rows) / 2)
        assert any((row["low"], row["high"]) == pytest.approx((told["widest"]["low"], told["widest"]["high"])) for row in rows)
        assert (told["more"] == 0) == (told["margin"] <= 0.03), "what is enough is what the page shows"
        curve = {point["people"]: point["margin"] for point in told["curve"]}
        assert all(later <= earlier for earlier, later in pairwise(curve.values()))
        assert told["least"] <= min(curve.values())
    assert told["ranked"] == (max(row["low"] for row in plain["items"]) > min(row["high"] for row in plain["items"]))


def test_marked_answers_stay_uncertain_however_many_people_answer() -> None:
    """A grid of 625 places whose marked answers could be anywhere: an eighth of the noise remains with 64 times as many people."""
    text = """
name = "city"
question = "Where?"
[grid]
latitude = [40.7, 40.8]
longitude = [-74.0, -73.9]
shape = [25, 25]
[privacy]
notion = "uldp"
epsilon = 1.0
tags = ["home"]
sensitive = [[3, 4]]
"""
    study = sv.Study.from_toml(text)
    p = np.append(np.full(625, 0.9 / 625), 0.1)
    few, many = (
        shown(study, sv.estimate(Tally.simulate(study.mechanism, p, n, sv.SeededSource(1), keep_reports=True))) for n in (20_000, 1_280_000)
    )
    for each in (few, many):
        told = each.to_dict(0.04)
        assert 0.04 < told["least"] < 0.06, "half of the marked answers"
        assert (told["needed"], told["more"], told["ranked"]) == (None, None, False)
        assert told["note"].startswith("No number of people narrows it to ± 4 points")
    assert many.margin == pytest.approx(few.margin_with(1_280_000), rel=0.05)
    assert many.margin is not None
    needed = few.needed(0.055)
    assert needed is not None
    assert needed > 20_000


def test_the_margin_that_is_foretold_is_that_of_as_many_people() -> None:
    study = named("three-reports")
    tallies = [Tally.simulate(study.mechanism, shares_of(study), n, sv.SeededSource(1), reports=3) for n in (5000, 80_000)]
    early, late = (shown(study, sv.estimate(tally)) for tally in tallies)
    assert late.margin == pytest.approx(early.margin_with(80_000), rel=0.05)


@pytest.mark.parametrize("count", [0, 1, 600])
@pytest.mark.parametrize("kind", STUDIES)
def test_every_kind_of_study_has_a_precision(kind: str, count: int) -> None:
    study = named(kind)
    told = Precision.of(study, estimate_of(study, count)).to_dict()
    matches(told, "Outlook")
    assert told["people"] == count // study.reports
    assert told["needed"] > 0
    assert told["more"] == max(0, told["needed"] - told["people"])
    assert (told["margin"] is None) == (told["tv"] is None) == (count == 0)
    assert 10 <= told["curve"][0]["people"] < told["curve"][-1]["people"]
    assert all(0 < point["margin"] < math.inf and 0 < point["tv"] < math.inf for point in told["curve"])
    assert ("No one has answered yet" in (told["note"] or "")) == (count == 0)
    assert bool(study.tags) == ("could be anywhere" in (told["note"] or ""))


def test_where_totals_cannot_be_inverted_it_says_so() -> None:
    """A channel that sends two items to the same reports: no totals tell them apart."""
    text = STUDIES["matrix"].replace('["a", "b"]', '["a", "b", "c"]')
    study = sv.Study.from_toml(text.replace("[[0.75, 0.25], [0.25, 0.75]]", "[[0.75, 0.25], [0.25, 0.75], [0.25, 0.75]]"))
    for count in (0, 60):
        told = Precision.of(study, sv.estimate(Tally(study.mechanism).add(some_reports(study, count)), "uniform")).to_dict()
        matches(told, "Outlook")
        assert told["people"] == count
        assert (told["margin"], told["tv"], told["needed"], told["more"], told["curve"]) == (None, None, None, None, [])
        assert "can't be inverted" in told["note"]


def test_targets_and_levels_lie_between_zero_and_one() -> None:
    study = named("ldp")
    precision = Precision.of(study, estimate_of(study, 100))
    for target in (0.0, 1.0, -0.1, math.nan, math.inf):
        with refused(sv.ParameterError, target):
            precision.to_dict(target)
    for level in (0.0, 1.0, math.nan):
        with refused(sv.ParameterError, "level", level):
            Precision.of(study, estimate_of(study, 100), level)


def test_a_target_that_takes_more_people_than_there_are() -> None:
    study = named("ldp")
    for target in (1e-9, 5e-324):
        told = Precision.of(study, estimate_of(study, 100)).to_dict(target)
        matches(told, "Outlook")
        assert told["needed"] is None
        assert "more people than exist" in told["note"]


def test_the_caution_about_few_people_rests_on_the_precision() -> None:
    study = named("olh")
    estimate = estimate_of(study, 200)
    tv = Precision.of(study, estimate).tv
    assert tv is not None
    (caution,) = [each for each in Findings.of(study, estimate).cautions if each.startswith("There are few people")]
    needed = math.ceil(200 * (tv / 0.1) ** 2)
    digits = 10 ** (len(str(needed)) - 2)
    assert f"about {-(-needed // digits) * digits:,} people" in caution
