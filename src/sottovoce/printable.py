"""Base classes of results: text for a terminal, HTML for a notebook, a chart, columns for data frames.

`findings.display` decides how each object looks. It's loaded when it's needed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sottovoce.errors import ParameterError
from sottovoce.later import above, pa

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Plottable", "Printable", "Tabular", "table_of"]

_display = above("sottovoce.findings.display.objects")


class Printable:
    """A result with text for `print` and HTML for notebooks."""

    def __str__(self) -> str:
        return str(_display.text_of(self))

    def _repr_html_(self) -> str:
        return str(_display.html_of(self))


class Plottable(Printable):
    """A result with text, HTML and a chart."""

    def plot(self, width: int = 640) -> Any:
        """Draw the result as an Altair chart, `width` pixels wide. Needs the extra `plot`."""
        if isinstance(width, bool) or not isinstance(width, (int, float)) or not 0 < width < math.inf:
            raise ParameterError(f"The width is {width!r}. Give a number of pixels. To write a file, use plot().save('chart.svg').")
        return _display.chart_of(self, width)


class Tabular:
    """A result with columns for pandas, and through the Arrow C stream for polars, DuckDB and others."""

    def _columns(self) -> Mapping[str, Any]:
        """The columns by name, all of one length."""
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """The columns as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame(dict(self._columns()))

    def to_arrow(self) -> pa.Table:
        """The columns as an Arrow table. Labels of mixed types become text."""
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
