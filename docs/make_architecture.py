"""Draw the picture of docs/architecture.md: the packages, what each contains, and what it imports.

The boxes are the rows of the table of packages in CONTRIBUTING.md, layer by layer. The arrows come from the imports. An arrow is left
out if others lead the same way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import grimp

PAGE = Path(__file__).with_name("architecture.md")
CONTRIBUTING = Path(__file__).parents[1] / "CONTRIBUTING.md"
BEGIN, END = "<!-- picture: written by make reference -->", "<!-- end of picture -->"
#: The layer that is drawn as one box, because all others import something of it, and the layer that isn't drawn.
GROUND, ASIDE = "Ground", "Beside these"
STYLE = "%%{init: {'flowchart': {'rankSpacing': 30, 'nodeSpacing': 36, 'wrappingWidth': 260, 'subGraphTitleMargin': {'bottom': 10}}}}%%"


@dataclass(frozen=True)
class Box:
    """Some packages of a layer, and what they contain."""

    layer: str
    names: tuple[str, ...]
    text: str = ""


def table(text: str) -> list[Box]:
    """The rows of the table of packages; a row with a bold name begins a layer."""
    found, layer = list[Box](), ""
    for names, about in re.findall(r"(?m)^\| (.+?) \| (.*?) ?\|$", text.partition("| package | contains |\n")[2].partition("\n\n")[0]):
        if names.startswith("**"):
            layer = names.strip("*")
        elif layer:
            found.append(Box(layer, tuple(re.findall(r"`(\w+)`", names)), about))
    return found


def boxes(rows: Sequence[Box]) -> list[Box]:
    """What is drawn of the table."""
    ground = [name for row in rows if row.layer == GROUND for name in row.names]
    return [row for row in rows if row.layer not in {GROUND, ASIDE}] + [Box(GROUND, tuple(sorted(ground)))]


def imports(drawn: Sequence[Box]) -> dict[Box, set[Box]]:
    """Which boxes import which."""
    graph, box_of = grimp.build_graph("sottovoce", cache_dir=None), {name: box for box in drawn for name in box.names}
    found: dict[Box, set[Box]] = {box: set() for box in drawn}
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            here, there = (box_of.get((*name.split("."), "")[1]) for name in (module, imported))
            if here and there and here != there:
                found[here].add(there)
    return found


def reduced(found: Mapping[Box, set[Box]]) -> dict[Box, list[Box]]:
    """The imports without those that follow from others, in the order of the table."""

    def below(box: Box) -> set[Box]:
        return found[box].union(*(below(each) for each in found[box]))

    behind = {box: set[Box]().union(*(below(each) for each in found[box])) for box in found}
    return {box: [each for each in found if each in found[box] - behind[box]] for box in found}


def picture(rows: Sequence[Box]) -> list[str]:
    """The picture in Mermaid, which code hosts draw."""
    drawn, lines = boxes(rows), ["```mermaid", STYLE, "flowchart TB"]
    for number, (layer, found) in enumerate(groupby(drawn, lambda box: box.layer)):
        lines.append(f'  subgraph layer{number} ["{layer}"]')
        for box in found:
            names = ", ".join(box.names)
            lines.append(f'    {box.names[0]}["{f"<b>{names}</b><br>{box.text}" if box.text else names}"]')
        lines.append("  end")
    lines += [f"  {box.names[0]} --> {each.names[0]}" for box, found in reduced(imports(drawn)).items() for each in found]
    return [*lines, "```"]


def page(text: str) -> str:
    """The page with its picture drawn again."""
    before, _, rest = text.partition(BEGIN)
    rows = table(CONTRIBUTING.read_text(encoding="utf-8"))
    return "\n".join([before + BEGIN, "", *picture(rows), "", END + rest.partition(END)[2]])


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
