"""Runs the notebooks of docs/notebooks and writes their outputs into them: python docs/make_notebooks.py"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent / "notebooks"


def run(path: Path) -> Any:
    """A notebook with the outputs of all its cells, made in its own folder."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}, record_timing=False).execute()
    return notebook


def texts(notebook: Any) -> list[str]:
    """What a notebook shows as text, output by output. Pictures depend on fonts."""
    return [_text(output) for cell in notebook.cells for output in cell.get("outputs", ())]


def _text(output: Any) -> str:
    if output["output_type"] == "stream":
        return "".join(output["text"])
    return "".join(output["data"].get("text/html") or output["data"]["text/plain"])


def main() -> None:
    for path in sorted(FOLDER.glob("*.ipynb")):
        nbformat.write(run(path), path)  # type: ignore[no-untyped-call]
        print(f"{path.name} written")


if __name__ == "__main__":
    main()
