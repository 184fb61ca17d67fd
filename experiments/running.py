"""Cells are measured on all cores, and kept one by one, so that a run that was broken off goes on where it was."""

from __future__ import annotations

import hashlib
import json
import math
import multiprocessing
import os
import platform
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import date
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import sottovoce as sv
from experiments.cells import Cell, Row, Setting, seed_of
from experiments.data import Data
from experiments.experiment import Experiment, Paper
from experiments.papers import paper_of
from experiments.timings import START, Timings
from sottovoce.batch.writers import write_whole
from sottovoce.errors import SottovoceError
from sottovoce.parallel import alone, threads


class WorkerError(SottovoceError):
    """A process that measured was ended by somebody else."""


@dataclass(frozen=True)
class Request:
    """What was asked for: the mode, the number of runs if not the usual one, the data, the folder of the results."""

    folder: Path
    full: bool = False
    runs: int | None = None
    data: Path | None = None
    again: bool = False
    workers: int = field(default_factory=threads)

    def runs_of(self, experiment: Experiment) -> int:
        return self.runs or experiment.runs.of(self.full)


@dataclass(frozen=True)
class _Kept:
    """The lines of a cell, and the seconds that it took."""

    rows: list[Row]
    seconds: float


@dataclass(frozen=True)
class Job:
    """A cell to measure, by name: it travels to another process."""

    paper: str
    experiment: str
    setting: Setting
    runs: int
    data: Path | None
    kept: Path

    def read(self) -> _Kept | None:
        """What was measured before, if it was."""
        try:
            found = json.loads(self.kept.read_text(encoding="utf-8"))
            return _Kept(found["rows"], found["seconds"])
        except (FileNotFoundError, ValueError, KeyError, TypeError):  # a file that is not whole was not measured
            return None

    def measure(self) -> _Kept:
        """Run the cell."""
        experiment = next(each for each in paper_of(self.paper).experiments if each.name == self.experiment)
        seed = seed_of(self.paper, self.experiment, self.setting)
        clock = time.perf_counter if experiment.timed else time.process_time  # other processes don't count
        began = clock()
        cell = Cell(self.setting, self.runs, seed, Data(self.data))
        with nullcontext() if experiment.timed else alone():  # sums on one thread are the same on every machine
            rows = [dict(self.setting) | row for row in experiment.measure(cell)]
        return _Kept(_plain(rows), clock() - began)

    def keep(self, found: _Kept) -> None:
        self.kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.kept, json.dumps({"setting": dict(self.setting), "seconds": found.seconds, "rows": found.rows}))


@dataclass(frozen=True)
class Forecast:
    """The cells of a request, those that are not measured yet, and the seconds that they will take."""

    cells: int
    waiting: int
    seconds: float


def forecast(paper: Paper, experiments: Sequence[Experiment], request: Request) -> Forecast:
    """What is ahead, by what it took before."""
    data, weights = Data(request.data), Timings.load().weights(paper, experiments, request)
    cells, waiting, seconds = 0, 0, 0.0
    for experiment in experiments:
        jobs = list(jobs_of(paper, experiment, request, data))
        missing = sum(job.read() is None or request.again for job in jobs)
        cells, waiting = cells + len(jobs), waiting + missing
        seconds += (START if missing else 0) + weights[experiment.name] * missing / _abreast(experiment, request)
    return Forecast(cells, waiting, seconds)


def run(paper: Paper, experiments: Sequence[Experiment], request: Request, told: Callable[[float, float, str], None]) -> None:
    """Measure what is missing, and write a table for each experiment; `told` hears the part that is done, the seconds that are left, and of what."""
    data, timings = Data(request.data), Timings.load().weights(paper, experiments, request)
    jobs = {each.name: list(jobs_of(paper, each, request, data)) for each in experiments}
    waiting = {name: [job for job in of_one if request.again or job.read() is None] for name, of_one in jobs.items()}
    ahead = sum(timings[each.name] * len(waiting[each.name]) / _abreast(each, request) for each in experiments)
    left, began = ahead, time.monotonic()
    for experiment in experiments:
        for job, found in measured(waiting[experiment.name], _abreast(experiment, request)):
            job.keep(found)
            left = max(0.0, left - timings[experiment.name] / _abreast(experiment, request))
            done = 1 - left / ahead
            told(done, (time.monotonic() - began) * left / (ahead - left), experiment.title)
        _write_table(paper, experiment, jobs[experiment.name], request, data)


def _abreast(experiment: Experiment, request: Request) -> int:
    """How many cells are measured at a time; what is timed has all cores for itself."""
    return 1 if experiment.timed else request.workers


def measured(jobs: Sequence[Job], workers: int) -> Iterator[tuple[Job, _Kept]]:
    """Each job with its lines, as they come in.

    Workers have one thread for linear algebra, even a single one: with more of them sums are rounded otherwise, and searches for best
    parameters end elsewhere. One worker is this process: on one core, or for what is timed.
    """
    if workers == 1 or not jobs:
        for job in jobs:
            yield job, job.measure()
        return
    before = os.environ.get("OPENBLAS_NUM_THREADS")
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read by the children, which share the cores among themselves
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=_begin)
    try:
        running = {pool.submit(job.measure): job for job in jobs}
        for each in as_completed(running):
            yield running[each], each.result()
    except BrokenProcessPool:
        raise WorkerError(
            "A worker was ended from outside, perhaps because memory is short. What was measured is kept. Run the same command to continue."
        ) from None
    except BaseException:
        for child in multiprocessing.active_children():
            child.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        os.environ.pop("OPENBLAS_NUM_THREADS") if before is None else os.environ.update(OPENBLAS_NUM_THREADS=before)


def _begin() -> None:
    """A worker leaves interruptions to its parent, and ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def jobs_of(paper: Paper, experiment: Experiment, request: Request, data: Data) -> Iterator[Job]:
    """The cells of an experiment, each with the place where it is kept."""
    mark, runs = _mark(paper, experiment, data), request.runs_of(experiment)
    for setting in experiment.settings(request.full):
        key = hashlib.sha256(json.dumps([mark, runs, setting], sort_keys=True).encode()).hexdigest()[:20]
        kept = request.folder / paper.name / ".cells" / experiment.name / f"{key}.json"
        yield Job(paper.name, experiment.name, setting, runs, request.data, kept)


def _mark(paper: Paper, experiment: Experiment, data: Data) -> str:
    """What a kept cell depends on besides its setting: the library, the experiment's own text, the data."""
    others = {each.file for each in paper.experiments} - {experiment.file}
    here = Path(__file__).parent
    library = sorted(Path(str(sv.__file__)).parent.rglob("*.py"))
    shared = [here / name for name in ("cells.py", "measured.py", "respondents.py", "data/__init__.py")]
    texts = [path.read_bytes() for path in (*library, *shared, *sorted(experiment.file.parent.glob("*.py"))) if path not in others]
    counts = [data.path(name).read_bytes() for name in experiment.data]
    found = hashlib.sha256(sv.__version__.encode())
    for each in (*texts, *counts):
        found.update(hashlib.sha256(each).digest())
    return found.hexdigest()


def _write_table(paper: Paper, experiment: Experiment, jobs: Sequence[Job], request: Request, data: Data) -> None:
    """All lines of an experiment, and under which conditions they were measured."""
    kept = [found for job in jobs if (found := job.read()) is not None]
    frame = pd.DataFrame([row for cell in kept for row in cell.rows])
    place = request.folder / paper.name
    place.mkdir(parents=True, exist_ok=True)
    write_whole(place / f"{experiment.name}.csv", frame.to_csv(index=False, lineterminator="\n", float_format="%.10g"))
    conditions = {
        "mode": "full" if request.full else "fast",
        "runs": request.runs_of(experiment),
        "cells": len(jobs),
        "core_seconds": round(sum(cell.seconds for cell in kept), 1),
        "date": date.today().isoformat(),
        "versions": {"sottovoce": sv.__version__, "Python": platform.python_version(), "numpy": np.__version__},
        "data": [data.caption(name) for name in experiment.data],
    }
    write_whole(place / f"{experiment.name}.json", json.dumps(conditions, indent=1, ensure_ascii=False) + "\n")


def _plain(value: Any) -> Any:
    """Numbers as JSON knows them (and NaN, which Python's reader knows)."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, np.generic):
        return value.item()
    return value if not isinstance(value, float) or math.isfinite(value) else math.nan
