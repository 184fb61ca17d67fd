"""The pictures of how it works are of a real channel and a real estimate."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

import sottovoce as sv
from paths import ROOT


@pytest.fixture(scope="module")
def drawing() -> ModuleType:
    """The script that draws the pictures."""
    spec = importlib.util.spec_from_file_location("make_how_it_works", ROOT / "docs" / "make_how_it_works.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_the_pictures_are_current(drawing: ModuleType) -> None:
    """Drawn again with docs/make_how_it_works.py."""
    for path, text in drawing.files().items():
        assert Path(path).read_text(encoding="utf-8") == text, path


def test_the_example_is_what_its_reports_give(drawing: ModuleType) -> None:
    """The shares follow from the recorded reports, by the formula for swapped answers."""
    found = json.loads(drawing.EXAMPLE.read_text())
    yes = int(found["reports"], 16).bit_count()
    channel = sv.krr(sv.Domain(["yes", "no"]), drawing.EPSILON).channel.matrix()
    share = (yes / found["people"] - channel[1, 0]) / (channel[0, 0] - channel[1, 0])
    assert found["share"] == pytest.approx(share, abs=1e-3)
    assert found["swapped"] == pytest.approx(channel[1, 0], abs=1e-4)
    assert found["low"] < found["truth"] < found["high"]
