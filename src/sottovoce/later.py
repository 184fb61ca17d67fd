"""Libraries that are loaded when they are first used, so that what does not need them starts at once."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as pacsv
    import pyarrow.parquet as pq
else:

    class _Later:
        """Stands for a module until one of its names is asked for."""

        def __init__(self, module: str) -> None:
            self._module = module

        def __getattr__(self, name: str) -> Any:
            found = getattr(import_module(self._module), name)
            setattr(self, name, found)
            return found

    pa, pc, pacsv, pq = (_Later(module) for module in ("pyarrow", "pyarrow.compute", "pyarrow.csv", "pyarrow.parquet"))

__all__ = ["pa", "pacsv", "pc", "pq"]
