"""Count files: those that come with the experiments, and those that somebody puts in their place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from sottovoce.errors import ParameterError

HERE = Path(__file__).parent
#: Stand-ins, and the files whose place they hold: read instead of them where somebody has them.
ORIGINALS = {"census_income_kdd_12800.csv": "us_census_1990_12800.csv"}


#: What to do about a count file that cannot be used.
_REMEDY = "See experiments/data/README.md for what a count file needs."
#: Columns that name an item; all others are counts.
_NAMES = frozenset({"cell", "region", "item", "cat", "workclass", "income"})


class Data:
    """The count files, from a folder of the user's own where it has one of the name, from this folder otherwise."""

    def __init__(self, folder: Path | None = None) -> None:
        if folder is not None and not folder.is_dir():
            raise ParameterError(f"There is no folder {folder}. Name a folder of count files with --data (see experiments/data/README.md).")
        self._folder = folder

    def used(self, name: str) -> str:
        """The file that is read where this one is asked for: it, or what it stands in for."""
        original = ORIGINALS.get(name, name)
        return original if self.has(original) else name

    def path(self, name: str) -> Path:
        """Where the file lies that is read where this one is asked for."""
        name = self.used(name)
        for folder in (self._folder, HERE):
            if folder is not None and (folder / name).is_file():
                return folder / name
        raise ParameterError(f"There is no count file {name!r}. Choose one that experiments/data/README.md lists.")

    def has(self, name: str) -> bool:
        """Whether somebody put such a file in the folder of their own."""
        return self._folder is not None and (self._folder / name).is_file()

    def own(self, names: Iterable[str]) -> list[str]:
        """Those of the files that come from the folder of one's own."""
        return [self.used(name) for name in names if self.has(self.used(name))]

    def table(self, name: str) -> pd.DataFrame:
        """The counts; a file of one's own must have what ours has."""
        path = self.path(name)
        try:
            found = pd.read_csv(path, comment="#")
        except ValueError as error:  # empty, no text, no table
            raise ParameterError(f"{path} isn't a table of counts ({str(error).splitlines()[0]}). {_REMEDY}") from None
        if path.parent != HERE:
            _check(path, found, ["cat", "count"] if path.name in ORIGINALS.values() else list(pd.read_csv(HERE / path.name, comment="#")))
        return found

    def caption(self, name: str) -> str:
        """What the file says of itself: what it is, how complete, and whom to cite."""
        name = self.used(name)
        lines = [line[2:].strip() for line in self.path(name).read_text(encoding="utf-8").splitlines() if line.startswith("# ")]
        if not lines:
            return f"`{name}`: a file of your own, which says nothing of itself"
        what = lines[0].removeprefix(f"{name}:").strip()
        return f"`{name}`: {' '.join([what + '.', *lines[1:]])}"


def _check(path: Path, found: pd.DataFrame, columns: Sequence[str]) -> None:
    if missing := [name for name in columns if name not in found]:
        raise ParameterError(f"{path} has no column {missing[0]!r}, and needs {', '.join(columns)}. {_REMEDY}")
    for name in set(columns) - _NAMES:
        counts = found[name]
        if not pd.api.types.is_integer_dtype(counts) or (counts < 0).any() or not len(counts):
            raise ParameterError(f"{path}: The column {name!r} has something other than whole numbers of at least 0. {_REMEDY}")
