"""The notebooks of docs/notebooks run, and the outputs that they are committed with are those that they have now."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import nbformat
import pytest

from paths import ROOT

FOLDER = ROOT / "docs" / "notebooks"
MAKE = runpy.run_path(str(ROOT / "docs" / "make_notebooks.py"))


def lasting(texts: list[str]) -> list[str]:
    """Texts without style sheets, the names of pandas' columns, places in memory and the last digits of numbers."""
    plain = [re.sub(r"<style.*?</style>|0x[0-9a-f]+", "", text, flags=re.DOTALL) for text in texts]
    return [re.sub(r"(\d\.\d{3})\d+", r"\1", text) for text in plain]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_run_and_their_outputs_are_fresh(path: Path) -> None:
    written: Any = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    made = MAKE["run"](path)
    assert [output["data"].keys() for cell in made.cells for output in cell.get("outputs", ()) if "data" in output] == [
        output["data"].keys() for cell in written.cells for output in cell.get("outputs", ()) if "data" in output
    ]
    assert lasting(MAKE["texts"](made)) == lasting(MAKE["texts"](written)), "run python docs/make_notebooks.py"
