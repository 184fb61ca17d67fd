"""The metrics of several workers, added up. A scrape reaches one of them, and can't choose which."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from sottovoce.collector.metrics import Figures, added

#: The folder in which workers leave their figures for each other, handed from their parent.
HANDED = "_SOTTOVOCE_METRICS"
#: Seconds between two times that a worker leaves its figures, and those after which it counts as ended.
EVERY, ENDED = 1.0, 10.0


class SharedMetrics:
    """The files of the workers. A worker that ended leaves its counters, so that sums never fall.

    Each worker writes its figures before it reads those of the others. So whichever answers next adds up at least as much.
    """

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)
        self._own = self._folder / f"{os.getpid()}-{time.time_ns()}.json"

    def publish(self, figures: Figures) -> None:
        """Leave the figures of this worker for the others."""
        new = self._own.with_suffix(".new")
        new.write_bytes(msgspec.json.encode(figures))
        new.replace(self._own)

    def total(self, figures: Figures) -> Figures:
        """The figures of this worker and all others."""
        self.publish(figures)
        return added(self._others(), figures)

    def _others(self) -> Iterator[tuple[Figures, bool]]:
        now = time.time()
        for path in sorted(self._folder.glob("*.json")):
            with contextlib.suppress(OSError, msgspec.MsgspecError):
                if path != self._own:
                    yield msgspec.json.decode(path.read_bytes(), type=Figures), now - path.stat().st_mtime < ENDED


@contextlib.contextmanager
def shared_folder() -> Iterator[None]:
    """A folder for the figures of the workers that start meanwhile."""
    with tempfile.TemporaryDirectory(prefix="sottovoce-metrics-", ignore_cleanup_errors=True) as folder:
        os.environ[HANDED] = folder
        try:
            yield
        finally:
            os.environ.pop(HANDED, None)
