"""What people read: findings, cautions, charts, pages."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import sottovoce as sv
from messages import refused
from paths import ROOT
from sottovoce import findings, report
from sottovoce.catalogue import METHODS
from sottovoce.estimators import Interval
from sottovoce.findings import Findings, findings_chart, findings_page, plan_chart, save_chart
from sottovoce.findings.display.estimates import listed_items
from sottovoce.findings.display.terminal import bars_table, grid_map
from sottovoce.findings.formatting import digits_of, ends_text, percent, percent_between, share_text
from sottovoce.findings.fractions import one_in
from sottovoce.findings.headlines import Told
from sottovoce.findings.shares import Shares
from sottovoce.utility.expectations import expected_tv
from studies import AXES, GRID, HEAD, STUDIES

SHARES = np.array([0.05, 0.1, 0.15, 0.3, 0.4])


@cache
def study_of(name: str) -> sv.Study:
    """A study by its name or its text, planned once."""
    return sv.Study.from_toml(STUDIES.get(name, name))


def found(name: str, p: np.ndarray | None = None, n: int = 20_000, seed: int = 1, method: str | None = None, **options: object) -> Findings:
    study = study_of(name)
    shares = np.full(len(study.inputs), 1 / len(study.inputs)) if p is None else p
    people = n if isinstance(study.mechanism, sv.Mechanism) else dict.fromkeys(study.blocks, n)
    tally = sv.Tally.simulate(study.mechanism, shares, people, sv.SeededSource(seed), keep_reports=True, reports=study.reports)
    return Findings.of(study, sv.estimate(tally, method), **options)  # type: ignore[arg-type]  # as Findings.of takes them


class Seen(HTMLParser):
    """The tags and attributes of a page, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text = (self.text.rstrip() if data == ", " else self.text) + data + " "


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_has_a_page_that_loads_nothing(name: str) -> None:
    findings = found(name)
    page = findings_page(findings)
    seen = Seen(page)
    assert not [tag for tag, _ in seen.tags if tag in {"script", "link", "img", "iframe", "object", "image"}]
    assert not [value for _, attributes in seen.tags for key, value in attributes.items() if key in {"src", "href", "xlink:href"}]
    assert set(re.findall(r"https?://[^\"' )]*", page)) <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert "url(" not in page.split("</style>")[0]
    assert "default-src 'none'" in page
    for text in (
        findings.study.question,
        findings.study.fingerprint,
        METHODS[findings.estimate.method].about,
        findings.headline,
        "The certificate",
        "kept",
        sv.__version__,
    ):
        assert text in " ".join(seen.text.split()), text
    for k in findings.order(100)[:20]:
        assert findings.shown[k] in seen.text
    for caution in findings.cautions:
        assert seen.text.count(caution) == 1
    assert findings.words in seen.text
    before = seen.text.partition("To check this page")[0]
    assert not re.search(r"nats|perturbed|ε|e\^", before), "words for analysts are folded away"
    for block in findings.study.blocks.values():
        assert f" {block.name} " not in before
    assert [tag for tag, _ in seen.tags if tag == "details"][-1:] == ["details"]


def test_hostile_labels_stay_text() -> None:
    evil = '<script>alert("1")</script>'
    text = (
        HEAD.replace("Which of these", "<b>Which</b> & '[red]'")
        + f"items = ['{evil}', 'b{{}}$x', '\\\\n']\n[privacy]\nnotion = \"ldp\"\nepsilon = 1\n"
    )
    findings = found(text)
    page = findings_page(findings)
    assert "<script" not in page
    assert "<b>Which" not in page
    assert evil in Seen(page).text
    assert "b{}$x" in Seen(page).text


@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "' & &amp; {{ 7 * 7 }} {% raw %}"])
def test_hostile_names_stay_text(hostile: str) -> None:
    quoted = hostile.replace("\\", "\\\\").replace('"', '\\"')
    text = (
        f'name = "hostile"\nquestion = "{quoted}"\n[axes]\n"{quoted}" = ["{quoted}", "b"]\nage = ["young", "old"]\n'
        f'[privacy]\nnotion = "uldp"\nepsilon = 1.0\ntags = ["{quoted}"]\nsensitive = [["{quoted}", "old"]]\n'
    )
    findings = found(text, beside={hostile: np.full(4, 0.25)}, notes=[hostile])
    page = findings_page(findings)
    seen = Seen(page)
    assert not [tag for tag, _ in seen.tags if tag in {"script", "img"}]
    assert not [name for _, attributes in seen.tags for name in attributes if name.startswith("on")]
    assert seen.text.count(hostile) > 10, "the title, the heading, the table, the tag, the caution"


def test_the_chart_shows_what_was_found(tmp_path: Path) -> None:
    findings = found("uldp", SHARES, beside={"truth": SHARES})
    assert findings.low is not None
    form = findings_chart(findings).to_dict()
    rows = next(data for data in form["datasets"].values() if "low" in data[0])
    order = findings.order(40)
    assert [row["p"] for row in rows] == pytest.approx(sorted(findings.p.tolist(), reverse=True))
    assert [row["low"] for row in rows] == pytest.approx(findings.low[order].tolist())
    marks = next(data for data in form["datasets"].values() if "beside" in data[0])
    assert [row["p"] for row in marks] == pytest.approx(SHARES[order].tolist())
    svg = save_chart(findings_chart(findings), tmp_path / "chart.svg").read_text()
    texts = [text for element in ET.fromstring(svg).iter() if element.tag.endswith("text") for text in [element.text or ""]]
    assert set(findings.texts) <= set(texts)
    assert "truth" in texts
    for ending in ("png", "html", "json"):
        assert save_chart(findings_chart(findings), tmp_path / f"chart.{ending}").stat().st_size > 1000
    with refused(sv.ParameterError, ".svg", ".png"):
        save_chart(findings_chart(findings), tmp_path / "chart.pdf")


def test_long_labels_are_wrapped_not_cut(tmp_path: Path) -> None:
    labels = ["a label that is far too long to stand on one line beside a bar of a chart", "short"]
    findings = found(HEAD + f'items = {labels}\n[privacy]\nnotion = "ldp"\nepsilon = 1\n'.replace("'", '"'))
    for width in (640, 360):
        svg = save_chart(findings_chart(findings, width), tmp_path / "chart.svg").read_text()
        words = " ".join(element.text or "" for element in ET.fromstring(svg).iter())
        assert "…" not in words
        assert set(labels[0].split()) <= set(words.split())


def test_a_grid_is_a_map_with_north_at_the_top() -> None:
    p = np.full(20, 0.2 / 19)
    p[19] = 0.8  # the north-east corner
    findings = found("grid", p, n=200_000)
    drawn = grid_map(findings)
    assert drawn is not None
    rows = drawn.splitlines()[1:-1]
    assert len(rows) == 4
    assert rows[0].endswith("██│")
    assert "█" not in "".join(rows[1:])
    form = findings_chart(findings).to_dict()
    cells = next(each for each in form["datasets"].values() if "cell" in each[0])
    darkest = max(cells, key=lambda cell: cell["shade"])
    assert (darkest["y2"], darkest["x2"]) == pytest.approx((40.80, -73.92))
    assert findings.shown[1] == "cell 40.700–40.725 N, 73.992–74.016 W"
    assert grid_map(found("uldp")) is None


@pytest.mark.parametrize("method", ["inversion", "mle", "auto"])
@pytest.mark.parametrize("n", [20, 3000])
def test_items_sum_to_margins_whose_intervals_hold(method: str, n: int) -> None:
    study = HEAD + AXES + '[privacy]\nnotion = "ldp"\nepsilon = 2\n[mechanism]\nname = "krr"\n'
    p = np.array([0.05, 0.1, 0.15, 0.2, 0.2, 0.3])
    held = []
    for seed in range(150):
        findings = found(study, p, n=n, seed=seed, method=method)
        sex, age = findings.margins
        assert (sex.name, age.name, list(age.labels)) == ("sex", "age", ["young", "middle", "old"])
        assert findings.p.reshape(2, 3).sum(axis=1) == pytest.approx(sex.p, abs=1e-12)
        assert findings.p.reshape(2, 3).sum(axis=0) == pytest.approx(age.p, abs=1e-12)
        assert sex.interval is not None
        assert age.interval is not None
        held += [bool(sex.interval.low[0] <= 0.3 <= sex.interval.high[0]), bool(age.interval.low[2] <= 0.45 <= age.interval.high[2])]
    assert 0.89 < np.mean(held) <= (0.99 if n > 100 else 1.0)
    assert found("uldp").margins == found("grid").margins == []


CONTRADICTIONS = ["ldp", "uldp", "levels", "tags", "axes", "axes-budgets", "three-reports", "olh", "lifted", "hadamard", "tags-and-axes"]


@pytest.mark.parametrize("simultaneous", [False, True])
@pytest.mark.parametrize("n", [5, 300, 20_000])
@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_nothing_that_is_shown_contradicts_itself(name: str, n: int, simultaneous: bool) -> None:
    """Shares lie in their intervals, as numbers and as they are written, items sum to their axes, and what is found isn't zero."""
    text = STUDIES["axes"].replace("sensitive", 'tags = ["own"]\nsensitive') if name == "tags-and-axes" else name
    size = len(study_of(text).inputs)
    for seed in range(2):
        p = np.random.default_rng(seed).dirichlet(np.full(size, 0.3))
        for method in (None, "auto", "inversion"):
            findings = found(text, p, n=n, seed=seed, method=method, simultaneous=simultaneous)
            for shares in (findings.shares, *findings.margins):
                assert shares.p.sum() == pytest.approx(1.0, abs=1e-6) or method == "inversion"
                assert shares.interval is not None
                assert (shares.interval.low <= shares.p).all()
                assert (shares.p <= shares.interval.high).all()
                cells = [re.findall(r"-?[\d.]+", " ".join(shares.cells(k))) for k in range(len(shares.p))]
                zeros = [cell[1] for cell, low in zip(cells, shares.interval.low, strict=True) if low > 1e-9 and float(cell[1]) == 0]
                assert not zeros or any("just over 0" in shares.cells(k)[1] for k in range(len(shares.p))), "above zero is never zero"
                written = np.array([[float(number) for number in row] for row in cells])
                assert (written[:, 1] <= written[:, 0]).all()
                assert (written[:, 0] <= written[:, 2]).all()
            for axis, each in enumerate(findings.margins):
                others = tuple(k for k in range(len(findings.margins)) if k != axis)
                assert findings.p.reshape(findings.study.domain.shape).sum(axis=others) == pytest.approx(each.p, abs=1e-9)
            assert findings.found is not None
            assert findings.low is not None
            assert (findings.low[findings.found] > 0).all()


TEN = (
    "[axes]\n"
    + "".join(f'q{k} = ["yes", "no"]\n' for k in range(10))
    + '[privacy]\nnotion = "ldp"\nepsilon = 2\n[mechanism]\nname = "oue"\n'
)


def test_ten_axes_are_shown_with_their_intervals() -> None:
    """The margins of 1,024 items: within 4 standard errors of the truth, drawn with lines, and the items that were found below them."""
    yes = np.linspace(0.051, 0.953, 10)
    p = np.ones(1)
    for share in yes:
        p = np.outer(p, [share, 1 - share]).ravel()
    findings = found(HEAD + TEN, p, n=30_000)
    for share, each in zip(yes, findings.margins, strict=True):
        assert each.interval is not None
        assert each.p[0] == pytest.approx(share, abs=4 * 0.08)
        assert each.interval.high[0] - each.interval.low[0] < 0.4
    assert findings.found is not None
    assert 5 < findings.found.sum() < 60
    assert np.abs(findings.p - p)[findings.found].max() < 0.02
    assert bars_table(findings.margins, axes=True).row_count == 20


def test_axes_are_drawn_before_the_items_that_were_found() -> None:
    labels = ", ".join(f'"{k}"' for k in range(32))
    study = f'{HEAD}[axes]\nsex = ["f", "m", "x"]\none = [{labels}]\nother = [{labels}]\n[privacy]\nnotion = "ldp"\nepsilon = 3\n'
    p = np.full(3072, 0.4 / 3069)
    p[[5, 1100, 2900]] = 0.2
    findings = found(study + '[mechanism]\nname = "oue"\n', p, n=30_000)
    assert findings.found is not None
    count = int(findings.found.sum())
    drawn = [len(data) for data in findings_chart(findings).to_dict()["datasets"].values() if "low" in data[0]]
    assert drawn == [3, 32, 32, min(40, count)]
    page = Seen(findings_page(findings)).text
    assert findings.words in page
    assert "The largest shares" in page


def test_many_items_are_told_apart_from_chance() -> None:
    """Most of 2,000 items belong to no one: those found are true, but for few, and the words say how many would seem so by chance."""
    study = HEAD + 'items = 2000\n[privacy]\nnotion = "ldp"\nepsilon = 3\n[mechanism]\nname = "oue"\n'
    p = np.zeros(2000)
    p[:30], p[30:130] = 0.02, 0.004
    false, several = [], []
    for seed in range(12):
        findings = found(study, p, n=30_000, seed=seed)
        counts, mask = findings.counts, findings.found
        assert counts is not None
        assert mask is not None
        false.append(mask[130:].sum() / max(1, mask.sum()))
        several.append(counts.above_zero)
        assert counts.by_chance == pytest.approx(0.025 * (~mask).sum(), rel=0.1)
        assert mask[:30].sum() > 25
        assert counts.rest == pytest.approx(1 - findings.p[mask].sum())
        assert findings.order(40) == sorted(np.flatnonzero(mask), key=lambda k: -findings.p[k])[:40]
    assert np.mean(false) < 0.09  # 5 % at most on average: 12 runs with about 35 finds each
    assert 60 < np.mean(several) < 110  # 47 by chance, and about a third of the 100 small ones
    assert counts is not None
    assert mask is not None
    told = findings.to_dict()
    assert told["found"]["words"] == findings.words
    assert f"{int(mask.sum()):,} of 2,000 answers are clearly above zero." in findings.words
    assert f"By chance alone about {counts.by_chance:.0f} would." in findings.words
    assert [item["found"] for item in told["items"]] == mask.tolist()
    assert len(listed_items(findings).p) == min(40, int(mask.sum()))
    page = Seen(findings_page(findings)).text
    assert f"The other {int((~mask).sum()):,}" in page
    at_once = found(study, p, n=30_000, simultaneous=True)
    assert at_once.counts is not None
    assert at_once.counts.control == "familywise"
    assert "for all items at once" in findings_page(at_once)


def test_the_number_by_chance_allows_for_steps() -> None:
    """With few reports for each of many items the intervals at 95 % exclude zero more often than 25 times of 1,000."""
    study = HEAD + 'items = 5000\n[privacy]\nnotion = "ldp"\nepsilon = 2\n[mechanism]\nname = "krr"\n'  # says next to nothing
    counts = [findings.counts for findings in (found(study, n=12_000, seed=seed) for seed in range(10))]
    above, chance = (np.array([getattr(each, name) for each in counts]) for name in ("above_zero", "by_chance"))
    assert above.mean() == pytest.approx(chance.mean(), rel=0.12)  # 10 · 180 items: a standard deviation of 2.4 %


def test_nothing_found_is_no_table_of_findings() -> None:
    study = HEAD + 'items = 2000\n[privacy]\nnotion = "ldp"\nepsilon = 1\n[mechanism]\nname = "krr"\n'
    findings = found(study, n=500)
    assert len(listed_items(findings).p) == 0
    assert "No answer is clearly above zero." in findings.words
    assert findings_chart(findings).to_dict()["datasets"]
    page = Seen(findings_page(findings))
    assert findings.words in page.text
    assert not [tag for tag, _ in page.tags if tag in {"figure", "table"}][:-3], "but for the facts to check"


def test_labels_that_the_reports_say_nothing_about_are_marked() -> None:
    findings = found(HEAD + AXES + '[privacy]\nnotion = "ldp"\nepsilon = 0.3\n', n=30)
    assert findings.margins[0].remarks == ["can't tell", "can't tell"]
    assert "can't tell" in Seen(findings_page(findings)).text
    clear = found(HEAD + AXES + '[privacy]\nnotion = "ldp"\nepsilon = 3\n', n=10_000)
    assert clear.margins[0].remarks == ["", ""]


@pytest.mark.parametrize("known", [True, False])
def test_intervals_leave_room_for_marked_answers(known: bool) -> None:
    """The true share of an item, marked answers included, lies in its interval at least as often as it says."""
    study = (
        HEAD + GRID.replace("[4, 5]", "[2, 2]") + '[privacy]\nnotion = "uldp"\nepsilon = 2.0\ntags = ["home"]\n[mechanism]\nname = "pum"\n'
    )
    seen, homes = np.array([0.1, 0.3, 0.2, 0.1, 0.3]), np.array([0.5, 0.5, 0.0, 0.0])
    truth = seen[:4] + seen[4] * homes
    held = []
    for seed in range(100):
        findings = found(study, seen, n=2000, seed=seed, known={"home": homes} if known else None)
        assert findings.low is not None
        assert findings.high is not None
        held.append((findings.low <= truth) & (truth <= findings.high))
        assert findings.tags[0].name == "home"
    assert np.mean(held) >= 0.94
    assert ("said only “home”. Where these were comes from the analyst’s file" in findings.marked) is known
    assert ("marked their answer “home” and could be anywhere, which is why the intervals reach so far." in findings.marked) is not known
    assert not any("home" in caution for caution in findings.cautions), "it's said once"


def test_cautions_say_what_is_wrong() -> None:
    def said(findings: Findings) -> str:
        return " ".join(findings.cautions)

    assert said(found("uldp", SHARES, n=1_000_000)) == ""
    zero = found("uldp", np.array([0.0, 0.2, 0.2, 0.3, 0.3]), n=100_000)
    assert zero.words == "4 of 5 answers are clearly above zero. “hiv” may not be: between 0.00 and 0.90% of people chose it."
    assert zero.shares.remark(0) == "maybe zero"
    assert "reach zero" in said(found("lip", np.array([0.0, 0.3, 0.7]), n=5, method="mmse"))
    assert "sent all 3 reports" in said(found("three-reports", SHARES, n=100_000))
    assert "a level that hides nothing" in said(found("levels", SHARES, n=100_000))
    assert "relies on the prior" in said(found("lip", np.array([0.1, 0.2, 0.7]), n=100_000, method="mmse"))
    assert "The prior of the study wasn't used" in said(found("lip", np.array([0.1, 0.2, 0.7]), n=100_000))
    lifted = HEAD + 'items = 9\n[privacy]\nnotion = "uldp"\nepsilon = 1\nsensitive = [0, 1]\n'
    without = found(lifted + '[mechanism]\nname = "utility_optimized"\nbase = "olh"\n')
    assert "There are no intervals" in said(without)
    assert without.to_dict()["items"][0]["low"] is None
    page = Seen(findings_page(without))
    assert "95% interval" not in page.text
    assert not [tag for tag, attributes in page.tags if attributes.get("class") == "interval"]
    assert "first" in said(found("uldp", SHARES, n=1_000_000, notes=["first"]))


@pytest.mark.parametrize("name", ["ldp", "uldp", "three-reports"])
def test_few_people_are_told_how_many_it_takes(name: str) -> None:
    """However few there are, and about as many as the unbiased estimate needs."""
    study = sv.Study.from_toml(STUDIES[name])
    mechanism = study.blocks[""]
    needed = next(n for n in range(50, 10**6, 50) if expected_tv(mechanism, SHARES, n, study.reports) <= 0.1)
    for n in (1, 2, 3, 30, 200):
        told = [
            caution for seed in range(20) for caution in found(name, SHARES, n=n, seed=seed).cautions if caution.startswith("There are few")
        ]
        assert len(told) == 20, n
        asked = [int(re.findall(r"about ([\d,]+) people", caution)[0].replace(",", "")) for caution in told]
        assert 0.5 * needed < np.median(asked) < 2 * needed, n
    assert not [caution for caution in found(name, SHARES, n=4 * needed).cautions if caution.startswith("There are few")]


def test_every_method_has_words() -> None:
    assert set(METHODS) == set(sv.METHODS)


def test_findings_as_data() -> None:
    findings = found("axes", beside={"truth": np.full(6, 1 / 6)})
    frame = findings.to_frame()
    about = ["quantity", "value", "remark", "n", "method", "level", "study", "fingerprint"]
    assert list(frame.columns) == ["sex", "age", "p", "low", "high", "truth", *about]
    assert set(frame["quantity"]) == {"share"}
    assert frame["value"].equals(frame["p"].rename("value"))
    assert set(frame["n"]) == {findings.n}
    assert set(frame["study"]) == {findings.study.name}
    assert frame["p"].to_numpy() == pytest.approx(findings.p)
    told = findings.to_dict()
    assert told["items"][1]["item"] == "f / middle"
    assert told["items"][1]["truth"] == pytest.approx(1 / 6)
    assert found("three-reports", SHARES, n=1000).to_dict()["people"] == 1000
    assert len(listed_items(findings).p) == 6
    assert len(listed_items(found("integers")).p) == 30
    told = found("olh").to_dict()
    assert len(listed_items(found("olh")).p) == min(40, told["found"]["count"])
    assert set(findings.to_dict()["margins"]) == {"sex", "age"}
    assert findings.to_dict()["margins"]["sex"][0].keys() == {"item", "p", "low", "high", "truth"}


def test_shares_alone_show_small_ones() -> None:
    assert [percent(share) for share in (0.5, 0.001, 0.0001234, 0.0)] == ["50.0%", "0.10%", "0.012%", "0.0%"]


def test_intervals_are_rounded_outwards() -> None:
    assert [ends_text(low, high, 1) for low, high in ((0.05129, 0.0612), (0.07, 0.08), (0.0, 1.0))] == [
        "5.1 to 6.2%",
        "7.0 to 8.0%",
        "0.0 to 100.0%",
    ]
    assert ends_text(None, None, 1) == share_text(None, 1) == share_text(float("nan"), 1) == "–"


@pytest.mark.parametrize("width", [1.0, 0.3, 0.05, 0.049, 0.004, 0.0005, 0.00004, 1e-9])
def test_written_shares_lie_in_their_intervals(width: float) -> None:
    """With the digits that the interval is worth, rounding widens it by a fifth at most."""
    digits = digits_of([width])
    for low in np.random.default_rng(1).uniform(-0.01, 1 - width, 200).tolist():
        for p in (low, low + width / 3, low + width):
            written = ends_text(low, low + width, digits)
            least, most = (float(end) for end in written.replace("just over ", "").rstrip("%").split(" to "))
            assert least <= float(share_text(p, digits, low).rstrip("%")) <= most
            assert least != 0 or low <= 1e-9 or written.startswith("just over 0")
            assert most - least < 100 * width * 1.21 or digits == 4


def test_the_written_numbers_are_those_of_the_vectors() -> None:
    """What the pages of the collector are checked against."""
    found = json.loads((ROOT / "spec/vectors/written/shares.json").read_text(encoding="utf-8"))
    for table in found["tables"]:
        rows = table["rows"]
        assert digits_of(row["high"] - row["low"] for row in rows if row["low"] is not None) == table["digits"]
        assert [share_text(row["p"], table["digits"], row["low"]) for row in rows] == [row["share"] for row in rows]
        assert [ends_text(row["low"], row["high"], table["digits"]) for row in rows] == [row["ends"] for row in rows]
        assert [percent_between(row["p"], row["low"], row["high"]) for row in rows] == [row["sentence"] for row in rows]
    assert [(percent(each["p"]), one_in(each["p"])) for each in found["words"]] == [
        (each["share"], each["about"]) for each in found["words"]
    ]


def test_the_plan_chart_of_a_study() -> None:
    chart = plan_chart(sv.Study.from_toml(STUDIES["three-reports"]).plan(1000)).to_dict()
    assert "LDP at ε = 1" in chart["title"]["text"]


def test_the_first_name_of_the_package_still_gives_the_same() -> None:
    assert set(report.__all__) <= set(findings.__all__)
    assert all(getattr(report, name) is getattr(findings, name) for name in report.__all__)


def test_headlines_say_about_a_fraction_only_if_it_is_in_the_interval() -> None:
    """ "About 2 in 3" isn't said of 62.3 to 65.9%."""
    random = np.random.default_rng(5)
    said = set()
    for share, width in zip(random.uniform(0.02, 0.98, 2000), random.choice([0.005, 0.02, 0.1], 2000), strict=True):
        low, high = max(0.0, share - width * random.random()), min(1.0, share + width * random.random())
        shares = Shares("item", ["yes"], np.array([share]), Interval(np.array([low]), np.array([high])))
        claim = Told(shares, sv.Domain(["yes", "no"])).headline.claim
        found = re.match(r"(About|Nearly|More than) (?:(\d+) in ([\d,]+)|half) answered", claim)
        if found is None:
            assert claim.startswith(("Nearly everyone", "Hardly anyone"))
            continue
        how, part, whole = found.groups()
        exact = int(part) / int(whole.replace(",", "")) if part else 0.5
        assert how == ("Nearly" if exact > high else "More than" if exact < low else "About")
        said.add(how)
    assert said == {"About", "Nearly", "More than"}
    apart = Shares("item", ["yes", "no"], np.array([0.639, 0.361]), Interval(np.array([0.623, 0.341]), np.array([0.659, 0.377])))
    assert Told(apart, sv.Domain(["yes", "no"])).headline.claim == "Nearly 2 in 3 answered “yes”: 63.9%"
