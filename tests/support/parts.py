"""Real parts that a machine may lack: PostgreSQL, Chromium, Java, Node."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def missing(what: str, remedy: str) -> NoReturn:
    """Skip a test for want of a part, with the command that installs it. In CI the test fails."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} is not installed. Install it with .ci/setup.")
    pytest.skip(f"{what} is not installed, so its tests are skipped. To install it: {remedy}")
