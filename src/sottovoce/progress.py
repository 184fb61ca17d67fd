"""Progress of long work, on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

#: Seconds of silence before a bar appears.
_PATIENCE = 1.0
#: What is called whenever work in this context shows its progress.
_WATCHING: ContextVar[Callable[[], None] | None] = ContextVar("watching", default=None)


@contextmanager
def watching(call: Callable[[], None]) -> Iterator[None]:
    """Call a function whenever work in this context shows its progress. If it raises an error, the work ends with that error.

    >>> def stop():
    ...     raise TimeoutError
    >>> with watching(stop), Progress("long work") as bar:
    ...     bar.at(0.5)
    Traceback (most recent call last):
    TimeoutError
    """
    before = _WATCHING.set(call)
    try:
        yield
    finally:
        _WATCHING.reset(before)


class Progress:
    """A bar that appears when the work has lasted a second, and disappears when it's done.

    `shown` decides whether it appears. None means only on a terminal.
    """

    def __init__(self, title: str, shown: bool | None = None) -> None:  # noqa: FBT001 - three-valued, and named by every caller
        self._title = title
        self.shown = (sys.stderr is not None and sys.stderr.isatty()) if shown is None else shown
        self._began = time.monotonic()
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()

    def at(self, fraction: float, note: str = "") -> None:
        """Say how much is done, between 0 and 1."""
        if (call := _WATCHING.get()) is not None:
            call()
        if not self.shown or time.monotonic() - self._began < _PATIENCE:
            return
        if self._bar is None:
            self._bar = _bar()
            self._bar.add_task(self._title, total=1.0, note=note)
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], completed=min(1.0, max(0.0, fraction)), note=note)


def _bar() -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[note]}"), TimeElapsedColumn()
    return Progress(*columns, console=Console(stderr=True), transient=True)
