"""What an experiment is: a module that declares its settings, its measurement, its pictures and the claims that its numbers settle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd

from experiments.cells import Cell, Modes, Row, Setting
from experiments.verdicts import Claim


@dataclass(frozen=True)
class Picture:
    """A figure of the page: a chart (drawn when it is called), what it shows, and which data it rests on."""

    name: str
    chart: Callable[[], Any]
    caption: str

    def drawn(self) -> Any:
        """The chart, whose title begins with the name of the figure."""
        chart = self.chart()
        chart.title.text = f"{self.name}: {chart.title.text}"
        return chart


@dataclass(frozen=True)
class Experiment:
    """One or several published figures that come from the same runs.

    `settings(full)` lists the points; `measure(cell)` gives the lines of one of them; `pictures(frame)` and `claims(frame)` read all lines, and nothing
    else; so does `tables(frame)`, Markdown that is put under the pictures. `timed`: the cells are timed, and run one after the other with all cores for
    themselves.
    """

    name: str
    file: Path
    figures: tuple[str, ...]
    title: str
    about: str
    data: tuple[str, ...]
    runs: Modes[int]
    settings: Callable[[bool], Sequence[Setting]]
    measure: Callable[[Cell], Iterable[Row]]
    pictures: Callable[[pd.DataFrame], Iterable[Picture]]
    claims: Callable[[pd.DataFrame], Iterable[Claim]]
    tables: Callable[[pd.DataFrame], str] | None
    timed: bool

    @classmethod
    def of(cls, module: ModuleType) -> Experiment:
        """The experiment that a module declares: FIGURES, TITLE, ABOUT, RUNS, and the functions; DATA, tables and TIMED if it has them.

        Its name, which is also that of its table, is that of the module: figure_2 is figure-2.
        """
        return cls(
            name=module.__name__.rpartition(".")[2].replace("_", "-"),
            file=Path(str(module.__file__)),
            figures=module.FIGURES,
            title=module.TITLE,
            about=module.ABOUT,
            data=getattr(module, "DATA", ()),
            runs=module.RUNS,
            settings=module.settings,
            measure=module.measure,
            pictures=module.pictures,
            claims=module.claims,
            tables=getattr(module, "tables", None),
            timed=getattr(module, "TIMED", False),
        )


@dataclass(frozen=True)
class Paper:
    """A paper: its experiments, how the claims begin that it is known for, and the smallest examples of what we contradict."""

    name: str
    title: str
    cite: str
    about: str
    experiments: tuple[Experiment, ...]
    headlines: tuple[str, ...]
    examples: Callable[[], str] | None = None
