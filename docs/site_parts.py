"""Put the sources of the documentation site together in build/docs-source: `make docs` builds the site from them.

Most pages are those of `docs`, with links that fit the site. Added are the pages about names (from docstrings), the gallery of
notebooks, and pages from elsewhere in the repository.
"""

from __future__ import annotations

import re
import shutil
from importlib import import_module

import sottovoce as sv
from docs.make_reference import LAYERS
from docs.site_links import FILES, ROOT, linked, pages, parts, repository
from docs.site_notebooks import gallery

SOURCE = ROOT / "build" / "docs-source"
#: Names that pages write with the package: `sv.krr` and `sv.Study.load`.
NAME = re.compile(r"(?<!`)`sv\.(\w+)((?:\.\w+)?)((?:\([^`]*\))?)`(?!`)")
#: A row of docs/reference.md that begins with a name.
ROW = re.compile(r"^\| `(\w+)((?:\([^`]*\))?)` \|")


API = """# Python API

Every public name of the package `sottovoce`, with its parameters and examples. Most programs begin with `import sottovoce as sv`.
"""
#: Pages with other pages below them in the navigation, and the folder of those.
BRANCHES = {"decisions/index.md": "decisions/", "reproduction/index.md": "reproduction/", "explanation/papers.md": "papers/"}


def slug(title: str) -> str:
    """The file name of a page.

    >>> slug("Domains, priors, sources")
    'domains-priors-sources'
    """
    return re.sub(r"\W+", "-", title.lower()).strip("-")


def named(text: str, *, rows: bool = False) -> str:
    """A page whose public names are links to what their docstrings say."""

    def reference(found: re.Match[str], shown: str) -> str:
        known = found[1] in sv.__all__ and found[1] != "__version__"
        return f"{{py:obj}}`{shown} <sottovoce.{found[1]}>`" if known else found[0]

    def line_with_links(line: str) -> str:
        if rows:
            return ROW.sub(lambda found: f"| {reference(found, found[1] + found[2])} |", line)
        return NAME.sub(lambda found: reference(found, found[0].strip("`")), line)

    return "\n".join(line if code or line.startswith("#") else line_with_links(line) for line, code in parts(text))


def captioned(text: str) -> str:
    """A page whose files are captions of the code below them, where the repository has comments for the tests."""
    text = re.sub(r"^<!-- run: .* -->\n", "", text, flags=re.MULTILINE)
    return re.sub(r"^<!-- file: (\S+) -->\n```(\w+)$", r"```{code-block} \2\n:caption: \1\n", text, flags=re.MULTILINE)


def layered(text: str) -> str:
    """The picture of the packages as layers of boxes, because a browser doesn't draw Mermaid by itself."""

    def boxes(found: re.Match[str]) -> str:
        lines = ['<div class="layers">']
        for title, inside in re.findall(r'subgraph \w+ \["(.+?)"\]\n(.*?)\n  end', found[1], re.DOTALL):
            lines += [f"<section><h4>{title}</h4>", *(f"<p>{each}</p>" for each in re.findall(r'\w+\["(.+?)"\]', inside)), "</section>"]
        source = f"{repository()}/blob/main/docs/architecture.md#the-packages"
        return "\n".join([*lines, "</div>", "", f"The [picture with its arrows]({source}) is in the repository."])

    return re.sub(r"^```mermaid\n(.*?)^```", boxes, text, flags=re.DOTALL | re.MULTILINE)


def staged(text: str, page: str, known: dict[str, str]) -> str:
    """A page of the repository as the site shows it."""
    text = layered(captioned(linked(text, page, known)))
    text = named(text, rows=page == "docs/reference.md")
    return text + contents(below(known[page], known)) if known[page] in BRANCHES else text


def below(path: str, known: dict[str, str]) -> list[str]:
    """The pages below one in the navigation: those of its folder, or of the folder that `BRANCHES` names."""
    folder = BRANCHES[path]
    found = sorted(page for page in known.values() if page.startswith(folder) and page != path)
    return [f"/{page.removesuffix('.md')}" for page in found]


def names(title: str, layers: tuple[str, ...]) -> str:
    """The page about the public names of some layers, in reStructuredText for autodoc."""
    lines = [title, "=" * len(title), "", ".. currentmodule:: sottovoce", ""]
    for layer in layers:
        for name in sorted(import_module(f"sottovoce.{layer}").__all__, key=str.lower):
            lines += [*directive(name, "sottovoce.findings" if layer == "findings" else "sottovoce"), ""]
    return "\n".join(lines)


def directive(name: str, package: str = "sottovoce") -> list[str]:
    """How autodoc documents a public name of a package.

    >>> directive("krr")
    ['.. autofunction:: sottovoce.krr']
    """
    thing = getattr(import_module(package), name)
    if isinstance(thing, type):
        return [f".. autoclass:: {package}.{name}", "   :members:"]
    return [f".. {'autofunction' if callable(thing) else 'autodata'}:: {package}.{name}"]


def write(path: str, text: str) -> None:
    """Write a page of the site."""
    file = SOURCE / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def contents(entries: list[str], *options: str) -> str:
    """Pages that stand below the page in the navigation."""
    return "\n".join(["", "```{toctree}", *(options or (":hidden:",)), "", *entries, "```", ""])


def main() -> None:
    """Write all of it."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    known = pages()
    for page, path in known.items():
        write(path, staged((ROOT / page).read_text(encoding="utf-8"), page, known))
    shutil.copytree(ROOT / "docs" / "images", SOURCE / "images")
    shutil.copytree(ROOT / FILES, SOURCE / FILES, ignore=shutil.ignore_patterns("*.md"))
    for title, layers in LAYERS.items():
        write(f"api/{slug(title)}.rst", names(title, layers))
    write("api/index.md", API + contents([slug(title) for title in LAYERS], ":maxdepth: 1"))
    gallery(sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")), SOURCE / "notebooks")


if __name__ == "__main__":
    main()
