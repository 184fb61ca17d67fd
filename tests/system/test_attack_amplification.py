"""No body costs much more CPU than a valid one of its size. tests/long has the whole search and the attack on a server."""

from __future__ import annotations

from pathlib import Path

import pytest

from amplification import costs


@pytest.mark.parametrize("mechanism", ["oue", "krr", "levels", "forms of a questionnaire", "all questions"])
def test_no_body_costs_much_more_than_a_valid_one(mechanism: str, tmp_path: Path) -> None:
    """CPU time, so that other work on the machine doesn't count."""
    found = [(ratio, shape.kind, shape.name) for ratio, shape in costs(mechanism, tmp_path, 200_000, stored=True)]
    assert len(found) > 200
    assert [each for each in sorted(found, reverse=True) if each[0] > 3] == []
