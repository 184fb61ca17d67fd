"""A device gives each study one answer, within its cap, draws once, and never keeps the answer."""

from __future__ import annotations

import json
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from devices import ANSWERS, URL, Memory, ScriptedCollector, answered, device, named, problem
from messages import refused
from sottovoce.devices import Asked
from sottovoce.errors import DomainError, LedgerError
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.questions import encoded
from sottovoce.wire import reports_of
from studies import QUESTIONNAIRES, STUDIES

KINDS = [*STUDIES, *QUESTIONNAIRES]
#: Words after the first one, which draws the form.
WORDS = [int(word) for word in sv.SeededSource(3).take(20_000)]


def level_of(study: sv.Study) -> str | None:
    return study.levels[0] if study.levels else None


@pytest.mark.parametrize("kind", KINDS)
def test_a_submission_is_one_that_the_collector_takes(kind: str) -> None:
    study, storage = named(kind), Memory()
    status = answered(device(storage), study, level=level_of(study))
    assert (status.state, len(status.reports)) == ("waiting", study.reports)
    assert len(reports_of(study.mechanism, status.reports)) == study.reports
    assert len({each.id for each in status.reports}) == study.reports
    assert {each.study for each in status.reports} == {study.fingerprint}
    line = storage.ledger["lines"][study.fingerprint]
    assert set(line) - {"closes"} == {"url", "state", "day", "spent", "reports"}
    assert set(storage.ledger) == {"lines"}


@pytest.mark.parametrize("kind", QUESTIONNAIRES)
def test_one_word_draws_the_form_and_the_next_ones_the_parts(kind: str) -> None:
    study = named(kind)
    assert isinstance(study, Questionnaire)
    tier = level_of(study)
    (body,) = answered(device(source=sv.ReplaySource(WORDS)), study, level=tier).reports
    source = sv.ReplaySource(WORDS)
    ranks = study.mechanism.draw(1, source, None if tier is None else np.array([0]))
    form = study.mechanism.groups[study.mechanism.names[ranks[0]]]
    table = {question.name: [ANSWERS[question.name]] for question in study.questions}
    parts = form.sample(encoded(study.questions, table), source)
    assert body.level == study.mechanism.names[ranks[0]]
    assert isinstance(body.report, str)
    assert b64decode(body.report) == parts.records().tobytes()


@pytest.mark.parametrize("kind", ["ldp", "three-reports", "block"])
def test_an_answered_study_is_not_drawn_again(kind: str) -> None:
    study, storage = named(kind), Memory()
    first = answered(device(storage), study)
    saves = storage.saves
    again = answered(device(storage, source=sv.ReplaySource([])), study)
    assert (again.reports, storage.saves) == (first.reports, saves)
    assert device(storage).record(first_url(study)) == first


def first_url(study: sv.Study) -> str:
    return URL.replace("app", study.name)


def test_the_same_words_give_the_same_report_under_different_identifiers() -> None:
    first, second = (answered(device(source=sv.ReplaySource(WORDS)), named("block")).reports[0] for _ in range(2))
    assert (first.report, first.level) == (second.report, second.level)
    assert first.id != second.id


def test_a_form_is_drawn_once_even_if_an_answer_is_missing() -> None:
    study, storage = named("sample"), Memory()
    given = device(storage)
    found = given.asked(study)
    assert found is not None
    asked = found.needed
    assert found.reported == asked
    assert 0 < len(asked) < len(study.questions)
    (drawn,) = storage.ledger["drawn"]
    assert drawn == {"study": study.fingerprint, "url": "", "level": "", "form": found.form}
    for _ in range(3):
        with pytest.raises(DomainError) as error:
            device(storage).record(study, {asked[0]: ANSWERS[asked[0]]}, url=URL)
        assert repr(asked[1]) in str(error.value)
    assert storage.ledger == {"lines": {}, "drawn": [drawn]}
    status = device(storage).record(study, {name: ANSWERS[name] for name in asked}, url=URL)
    assert status.reports[0].level == found.form
    assert "drawn" not in storage.ledger
    assert device(storage).asked(study) is None


def test_each_level_has_a_form_of_its_own() -> None:
    study, storage = named("tiers"), Memory()
    given = device(storage)
    forms = {level: found.form for level in study.levels if (found := given.asked(study, level))}
    assert [(each["level"], each["form"]) for each in storage.ledger["drawn"]] == list(forms.items())
    assert answered(given, study, level="usual").reports[0].level == forms["usual"]
    assert given.spent() == sv.price(study, "usual")


def test_nothing_is_drawn_beyond_the_cap() -> None:
    storage, source = Memory(), sv.ReplaySource(WORDS)
    given = device(storage, cap=2.5, source=source)
    for kind in ("ldp", "uldp"):
        answered(given, named(kind))
    assert given.spent() == sv.Spent(2.0, 1)
    before, words = storage.data, source.remaining
    with refused(LedgerError, "2 of at most 2.5", "add 1"):
        answered(given, named("scale"))
    with refused(LedgerError, "add 4"):
        given.asked(named("sample"))
    assert (storage.data, source.remaining) == (before, words)
    given.forget(named("ldp"))
    assert given.spent().epsilon == 2.0
    assert answered(device(storage, cap=3.0), named("scale")).state == "waiting"  # thousandths add up exactly


def test_a_replaced_study_counts_as_answered(collector: ScriptedCollector) -> None:
    given = device()
    given.record(named("ldp"), "flu", url=URL)
    assert given.flush() == 1
    changed = given.record(named("uldp"), "hiv", url=URL + "/")
    assert (changed.state, changed.changed, changed.reports) == ("sent", True, ())
    assert given.status(URL).state == "sent"
    assert given.spent().epsilon == 1.0


def test_after_it_is_acknowledged_only_the_cost_is_kept(collector: ScriptedCollector) -> None:
    storage, study = Memory(), named("tags")
    given = device(storage)
    status = given.record(study, (1, 1), url=URL, marks={"home": [(1, 1)]}, ticket="t1")
    assert "ticket" in storage.ledger["lines"][study.fingerprint]
    assert given.flush() == 1
    assert collector.sent == [(URL, status.reports, "t1")]
    line = {"url": URL, "state": "sent", "day": status.day, "spent": {"epsilon": 1.0, "shown": 1}, "reports": []}
    assert storage.ledger == {"lines": {study.fingerprint: line}}
    assert given.flush() == 0


def test_opting_out_stops_and_clears() -> None:
    storage, study = Memory(), named("ldp")
    given = device(storage)
    answered(given, study)
    given.asked(named("sample"))
    given.opt_out()
    assert device(storage).opted_out
    line = storage.ledger["lines"][study.fingerprint]
    assert (line["state"], line["reports"]) == ("removed", [])
    assert set(storage.ledger) == {"lines", "out"}
    assert answered(given, named("uldp")).state == "opted out"
    assert given.record(URL, "whatever").state == "opted out"
    assert given.asked(named("block")) is None
    assert given.flush() == 0
    assert given.removed() == {"Opted out.": 1}
    with refused(LedgerError, URL):
        given.study(URL)
    given.opt_in()
    assert not device(storage).opted_out
    assert answered(given, study).state == "removed"
    assert answered(given, named("uldp")).state == "waiting"
    assert given.spent().epsilon == 2.0


def test_another_process_that_opts_out_is_heard() -> None:
    storage = Memory()
    given, other = device(storage), device(storage)
    other.opt_out()
    assert answered(given, named("ldp")).state == "opted out"


def test_forgetting_removes_what_waits_and_draws_nothing_again() -> None:
    storage, study = Memory(), named("sample")
    given = device(storage)
    answered(given, named("ldp"))
    asked = given.asked(study)
    given.forget(study)
    given.forget(first_url(named("ldp")))
    assert given.asked(study) == asked
    assert given.status(named("ldp")).state == "removed"
    assert given.status(study).state == "none"
    assert given.asked(named("ldp")) is None
    assert given.asked(named("uldp")) == Asked("", "", ("answer",), ("answer",))


def test_closed_studies_are_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    study = sv.Study.from_toml(QUESTIONNAIRES["split"].replace("[privacy]", "opens = 2027-03-01\ncloses = 2027-04-01\n[privacy]", 1))
    for day, state in ((date(2027, 2, 28), "none"), (date(2027, 4, 2), "none"), (date(2027, 4, 1), "waiting")):
        monkeypatch.setattr("sottovoce.devices.recording.today", lambda day=day: day)
        storage = Memory()
        status = answered(device(storage), study)
        assert status.state == state
        assert bool(status.reason) == (state == "none")
        assert (storage.data is None) == (state == "none")


def test_threads_draw_once_and_stay_within_the_cap(tmp_path: Any, collector: ScriptedCollector) -> None:
    studies = [named("ldp", f"study-{k}") for k in range(12)]
    given = sv.Device(tmp_path / "ledger.json", send="never")

    def one(place: int) -> Any:
        try:
            return answered(given, studies[place % 12])
        except LedgerError:
            return None

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(one, range(48)))
    lines = json.loads((tmp_path / "ledger.json").read_bytes())["lines"]
    assert len(lines) == 8
    assert given.spent().epsilon == 8.0
    ids = {report["id"] for line in lines.values() for report in line["reports"]}
    assert {status.reports[0].id for status in found if status} == ids
    assert given.flush() == 8
    assert collector.counted == ids


def test_a_refused_ticket_can_be_replaced(collector: ScriptedCollector) -> None:
    given = device()
    first = given.record(named("ldp"), "flu", url=URL, ticket="wrong")
    collector.script.append(problem(401, "the ticket isn't one of this study"))
    assert given.flush() == 0
    refusal = given.record(named("ldp"), "flu", url=URL)
    assert (refusal.state, refusal.reports) == ("refused", first.reports)
    assert given.record(named("ldp"), "none", url=URL, ticket="right") == first
    assert given.flush() == 1
    assert [ticket for _, _, ticket in collector.sent] == ["wrong", "right"]
    assert collector.counted == {first.reports[0].id}
