"""The style of all charts (Vega-Lite, through Altair), and writing them as SVG, PNG, HTML or JSON without a browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sottovoce.batch.writers import write_whole
from sottovoce.errors import ParameterError, UnsupportedError
from sottovoce.extras import install

try:
    import altair as alt  # other modules take it from here, so that users without it read how to install it
    import vl_convert
except ImportError:
    raise UnsupportedError(f"Charts need Altair and vl-convert. Install them with: {install('plot')}") from None

__all__ = ["DASHES", "INK", "INTERVAL", "LINES", "PALETTE", "alt", "save_chart", "styled"]

#: Colours that stay apart in print and for colour-blind readers (Okabe and Ito 2008).
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")
#: Text, lines and intervals; a page replaces them by its own.
INK, LINES, INTERVAL = "#24292f", "#e1e4e8", "#9ec5ee"
#: The size of text in a chart that stands by itself.
_SIZE = 11
#: Patterns of lines, for those who cannot go by colour.
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [1, 3], [10, 4])


def styled(chart: Any, extent: int = 0, size: int = 11) -> Any:
    """Apply the style of all charts: no frames, quiet lines, one font. Labels at the left have at least `extent` pixels.

    Text has `size` pixels, and axis titles one more unless it's the text size of a page.
    """
    titles = size + (size == _SIZE)
    text: dict[str, Any] = {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": size,
        "titleFontSize": titles,
        "titleFontWeight": "normal",
    }
    return chart.configure(  # in one call, for each one copies the chart
        font="Arial, Helvetica, Liberation Sans, sans-serif",
        background="white",
        padding=8 if size == _SIZE else {"left": 0, "right": 2, "top": 2, "bottom": 2},
        axis=alt.AxisConfig(grid=True, gridColor=LINES, domainColor=LINES, tickColor=LINES, **text),
        axisY=alt.AxisConfig(grid=False, minExtent=extent or alt.Undefined),
        view=alt.ViewConfig(stroke=None),
        legend=alt.LegendConfig(**text, symbolStrokeWidth=1),
        title=alt.TitleConfig(color=INK, fontSize=size + 2, subtitleColor=INK, subtitleFontSize=size, offset=8),
    )


def save_chart(chart: alt.TopLevelMixin, path: str | Path) -> Path:
    """Write a chart to a file, in the format of the file's ending: .svg, .png, .html (which needs no network) or .json.

    Returns the path. Raises a `ParameterError` for other endings.
    """
    target = Path(path)
    form = chart.to_dict()
    match target.suffix:
        case ".svg":
            data: bytes | str = vl_convert.vegalite_to_svg(form)
        case ".png":
            data = vl_convert.vegalite_to_png(form, ppi=144)
        case ".html":
            data = vl_convert.vegalite_to_html(form, bundle=True)
        case ".json":
            data = json.dumps(form, indent=1) + "\n"
        case _:
            raise ParameterError(f"The file is {target.name!r}. Use a name that ends in .svg, .png, .html or .json.")
    write_whole(target, data)
    return target
