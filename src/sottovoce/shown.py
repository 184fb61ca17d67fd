"""Objects that people look at: as text on a terminal, as HTML in a notebook, as a chart, as columns for data frames.

How each object looks is decided in `findings`, in one place, and reached when it's needed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sottovoce.errors import ParameterError
from sottovoce.later import above, pa

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Drawn", "Shown", "Tabular", "table_of"]

_looks = above("sottovoce.findings.looks")


class Shown:
    """Text and HTML: what `print` and notebooks show."""

    def __str__(self) -> str:
        return str(_looks.text_of(self))

    def _repr_html_(self) -> str:
        return str(_looks.html_of(self))


class Drawn(Shown):
    """Text, HTML and a chart."""

    def plot(self, width: int = 640) -> Any:
        """An Altair chart. It needs the extra `plot`."""
        if isinstance(width, bool) or not isinstance(width, (int, float)) or not 0 < width < math.inf:
            raise ParameterError(f"The width is {width!r}. Give a number of pixels. To write a file, use plot().save('chart.svg').")
        return _looks.chart_of(self, width)


class Tabular:
    """Columns that data frames and databases read: pandas, and through the Arrow C stream polars, DuckDB and others."""

    def _columns(self) -> Mapping[str, Any]:
        """The columns by name, all of one length."""
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """The columns as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame(dict(self._columns()))

    def to_arrow(self) -> pa.Table:
        """The columns as an Arrow table. Labels that aren't all text, or all numbers, are text."""
        return table_of(self._columns())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The Arrow C stream: `polars.DataFrame(thing)` reads it, and DuckDB by the name of a variable."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def table_of(columns: Mapping[str, Any]) -> pa.Table:
    """Columns as an Arrow table."""
    return pa.table({name: column if _of_one_kind(column) else [str(each) for each in column] for name, column in columns.items()})


def _of_one_kind(column: Any) -> bool:
    if not isinstance(column, list):
        return True
    kinds = {type(each) for each in column} - {type(None)}
    return (len(kinds) <= 1 and kinds <= {str, int, float, bool}) or kinds == {int, float}
