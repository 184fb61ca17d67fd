"""The conformance suite over every mechanism, and proof that it can fail."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import sottovoce as sv
from messages import refused
from sottovoce.channels import DirectChannel
from sottovoce.checks import FALSE_ALARM, Check, ConformanceError, checks_for, conform, p_value
from sottovoce.checks.conformance import (
    certificate_equals_enumeration,
    claim_holds,
    likelihood_is_proportional,
    reports_round_trip,
    rows_sum_to_one,
    same_words_same_reports,
    samples_its_channel,
)
from zoo import DOMAIN, HASHED, NAMES, ZOO, built

LISTING: list[Check] = [rows_sum_to_one, certificate_equals_enumeration, likelihood_is_proportional]
COMMON: list[Check] = [claim_holds, reports_round_trip, same_words_same_reports, samples_its_channel]
CASES = [(name, check) for name in NAMES for check in ([] if name in HASHED else LISTING) + COMMON]


@pytest.mark.parametrize(("name", "check"), [pytest.param(*case, id=f"{case[0]}-{case[1].__name__}") for case in CASES])
def test_conforms(name: str, check: Check) -> None:
    mechanism = built(name, 1.2)
    assert checks_for(mechanism) == [other for each, other in CASES if each == name]
    check(mechanism)


@pytest.mark.parametrize("source", ["secure", "seeded"])
@pytest.mark.parametrize("name", ZOO)
def test_sampling_accepts_the_channel_and_rejects_a_tenth_more(name: str, source: str) -> None:
    """Exact binomial tests with a false-alarm rate below 1e-9: the stated channel passes, the one with 1.1·ε does not."""
    right, wrong = built(name), built(name, 1.1)
    worst = 1.0
    for code in range(len(right.inputs)):
        reports = right.channel.perturb(np.full(300_000, code), sv.SecureSource() if source == "secure" else sv.SeededSource(code))
        assert p_value(right.channel, code, reports) > FALSE_ALARM / len(right.inputs)
        worst = min(worst, p_value(wrong.channel, code, reports))
    assert worst < FALSE_ALARM


def test_sampling_of_large_unary_channels() -> None:
    right, wrong = (sv.oue(sv.Domain(200), epsilon) for epsilon in (1.0, 1.1))
    for code in (0, 63, 64, 199):
        reports = right.channel.perturb(np.full(60_000, code), sv.SecureSource())
        assert p_value(right.channel, code, reports) > FALSE_ALARM
        assert p_value(wrong.channel, code, reports) < FALSE_ALARM


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint32, np.int64, np.uint64, ">i4"])
@pytest.mark.parametrize("name", ZOO)
def test_the_type_of_the_codes_does_not_matter(name: str, dtype: Any) -> None:
    channel = built(name, 2.0).channel
    codes = np.arange(500) % channel.size
    assert channel.perturb(codes.astype(dtype), sv.SeededSource(1)) == channel.perturb(codes, sv.SeededSource(1))


def test_codes_of_lifted_reports_do_not_wrap() -> None:
    domain = sv.Domain(200)
    for base in (sv.hadamard, sv.olh):
        lifted = sv.utility_optimized(base(domain.subset(range(100)), 2.0), domain)
        codes = np.full(100, 150, dtype=np.uint8)
        assert lifted.perturb(codes, sv.SeededSource(1)) == lifted.perturb(codes.astype(np.int64), sv.SeededSource(1))


class _LateLeak(DirectChannel):
    """Sends the last items as they are."""

    def sample(self, codes: Any, source: sv.Source) -> sv.Reports:
        honest = super().sample(codes, source)
        assert isinstance(honest, sv.CodeReports)
        return sv.CodeReports(np.where(codes >= self.size - 2, codes, honest.codes), self.size)


@pytest.mark.parametrize("size", [20, 40, 5000])
def test_the_suite_looks_at_the_last_items_too(size: int) -> None:
    honest = sv.krr(sv.Domain(size), 1.0)
    samples_its_channel(honest)
    assert isinstance(honest.channel, DirectChannel)
    with pytest.raises(ConformanceError) as caught:
        samples_its_channel(dataclasses.replace(honest, channel=_LateLeak(honest.channel.truth, honest.channel.noise)))
    assert f"item {size - 2} " in str(caught.value)


@pytest.mark.parametrize(
    "build",
    [
        lambda: sv.subset_selection(sv.Domain(20), 1.0),
        lambda: sv.oue(sv.Domain(20), 1.0),
        lambda: built("utility_optimized-oue"),
        lambda: sv.utility_optimized(sv.oue(sv.Domain(20).subset(range(12)), 1.0), sv.Domain(20)),
    ],
    ids=["subset_selection", "oue", "utility_optimized-oue", "utility_optimized-oue-of-20"],
)
def test_larger_mechanisms_conform(build: Callable[[], sv.Mechanism]) -> None:
    assert "samples_its_channel" in conform(build())


class _Loud(DirectChannel):
    """Says it is one channel and samples another."""

    def sample(self, codes: Any, source: sv.Source) -> sv.Reports:
        return sv.krr(DOMAIN, 1.5).channel.sample(codes, source)


class _Meek(DirectChannel):
    """Shows the columns of a quieter channel to those who judge it."""

    @property
    def columns(self) -> Any:
        return sv.krr(DOMAIN, 0.9).channel.columns


def test_the_suite_catches_a_channel_that_samples_something_else() -> None:
    honest = sv.krr(DOMAIN, 1.0)
    assert isinstance(honest.channel, DirectChannel)
    loud = dataclasses.replace(honest, channel=_Loud(honest.channel.truth, honest.channel.noise))
    with pytest.raises(ConformanceError) as caught:
        samples_its_channel(loud)
    assert "item 0 " in str(caught.value)
    with pytest.raises(ConformanceError):
        conform(loud)


def test_the_suite_catches_a_certificate_that_flatters() -> None:
    """A channel whose closed form understates the level is caught by enumeration."""
    honest = sv.krr(DOMAIN, 1.0)
    assert isinstance(honest.channel, DirectChannel)
    meek = dataclasses.replace(honest, channel=_Meek(honest.channel.truth, honest.channel.noise))
    with refused(ConformanceError, "LDP"):
        certificate_equals_enumeration(meek)


def test_neutral_draws_of_lifted_hashing_are_kept_as_often_as_stated() -> None:
    """Given its hash function, a neutral draw is kept with the threshold of its bucket, filled or empty."""
    lifted = built("utility_optimized-olh").channel
    assert isinstance(lifted, sv.LiftedChannel)
    assert isinstance(lifted.base, sv.HashedChannel)
    reports, dropped = lifted.base.draw(np.full(300_000, -1), lifted.keep, lifted.keep_empty, sv.SeededSource(1))
    assert isinstance(reports, sv.HashedReports)
    filled = lifted.base.member(reports).any(axis=1)
    for mask, threshold, other in ((filled, lifted.keep, lifted.keep_empty), (~filled, lifted.keep_empty, lifted.keep)):
        kept, total = int((~dropped[mask]).sum()), int(mask.sum())
        assert binomtest(kept, total, threshold / 2**64).pvalue > FALSE_ALARM
        assert binomtest(kept, total, other / 2**64).pvalue < FALSE_ALARM
