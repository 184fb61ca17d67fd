"""A progress bar for a cluster: how many tasks of the running stages are done."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sottovoce.progress import Progress

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

#: Seconds between two looks.
_EVERY = 0.5


@contextmanager
def watched(session: SparkSession) -> Iterator[None]:
    """Show a bar on a terminal while jobs run."""
    with Progress("counting reports") as bar:
        if not bar.shown:
            yield
            return
        done = threading.Event()

        def look() -> None:
            while not done.wait(_EVERY):
                finished, tasks = _tasks(session.sparkContext)
                if tasks:
                    bar.at(finished / tasks, f"{finished:,} of {tasks:,} tasks")

        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


def _tasks(context: SparkContext) -> tuple[int, int]:
    """The tasks of the running stages: how many are done, and how many there are."""
    tracker = context.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    found = [stage for stage in stages if stage is not None]
    return sum(stage.numCompletedTasks for stage in found), sum(stage.numTasks for stage in found)
