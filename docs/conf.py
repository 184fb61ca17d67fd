"""The site, for Sphinx. `make docs` puts its sources together first (docs/site_parts.py)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sottovoce import __version__
from sottovoce.extras import SITE

project = "sottovoce"
author = "The sottovoce developers"
copyright = author  # noqa: A001  # Sphinx wants this name
version = release = __version__
language = "en"
smartquotes = False  # options begin with "--"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton", "sphinx_design"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
nitpicky = True
# annotations name classes that aren't public; what pages link to by name is checked
nitpick_ignore_regex = [("py:class", ".*"), ("py:data", ".*"), ("py:exc", ".*")]
# blocks in languages that Pygments doesn't know, and examples shortened with "…"
suppress_warnings = ["misc.highlighting_failure"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
add_module_names = False
toc_object_entries_show_parents = "hide"

# only what is typed is copied, without prompts and outputs
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"

html_theme = "furo"
html_title = f"sottovoce {version}"
html_baseurl = f"{SITE}stable/"
html_context = {"versions": f"{SITE}versions.html"}
html_sidebars = {
    "**": [
        *("sidebar/brand.html", "sidebar/search.html", "sidebar/scroll-start.html", "sidebar/navigation.html"),
        *("sidebar/versions.html", "sidebar/scroll-end.html"),
    ]
}
html_static_path = ["_static"]
templates_path = ["_templates"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
LOOK = (Path(__file__).parents[1] / "src" / "sottovoce" / "findings" / "look.css").read_text(encoding="utf-8")


def colours(part: str) -> dict[str, str]:
    """Furo's variables from the colours that reports and pages have, in light or in dark."""
    found = dict(re.findall(r"--([\w-]+): var\(--sottovoce-[\w-]+, (#\w+)\)", part))
    return {name: found[look] for name, look in THEME.items()}


#: A variable of Furo, and the colour of look.css that it takes.
THEME = {
    "color-brand-primary": "accent",
    "color-brand-content": "accent",
    "color-brand-visited": "accent",
    "color-foreground-primary": "ink",
    "color-foreground-secondary": "soft",
    "color-foreground-muted": "soft",
    "color-foreground-border": "strong-line",
    "color-background-primary": "paper",
    "color-background-secondary": "card",
    "color-background-hover": "tint",
    "color-background-border": "line",
    "color-inline-code-background": "card",
    "color-code-background": "card",
    "color-code-foreground": "ink",
    "color-api-background": "card",
    "color-api-name": "ink",
    "color-api-pre-name": "soft",
    "color-highlight-on-target": "warn-tint",
}
html_theme_options = {
    "light_css_variables": colours(LOOK.partition("(prefers-color-scheme: dark)")[0]),
    "dark_css_variables": colours(LOOK.partition("(prefers-color-scheme: dark)")[2]),
    # many pages have no source of the same name
    "top_of_page_buttons": [],
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"


def _as_text(_app: Any, _what: str, _name: str, _thing: Any, _options: Any, lines: list[str]) -> None:
    """Docstrings are written as Markdown, with `code`, and use | and * as characters."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            pieces = re.split(r"(`[^`]+`)", line)
            lines[number] = "".join(f"`{each}`" if each.startswith("`") else re.sub(r"([\\|*_])", r"\\\1", each) for each in pieces)


def setup(app: Any) -> None:
    """Register what has no setting."""
    app.connect("autodoc-process-docstring", _as_text)
