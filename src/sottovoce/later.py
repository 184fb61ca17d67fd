"""Modules that are loaded when they are first used, so that what does not need them starts at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["above", "exports", "later", "pa", "pacsv", "pc", "pq"]


class _Later:
    """Stands for a module until one of its names is asked for."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(import_module(self._module), name)
        setattr(self, name, found)
        return found


def later(module: str) -> Any:
    """A module that is loaded when one of its names is asked for."""
    return _Later(module)


def above(module: str) -> Any:
    """A module of a higher layer, for methods that are shortcuts to what it does. Nothing below may depend on its result."""
    return _Later(module)


def exports(package: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package: where each of its names comes from, loaded when it is asked for."""

    def find(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{places[name]}"), name)

    return find


if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as pacsv
    import pyarrow.parquet as pq
else:
    pa, pc, pacsv, pq = (later(module) for module in ("pyarrow", "pyarrow.compute", "pyarrow.csv", "pyarrow.parquet"))
