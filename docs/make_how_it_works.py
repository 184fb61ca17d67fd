"""Draw docs/images/how-it-works*.svg: one answer is changed by chance, many reports come together, the shares appear.

The numbers are those of a real channel and a real estimate. The survey page draws the same example, from
clients/js/pages/survey/example.json, which is written here, too. A test compares both with what this script makes.
"""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import sottovoce as sv

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
EXAMPLE = ROOT / "clients" / "js" / "pages" / "survey" / "example.json"

PEOPLE, YES, EPSILON, SEED = 1000, 250, 1.0, 1
#: People in a row of the picture.
ROW = 40
#: The scale of the last picture ends here.
END = 0.5
#: The colours of look.css, in light and in dark. The picture has paper of its own, so that it can be read on any page.
STYLE = """
svg { --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --paper: #fff; --estimate: #0b5cad; --interval: #9ec5ee; --truth: #b84a00; }
@media (prefers-color-scheme: dark) {
  svg { --ink: #e6edf3; --soft: #9da7b3; --line: #30363d; --paper: #0d1117; --estimate: #6cb6ff; --interval: #2f567f; --truth: #ff9f5a; }
}
text { font: 19px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif; fill: var(--ink); }
.title { font-size: 21px; font-weight: 600; } .soft { fill: var(--soft); } .true { fill: var(--truth); } .middle { text-anchor: middle; }
.paper { fill: var(--paper); } .yes { fill: var(--estimate); } .no { fill: var(--interval); }
.dots { stroke-width: 6; stroke-linecap: round; fill: none; } .dots.yes { stroke: var(--estimate); } .dots.no { stroke: var(--interval); }
.arrow { fill: none; stroke: var(--soft); stroke-width: 3; stroke-linecap: round; stroke-linejoin: round; }
.axis { stroke: var(--line); stroke-width: 1.5; } .interval { stroke: var(--interval); stroke-width: 14; stroke-linecap: round; }
.estimate { fill: var(--estimate); stroke: var(--paper); stroke-width: 2; } .truth { stroke: var(--truth); stroke-width: 3; }
"""


@dataclass(frozen=True)
class Example:
    """What a thousand simulated people reported, and what was found."""

    swapped: float
    reports: list[bool]
    share: float
    low: float
    high: float

    def record(self) -> str:
        """What the survey page needs. The reports are bits, four in a letter, the first one highest."""
        bits = "".join("1" if each else "0" for each in self.reports)
        found = {"people": PEOPLE, "swapped": self.swapped, "share": self.share, "low": self.low, "high": self.high}
        rounded = {key: round(value, 4) for key, value in found.items()}
        return json.dumps({**rounded, "truth": YES / PEOPLE, "reports": f"{int(bits, 2):0{PEOPLE // 4}x}"}, indent=2) + "\n"


def example() -> Example:
    """Draw the reports, and estimate the shares."""
    mechanism = sv.krr(sv.Domain(["yes", "no"]), EPSILON)
    answers = np.random.default_rng(SEED).permutation(np.repeat([0, 1], [YES, PEOPLE - YES]))
    reports = mechanism.channel.sample(answers, sv.SeededSource(SEED))
    found = sv.estimate(sv.Tally(mechanism).add(reports))
    interval = found.interval()
    swapped = float(mechanism.channel.matrix()[1, 0])
    return Example(
        swapped, (np.asarray(reports.tolist()) == 0).tolist(), float(found["yes"]), float(interval.low[0]), float(interval.high[0])
    )


def picture(found: Example, columns: int) -> str:
    """The three pictures, side by side or one below the other."""
    width, height = (340, 372) if columns == 3 else (360, 372)
    steps = [("1. Changed by chance", _change(), _changed(found)), ("2. Many together", _crowd(found), _together(found))]
    steps.append(("3. The shares appear", _shares(found), _found(found)))
    parts = []
    for k, (title, drawing, text) in enumerate(steps):
        x, y = (24 + k * width, 0) if columns == 3 else (24, k * height)
        lines = textwrap.wrap(text, 30)
        words = "".join(f'<text class="soft" x="0" y="{262 + 26 * j}">{line}</text>' for j, line in enumerate(lines))
        parts.append(f'<g transform="translate({x} {y})"><text class="title" x="0" y="46">{title}</text>{drawing}{words}</g>')
    size = (3 * width, height) if columns == 3 else (width, 3 * height)
    label = " ".join(text for _, _, text in steps)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" width="{size[0]}" height="{size[1]}" role="img">'
        f"<title>How it works</title><desc>{label}</desc><style>{STYLE}</style>"
        f'<rect class="paper" width="100%" height="100%" rx="10"/>{"".join(parts)}</svg>\n'
    )


def _change() -> str:
    """An answer that is swapped on its way."""
    return (
        '<circle class="no" cx="55" cy="135" r="34"/><circle class="yes" cx="225" cy="135" r="34"/>'
        '<path class="arrow" d="M108 135h60m-14 -12l16 12l-16 12"/>'
        '<text class="middle" x="55" y="204">answer: no</text><text class="middle" x="225" y="204">report: yes</text>'
    )


def _changed(found: Example) -> str:
    return f"The device swaps it with a chance of {round(100 * found.swapped)} in 100. Only the report leaves."


def _crowd(found: Example) -> str:
    """A dot for each report."""
    paths = {"yes": "", "no": ""}
    for k, yes in enumerate(found.reports):
        paths["yes" if yes else "no"] += f"M{4 + 7.2 * (k % ROW):g} {70 + 6.4 * (k // ROW):g}h0"
    return "".join(f'<path class="dots {name}" stroke-width="5" d="{path}"/>' for name, path in paths.items())


def _together(found: Example) -> str:
    return f"{sum(found.reports)} of {PEOPLE:,} reports say yes. No one can tell which of them are true."


def _shares(found: Example) -> str:
    """The interval, the estimate and the truth on a scale."""

    def at(share: float) -> float:
        return round(280 * share / END, 1)

    ticks = "".join(
        f'<line class="axis" x1="{at(tick)}" x2="{at(tick)}" y1="80" y2="178"/>'
        f'<text class="soft middle" x="{at(tick)}" y="204">{tick:.0%}</text>'
        for tick in (0.1, 0.2, 0.3, 0.4)
    )
    truth = at(YES / PEOPLE)
    return (
        f'{ticks}<line class="interval" x1="{at(found.low)}" x2="{at(found.high)}" y1="145" y2="145"/>'
        f'<circle class="estimate" cx="{at(found.share)}" cy="145" r="10"/>'
        f'<line class="truth" x1="{truth}" x2="{truth}" y1="112" y2="132"/>'
        f'<text class="true middle" x="{truth}" y="102">truth: {YES / PEOPLE:.0%}</text>'
    )


def _found(found: Example) -> str:
    low, high = int(100 * found.low), -int(-100 * found.high // 1)
    return f"The chance is known, so it can be taken out: about {found.share:.0%} answered yes, between {low} and {high}%."


def files() -> dict[Path, str]:
    """All that this script writes."""
    found = example()
    return {IMAGES / "how-it-works.svg": picture(found, 3), IMAGES / "how-it-works-narrow.svg": picture(found, 1), EXAMPLE: found.record()}


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
