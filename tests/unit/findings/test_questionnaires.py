"""What people read of a questionnaire: a headline for each question, a page, a chart, the terminal and JSON, all with the same numbers."""

from __future__ import annotations

import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import sottovoce as sv
from collectors import named, some_reports
from invoking import as_json, complaint
from sottovoce.estimators import Interval
from sottovoce.estimators.numbers import Quantity
from sottovoce.findings import Findings, QuestionnaireFindings, questionnaire_chart, questionnaire_page
from sottovoce.findings.charts.questionnaire import question_chart
from sottovoce.findings.cross_tables import within
from sottovoce.findings.display.estimates import COMMAND, questionnaire_parts
from sottovoce.findings.display.text import print_parts
from sottovoce.findings.formatting import ends_text, percent_about, share_text
from sottovoce.findings.questionnaire import QuestionFindings
from sottovoce.findings.shares import Shares
from sottovoce.study import Study
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.questions import Question
from sottovoce.wire import lines
from studies import QUESTIONNAIRES

HOSTILE = "</script><b onclick=alert(1)>{{ 7 * 7 }} & \\\" '"
FILE = f"""
name = "wellbeing"
title = "How are <i>you</i>?"
introduction = "For everybody & nobody."
organisation = "City of <Example>"
contact = "a@example.org"
[privacy]
notion = "ldp"
epsilon = 6.0
[[questions]]
name = "smokes"
text = "Do you smoke?"
help = "Pipes <count>."
items = ["yes", "no"]
prefer_not_to_say = true
[[questions]]
name = "packs"
text = "How many packs?"
scale = ["one", "two", "more"]
after = {{smokes = "yes"}}
[[questions]]
name = "age"
text = "How old are you?"
numbers = {{from = 18, to = 98, bins = 20}}
[[questions]]
name = "mood"
text = "How do you feel?"
scale = [1, 5]
[[questions]]
name = "a \\"b\\" <c>"
text = "{HOSTILE}?"
items = ["{HOSTILE}", "<img src=x>", "{{% raw %}}"]
[[questions]]
name = "symptoms"
text = "Which did you have?"
choices = ["cough", "<u>fever</u>", "none"]
[[questions]]
name = "home"
text = "Where do you live?"
grid = {{latitude = [0, 1], longitude = [0, 1], shape = [2, 2]}}
[[questions]]
name = "sex"
text = "Your sex?"
items = ["female", "male"]
together = "pay"
[[questions]]
name = "pay"
text = "Is your pay fair?"
items = ["fair", "unfair", "don't know"]
together = "pay"
"""


@pytest.fixture(scope="module")
def study() -> Questionnaire:
    found = Study.from_toml(FILE)
    assert isinstance(found, Questionnaire)
    return found


def answers(study: Questionnaire, n: int) -> dict[str, Any]:
    random = np.random.default_rng(3)
    smokes = random.choice(["yes", "no", "prefer not to say"], n, p=[0.3, 0.6, 0.1])
    items = [str(each) for each in study.questions[4].answers]
    sex = random.choice(["female", "male"], n)
    return {
        "smokes": smokes,
        "packs": [random.choice(["one", "two", "more"]) if each == "yes" else None for each in smokes],
        "age": random.normal(45, 12, n),
        "mood": random.choice([1, 2, 3, 4, 5], n, p=[0.1, 0.1, 0.2, 0.4, 0.2]).tolist(),
        study.questions[4].name: random.choice(items, n, p=[0.6, 0.3, 0.1]),
        "symptoms": [[label for label in ("cough", "none") if random.random() < 0.3] for _ in range(n)],
        "home": [(0, 0)] * n,
        "sex": sex,
        "pay": [
            random.choice(["fair", "unfair", "don't know"], p=[0.2, 0.7, 0.1] if each == "female" else [0.6, 0.3, 0.1]) for each in sex
        ],
    }


@pytest.fixture(scope="module")
def tally(study: Questionnaire) -> sv.Tally:
    return sv.Tally(study.mechanism, keep_reports=True).add(study.perturb(answers(study, 20_000), sv.SeededSource(5)))


@pytest.fixture(scope="module")
def findings(study: Questionnaire, tally: sv.Tally) -> QuestionnaireFindings:
    return QuestionnaireFindings.of(study, tally, notes=["Read <this>."])


class Seen(HTMLParser):
    """The tags and attributes of a page, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.hidden = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.hidden += tag in {"style", "svg"}

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in {"style", "svg"}

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.text = (self.text.rstrip() if data == ", " else self.text) + data + " "


@pytest.fixture(scope="module")
def seen(findings: QuestionnaireFindings) -> Seen:
    return Seen(questionnaire_page(findings))


def asked(labels: list[str], p: list[float], spread: float, found: list[bool] | None = None, **options: Any) -> QuestionFindings:
    """The findings of a question with intervals of ± spread."""
    shares = np.array(p)
    told = None if found is None else np.array(found)
    made = Shares("item", labels, shares, Interval((shares - spread).clip(0), (shares + spread).clip(max=1)), found=told)
    question = Question("q", "Well?", sv.Domain(labels), **options)
    return QuestionFindings(question, 1000, "mle", made)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (asked(["yes", "no"], [0.3, 0.7], 0.03), "About 7 in 10 answered “no”: 70.0%, between 67.0 and 73.0%."),
        (asked(["yes", "no"], [0.3, 0.7], 0.004), "About 7 in 10 answered “no”: 70.00%, between 69.60 and 70.40%."),
        (asked(["yes", "no"], [0.4, 0.6], 0.3), "The reports can’t tell yet how common each answer is."),
        (asked(["yes", "no"], [0.9999, 0.0001], 0.00005), "Nearly everyone answered “yes”: 99.9900%, between 99.9850 and 99.9950%."),
        (
            asked(["yes", "no"], [0.02, 0.98], 0.03, found=[False, True]),
            "About 49 in 50 answered “no”: 98.0%, between 95.0 and 100.0%.",
        ),
        (
            asked(["yes", "no"], [0.48, 0.52], 0.04),
            (
                "“no” (52.0%) and “yes” (48.0%) may be equally common. "
                "The intervals are 48.0 to 56.0% and 44.0 to 52.0%, so the reports can’t tell which comes first."
            ),
        ),
        (asked(["a", "b", "c"], [0.2, 0.5, 0.3], 0.03), "About half answered “b”, the most common answer: 50.0%, between 47.0 and 53.0%."),
        (
            asked(["a", "b", "c"], [0.14, 0.44, 0.42], 0.03),
            (
                "“b” (44.0%) and “c” (42.0%) are the most common answers. "
                "The intervals are 41.0 to 47.0% and 39.0 to 45.0%, so the reports can’t tell which comes first."
            ),
        ),
        (
            asked(["a", "b", "c", "d"], [0.25, 0.26, 0.25, 0.24], 0.03),
            "“b” may be the most common answer: 26.0%, between 23.0 and 29.0%, but “a”, “c” and “d” may be as common.",
        ),
        (
            asked(list("abcde"), [0.21, 0.22, 0.2, 0.19, 0.18], 0.03),
            (
                "The most common answer isn’t clear yet. “b” has the largest estimate: 22.0%, between 19.0 and 25.0%, "
                "but each of the 4 other answers may be as common."
            ),
        ),
        (
            asked(list("abcdef"), [0.2, 0.22, 0.2, 0.19, 0.17, 0.02], 0.03),
            (
                "The most common answer isn’t clear yet. “b” has the largest estimate: 22.0%, between 19.0 and 25.0%, "
                "but “a”, “c”, “d” and “e” may be as common."
            ),
        ),
        (
            asked(list("abcdefgh"), [0.14, 0.15, 0.14, 0.14, 0.13, 0.13, 0.13, 0.04], 0.03),
            (
                "The most common answer isn’t clear yet. “b” has the largest estimate: 15.0%, between 12.0 and 18.0%, "
                "but “a”, “c”, “d”, “e” and 2 other answers may be as common."
            ),
        ),
        (
            asked(["a", "b"], [0.3, 0.2], 0.03, choices=True),
            "About 3 in 10 chose “a”, the most common choice: 30.0%, between 27.0 and 33.0%.",
        ),
        (asked(["a", "b", "c"], [0.4, 0.3, 0.3], 0.3), "The reports can’t tell yet how common each answer is."),
        (asked(["a", "b", "c"], [0.04, 0.03, 0.03], 0.2, found=[False] * 3), "No answer is clearly above zero yet."),
    ],
)
def test_the_headline_of_items(found: QuestionFindings, said: str) -> None:
    assert found.headline == said


def test_a_headline_names_the_answer_whose_share_it_gives() -> None:
    """A small share with a wide interval may be as large as the first one, and the one between them not."""
    p, low, high = np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.35, 0.28, 0.05, 0.08]), np.array([0.45, 0.32, 0.38, 0.12])
    labels = ["a", "b", "c", "d"]
    found = QuestionFindings(Question("q", "Well?", sv.Domain(labels)), 1000, "mle", Shares("item", labels, p, Interval(low, high)))
    assert found.headline == "“a” may be the most common answer: 40.0%, between 35.0 and 45.0%, but “c” may be as common."


def test_the_headline_of_a_scale_that_some_refuse() -> None:
    question = Question("q", "Well?", sv.Domain.scale(["bad", "fair", "good"]), refusal="prefer not to say")
    p = np.array([0.2, 0.3, 0.5])
    shares = Shares("item", ["bad", "fair", "good"], p, None)
    found = QuestionFindings(question, 10, "mle", shares, None, shares, Quantity(2.3, 2.25, 2.36))
    assert (
        found.headline
        == "The average answer is 2.30 among those who answered, between 2.25 and 2.36, on the scale from 1 (“bad”) to 3 (“good”)."
    )


def test_the_headline_of_a_scale_with_another_answer() -> None:
    p = np.array([0.2, 0.3, 0.4, 0.1])
    shares = Shares("item", ["bad", "fair", "good", "hard to say"], p, None)
    for refusal, whose in ((None, "without “hard to say”"), ("no", "among those who answered and without “hard to say”")):
        question = Question("q", "Well?", sv.Domain.scale(["bad", "fair", "good"]), other="hard to say", refusal=refusal)
        found = QuestionFindings(question, 10, "mle", shares, None, shares, Quantity(2.2, 2.15, 2.26))
        assert found.headline == f"The average answer is 2.20 {whose}, between 2.15 and 2.26, on the scale from 1 (“bad”) to 3 (“good”)."


def test_the_headline_of_numbers_without_a_mean() -> None:
    domain = sv.Domain.numbers(edges=[0, 10, 20, 30, float("inf")])
    study = Study.from_toml(
        'name = "a"\nquestion = "Well?"\nnumbers = {edges = [0, 10, 20, 30, inf]}\n[privacy]\nnotion = "ldp"\nepsilon = 4.0'
    )
    made = sv.estimate(sv.Tally.simulate(study.mechanism, [0.4, 0.4, 0.1, 0.1], 20_000, sv.SeededSource(1)))
    alone = Findings.of(study, made)
    found = QuestionFindings(Question("q", "Well?", domain), 10, "mle", alone.shares, alone)
    assert re.fullmatch(r"The (average|median) answer is [\d.]+, between [\d.]+ and [\d.]+\.", found.headline)


def test_the_page_has_contents_and_a_section_for_each_question(findings: QuestionnaireFindings, seen: Seen) -> None:
    ids = [attributes["id"] for _, attributes in seen.tags if "id" in attributes]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[\w-]+", str(each)) for each in ids)
    links = [attributes["href"] for tag, attributes in seen.tags if tag == "a"]
    assert {f"#{each}" for each in ids} >= set(links)
    sections = [attributes["id"] for tag, attributes in seen.tags if tag == "section" and "id" in attributes]
    assert len(sections) == len(findings.questions) + len(findings.together)
    assert [each for each in links if each != "#contents"] == [f"#{each}" for each in sections]
    assert sum(tag == "figure" for tag, _ in seen.tags) == 3, "two charts of numbers and a map; the tables of the others are drawings"
    text = re.sub(r"\s+", " ", seen.text)
    for each in findings.questions:
        assert text.count(re.sub(r"\s+", " ", each.headline)) == 2
        assert f"{each.n:,} of 20,000 reports cover this question" in text or each.n == 20_000
        for caution in each.cautions:
            assert text.count(caution) == 1 or text.count(caution.shared) == 1  # type: ignore[attr-defined]  # of several questions
    for said in ("Read <this>.", "20,000 people", "Pipes <count>.", "kept", findings.study.fingerprint):
        assert said in text, said
    assert "For everybody & nobody." not in text, "what people read before they answered is no result"


@pytest.mark.parametrize("kind", QUESTIONNAIRES)
def test_every_strategy_and_notion_has_a_page(kind: str) -> None:
    study = named(kind)
    assert isinstance(study, Questionnaire)
    found = QuestionnaireFindings.of(study, sv.Tally(study.mechanism, keep_reports=True).add(some_reports(study, 3000)))
    text = re.sub(r"\s+", " ", Seen(questionnaire_page(found)).text)
    assert f"{study.mechanism.claim.title}, ε = " in text
    assert [each.headline in text for each in found.questions] == [True] * len(study.questions)
    assert ("no report shows for certain what a person answered" in text) == (study.written.notion == "ldp")


def test_the_page_runs_nothing_whatever_labels_say(seen: Seen, findings: QuestionnaireFindings) -> None:
    assert not [tag for tag, _ in seen.tags if tag in {"script", "link", "img", "iframe", "object", "image", "b", "i", "u"}]
    assert not [key for _, attributes in seen.tags for key in attributes if key.startswith("on")]
    assert "49" not in seen.text.split("How old")[0]
    for label in findings.study.questions[4].answers:
        assert str(label) in seen.text


def test_every_surface_shows_the_same(findings: QuestionnaireFindings, seen: Seen) -> None:
    """Headlines, shares and figures in JSON, on the page and on the terminal."""
    out = io.StringIO()
    print_parts(questionnaire_parts(findings, COMMAND), Console(file=out, width=200))
    told, shown = findings.to_dict(), re.sub(r"\s+", " ", out.getvalue())
    for name, question in told["questions"].items():
        found = next(each for each in findings.questions if each.question.name == name)
        assert question["headline"] == found.headline
        assert re.sub(r"\s+", " ", question["headline"]) in shown
        for figure in found.figures:
            assert figure.cells[0] in seen.text
            assert " ".join(figure.cells) in shown
        for share in question.get("answered", question["items"]):
            written = share_text(share["p"], found.main.digits)
            assert written in seen.text
            assert found.question.answers.edges is not None or written in shown


def test_shares_of_those_who_answered_stand_apart(findings: QuestionnaireFindings, seen: Seen) -> None:
    smokes, packs = findings.questions[:2]
    assert smokes.among is not None
    assert list(smokes.main.labels) == ["yes", "no"]
    assert smokes.main.p.sum() == pytest.approx(1)
    assert packs.figures[0].name == "mean"
    refused_share, skipped_share = (each.apart.cells(0, each.main.digits)[0] for each in (smokes, packs) if each.apart is not None)
    text = re.sub(r"\s+", " ", seen.text)
    assert f"“prefer not to say” {refused_share} of everyone" in text
    assert f"“does not apply” {skipped_share} of everyone" in text


REFUSED = """
name = "refused"
title = "Mixed"
[privacy]
notion = "ldp"
epsilon = 6.0
[[questions]]
name = "pay"
text = "What do you earn?"
numbers = {from = 0, to = 100, bins = 50}
prefer_not_to_say = true
[[questions]]
name = "symptoms"
text = "Which did you have?"
choices = ["cough", "fever", "rash"]
at_most = 2
prefer_not_to_say = true
other = true
"""


def test_refused_numbers_and_choices_stand_apart() -> None:
    """The density is that of those who answered, and a cap is no cross-table."""
    study = Study.from_toml(REFUSED)
    assert isinstance(study, Questionnaire)
    random = np.random.default_rng(1)
    pay = [
        float(each) if known else "prefer not to say"
        for each, known in zip(random.normal(40, 8, 9000), random.random(9000) < 0.8, strict=True)
    ]
    ticked = [["cough"] if each < 0.3 else ["fever", "other"] if each < 0.8 else ["prefer not to say"] for each in random.random(9000)]
    table = {"pay": pay, "symptoms": ticked}
    findings = QuestionnaireFindings.of(study, sv.Tally(study.mechanism, keep_reports=True).add(study.perturb(table, sv.SeededSource(2))))
    numbers, choices = findings.questions
    assert re.match(r"The average answer is [\d.]+ among those who answered, between ", numbers.headline)
    assert list(choices.main.labels) == ["cough", "fever", "rash", "other"]
    assert choices.main.p == pytest.approx([0.375, 0.625, 0, 0.625], abs=0.06)
    form = json.dumps(question_chart(numbers, 0.95).to_dict())
    assert "Share of those who answered with a smaller number" in form
    out = io.StringIO()
    print_parts(questionnaire_parts(findings, COMMAND), Console(file=out, width=200))
    assert numbers.apart is not None
    shown = out.getvalue().partition("Apart from these answers, of everyone:")[2]
    assert re.search(rf"prefer not to say +{numbers.apart.cells(0)[0]}", shown)
    text = re.sub(r"\s+", " ", Seen(questionnaire_page(findings)).text)
    for each in (numbers, choices):
        assert each.apart is not None
        assert f"Not among them: “prefer not to say” {each.apart.cells(0, each.main.digits)[0]} of everyone" in text


def test_questions_asked_together_are_crossed(findings: QuestionnaireFindings, seen: Seen) -> None:
    """Within rows, shares sum to one and are those of the combinations; JSON and the page have the same."""
    (joint,) = findings.together.values()
    rows = within(joint)
    ratios = joint.p.reshape(2, 3) / joint.p.reshape(2, 3).sum(axis=1, keepdims=True)
    assert rows.p.reshape(2, 3) == pytest.approx(ratios)
    assert rows.p[1] == pytest.approx(0.7, abs=0.04)
    assert rows.interval is not None
    assert rows.interval.low[1] < 0.7 < rows.interval.high[1]
    (told,) = findings.to_dict()["together"].values()
    assert told["axes"] == {"sex": ["female", "male"], "pay": ["fair", "unfair", "don't know"]}
    assert "sex \\ pay" in seen.text
    for share in told["items"]:
        assert percent_about(share["p"], share["low"], share["high"], digits=joint.shares.digits) in seen.text
    for share in told["within"]:
        written = (share_text(share["p"], rows.digits), ends_text(share["low"], share["high"], rows.digits))
        assert " ".join(written) in seen.text


def test_the_chart_has_all_questions(findings: QuestionnaireFindings) -> None:
    form = json.dumps(questionnaire_chart(findings).to_dict())
    for each in findings.questions[:4]:
        assert json.dumps(each.question.text)[1:-1] in form
        assert each.headline[:40] in json.loads(form.replace("\\u201c", "“")).__str__()


def test_the_command_writes_a_page_and_a_chart(study: Questionnaire, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(FILE)
    reports = study.perturb(answers(study, 300), sv.SeededSource(1))
    (tmp_path / "reports.ndjson").write_bytes(lines(study.fingerprint, reports))
    told = as_json(tmp_path, "estimate", "study.toml", "reports.ndjson", "--html", "page.html", "--chart", "chart.svg")
    assert set(told["written"]) == {"page.html", "chart.svg"}
    page = Seen((tmp_path / "page.html").read_text()).text
    for question in told["questions"].values():
        assert question["headline"] in page
    assert (tmp_path / "chart.svg").read_text().startswith("<svg")


@pytest.mark.parametrize("option", [["--simultaneous"], ["--truth", "t.csv"], ["--tag-spread", "a=t.csv"]])
def test_options_for_one_question_are_refused(option: list[str], tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(FILE)
    (tmp_path / "reports.ndjson").touch()
    complaint(tmp_path, "estimate", "study.toml", "reports.ndjson", *option, kind="parameter")


def test_means_and_quantiles_of_a_question() -> None:
    study = named("block")
    assert isinstance(study, Questionnaire)
    reports = some_reports(study, 4000)
    found = study.estimate(reports)
    alone = study.estimates(study.tally(reports))
    for each in found.questions:
        if not each.question.answers.ordered or each.question.choices:
            with pytest.raises(sv.UnsupportedError):
                each.mean()
            with pytest.raises(sv.UnsupportedError):
                each.quantile(0.9)
        elif each.question.extras:
            assert each.mean() == each.mean_among
            with pytest.raises(sv.UnsupportedError):
                each.quantile(0.9)
        else:
            assert each.mean() == alone[each.question.name].mean()
            assert each.quantile(0.9) == alone[each.question.name].quantile(0.9)
    assert {each.question.answers.ordered for each in found.questions} == {True, False}


def test_estimates_of_files_are_refused_with_what_to_call(tmp_path: Path) -> None:
    study = named("block")
    assert isinstance(study, Questionnaire)
    for given in (tmp_path / "reports.parquet", "reports.parquet", None):
        with pytest.raises(sv.ReportError) as error:
            study.estimates(given)  # type: ignore[arg-type]
        assert "study.estimate(files)" in str(error.value)
        with pytest.raises(sv.ReportError):
            study.tallies(given)  # type: ignore[arg-type]
