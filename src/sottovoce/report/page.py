"""The findings as one page: self-contained, without scripts, for the screen (wide or narrow, light or dark) and for print."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from string import Template

import vl_convert

from sottovoce._version import __version__
from sottovoce.labels import text_of
from sottovoce.policy.wording import factor, shown
from sottovoce.report.charts import INK, LINES, PALETTE
from sottovoce.report.findings import Findings
from sottovoce.report.margins import margins
from sottovoce.report.pictures import NARROW, findings_chart
from sottovoce.report.terminal import percent
from sottovoce.report.words import METHODS, as_percent, counted

#: Rows that are shown at once; the others can be unfolded.
_ROWS = 30
#: Rows that a page holds at all.
_MOST = 5000
_WIDE = 720


def findings_page(findings: Findings) -> str:
    """The page as HTML."""
    study, estimate = findings.study, findings.estimate
    gap = "" if estimate.gap is None else f" At most {estimate.gap:.2g} nats of log-likelihood are missing to the maximum."
    people = counted(findings.people, "person", "people") + (f", {findings.n:,} reports" if study.reports > 1 else "")
    fill = {
        "title": escape(f"{study.name}: {study.question}"),
        "question": escape(study.question),
        "name": escape(study.name),
        "people": people,
        "level": as_percent(findings.level),
        "mechanism": escape(", ".join(dict.fromkeys(each.name for each in study.blocks.values()))),
        "wide": _svg(findings, _WIDE),
        "narrow": _svg(findings, NARROW - 60),
        "summary": escape(_summary(findings)),
        "caption": _caption(findings),
        "promised": "; ".join(escape(_verdict(findings, level)) for level in study.blocks),
        "cautions": _list(findings.cautions, "cautions") if findings.cautions else "<p>None of the usual ones apply.</p>",
        "table": _table(findings),
        "margins": _margins(findings),
        "tags": _tags(findings),
        "promise": _prose(study.explain()),
        "certificate": _certificate(findings),
        "method": escape(METHODS.get(estimate.method, estimate.method) + gap),
        "fingerprint": study.fingerprint,
        "cite": escape(
            f"Study “{study.name}” (fingerprint {study.fingerprint}), {findings.n:,} reports, method {estimate.method}; "
            f"sottovoce {__version__}."
        ),
    }
    template = files("sottovoce.report").joinpath("page.html").read_text(encoding="utf-8")
    return Template(template).substitute(fill)


def _largest(findings: Findings) -> list[tuple[str, str]]:
    codes = sorted(range(len(findings.p)), key=lambda k: -findings.p[k])[:5]
    return [(findings.shown[k], percent(float(findings.p[k]))) for k in codes]


def _summary(findings: Findings) -> str:
    """The chart in a sentence, for those who do not see it."""
    return "Largest shares: " + ", ".join(f"{item} {share}" for item, share in _largest(findings)) + "."


def _caption(findings: Findings) -> str:
    """What the chart shows; labels of any script keep their place."""
    listed = ", ".join(f"<bdi>{escape(item)}</bdi> {share}" for item, share in _largest(findings))
    grid = len(findings.study.domain.axes) == 2 and all(axis.bounds for axis in findings.study.domain.axes)
    where = "The intervals are in the table below." if grid else ""
    level = as_percent(findings.level)
    explained = f"An interval holds every share that the reports do not contradict, at the level of {level}, for each item by itself."
    return f"Largest shares: {listed}. {'' if findings.low is None else explained} {where}"


def _verdict(findings: Findings, level: str) -> str:
    """What a level promises to a person in all, in a few words."""
    named, promise = f"{level}: " if level else "", findings.study.promises[level]
    if promise is None:
        return f"{named}nothing"
    least, most = (pick(promise.budgets.values()) if promise.budgets else promise.epsilon or 0.0 for pick in (min, max))
    budget = f"ε = {shown(most)}" if least == most else f"ε from {shown(least)} to {shown(most)}"
    return f"{named}{findings.study.blocks[level].certify().notion.title}, {budget}"


def _svg(findings: Findings, width: int) -> str:
    """The chart as SVG whose colours the page can change."""
    form = findings_chart(findings, width).to_dict()
    svg = vl_convert.vegalite_to_svg(form, show_warnings=False)
    names = {INK: "ink", LINES: "lines", PALETTE[0]: "estimate", "#D55E00": "truth"}
    for color, name in names.items():
        svg = re.sub(rf'(fill|stroke)="{color}"', rf'\1="{color}" class="\1-{name}"', svg, flags=re.IGNORECASE)
    svg = re.sub(r'<rect width="[\d.]+" height="[\d.]+" fill="white"\s*/>', "", svg, count=1)
    size = re.search(r'<svg[^>]*?width="([\d.]+)"', svg)
    wide = float(size.group(1)) if size else width
    return re.sub(
        r'(<svg[^>]*?) width="[\d.]+" height="[\d.]+"', rf'\1 style="width:100%;max-width:{wide:.0f}px;height:auto"', svg, count=1
    )


def _list(entries: Iterable[str], kind: str) -> str:
    return f'<ul class="{kind}">' + "".join(f"<li>{escape(entry)}</li>" for entry in entries) + "</ul>"


def _rows(findings: Findings, order: Sequence[int]) -> str:
    rows = []
    for k in order:
        bounds = (None, None) if findings.low is None or findings.high is None else (float(findings.low[k]), float(findings.high[k]))
        cells = [percent(float(findings.p[k])), *(percent(bound) for bound in bounds)]
        cells += [percent(float(shares[k])) for shares in findings.beside.values()]
        numbers = "".join(f"<td>{cell}</td>" for cell in cells)
        rows.append(f'<tr><th scope="row"><bdi>{escape(findings.shown[k])}</bdi></th>{numbers}</tr>')
    return "".join(rows)


def _table(findings: Findings) -> str:
    heads = ["share", "from", "to", *findings.beside]
    head = f"<thead><tr><th>item</th>{''.join(f'<th>{escape(name)}</th>' for name in heads)}</tr></thead>"
    order = findings.order(_ROWS)
    table = f'<div class="scroll"><table>{head}<tbody>{_rows(findings, order)}</tbody></table></div>'
    if len(order) == len(findings.p):
        return table
    if len(findings.p) > _MOST:
        return (
            table + f"<p>These are the largest of {len(findings.p):,} items; all of them are in the data: --csv, --parquet or --json.</p>"
        )
    every = f'<div class="scroll"><table>{head}<tbody>{_rows(findings, range(len(findings.p)))}</tbody></table></div>'
    return table + f"<details><summary>All {len(findings.p):,} items, in their order</summary>{every}</details>"


def _margins(findings: Findings) -> str:
    """A table for each axis of a product."""
    made = []
    for margin in margins(findings):
        rows = []
        for k, label in enumerate(margin.labels):
            bounds = (None, None) if margin.low is None or margin.high is None else (float(margin.low[k]), float(margin.high[k]))
            cells = [
                percent(float(margin.p[k])),
                *(percent(bound) for bound in bounds),
                *(percent(float(b[k])) for b in margin.beside.values()),
            ]
            rows.append(f'<tr><th scope="row"><bdi>{escape(label)}</bdi></th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>')
        heads = "".join(f"<th>{escape(name)}</th>" for name in ["share", "from", "to", *margin.beside])
        head = f"<thead><tr><th>{escape(margin.axis)}</th>{heads}</tr></thead>"
        made.append(f'<div class="scroll"><table>{head}<tbody>{"".join(rows)}</tbody></table></div>')
    return "".join(made)


def _tags(findings: Findings) -> str:
    if not findings.tags:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{escape(tag.name)}</th><td>{percent(tag.p)}</td><td>{percent(tag.low)}</td><td>{percent(tag.high)}</td></tr>'
        for tag in findings.tags
    )
    return (
        "<h3>Marked as their own</h3><p>People marked answers as sensitive to them. The collector sees how many did so under each tag, "
        'and nothing about which answers.</p><div class="scroll"><table><thead><tr><th>tag</th><th>share</th><th>from</th><th>to</th></tr>'
        f"</thead><tbody>{rows}</tbody></table></div>"
    )


def _prose(text: str) -> str:
    """Paragraphs and lists of a plain text."""
    made = []
    for block in text.split("\n\n"):
        lines = block.split("\n")
        before = [line for line in lines if not line.startswith("  ")]
        entries = [line.strip().removeprefix("- ") for line in lines if line.startswith("  ")]
        made += [f"<p>{escape(before[0])}</p>"] if before else []
        made += [_list(entries, "plain")] if entries else []
        made += [f"<p>{escape(line)}</p>" for line in before[1:]]
    return "".join(made)


def _certificate(findings: Findings) -> str:
    made = []
    for level, mechanism in findings.study.blocks.items():
        certificate, promise = mechanism.certify(), findings.study.promises[level]
        rows = [*([("level", level)] if level else []), ("mechanism", mechanism.name)]
        if promise is None:
            rows.append(("promise", "nothing: reports show answers as they are"))
        else:
            one = " of one report" if findings.study.reports > 1 else ""
            rows += [
                ("notion", certificate.notion.title),
                ("promise", certificate.notion.promise()),
                ("verdict", "kept" if certificate.holds else "BROKEN"),
                (f"tightest level{one}", f"ε = {shown(certificate.level)}"),
            ]
        body = "".join(f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>' for name, value in rows)
        made.append(f'<div class="scroll"><table class="facts"><tbody>{body}</tbody></table></div>{_budgets(findings, level)}')
    return "".join(made)


def _budgets(findings: Findings, level: str) -> str:
    promise = findings.study.promises[level]
    if promise is None or promise.budgets is None:
        return ""
    listed = list(promise.budgets.items())[:_ROWS]
    rows = "".join(
        f'<tr><th scope="row"><bdi>{escape(text_of(item))}</bdi></th><td>{budget:g}</td><td>{factor(budget)}</td></tr>'
        for item, budget in listed
    )
    more = f"<p>… and {len(promise.budgets) - len(listed):,} more.</p>" if len(promise.budgets) > len(listed) else ""
    head = "<thead><tr><th>item</th><th>budget ε</th><th>factor e^ε</th></tr></thead>"
    return f'<div class="scroll"><table>{head}<tbody>{rows}</tbody></table></div>{more}'
