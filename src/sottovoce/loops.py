"""Loops over many reports: plain Python while there is little to do, machine code from then on.

Loading the compiler takes longer than a small study does, and compiling takes seconds. So a loop runs as it is written until
it has done about as much work in this process as loading the compiler costs. From then on it runs as machine code, which is
compiled once for each combination of types and kept on disk. Both ways give the same bits: the source is the
same, integers have explicit widths, and functions such as `log` come from `math`, which is the C library's in both.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

#: Steps of about a microsecond that a loop may take in plain Python before it is compiled: loading the compiler takes as long.
_PATIENCE = 1 << 19
#: Seconds of compiling before a person is told why nothing happens.
_SILENCE = 1.0

_lock = threading.RLock()


class Loop:
    """A function that is called from Python with arrays. `steps` says how much work a call is; without it the loop is always compiled."""

    def __init__(self, function: FunctionType, steps: Callable[..., int] | None, plain: Callable[..., Any] | None) -> None:
        self.function = function
        self.plain = plain or function
        self.__doc__ = function.__doc__
        self._steps = steps
        self._left = _PATIENCE
        self._machine: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        if self._machine is None:
            if self._small(arguments):
                return self.run_plain(*arguments)
            self._machine = self.machine
        return self._machine(*arguments)

    def _small(self, arguments: tuple[Any, ...]) -> bool:
        """Whether a call is still cheaper in plain Python; if so, its steps are written down."""
        if self._steps is None:
            return False
        self._left -= self._steps(*arguments)
        return self._left >= 0

    def run_plain(self, *arguments: Any) -> Any:
        """The loop in plain Python: words wrap around and nothing warns, as in machine code."""
        with np.errstate(all="ignore"):
            return self.plain(*arguments)

    @property
    def machine(self) -> Callable[..., Any]:
        """The loop as machine code, compiled when it is called."""
        with _lock:
            _listen()
            return _compiled(self.function)


def loop(steps: Callable[..., int] | None = None, plain: Callable[..., Any] | None = None) -> Callable[[Callable[..., Any]], Loop]:
    """A decorator: a loop that Python calls. `plain` does the same in another way, where the loop itself would be slow in plain Python."""
    return lambda function: Loop(function, steps, plain)  # type: ignore[arg-type]  # decorators are put on functions


def part(function: Callable[..., Any] | None = None, *, any_order: bool = False) -> Any:
    """A decorator: a function that loops call, and that is itself when Python calls it.

    `any_order` lets the compiler sum fractions in any order, several terms at a time. A loop with such a part is always compiled.
    """
    if function is None:
        return lambda function: part(function, any_order=any_order)
    function.any_order = any_order  # type: ignore[attr-defined]  # read when a loop is compiled
    return function


@cache
def _compiled(function: FunctionType) -> Any:
    """Machine code without the interpreter lock, kept on disk between runs; so are the parts that it calls."""
    import numba

    names = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    parts = {name: _compiled(each) for name, each in names.items() if hasattr(each, "any_order")}
    bound = FunctionType(function.__code__, function.__globals__ | parts, function.__name__, function.__defaults__)
    bound.__qualname__, bound.__module__ = function.__qualname__, function.__module__
    fastmath = {"reassoc", "nsz"} if getattr(function, "any_order", False) else False
    return numba.njit(bound, cache=True, nogil=True, fastmath=fastmath)


@cache
def _listen() -> None:
    """Have a person on a terminal told when compiling takes longer than a second."""
    from numba.core import event

    class Announce(event.Listener):
        waiting: threading.Timer | None = None
        depth = 0

        def on_start(self, _: Any) -> None:
            self.depth += 1
            if self.depth == 1:
                self.waiting = threading.Timer(_SILENCE, _announce)
                self.waiting.daemon = True
                self.waiting.start()

        def on_end(self, _: Any) -> None:
            self.depth -= 1
            if self.depth == 0 and self.waiting is not None:
                self.waiting.cancel()

    event.register("numba:compile", Announce())  # type: ignore[no-untyped-call]  # numba has no types


@cache
def _announce() -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        with suppress(OSError, ValueError):
            sys.stderr.write("compiling, once…\n")
            sys.stderr.flush()
