"""The screens of a questionnaire on the survey page: what they say about each answer, what is wrong, and where the focus is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from browser import axe
from collectors import Served, added, recounted, serving
from kitchen import ANSWERS, STUDIES, kitchen
from messages import wording
from respondent import answer_all, begin, change, forward, forward_to, give, send, speak
from sottovoce.study.questionnaire import Questionnaire
from suites.survey import counted
from visiting import visitors

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

#: What stands beside an answer that is protected: one that the report is about, and one that decides about another question.
DRAWN, HINTED = "Protected: drawn by chance", "Not sent itself. The guarantee limits what the report hints at"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A collector with a questionnaire of every kind."""
    folder = tmp_path_factory.mktemp("screens")
    url = str(folder / "collector.sqlite")
    added(url, *(kitchen(name) for name in STUDIES))
    with serving(url, folder) as found:
        yield found
        recounted(url, *STUDIES)


@pytest.fixture
def visit(browser: Browser, served: Served) -> Iterator[Any]:
    """Opens the page of a study, on a device of its own."""
    yield from visitors(browser, served)


def test_a_question_on_which_another_depends_is_not_sent(visit: Any) -> None:
    """Draw until it happens: half of the people are asked about packs, and so whether they smoke."""
    for _ in range(40):
        page = visit("depends").page
        page.wait_for_selector("#start")
        assert "Your report is about 1 of them." in page.inner_text("form .card ul")
        begin(page)
        note = page.locator(".remark")
        if note.count():
            break
        page.context.close()
    assert note.inner_text() == (
        "This answer isn’t sent itself. It decides whether another question applies to you, so the report can hint at it. "
        "The guarantee limits that."
    )
    assert "Question 1 (up to 2)" in page.inner_text("#progress")
    assert answer_all(page, ANSWERS) == ["smokes", "packs"]
    assert page.locator(".answered .badge").all_inner_texts() == [HINTED, DRAWN]
    assert "About questions that you don’t see here" not in page.inner_text("#app"), "there are no others"
    assert "to “How many packs a week?”. The dots" in (page.text_content("#guarantee") or ""), (
        "the guarantee is about the question in the report"
    )
    change(page, "Do you smoke?")
    page.wait_for_selector("#next")
    give(page, "smokes", "no")
    forward(page)
    assert page.locator(".given-answer").all_inner_texts() == ["no", "not asked (doesn’t apply)"]
    assert page.locator(".answered .badge").all_inner_texts() == [HINTED, DRAWN]
    assert page.locator(".answered button").count() == 1


def test_a_number_beyond_the_range_is_asked_about_once(visit: Any) -> None:
    page = visit("all").page
    begin(page)
    forward_to(page, "age", ANSWERS)
    speak(page, "de")
    give(page, "age", 17)
    page.click("#next")
    assert page.inner_text("#problem") == "Die Umfrage zählt 17 als 18. Ist 17 ein Tippfehler? Wenn nicht, fahren Sie fort."
    speak(page, "en")
    page.click("#next")
    assert page.inner_text("#problem") == "The survey counts 17 as 18. Is 17 a typo? If not, go on."
    assert page.evaluate("document.activeElement.type") == "number"
    assert axe(page) == []
    give(page, "age", 120)
    assert page.locator("#problem").count() == 0
    page.click("#next")
    assert "counts 120 as 100" in page.inner_text("#problem")
    give(page, "age", 100)  # the end itself
    forward(page)
    page.click("#back")
    page.wait_for_selector("[data-question='age']")
    give(page, "age", 17)
    page.click("#next")
    page.wait_for_selector("#problem")
    forward(page)
    answer_all(page, ANSWERS)
    assert "17 (counts as 18)" in page.locator(".given-answer").all_text_contents()
    answered = page.inner_text(".answers")  # the rest of the page may say 17 of something else
    assert not re.search(r"\b17\b(?! \(counts as 18\))", answered), "17 isn't what counts"
    speak(page, "de")
    assert "17 (zählt als 18)" in page.locator(".given-answer").all_text_contents()


def test_a_number_beyond_the_range_is_asked_about_among_others(visit: Any) -> None:
    page = visit("screen").page
    begin(page)
    for name, answer in (ANSWERS | {"age": 120}).items():
        if page.locator(f"fieldset[data-question='{name}']:not([hidden])").count():
            give(page, name, answer)
    page.click("#next")
    assert page.inner_text("[data-question='age'] #problem") == "The survey counts 120 as 100. Is 120 a typo? If not, go on."
    forward(page)
    assert "120 (counts as 100)" in page.locator(".given-answer").all_text_contents()


def test_what_does_not_apply_is_listed_if_it_is_reported_also_if_all_are_asked(visit: Any) -> None:
    found = set()
    for _ in range(40):
        page = visit("whole").page
        begin(page)
        assert page.locator(".remark").count() == 0
        assert answer_all(page, ANSWERS | {"smokes": "no"}) == ["smokes"]
        rows = zip(page.locator(".given-answer").all_inner_texts(), page.locator(".answered .badge").all_inner_texts(), strict=True)
        found.add(tuple(rows))
        page.context.close()
        if len(found) == 2:
            break
    assert found == {(("no", DRAWN),), (("no", HINTED), ("not asked (doesn’t apply)", DRAWN))}


def test_answers_that_are_not_sensitive_are_said_to_be_sent_as_they_are(visit: Any) -> None:
    page = visit("clinic").page
    assert "sent as they are" in (page.text_content("#guarantee") or "")
    assert "Depending on the answer, it is sent as it is" in page.inner_text("form .card ul")
    begin(page)
    assert answer_all(page, ANSWERS | {"smokes": "yes"})[-1] == "town"
    assert "the report shows your answer as it is: north" in page.inner_text(".parts")
    assert page.locator(".answered").last.locator(".badge").inner_text() == "Sent as it is"
    assert "Your device has drawn" not in page.inner_text("#app")
    assert "Each part says how it came about: sent as it is, or drawn by chance." in page.inner_text("#app")
    assert "The same limit holds for each protected answer and for any combination of them." in (page.text_content("#guarantee") or "")
    send(page)
    assert "Each part says how it came about: sent as it is, or drawn by chance." in page.text_content("#left")
    assert "Nothing else from this page was sent, except a random number" in page.text_content("#left")


def test_an_answer_that_is_not_protected_is_never_called_protected(visit: Any) -> None:
    """Beside it, the overview says in amber whether this report shows it: the same as in the line about the report."""
    shown, hidden, aside = "Sent as it is", "Not protected, but this report doesn’t show it", "Not sent itself, but"
    found = set()
    for _ in range(40):
        page = visit("clinic").page
        begin(page)
        answer_all(page, ANSWERS | {"smokes": "no"})
        smokes, *_, town = page.locator(".answered .badge").all_inner_texts()
        lines = page.locator(".parts > li").all_inner_texts()
        assert any("shows your answer as it is: no." in line for line in lines) == (smokes == shown)
        assert town == shown
        assert smokes in {shown, hidden} or smokes.startswith(aside)
        first, *_, amber = page.locator(".answered .badge").evaluate_all("all => all.map((each) => getComputedStyle(each).color)")
        assert first == amber
        found.add(smokes)
        page.context.close()
        if found >= {shown, hidden}:
            return
    raise AssertionError(found)


def test_the_guarantee_is_in_the_same_words_before_and_after(visit: Any) -> None:
    """One measure, in the same words: before the first question, before the report is sent, and when it has been."""
    page = visit("skip").page
    said = [page.text_content("#guarantee > p")]
    assert "No one can tell from it for sure what you answered." in said[0]
    begin(page)
    answer_all(page, ANSWERS)
    said.append(page.text_content("#guarantee > p"))
    assert page.locator(".experts section:visible").count() == 0, "other numbers are folded away"
    send(page)
    said.append(page.text_content(".guarantee > p"))
    assert len(set(said)) == 1
    assert re.findall(r"\d+ in 100", said[0]) == []
    assert page.locator(".pair strong").all_text_contents() == ["1 in 100", "at most 36 in 100", "50 in 100", "at most 99 in 100"]


FULL = "() => { Storage.prototype.setItem = () => { throw new DOMException('the quota is exceeded', 'QuotaExceededError'); }; }"


BLOCKED = """
for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, { get() { throw new DOMException("blocked", "SecurityError"); } });
"""


def test_a_full_device_can_still_answer_or_says_why_not(served: Served, visit: Any) -> None:
    before = counted(served, "all")
    page = visit("all").page
    begin(page)
    page.evaluate("() => { window.kept = Storage.prototype.setItem; }")
    page.evaluate(FULL)
    give(page, "smokes", "yes")
    page.wait_for_selector(".notice.warn")
    wording(page.inner_text("#status"))
    page.click("#next")
    page.wait_for_selector(".notice.bad")
    wording(page.inner_text("#status"))
    page.evaluate("() => { Storage.prototype.setItem = window.kept; }")
    page.click("#start")
    page.wait_for_selector("#next")
    answer_all(page, ANSWERS)
    page.evaluate(FULL)
    page.click("#send")
    page.wait_for_selector(".notice.bad")
    wording(page.inner_text("#status"))
    assert counted(served, "all") == before
    page.evaluate("() => { Storage.prototype.setItem = window.kept; }")
    send(page)
    assert counted(served, "all") == before + 1


def test_without_storage_nothing_is_asked(served: Served, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script(BLOCKED)
    page.goto(f"{served.address}/s/all")
    page.wait_for_selector(".notice.bad")
    wording(page.inner_text("#app"))
    context.close()


@pytest.mark.parametrize(
    ("name", "heading"),
    [("early", "This study isn’t open yet"), ("late", "This study is closed"), ("big", "This study can’t be answered here")],
)
def test_studies_that_can_not_be_answered(visit: Any, name: str, heading: str) -> None:
    page = visit(name).page
    page.wait_for_selector(f"text={heading}")
    wording(page.inner_text("#app"))
    assert page.locator("#start").count() == 0
    assert page.get_by_role("link", name="survey@example.org").is_visible(), "people know whom to ask"
    assert axe(page) == []


def test_a_cap_on_choices_is_enforced_and_said(visit: Any) -> None:
    page = visit("screen").page
    begin(page)
    field = page.locator("[data-question=symptoms]")
    give(page, "symptoms", ["cough", "rash"])
    assert field.locator("input:disabled").count() == 3
    wording(field.locator(".full").inner_text())
    give(page, "symptoms", ["Prefer not to say"])
    assert field.locator("input:checked").count() == 1, "a refusal stands alone"
    assert field.locator("input:disabled").count() == 0
    give(page, "age", 33)
    give(page, "age", "Prefer not to say")
    assert page.input_value("[data-question=age] input[type=number]") == ""


def test_consent_and_answers_are_asked_for(visit: Any) -> None:
    page = visit("all").page
    page.click("#start")
    wording(page.inner_text("#problem"))
    assert page.evaluate("document.activeElement.id") == "consent"
    page.check("#consent")
    assert page.locator("#problem").count() == 0
    begin(page)
    page.click("#next")
    wording(page.inner_text("[data-question] #problem"))
    assert page.evaluate("document.activeElement.type") == "radio"
    assert page.evaluate("document.activeElement.getAttribute('aria-describedby')") == "problem"
    assert axe(page) == []
    give(page, "smokes", "yes")
    assert page.locator("#problem, [aria-invalid]").count() == 0


def test_the_whole_questionnaire_by_keyboard(served: Served, visit: Any) -> None:
    before = counted(served, "skip")
    page = visit("skip").page
    keys = page.keyboard

    def tab_to(selector: str) -> None:
        for _ in range(40):
            keys.press("Tab")
            if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"{selector} cannot be reached")

    tab_to("#consent")
    keys.press("Space")
    tab_to("#start")
    keys.press("Enter")
    page.wait_for_selector("[data-question=smokes]")
    assert page.evaluate("document.activeElement.textContent") == "Do you smoke?"
    tab_to("input[type=radio]")
    keys.press("Space")
    keys.press("Enter")
    page.wait_for_selector("[data-question=packs]")
    assert page.evaluate("document.activeElement.textContent") == "How many packs a week?"
    tab_to("input[type=radio]")
    keys.press("ArrowDown")
    tab_to("#next")
    keys.press("Enter")
    page.wait_for_selector("#send")
    assert page.evaluate("document.activeElement.textContent") == "Check and send"
    tab_to("#send")
    keys.press("Enter")
    page.wait_for_selector("#forgotten")
    assert counted(served, "skip") == before + 1


def focused(page: Page) -> str:
    """The text of the element that has the focus."""
    return str(page.evaluate("document.activeElement.textContent"))


def test_questions_that_are_reported_as_one_are_listed(visit: Any) -> None:
    page = visit("joint").page
    begin(page)
    answer_all(page, ANSWERS)
    rows = page.locator(".parts .pairs li").all_inner_texts()
    assert [row.partition("”")[0] for row in rows[:2]] == ["“Do you smoke?", "“How many packs a week?"]
    assert "?:" not in page.inner_text(".parts")


def test_only_the_choices_that_are_reported_are_said_to_be_used(visit: Any) -> None:
    page = visit("boxes").page
    begin(page)
    answer_all(page, {"symptoms": ["cough"], "pain": ["head"]})
    (badge,) = page.locator(".answered .badge").all_inner_texts()
    said = re.fullmatch("Protected: drawn by chance for (.*), and nothing is sent about the others", badge)
    assert said
    box = said[1]
    assert box in {"cough", "rash", "head", "back"}
    asked = page.locator(".answered .asked").inner_text()
    assert f"you gave a certain answer to “{asked}”. The dots" in (page.text_content("#guarantee") or ""), "it is about what is reported"
    assert "About questions that you don’t see here, the report says nothing." in page.inner_text("#once")


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ja"])
def test_the_first_screen_says_how_many_answers_count_and_that_the_level_stays(visit: Any, language: str) -> None:
    page = visit("plain", locale=language).page
    study = kitchen("plain")
    assert isinstance(study, Questionnaire)
    said = {}
    for level, names in study.mechanism.tiers.items():
        counts = {len({name.partition(":")[0] for name in study.mechanism.groups[each].questions}) for each in names}
        page.check(f"input[value={level}]")
        said[level] = page.inner_text("form .card ul")
        assert {str(min(counts)), str(max(counts))} <= set(re.findall(r"\d+", said[level]))
        assert max(counts) < len(study.questions)
    wording(said["careful"])
    wording(page.inner_text("#level-note"))
    assert page.inner_text("#start") in page.inner_text("#level-note")


def test_levels_are_called_as_the_study_says(visit: Any) -> None:
    page = visit("all", locale="de").page
    assert page.locator("input[name=level] + span strong").all_inner_texts() == ["vorsichtig", "üblich"]
    page = visit("all", locale="en").page
    assert page.locator("input[name=level] + span strong").all_inner_texts() == ["careful", "usual"]


def test_the_level_stays_once_questions_were_drawn(visit: Any) -> None:
    page = visit("all").page
    page.check("input[value=usual]")
    begin(page)
    give(page, "smokes", "yes")
    page.go_back()
    page.wait_for_selector("#fixed")
    assert page.locator("input[name=level]:disabled").count() == 2
    assert page.is_checked("input[value=usual]")
    wording(page.inner_text("#fixed"))
    page.click("#clear")
    page.wait_for_selector("text=Your answers were removed from this browser.")
    page.reload()
    page.wait_for_selector("#fixed")
    assert page.is_checked("input[value=usual]")


def test_kept_answers_are_announced_and_can_be_cleared_at_once(visit: Any) -> None:
    page = visit("all").page
    assert page.locator(".kept, #clear").count() == 0
    begin(page)
    give(page, "smokes", "yes")
    page.go_back()
    page.wait_for_selector("#clear")
    wording(page.inner_text("p.kept"))
    page.check("input[name=keep]")
    wording(page.inner_text("p.kept"))
    assert page.inner_text("#start") == "Continue"
    page.click("#clear")
    page.wait_for_selector("text=Your answers were removed from this browser.")
    assert page.locator("p.kept, #clear").count() == 0
    assert focused(page) == "How are you?"


def test_the_focus_goes_where_the_person_goes_on(visit: Any) -> None:
    page = visit("screen").page
    begin(page)
    assert focused(page) == "Questions"
    for name, answer in ANSWERS.items():
        if name != "town":
            give(page, name, answer)
    forward(page)
    change(page, "How do you feel today?")
    page.wait_for_selector("#next")
    assert focused(page) == "How do you feel today?"
    assert page.evaluate("document.activeElement.getBoundingClientRect().top < innerHeight")
    page.click(".pause summary")
    page.click("#clear")
    page.wait_for_selector("text=Your answers were removed from this browser.")
    assert focused(page) == "How are you?"


def test_what_is_wrong_stands_beside_the_question_until_something_is_done(visit: Any) -> None:
    page = visit("screen", viewport={"width": 360, "height": 740}).page
    begin(page)
    give(page, "smokes", "no")
    page.click("#next")
    field = page.locator("[data-question=age]")
    wording(field.locator("#problem").inner_text())
    typed = field.locator("input[type=number]")
    assert typed.get_attribute("aria-invalid") == "true"
    for seen in (typed, field.locator("#problem")):
        assert 0 <= seen.bounding_box()["y"] <= 740 - 40
    assert axe(page) == []
    typed.press_sequentially("3")
    assert page.locator("#problem, [aria-invalid]").count() == 0


def test_only_whole_numbers_are_taken_where_numbers_are_whole(visit: Any) -> None:
    page = visit("screen").page
    begin(page)
    give(page, "smokes", "no")
    field = page.locator("[data-question=age]")
    field.locator("input[type=number]").fill("30.5")
    wording(field.locator("#q2-counts").inner_text())
    page.click("#next")
    wording(field.locator("#problem").inner_text())
    field.locator("input[type=number]").fill("30")
    assert "Your answer counts as" in field.inner_text()


@pytest.mark.parametrize("touch", [True, False])
def test_keys_are_explained_to_people_who_use_some(visit: Any, touch: bool) -> None:
    page = visit("screen", has_touch=touch, is_mobile=touch).page
    begin(page)
    cell = page.locator("[data-question=home] [data-code='7']")
    if touch:
        cell.tap()
    else:
        cell.click()
        page.keyboard.press("ArrowRight")
    assert page.locator(".keys").is_visible() == (not touch)


def test_places_on_a_grid_can_be_typed(visit: Any) -> None:
    page = visit("screen").page
    begin(page)
    field = page.locator("[data-question=home]")
    latitude, longitude = field.locator("input[type=number]").all()
    latitude.fill("40.735")
    assert field.locator("[aria-selected=true]").count() == 0
    longitude.fill("-73.985")
    assert field.locator(".chosen").inner_text() == "Chosen: 40.738° N, 73.980° W"
    assert longitude.input_value() == "-73.985"
    longitude.fill("-99")
    wording(field.locator(".chosen").inner_text())
    assert field.locator("[aria-selected=true]").count() == 0
    assert axe(page) == []
    field.locator("[data-code='3']").click()
    assert longitude.input_value() == ""


def test_what_was_drawn_stands_beside_what_was_answered(visit: Any) -> None:
    """Someone whose report says yes by chance must not take it for her own words."""
    page = visit("skip").page
    begin(page)
    answer_all(page, ANSWERS | {"smokes": "no"})
    drawn = page.locator(".parts .drawn").all_inner_texts()
    assert drawn
    assert all("You answered: " in each for each in drawn)
    assert all(("Drawn by chance." in each) != ("This time chance left your answer as it was." in each) for each in drawn)
    smokes = next(each for each in drawn if "“Do you smoke?”" in each)
    assert "You answered: no." in smokes or "“Do you smoke?”: no" in smokes
    assert "People who answered differently can send the same." in smokes
    assert "times likelier" not in page.inner_text("#app"), "the odds are folded away"
    assert "can’t be withdrawn" in page.inner_text("#final")
    send(page)
    assert "Drawn by chance." in page.text_content(".parts")
    assert "You answered:" not in page.text_content(".parts"), "the page has forgotten the answers"


def test_the_end_says_what_was_sent(visit: Any) -> None:
    page = visit("skip").page
    begin(page)
    answer_all(page, ANSWERS | {"smokes": "no"})
    send(page)
    said = page.text_content("#left")
    assert "Your device drew this report from your answers by chance." in said
    assert "Nothing else from this page was sent, except a random number" in said
