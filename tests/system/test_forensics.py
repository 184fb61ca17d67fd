"""The files on disk don't show in which order reports came."""

from __future__ import annotations

import pytest

from suites.forensics import Ending, killed, order_is_not_found, stopped


@pytest.mark.parametrize("end", [stopped, killed])
def test_the_order_of_arrival_is_not_in_the_file(end: Ending) -> None:
    order_is_not_found(end, 1)
