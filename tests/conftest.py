from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("collectors", "commands", "processes", "suites")

from messages import Recorder  # noqa: E402 - after the line above, so that failed assertions show their values

settings.register_profile("sottovoce", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("sottovoce")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-messages", action="store_true", help="write the wording of messages down (make messages)")


def pytest_configure(config: pytest.Config) -> None:
    """Workers inherit the folder that the first process made."""
    if config.getoption("--record-messages"):
        if "PYTEST_XDIST_WORKER" not in os.environ:
            os.environ["RECORDED_MESSAGES"] = tempfile.mkdtemp()
        config.pluginmanager.register(Recorder(Path(os.environ["RECORDED_MESSAGES"])))
