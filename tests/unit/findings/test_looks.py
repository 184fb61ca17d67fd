"""Objects that people look at: as text, as HTML, as charts, and as columns that other libraries read."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import sottovoce as sv
from messages import refused
from sottovoce.findings import Findings
from sottovoce.findings.display.html import _style
from sottovoce.later import later

HEAD = 'name = "clinic"\nquestion = "Which <of these> do you have?"\n'
ONE = f'{HEAD}items = ["hiv", "flu", "none"]\n[privacy]\nnotion = "uldp"\nepsilon = 1.0\nsensitive = ["hiv"]\n'
AGES = f'{HEAD}numbers = {{from = 0, to = 100, bins = 10}}\n[privacy]\nnotion = "ldp"\nepsilon = 2.0\n'
TWO = """name = "wellbeing"
title = "How are you?"
[privacy]
notion = "ldp"
epsilon = 4.0
[[questions]]
name = "mood"
text = "How do you feel?"
items = ["good", "fair", "bad"]
[[questions]]
name = "job"
text = "Do you have a job?"
items = ["yes", "no"]
"""


def estimated(n: int = 10_000) -> sv.Estimate:
    study = sv.Study.from_toml(ONE)
    made: sv.Estimate = study.estimate(sv.Tally.simulate(study.mechanism, [0.05, 0.25, 0.7], n, sv.SeededSource(1)))
    return made


def questionnaire() -> Any:
    study, chance = sv.Study.from_toml(TWO), np.random.default_rng(1)
    answers = {"mood": chance.choice(["good", "fair", "bad"], 3000), "job": chance.choice(["yes", "no"], 3000)}
    return study.estimate(study.perturb(answers, sv.SeededSource(1)))  # type: ignore[attr-defined]  # a questionnaire


def things() -> dict[str, Any]:
    study, domain = sv.Study.from_toml(ONE), sv.Domain.product(sex=["f", "m"], age=["young", "old"])
    tally = sv.Tally.simulate(study.mechanism, [0.05, 0.25, 0.7], 5000, sv.SeededSource(1))
    crossed = sv.estimate(sv.Tally.simulate(sv.krr(domain, 2.0), [0.1, 0.2, 0.3, 0.4], 5000, sv.SeededSource(1)))
    grid = sv.krr(sv.Domain.grid(x=(0.0, 4.0), y=(0.0, 4.0), shape=(4, 4)), 4.0)
    ages = sv.Study.from_toml(AGES)
    return {
        "estimate": estimated(),
        "alone": sv.estimate(tally),
        "product": crossed,
        "margin": crossed.margin("sex"),
        "map": sv.estimate(sv.Tally.simulate(grid, np.full(16, 1 / 16), 5000, sv.SeededSource(1))),
        "numbers": ages.estimate(sv.Tally.simulate(ages.mechanism, np.full(10, 0.1), 5000, sv.SeededSource(1))),
        "by hand": sv.Estimate(sv.Domain("ab"), np.array([0.4, 0.6]), 10, "mle"),
        "questionnaire": questionnaire(),
        "plan": study.plan(1000),
        "planned people": sv.plan(20, 1.0, within=0.02),
        "certificate": study.mechanism.certify(),
        "study": study,
        "several questions": sv.Study.from_toml(TWO),
        "tally": tally,
        "compared": sv.compare(estimated(), [0.05, 0.25, 0.7]),
        "simulated": sv.simulate(study, n=1000, runs=2),
    }


def _rows(found: duckdb.DuckDBPyRelation | None) -> list[Any]:
    assert found is not None
    return found.fetchall()


class Balanced(HTMLParser):
    """Fails if an element isn't closed where it should be."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        """Closed by itself."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def every() -> dict[str, Any]:
    return things()


NAMES = (
    "estimate", "alone", "product", "margin", "map", "numbers", "by hand", "questionnaire", "plan", "planned people", "certificate",
    "study", "several questions", "tally", "compared", "simulated",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_everything_has_text_a_line_and_html(every: dict[str, Any], name: str) -> None:
    text, line, html = str(every[name]), repr(every[name]), every[name]._repr_html_()
    assert "\n" in text
    assert not re.search(r"[ \t]$", text, flags=re.MULTILINE)
    assert "\n" not in line
    assert len(line) < 260
    parser = Balanced()
    parser.feed(html)
    assert parser.open == []
    assert "nan" not in re.sub(r"<style>.*?</style>", "", html).lower().replace("finance", "")


@pytest.mark.parametrize("name", [name for name in NAMES if name != "tally"])
def test_what_can_be_drawn_is(every: dict[str, Any], name: str) -> None:
    assert every[name].plot().to_dict()["$schema"]


def test_the_text_of_an_estimate_has_its_shares_and_what_to_know() -> None:
    text = str(estimated(60))
    assert "clinic: Which <of these> do you have?" in text
    assert "hiv" in text
    assert "60 people" in text
    assert "gap" not in text
    html = estimated(60)._repr_html_()
    assert "Which &lt;of these&gt; do you have?" in html
    assert 'class="guarantee">Guarantee: If someone thinks there is a 1 in 100 chance' in html
    assert "at most about 3 in 100" in html


def test_labels_cannot_break_a_notebook() -> None:
    mechanism = sv.krr(sv.Domain(["</style><script>alert(1)</script>", "b"]), 1.0)
    html = sv.estimate(sv.Tally.simulate(mechanism, [0.5, 0.5], 1000, sv.SeededSource(1)))._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html


def test_styles_stay_inside_their_block() -> None:
    """Each selector of the style sheet begins with the block's class, perhaps inside a theme."""
    rules = re.sub(r"@media[^{]*\{", "", _style())
    for selectors in re.findall(r"([^{}]+)\{", rules):
        for each in selectors.split(","):
            assert re.match(r"\s*(\[data-jp-theme-light=\"\w+\"\] |\.vscode-\w+ )?\.sottovoce\.sottovoce( |$)", each), each
    assert "--sottovoce" not in _style()
    assert "#1b1f24" in _style()


@pytest.mark.parametrize("name", ["estimate", "product", "numbers", "questionnaire", "plan", "simulated", "tally"])
def test_arrow_streams_are_read(every: dict[str, Any], name: str) -> None:
    """By polars, DuckDB and Arrow itself: the same rows as the data frame."""
    thing = every[name]
    table, frame = pa.table(thing), pl.DataFrame(thing)
    assert frame.columns == table.column_names
    assert len(frame) == table.num_rows > 0
    assert _rows(duckdb.sql("select count(*) from thing")) == [(table.num_rows,)]
    if name != "tally":
        assert list(thing.to_frame().columns) == table.column_names
        assert len(thing.to_frame()) == table.num_rows


def test_shares_are_the_same_everywhere() -> None:
    made = estimated()
    assert pl.DataFrame(made)["p"].to_list() == made.p.tolist() == made.to_frame()["p"].to_list()
    assert _rows(duckdb.sql("select item from made order by p desc limit 1")) == [("none",)]
    told = json.loads(json.dumps(made.to_dict(0.9)))
    assert [row["p"] for row in told["items"]] == made.p.tolist()
    assert told["items"][0]["low"] == made.interval(0.9).low[0]
    summary = made.summary(0.99)
    assert summary.loc["flu", "high"] == made.interval(0.99).high[1]
    assert summary["found"].tolist() == made.significant(0.01).tolist()


def test_numbers_that_are_not_known_are_missing() -> None:
    made = sv.Estimate(sv.Domain("ab"), np.array([0.4, 0.6]), 10, "mle")
    assert np.isnan(made.to_frame()["low"]).all()
    assert made.to_dict()["items"][0] == {"item": "a", "p": 0.4, "stderr": None, "low": None, "high": None}
    assert made.summary()["found"].tolist() == [None, None]


def test_labels_of_several_kinds_become_text_in_arrow() -> None:
    made = sv.estimate(sv.Tally.simulate(sv.krr(sv.Domain([1, "b"]), 1.0), [0.5, 0.5], 100, sv.SeededSource(1)))
    assert pa.table(made)["item"].to_pylist() == ["1", "b"]


def test_charts_without_altair_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    made = estimated()
    for name in [name for name in sys.modules if name.startswith("sottovoce.findings") and ("chart" in name or "page" in name)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "altair", None)
    monkeypatch.setattr("sottovoce.findings.display.objects._charts", later("sottovoce.findings.display.charts"))
    with refused(sv.UnsupportedError, "altair"):
        made.plot()
    assert "clinic" in made._repr_html_()


def test_a_study_estimates_from_files(tmp_path: Path) -> None:
    study, path = sv.Study.from_toml(ONE), tmp_path / "reports.ndjson"
    from sottovoce.batch.perturbing import perturb_file

    (tmp_path / "answers.csv").write_text("answer\n" + "flu\n" * 60 + "none\n" * 140)
    perturb_file(study, str(tmp_path / "answers.csv"), str(path), source=sv.SeededSource(1))
    with path.open("a") as out:
        out.write("not a report\n")
    made = study.estimate(path)
    assert made.n == 200
    assert made.study == study
    assert any("1 " in note for note in made.notes)
    assert made.notes[0] in str(made).replace("\n", " ")
    assert sv.Tally.from_files(study, path) == study.tally(path) == study.tally([str(path)])
    assert np.array_equal(study.estimate(str(tmp_path / "*.ndjson")).p, made.p)


def test_few_reports_are_not_estimated_unless_forced() -> None:
    study = sv.Study.from_toml(ONE)
    reports = study.blocks[""].perturb(["flu"] * 20, sv.SeededSource(1))
    with refused(sv.FewReportsError, "20"):
        study.estimate(reports)
    assert "50" in study.estimate(reports, force=True).notes[0]


def test_what_cannot_be_counted_is_refused() -> None:
    study, other = sv.Study.from_toml(ONE), sv.krr(sv.Domain("ab"), 1.0)
    with refused(sv.ReportError, "clinic"):
        study.estimate(sv.Tally(other))
    with refused(sv.ReportError, "int"):
        study.estimate(5)
    with refused(sv.ParameterError, "Mechanism"):
        sv.Tally.from_files(other, "reports.parquet")
    with refused(sv.ParameterError, "keep_reports"):
        sv.Tally(other, other.perturb("ab", sv.SeededSource(1)))  # type: ignore[arg-type]


def test_truths_of_several_kinds_are_the_same() -> None:
    study, answers = sv.Study.from_toml(ONE), ["hiv"] + ["flu"] * 4 + ["none"] * 5
    truths: list[Any] = [[0.1, 0.4, 0.5], {"hiv": 1, "flu": 4, "none": 5}, answers, np.array(answers)]
    found = [sv.compare(estimated(), truth).trials[0].tv for truth in truths]
    assert found == pytest.approx([abs(estimated().p - np.array([0.1, 0.4, 0.5])).sum() / 2] * 4)
    assert [sv.simulate(study, truth, 500, runs=2).to_dict()["methods"] for truth in truths[1:]] == [
        sv.simulate(study, truths[0], 500, runs=2).to_dict()["methods"]
    ] * 3


def test_comparisons_put_the_best_first() -> None:
    domain = sv.Domain(30)
    found = sv.compare([sv.krr(domain, 1.0), sv.hadamard(domain, 1.0)], n=5000, runs=5)
    assert [each.mechanism for each in found.trials] == ["hadamard", "krr"]
    assert found.to_dict()["mechanisms"][0]["tv"] == found.trials[0].tv
    named = sv.compare(sv.Study.from_toml(ONE), n=500, runs=2, mechanisms=["urr", "krr"])
    assert {each.mechanism for each in named.trials} == {"urr", "krr"}


@pytest.mark.parametrize(
    ("call", "value"),
    [
        (lambda: sv.compare(estimated()), "truth"),
        (lambda: sv.compare("clinic"), "clinic"),
        (lambda: sv.compare(estimated(), {"flu": -1}), "negative"),
        (lambda: sv.compare(estimated(), [0.1, 0.1, 0.1]), "0.3"),
        (lambda: sv.simulate(sv.krr(sv.Domain("ab"), 1.0), "truth.csv"), "truth.csv"),
        (lambda: sv.simulate(sv.krr(sv.Domain("ab"), 1.0), runs=0), "0"),
        (lambda: sv.simulate(sv.Study.from_toml(AGES), within=2.0), "about"),
        (lambda: sv.simulate(sv.Study.from_toml(TWO)), "wellbeing"),
    ],
    ids=["no truth", "text", "negative", "sum", "file", "runs", "within", "several questions"],
)
def test_what_cannot_be_compared_is_refused(call: Any, value: str) -> None:
    with refused(sv.ParameterError, value):
        call()


def test_findings_of_a_questionnaire_are_found_by_name() -> None:
    found = questionnaire()
    assert found["mood"].question.text == "How do you feel?"
    with refused(sv.StudyError, "weather"):
        found["weather"]


def test_findings_look_like_their_estimate() -> None:
    made = estimated()
    assert str(Findings.of(made.study, made)) == str(made)


ITEMS = ("a", "b", "c")
#: Mechanisms with their claims, made when a test runs, and the answers that are protected.
GUARANTEES: dict[str, tuple[Callable[[], tuple[sv.Mechanism, Any]], str]] = {
    "ldp": (lambda: (sv.krr(sv.Domain(ITEMS), 1.0), sv.LDP(1.0)), "abc"),
    "uldp": (lambda: (sv.urr(sv.Domain(ITEMS), 1.0, ["a", "b"]), sv.ULDP(1.0, ["a", "b"])), "ab"),
    "lip": (lambda: (sv.rr_lip(sv.Domain(ITEMS), 1.0, [0.6, 0.3, 0.1]), sv.LIP(1.0, [0.6, 0.3, 0.1])), "abc"),
    "ipldp": (lambda: (sv.iprr(sv.Domain(ITEMS), {"a": 0.5, "b": 2.0}), sv.IPLDP({"a": 0.5, "b": 2.0})), "ab"),
}


@pytest.mark.parametrize("kind", GUARANTEES)
def test_a_chart_of_a_guarantee_has_every_belief_inside(kind: str) -> None:
    """By brute force: what each report makes of each belief about a protected answer, whatever the other answer is."""
    make, protected = GUARANTEES[kind]
    mechanism, claim = make()
    form = claim.check(mechanism).plot().to_dict()
    rows = next(rows for rows in form["datasets"].values() if "high" in rows[0])
    matrix = mechanism.channel.matrix()
    for row in rows[1:-1]:
        before = row["before"]
        for one in protected:
            for other in set(ITEMS) - {one}:
                mine, others = before * matrix[ITEMS.index(one)], (1 - before) * matrix[ITEMS.index(other)]
                seen = mine + others > 0
                after = mine[seen] / (mine + others)[seen]
                assert row["low"] - 1e-9 <= after.min()
                assert after.max() <= row["high"] + 1e-9
    assert ("sensitive" in form["title"]["text"]) is (kind in {"uldp", "ipldp"})


def test_there_is_no_chart_of_a_guarantee_that_bounds_no_belief() -> None:
    with refused(sv.UnsupportedError):
        sv.MutualInformation(1.0, [0.6, 0.3, 0.1]).check(sv.krr(sv.Domain(ITEMS), 1.0)).plot()
    levels = '[privacy]\nnotion = "ldp"\n[privacy.levels]\ncareful = 0.5\nopen = inf\n'
    study = sv.Study.from_toml(f'name = "s"\nquestion = "Well?"\nitems = ["a", "b", "c"]\n{levels}')
    assert "open: nothing is hidden" in study.plot().to_dict()["title"]["subtitle"]


def test_names_in_charts_are_no_markup() -> None:
    """Altair writes a chart into a script, which a name could end."""
    text = 'name = "s"\nquestion = "Well?"\nitems = ["</script><script>alert(1)</script>", "b"]\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n'
    study = sv.Study.from_toml(text)
    chart = study.estimate(study.blocks[""].perturb(["b"] * 400, sv.SeededSource(1))).plot()
    shown = chart._repr_mimebundle_()["text/html"]
    assert "alert(1)" in shown
    assert "<script>alert" not in shown
    assert "<\u2060/script>" in chart.to_json(ensure_ascii=False)


def test_sensitive_answers_are_named_in_the_order_of_the_domain() -> None:
    """Certificates keep them as a set, which has another order in each process."""
    mechanism = sv.urr(
        sv.Domain(["plague", "cholera", "measles", "mumps", "none"]), 1.0, sensitive=["plague", "cholera", "measles", "mumps"]
    )
    html = sv.estimate(sv.Tally.simulate(mechanism, [0.2] * 5, 2000, sv.SeededSource(1)), progress=False)._repr_html_()
    assert "answer is “plague”" in html
    assert "“cholera”, “measles” and “mumps”" in html
