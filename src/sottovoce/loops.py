"""Loops over many reports: plain Python while there is little to do, machine code from then on.

Loading the compiler takes longer than a small study does, and compiling takes seconds. So a loop runs as it is written until
it has done about as much work in this process as loading the compiler costs. From then on it runs as machine code, which is
compiled once for each combination of types and kept on disk. Both ways give the same bits: the source is the
same, integers have explicit widths, and functions such as `log` come from `math`, which is the C library's in both.
"""

from __future__ import annotations

import hashlib
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
#: Seconds of compiling before a message explains why nothing happens.
_SILENCE = 1.0

_lock = threading.RLock()
_eager = False


class Loop:
    """A function that is called from Python with arrays. `steps` returns how much work a call is. Without it, every call is compiled."""

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
        """Whether a call is still cheaper in plain Python. If so, its steps are added up."""
        if self._steps is None or _eager:
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
    """Machine code without the interpreter lock, kept on disk between runs, as are the parts that it calls."""
    import numba

    parts = {name: _compiled(each) for name, each in _parts(function).items()}
    bound = FunctionType(function.__code__, function.__globals__ | parts, function.__name__, function.__defaults__)
    # the compiler notices changes in the file of a loop, and through this name those of its parts in other files
    bound.__qualname__, bound.__module__ = f"{function.__qualname__}_{_digest(function)}", function.__module__
    fastmath: Any = {"reassoc", "nsz"} if getattr(function, "any_order", False) else False
    try:
        return numba.njit(bound, cache=True, nogil=True, fastmath=fastmath)
    except RuntimeError:  # no folder for the machine code can be written to
        return numba.njit(bound, nogil=True, fastmath=fastmath)


def _parts(function: FunctionType) -> dict[str, Any]:
    """The parts that a function calls, by name."""
    called = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    return {name: each for name, each in called.items() if hasattr(each, "any_order")}


def _digest(function: FunctionType) -> str:
    """A hash of the code of a function and of all parts that it calls."""
    code, parts = function.__code__, [_digest(each) for each in _parts(function).values()]
    content = repr((code.co_code, code.co_consts, code.co_names, getattr(function, "any_order", False), parts))
    return hashlib.sha256(content.encode()).hexdigest()[:8]


def compile_at_once() -> None:
    """Have every loop compiled at its next call: for a process that serves others, and should not stop in the middle to compile."""
    global _eager  # noqa: PLW0603 - one switch for the whole process
    _eager = True


@cache
def _listen() -> None:
    """Print a message on a terminal when compiling takes longer than a second."""
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
