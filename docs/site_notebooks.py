"""The gallery of notebooks: their text, code and recorded outputs as pages, with a thumbnail of the last picture of each."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

PICTURES = {"image/svg+xml": "svg", "image/png": "png"}


def text_of(value: Any) -> str:
    """A text of a notebook, which may be a list of lines."""
    return value if isinstance(value, str) else "".join(value)


def fenced(language: str, text: str) -> str:
    """A block of code that may contain fences itself."""
    fence = "`" * max([3, *(len(each) + 1 for each in re.findall(r"`{3,}", text))])
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


class Page:
    """A notebook as a page. Pictures become files beside it."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.name, self.folder = path.stem, folder
        self.pictures: list[str] = []
        self.cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
        self.text = "\n".join(part for cell in self.cells for part in self._cell(cell)) + "\n"

    @property
    def title(self) -> str:
        """The first heading."""
        found = re.search(r"^# +(.+)$", self.text, re.MULTILINE)
        return found[1] if found else self.name

    @property
    def summary(self) -> str:
        """The first paragraph below the title, without links."""
        below = self.text.partition(f"# {self.title}\n")[2].strip().split("\n\n")[0]
        return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(below.split()))

    def _cell(self, cell: dict[str, Any]) -> Iterator[str]:
        source = text_of(cell["source"])
        if cell["cell_type"] == "markdown":
            yield source + "\n"
        elif cell["cell_type"] == "code" and source.strip():
            yield fenced("python", source)
            for output in cell.get("outputs", []):
                yield from self._output(output)

    def _output(self, output: dict[str, Any]) -> Iterator[str]:
        if output["output_type"] == "stream":
            yield fenced("text", text_of(output["text"]))
        elif output["output_type"] == "error":
            raise ValueError(f"{self.name}.ipynb: a cell failed with {output['ename']}: {output['evalue']}")
        else:
            yield self._shown(output["data"])

    def _shown(self, data: dict[str, Any]) -> str:
        for kind, suffix in PICTURES.items():
            if kind in data:
                return self._picture(text_of(data[kind]), suffix)
        if "text/html" in data and "<script" not in text_of(data["text/html"]):
            # a blank line would end the block of HTML
            return '<div class="output">\n' + re.sub(r"\n\s*\n", "\n", text_of(data["text/html"])).strip() + "\n</div>\n"
        return fenced("text", text_of(data.get("text/plain", "")))

    def _picture(self, data: str, suffix: str) -> str:
        name = f"{self.name}-{len(self.pictures) + 1}.{suffix}"
        (self.folder / name).write_bytes(base64.b64decode(data) if suffix == "png" else data.encode())
        self.pictures.append(name)
        return f"![What the cell draws]({name})\n"


def card(page: Page) -> list[str]:
    """The card of a notebook in the gallery."""
    picture = [f":img-top: {page.pictures[-1]}"] if page.pictures else []
    return [f":::{{grid-item-card}} {page.title}", f":link: {page.name}", ":link-type: doc", *picture, page.summary, ":::"]


def gallery(notebooks: Sequence[Path], folder: Path) -> None:
    """Write the page of each notebook, and the gallery of all."""
    folder.mkdir(parents=True, exist_ok=True)
    found = [Page(path, folder) for path in notebooks]
    for page in found:
        (folder / f"{page.name}.md").write_text(page.text, encoding="utf-8")
    lines = [
        "# Notebooks",
        "",
        "Whole jobs with their results. Open a notebook to follow it, or run it yourself from `docs/notebooks`.",
        "",
    ]
    if found:
        lines += ["::::{grid} 1 2 2 3", ":gutter: 3", "", *(line for page in found for line in card(page)), "::::", ""]
        lines += ["```{toctree}", ":hidden:", "", *(page.name for page in found), "```", ""]
    (folder / "index.md").write_text("\n".join(lines), encoding="utf-8")
