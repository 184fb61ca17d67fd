"""20,000 bodies of hypothesis, 10,000 for each store."""

from __future__ import annotations

from pathlib import Path

from collectors import added, named, serving
from studies import STUDIES
from suites.fuzzing import bodies_of_every_kind


def test_bodies_of_every_kind(url: str, tmp_path: Path) -> None:
    added(url, *(named(kind) for kind in STUDIES))
    with serving(url, tmp_path, body_bytes=1 << 18) as served:
        bodies_of_every_kind(served, 10_000)
