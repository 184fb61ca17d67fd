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
    """What a notebook shows as text, cell by cell."""
    found = []
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            found.append(
                output["text"] if output["output_type"] == "stream" else output["data"].get("text/html") or output["data"]["text/plain"]
            )
    return ["".join(text) for text in found]


def main() -> None:
    for path in sorted(FOLDER.glob("*.ipynb")):
        nbformat.write(run(path), path)  # type: ignore[no-untyped-call]
        print(f"{path.name} written")


if __name__ == "__main__":
    main()
