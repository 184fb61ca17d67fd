"""The sources of the site are complete: every page is in the navigation, links fit, and every public name is documented.

`make docs` builds the site from them, with broken links and anchors as errors.
"""

from __future__ import annotations

import json
import re
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

import sottovoce as sv
from docs import conf, site_parts
from docs.make_reference import LAYERS, commands
from docs.site_links import linked, pages, repository
from docs.site_notebooks import Page, gallery
from paths import ROOT
from sottovoce import findings

KNOWN = pages()


def toctrees(text: str) -> list[str]:
    """The entries of all tables of contents of a page."""
    found = re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL)
    return [line for block in found for line in block.splitlines() if line and not line.startswith(":")]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of the site."""
    folder = tmp_path_factory.mktemp("site")
    before, site_parts.SOURCE = site_parts.SOURCE, folder
    try:
        site_parts.main()
    finally:
        site_parts.SOURCE = before
    return folder


def test_code_that_is_not_released_has_a_version_of_its_own() -> None:
    """The first section of the changelog is either unreleased, for a version in development, or that of this release."""
    heads = re.findall(r"(?m)^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    release, dev, _ = sv.__version__.partition(".dev")
    released = [head.split()[0] for head in heads if head != "Unreleased"]
    assert (heads[0] == "Unreleased") == bool(dev)
    assert (release in released) != bool(dev)


def test_every_page_is_in_the_navigation_once(source: Path) -> None:
    every = sorted(path.relative_to(source).with_suffix("").as_posix() for path in source.rglob("*") if path.suffix in {".md", ".rst"})
    entries = list[str]()
    for path in source.rglob("*.md"):
        folder = path.parent.relative_to(source)
        entries += [each[1:] if each.startswith("/") else (folder / each).as_posix() for each in toctrees(path.read_text(encoding="utf-8"))]
    assert sorted(entries) == [page for page in every if page != "index"]


def test_every_public_name_is_documented(source: Path) -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in (source / "api").glob("*.rst"))
    found = re.findall(r"(?m)^\.\. auto\w+:: sottovoce\.((?:findings\.)?\w+)$", text)
    below = [f"findings.{name}" for name in findings.__all__]
    assert sorted(found) == sorted([*(set(sv.__all__) - {"__version__"}), *below])
    # with their methods, such as Study.load
    assert len(re.findall(r":members:", text)) == sum(isinstance(attrgetter(name)(sv), type) for name in found)


def test_every_layer_has_a_page(source: Path) -> None:
    public = {name for layers in LAYERS.values() for layer in layers for name in import_module(f"sottovoce.{layer}").__all__}
    assert public == (set(sv.__all__) | set(findings.__all__)) - {"__version__"}
    assert {path.stem for path in (source / "api").glob("*.rst")} == {site_parts.slug(title) for title in LAYERS}


def test_every_command_and_option_is_documented() -> None:
    import typer

    from sottovoce.cli.app import app

    text = "\n".join(commands())

    def missing(group: object, prefix: str) -> list[str]:
        found = list[str]()
        for name, command in group.commands.items():  # type: ignore[attr-defined]
            if hasattr(command, "commands"):
                found += missing(command, f"{prefix} {name}")
                continue
            section = text.partition(f"### `{prefix} {name}`\n")[2].partition("\n### ")[0]
            options = [each for option in command.params if option.name != "help" for each in (*option.opts, *option.secondary_opts)]
            found += [f"{prefix} {name} {each}" for each in options if each.startswith("-") and f"`{each}`" not in section]
            found += [] if section else [f"{prefix} {name}"]
        return found

    assert missing(typer.main.get_command(app), "sottovoce") == []


def test_links_fit_the_site() -> None:
    text = "[a](../../src/sottovoce/py.typed) [b](../install.md#extras) [c](https://example.org) [d](#here) ![e](../images/city.png)"
    blob = f"{repository()}/blob/main/src/sottovoce/py.typed"
    expected = f"[a]({blob}) [b](../install.md#extras) [c](https://example.org) [d](#here) ![e](../images/city.png)"
    assert linked(text, "docs/how-to/telemetry.md", KNOWN) == expected
    assert linked("[a](docs/decisions/README.md) [b](tests)", "CONTRIBUTING.md", KNOWN) == (
        f"[a](../decisions/index.md) [b]({repository()}/tree/main/tests)"
    )
    assert linked("```md\n[a](docs/install.md)\n```", "CONTRIBUTING.md", KNOWN) == "```md\n[a](docs/install.md)\n```"


def test_names_link_to_their_docstrings() -> None:
    assert site_parts.named("Use `sv.krr(domain, 1)` and `sv.nothing`.") == (
        "Use {py:obj}`sv.krr(domain, 1) <sottovoce.krr>` and `sv.nothing`."
    )
    assert site_parts.named("| `krr(domain)` | x |", rows=True) == "| {py:obj}`krr(domain) <sottovoce.krr>` | x |"
    assert site_parts.named("```\n`sv.krr`\n```") == "```\n`sv.krr`\n```"


def test_files_are_captions_and_hidden_commands_are_gone() -> None:
    text = '<!-- run: echo a -->\n<!-- file: a.toml -->\n```toml\nname = "a"\n```\n'
    assert site_parts.captioned(text) == '```{code-block} toml\n:caption: a.toml\n\nname = "a"\n```\n'


def test_the_picture_of_the_packages_has_all_of_them() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawn = site_parts.layered(page)
    assert "mermaid" not in drawn
    assert drawn.count("<p>") == len(re.findall(r'(?m)^    \w+\["', page)) > 20


def test_colours_are_those_of_reports_and_pages() -> None:
    light, dark = conf.html_theme_options["light_css_variables"], conf.html_theme_options["dark_css_variables"]
    assert (light["color-brand-primary"], dark["color-brand-primary"]) == ("#0b5cad", "#6cb6ff")  # type: ignore[index]
    assert light.keys() == dark.keys() == conf.THEME.keys()  # type: ignore[attr-defined]


def notebook(path: Path, *outputs: dict[str, object]) -> Path:
    """A notebook with some recorded outputs."""
    cells = [
        {"cell_type": "markdown", "source": ["# A study\n", "\n", "What [it](a.md) shows.\n"]},
        {"cell_type": "code", "source": "1 + 1", "outputs": list(outputs)},
        {"cell_type": "code", "source": "", "outputs": []},
    ]
    path.write_text(json.dumps({"cells": cells}))
    return path


def test_notebooks_become_pages_with_thumbnails(tmp_path: Path) -> None:
    shown: list[dict[str, object]] = [
        {"output_type": "stream", "text": ["a\n", "b\n"]},
        {"output_type": "execute_result", "data": {"text/plain": "2"}},
        {"output_type": "display_data", "data": {"image/png": "aGVsbG8=", "text/plain": "x"}},
        {"output_type": "display_data", "data": {"text/html": "<table>\n\n<tr></tr></table>"}},
        {"output_type": "display_data", "data": {"text/html": "<script>1</script>", "text/plain": "chart"}},
    ]
    gallery([notebook(tmp_path / "first.ipynb", *shown)], tmp_path / "out")
    text = (tmp_path / "out" / "first.md").read_text()
    assert text == (
        "# A study\n\nWhat [it](a.md) shows.\n\n\n```python\n1 + 1\n```\n\n```text\na\nb\n```\n\n```text\n2\n```\n\n"
        '![What the cell draws](first-1.png)\n\n<div class="output">\n<table>\n<tr></tr></table>\n</div>\n\n```text\nchart\n```\n\n'
    )
    assert (tmp_path / "out" / "first-1.png").read_bytes() == b"hello"
    index = (tmp_path / "out" / "index.md").read_text()
    assert ":::{grid-item-card} A study\n:link: first\n:link-type: doc\n:img-top: first-1.png\nWhat it shows.\n:::" in index
    assert toctrees(index) == ["first"]


def test_a_notebook_whose_cell_failed_is_refused(tmp_path: Path) -> None:
    broken = notebook(tmp_path / "broken.ipynb", {"output_type": "error", "ename": "ValueError", "evalue": "no"})
    with pytest.raises(ValueError, match=r"broken.ipynb: a cell failed with ValueError"):
        Page(broken, tmp_path)
