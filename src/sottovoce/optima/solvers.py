"""Scipy's solvers, loaded when one is called: most commands need none, and loading them takes a quarter of a command's time."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def _later(module: str, name: str) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        return getattr(import_module(module), name)(*arguments, **options)

    return call


linprog = _later("scipy.optimize", "linprog")
minimize = _later("scipy.optimize", "minimize")
minimize_scalar = _later("scipy.optimize", "minimize_scalar")
brentq = _later("scipy.optimize", "brentq")
csr_array = _later("scipy.sparse", "csr_array")
