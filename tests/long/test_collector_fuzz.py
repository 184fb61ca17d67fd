"""What can be thrown at a collector, at full size: 20,000 bodies of hypothesis, and twice as many requests as the system tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from collectors import (
    Served,
    added,
    fresh_url,
    named,
    serving,
)
from studies import STUDIES
from suites.fuzzing import bodies_of_every_kind
from suites.interface import the_interface_keeps_what_it_describes

#: For each store: bodies of hypothesis, and requests of schemathesis to each operation.
BODIES, EXAMPLES = 10_000, 60


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("fuzz")
    url = fresh_url(request, folder)
    added(url, *(named(kind) for kind in STUDIES))
    with serving(url, folder, body_bytes=1 << 18) as running:
        yield running


def test_bodies_of_every_kind(served: Served) -> None:
    bodies_of_every_kind(served, BODIES)


@pytest.mark.parametrize("mode", ["positive", "negative"])
@pytest.mark.parametrize("token", [False, True])
def test_the_interface_keeps_what_it_describes(served: Served, mode: str, token: bool) -> None:
    the_interface_keeps_what_it_describes(served, mode, EXAMPLES, token=token)
