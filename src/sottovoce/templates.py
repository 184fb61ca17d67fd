"""HTML pages from templates (Jinja2). Templates escape what they show, unless it is marked as HTML."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template

__all__ = ["template"]


@cache
def template(package: str, name: str) -> Template:
    """A template that a package ships, compiled once. A missing value raises an error."""
    loader = FunctionLoader(lambda each: files(package).joinpath(each).read_text(encoding="utf-8"))
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.get_template(name)
