"""A channel of your own, from its definition to the collector. docs/channels.md shows this file."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from collectors import added, bodies, hosted
from sottovoce.arithmetic import apportion, exp_below
from sottovoce.catalogue import MECHANISMS, mechanism
from sottovoce.checks import conform
from sottovoce.store import Role

ITEMS, P = ["never", "rarely", "often", "always"], [0.1, 0.2, 0.3, 0.4]
STUDY = f'name = "habits"\nquestion = "Often?"\nitems = {ITEMS}\n[privacy]\nnotion = "ldp"\nepsilon = 3.0\n[mechanism]\nname = "geometric"'


@dataclass(frozen=True, eq=False)
class GeometricChannel(sv.Channel):
    """Noise on a line of items, cut off at both ends: Q(y|x) ∝ α^|y − x|, times 1 − α unless y is an end."""

    items: int
    alpha: Fraction

    @property
    def size(self) -> int:
        return self.items

    @cached_property
    def _rows(self) -> Any:
        ends, line = (0, self.size - 1), range(self.size)
        return np.array([apportion([self.alpha ** abs(y - x) * (1 if y in ends else 1 - self.alpha) for y in line]) for x in line], object)

    def numerators(self) -> Any:
        return self._rows

    def sample(self, codes: Any, source: sv.Source) -> sv.Reports:
        words, thresholds = source.take(len(codes)), np.cumsum(self._rows, axis=1)[:, :-1].astype(np.uint64)
        return sv.CodeReports((words[:, None] >= thresholds[codes]).sum(axis=1), self.size)


@pytest.fixture
def geometric() -> Iterator[Any]:
    @mechanism(use="answers in an order", report="an item", promises=("LDP",), plan=("ldp",))
    def geometric(domain: sv.Domain, epsilon: float) -> sv.Mechanism:
        alpha = (1 + Fraction(1, 2**40)) / exp_below(epsilon / (len(domain) - 1))  # a little more noise makes up for rounding
        return sv.Mechanism(domain, GeometricChannel(len(domain), alpha), sv.LDP(epsilon), "geometric")

    yield geometric
    MECHANISMS.discard("geometric")


def test_a_channel_of_your_own_does_everything(geometric: Any, tmp_path: Path) -> None:
    m = geometric(sv.Domain(ITEMS), 3.0)
    assert "certificate_equals_enumeration" in conform(m)
    reports = m.perturb(np.random.default_rng(1).choice(4, size=40_000, p=P), sv.SeededSource(1))
    assert m.channel.reports_from_arrow(reports.to_arrow()) == m.channel.reports_from_bytes(reports.to_bytes()) == reports
    tally = sv.Tally(m).add(reports[:10_000]) + sv.Tally(m).add(reports[10_000:])
    assert sv.Tally.from_bytes(m, tally.to_bytes()) == tally == sv.Tally(m).add(reports)
    inverted, likeliest = sv.estimate(tally, "inversion"), sv.estimate(tally, "mle")
    assert likeliest.gap == pytest.approx(0, abs=0.01)
    for low, high in (inverted.interval(0.9999), likeliest.interval(0.9999)):
        assert ((low < P) & (high > P)).all()
    assert ((inverted.p - P) ** 2).sum() < 20 * sv.losses(m, P, 40_000).l2
    assert "geometric" in [option.name for option in sv.plan(m.domain, 3.0, n=1000).options]
    study = sv.Study.from_toml(STUDY)
    added(url := str(tmp_path / "store.sqlite"), study)
    with hosted(url) as collector, collector.client() as client:
        for body in bodies(study, reports[:60]):
            assert client.post("/studies/habits/reports", content=body, headers={"content-type": "application/json"}).status_code == 200
        assert client.get("/studies/habits/estimate", headers=collector.token(Role.ANALYST, "habits")).json()["n"] == 60
