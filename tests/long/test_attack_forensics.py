"""Twenty stores whose files are searched for the order of arrival, after a clean end and after a kill with the next start."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from suites.forensics import Ending, killed, order_is_not_found, stopped


@pytest.mark.parametrize("end", [stopped, killed])
def test_the_order_of_arrival_is_not_in_the_file(end: Ending, record_property: Callable[[str, object], None]) -> None:
    for name, share in order_is_not_found(end, 20).items():  # docs/security.md has them
        record_property(name, share)
