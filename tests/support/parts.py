"""Real parts that a machine may lack: PostgreSQL, Chromium, Java, Node."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest


def missing(what: str, remedy: str) -> NoReturn:
    """Skip a test for want of a part, with the command that installs it. In CI the test fails."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} is not installed. Run .ci/setup, or: {remedy}")
    pytest.skip(f"{what} is not installed, so its tests are skipped. To install it: {remedy}")


def needs(package: str, what: str) -> None:
    """Skip a test that needs a Python package which is not installed. It is not imported."""
    if find_spec(package) is None:
        missing(what, "make .venv/.system")


def node() -> str:
    """The program that runs JavaScript. It comes with the Python packages."""
    program = Path(sys.executable).parent / "node"
    if not program.exists():
        missing("Node", "make .venv/.test")
    return str(program)
