"""HTML pages from templates (Jinja2). Templates escape what they show, unless it is marked as HTML."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template

from sottovoce.names import escaped

__all__ = ["template"]


@cache
def template(package: str, name: str) -> Template:
    """A template that a package ships, compiled once. A missing value raises an error."""
    loader = FunctionLoader(lambda each: files(package).joinpath(each).read_text(encoding="utf-8"))
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_visible
    )
    return environment.get_template(name)


def _visible(value: Any) -> Any:
    """A value as people may see it: HTML escapes no characters that turn the text around them."""
    return escaped(value, lines=True) if isinstance(value, str) and not hasattr(value, "__html__") else value
