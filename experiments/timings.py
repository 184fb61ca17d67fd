"""How long experiments take, from how long they took: core-seconds of each, in each mode."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sottovoce.batch.writers import write_whole

if TYPE_CHECKING:
    from experiments.experiment import Experiment, Paper
    from experiments.running import Request

FILE = Path(__file__).with_name("timings.json")
#: Core-seconds of an experiment that was never timed.
_UNKNOWN = 60.0
#: Seconds that pass before the processes of an experiment have begun, and while the charts of a paper are drawn.
START, _DRAWING = 3.0, 15.0


@dataclass(frozen=True)
class Timings:
    """Core-seconds by paper, experiment and mode, with the number of runs that they were for."""

    seconds: dict[str, dict[str, dict[str, dict[str, float]]]]

    @classmethod
    def load(cls) -> Timings:
        return cls(json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {})

    def expected(self, paper: Paper, experiment: Experiment, request: Request) -> float:
        """Core-seconds of an experiment from its beginning; they grow with the runs."""
        found = self.seconds.get(paper.name, {}).get(experiment.name, {}).get("full" if request.full else "fast")
        if found is None:
            return _UNKNOWN
        return found["seconds"] * request.runs_of(experiment) / found["runs"]

    def weights(self, paper: Paper, experiments: Sequence[Experiment], request: Request) -> dict[str, float]:
        """What one cell of each experiment costs."""
        return {each.name: self.expected(paper, each, request) / max(1, len(each.settings(request.full))) for each in experiments}

    def wall(self, paper: Paper, experiments: Sequence[Experiment], request: Request) -> float:
        """Seconds on the clock: what is timed runs alone, the rest on all workers."""
        return _DRAWING + sum(START + self.expected(paper, each, request) / (1 if each.timed else request.workers) for each in experiments)

    def with_results(self, paper: Paper, folder: Path) -> Timings:
        """Renewed by what the last run of each experiment took."""
        found = json.loads(json.dumps(self.seconds))
        for experiment in paper.experiments:
            kept = folder / paper.name / f"{experiment.name}.json"
            if kept.exists():
                told = json.loads(kept.read_text(encoding="utf-8"))
                modes = found.setdefault(paper.name, {}).setdefault(experiment.name, {})
                modes[told["mode"]] = {"seconds": told["core_seconds"], "runs": told["runs"]}
        return Timings(found)

    def save(self) -> None:
        write_whole(FILE, json.dumps(self.seconds, indent=1, sort_keys=True) + "\n")


def spoken(seconds: float) -> str:
    """A time as people say it.

    >>> spoken(20), spoken(200), spoken(4000)
    ('under a minute', 'about 3 minutes', 'about 1 h 7 min')
    """
    if seconds < 50:
        return "under a minute"
    minutes = max(1, round(seconds / 60))
    if minutes < 60:
        return f"about {minutes} minute{'s' * (minutes > 1)}"
    return f"about {minutes // 60} h {minutes % 60} min"
