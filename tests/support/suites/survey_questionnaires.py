"""People of Adult who answer a questionnaire on the survey page, one after the other."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import sottovoce as sv
from adult import answers_of, counts, figures, file_of
from browser import watched
from collectors import added, found_ids, recounted, serving
from respondent import answer_all, begin, kept, send
from sottovoce.store import Role, Store
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.wire import body, reports_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Request

#: The files of the page, in English.
FILES = ("icon.svg", "survey.css", "survey.en.json", "survey.js")


def asked_for(name: str) -> set[str]:
    """What a browser asks for when someone opens the page of a study, answers and sends: the page, the study, and the report."""
    return {f"/s/{name}", f"/studies/{name}", f"/studies/{name}/reports", *(f"/static/{file}" for file in FILES)}


def people_answer(people: int, url: str, tmp_path: Path, browser: Browser) -> None:
    """So many people answer, each in a browser of her own.

    Every submission is counted once, the estimate is the library's on the same reports, and nothing but the study and the report leaves.
    """
    found = counts()
    study = sv.Study.from_toml(file_of(found))
    assert isinstance(study, Questionnaire)
    answers = answers_of(found, people, seed=9)
    added(url, study)
    bodies: list[bytes] = []
    with serving(url, tmp_path) as served:
        for row in range(people):
            mine = {name: column[row].item() for name, column in answers.items()}
            bodies.append(_person(browser, served.address, mine | {"age": int(mine["age"])}, study))
        with served.client(headers=served.token(Role.ANALYST, "adult")) as client:
            told = client.get("/studies/adult/estimate").json()
    recounted(url, "adult")
    assert sorted(each.hex() for each in found_ids(url, "adult")) == sorted(json.loads(each)["id"] for each in bodies)
    reports = reports_of(study.mechanism, [body(each, study.fingerprint) for each in bodies])
    expected = sv.Tally(study.mechanism).add(reports)
    store = Store(url)
    counted = store.tally(store.entry("adult"))
    store.close()
    assert counted.n == people
    assert counted == expected
    assert figures(study, counted) == figures(study, expected)
    estimates = study.estimates(expected)
    for name, each in told["questions"].items():
        assert [item["p"] for item in each["items"]] == estimates[name].p.tolist(), name


def _person(browser: Browser, address: str, answers: dict[str, str | int], study: Questionnaire) -> bytes:
    """Someone answers. The request that left."""
    context = browser.new_context()
    page = context.new_page()
    watch = watched(page)
    requests: list[Request] = []
    page.on("request", lambda request: requests.append(request))
    page.goto(f"{address}/s/adult")
    begin(page)
    seen = answer_all(page, answers)
    assert [each for each in requests if each.method == "POST"] == []
    shown = page.text_content("#body")
    send(page)
    (posted,) = [each.post_data or "" for each in requests if each.method == "POST"]
    assert posted == shown
    told = json.loads(posted)
    assert set(told) == {"study", "id", "report", "level"}
    assert set(seen) == set(study.mechanism.groups[told["level"]].questions)
    assert {each.url.removeprefix(address) for each in requests} == asked_for("adult")
    assert not any(header in each.all_headers() for each in requests for header in ("cookie", "referer", "authorization"))
    assert watch.complaints == []
    remains = kept(page)
    assert '"report"' not in remains
    words = {str(answers[name]) for name in seen if name != "age"}
    assert not [word for word in words if re.search(rf'"{re.escape(word)}"', remains)]
    assert "sottovoce-answers" not in remains
    context.close()
    return posted.encode()
