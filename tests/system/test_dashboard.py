"""The analyst's dashboard in a real browser, on a real collector: what it shows is what the collector tells, and nothing leaves it."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

import sottovoce as sv
from browser import Watch, axe, overflow, watched
from collectors import JSON, NDJSON, Served, added, named, put_as_before, serving, some_reports
from messages import wording
from shown_shares import largest_first, marks, rows, written
from sottovoce.policy.promise import Promise
from sottovoce.store import Role, Store
from sottovoce.wire import lines
from studies import STUDIES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ODD = """name = "odd"
question = "Which <b>of</b> these?"
items = ["=1+1", "a, \\"b\\"", "-5 to 0", "plain"]
[privacy]
notion = "ldp"
epsilon = 2.0
"""
KINDS = ("uldp", "tags", "grid", "integers", "olh", "three-reports", "levels", "hadamard", "axes", "ages")


def send(served: Served, study: sv.Study, count: int, seed: int = 1) -> None:
    with served.client() as client:
        body = lines(study.fingerprint, some_reports(study, count, seed))
        assert client.post(f"/studies/{study.name}/reports", content=body, headers={"content-type": NDJSON}).status_code == 200


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("dashboard")
    url = str(folder / "collector.sqlite")
    odd = sv.Study.from_toml(ODD)
    added(url, *(named(kind) for kind in KINDS), named("ldp", "growing"), named("ldp", "empty"), odd)
    with serving(url, folder) as found:
        for study in (*(named(kind) for kind in KINDS), odd):
            send(found, study, 1500)
        yield found


@pytest.fixture
def token(served: Served) -> str:
    return secret(served, "*")


def secret(served: Served, *studies: str) -> str:
    return served.token(Role.ANALYST, *studies)["authorization"].removeprefix("Bearer ")


Visit = Callable[..., tuple["Page", Watch]]


@pytest.fixture
def visit(browser: Browser, served: Served) -> Iterator[Visit]:
    """Opens pages, and sees in the end that none complained or asked anybody else."""
    contexts, watches = [], list[Watch]()

    def opened(path: str, *, width: int = 1280, **options: Any) -> tuple[Page, Watch]:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        watches.append(watched(page))
        page.goto(f"{served.address}{path}")
        return page, watches[-1]

    yield opened
    for context in contexts:
        assert context.cookies() == []
        context.close()
    for watch in watches:
        assert watch.elsewhere(served.address) == []
        assert [each for each in watch.complaints if "Failed to load resource" not in each] == []


def until(holds: Callable[[], bool], seconds: float = 30) -> None:
    """Wait until something holds. (Playwright's own way to wait for an expression makes code of text, which the page's policy forbids.)"""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.1)


def drawn(page: Page) -> None:
    """Wait until the estimate, the outlook and the guarantee are there."""
    page.wait_for_selector("#shares tbody tr", state="attached")
    page.wait_for_selector("#found .figure[data-drawn], #found .figure[hidden]", state="attached")
    page.wait_for_selector("#outlook .curve")
    page.wait_for_selector("#checked")


def told(served: Served, name: str, what: str = "estimate", **query: Any) -> dict[str, Any]:
    with served.client() as client:
        answer = client.get(f"/studies/{name}/{what}", params=query, headers=served.token(Role.ANALYST, name))
        assert answer.status_code == 200, answer.text
        return answer.json()


def test_a_token_is_asked_for_and_a_wrong_one_explained(served: Served, visit: Visit) -> None:
    page, watch = visit("/d/uldp")
    field = page.get_by_label("Analyst token")
    assert field.get_attribute("type") == "password"
    assert axe(page) == []
    field.fill("sv_wrong")
    page.get_by_role("button", name="Open").click()
    page.wait_for_selector("#token-trouble:not([hidden])")
    wording(page.inner_text("#token-trouble"))
    page.fill("#token", "ünmöglich")  # no header can carry it
    page.keyboard.press("Enter")
    page.get_by_text("letters, digits and underscores").wait_for()
    page.fill("#token", secret(served, "grid"))
    page.keyboard.press("Enter")
    page.get_by_text("Your token is for other studies.").wait_for()
    right = secret(served, "uldp")
    page.fill("#token", right)
    page.keyboard.press("Enter")
    drawn(page)
    assert right not in page.url
    assert not any(right in url for url in watch.requests)
    assert page.evaluate("localStorage.length") == 0
    page.reload()
    drawn(page)
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_selector("#token")
    assert page.evaluate("sessionStorage.getItem('sottovoce.tokens')") is None
    page.reload()
    page.wait_for_selector("#token")


def test_a_token_in_the_fragment_is_taken_out_of_the_address(served: Served, visit: Visit, token: str) -> None:
    page, watch = visit(f"/d/uldp#token={token}")
    drawn(page)
    assert page.url == f"{served.address}/d/uldp"
    assert page.evaluate("history.length") <= 2
    assert not any(token in url for url in watch.requests if "#" not in url)


def test_the_screen_shows_what_the_collector_tells(served: Served, visit: Visit, token: str) -> None:
    page, _ = visit(f"/d/uldp#token={token}")
    drawn(page)
    found = told(served, "uldp")
    assert page.inner_text("h1") == named("uldp").question
    assert page.inner_text("#people") == f"{found['people']:,}"
    assert page.inner_text("#unit") == "people so far"
    assert page.inner_text("#state") == "open"
    assert re.fullmatch(r"updated \d\d:\d\d:\d\d", page.inner_text("#updated"))
    assert rows(page) == written(largest_first(found["items"]))
    assert page.locator("#cautions li").all_inner_texts() == found["cautions"]
    assert f"Method: {found['method']}." in (page.text_content("#how") or "")
    scale = 100 / float(page.locator("#shares thead text").last.inner_html().rstrip("%")) * 100
    for mark, item in zip(marks(page), largest_first(found["items"]), strict=True):
        assert [mark["low"], mark["p"], mark["high"]] == pytest.approx([scale * item[key] for key in ("low", "p", "high")], abs=0.01)
    assert page.text_content("#fingerprint") == found["fingerprint"]
    assert "the fingerprint matches and the tables keep the guarantee" in page.inner_text("#checked")


def test_it_follows_the_reports_pauses_and_survives_a_broken_line(served: Served, visit: Visit, token: str) -> None:
    study = named("ldp", "growing")
    page, watch = visit(f"/d/growing#token={token}")
    page.wait_for_selector("#outlook .curve")
    assert page.inner_text("#people") == "0"
    assert page.is_visible("#empty")
    wording(page.inner_text("#outlook-note"))
    page.get_by_role("button", name="Estimate (CSV)").click()
    page.get_by_text("There is no estimate yet").wait_for()
    send(served, study, 200)
    until(lambda: page.inner_text("#people") == "200")
    drawn(page)
    assert rows(page) == written(largest_first(told(served, "growing")["items"]))
    before = rows(page)
    send(served, study, 1100, seed=2)
    until(lambda: page.inner_text("#people") == "1,300")
    assert rows(page) == written(largest_first(told(served, "growing")["items"])) != before

    page.get_by_role("button", name="Pause").click()
    send(served, study, 100, seed=3)
    asked = len(watch.requests)
    page.wait_for_timeout(6000)
    assert len(watch.requests) == asked
    assert page.inner_text("#updated").startswith("paused, ")
    assert page.inner_text("#people") == "1,300"
    page.get_by_role("button", name="Resume").click()
    until(lambda: page.inner_text("#people") == "1,400")

    page.context.set_offline(True)
    page.wait_for_selector("#trouble:not([hidden])")
    wording(page.inner_text("#trouble"))
    assert page.inner_text("#people") == "1,400", "what is on the screen stays"
    send(served, study, 100, seed=4)
    page.context.set_offline(False)
    until(lambda: page.inner_text("#people") == "1,500")
    page.wait_for_selector("#trouble", state="hidden")


def test_nothing_is_asked_while_nobody_looks(visit: Visit, token: str) -> None:
    page, watch = visit(f"/d/uldp#token={token}")
    drawn(page)
    page.evaluate("Object.defineProperty(document, 'hidden', {get: () => true, configurable: true})")
    page.wait_for_timeout(500)
    asked = len(watch.requests)
    page.wait_for_timeout(6000)
    assert len(watch.requests) == asked
    with page.expect_request("**/estimate*", timeout=2000):
        page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")


def test_methods_and_levels_can_be_chosen_and_are_remembered(served: Served, visit: Visit, token: str) -> None:
    page, watch = visit(f"/d/uldp#token={token}")
    drawn(page)
    page.get_by_text("Method and intervals").click()
    offered = page.locator("#method option").all_inner_texts()
    assert offered == ["automatic", *(each["method"] for each in told(served, "uldp", "tally")["methods"])]
    page.get_by_label("Method").select_option("inversion")
    page.get_by_text("Method: inversion.").wait_for()
    with page.expect_response("**/estimate?*0.99*"):
        page.get_by_label("Intervals").select_option("99%")
    found = told(served, "uldp", method="inversion", level=0.99)
    page.get_by_text("99% interval").first.wait_for()
    assert rows(page) == written(largest_first(found["items"]))
    assert page.url.endswith("/d/uldp"), "choices are not part of the address"
    page.reload()
    drawn(page)
    assert page.input_value("#method") == "inversion"
    assert page.input_value("#level") == "0.99"
    assert rows(page) == written(largest_first(found["items"]))
    assert any("method=inversion&level=0.99" in url for url in watch.requests)


def test_a_method_that_does_not_work_is_explained(served: Served, visit: Visit, token: str) -> None:
    """The choice was kept from before; it does not work for this study."""
    page, _ = visit("/d/uldp")
    page.evaluate("sessionStorage.setItem('sottovoce.choice.uldp', JSON.stringify({method: 'mmse', level: 0.95, target: 0.01}))")
    page.goto(f"{served.address}/d/uldp#token={token}")  # the page begins anew by itself
    page.wait_for_selector("#refusal:not([hidden])")
    wording(page.inner_text("#refusal"))
    page.get_by_text("Method and intervals").click()
    page.get_by_label("Method").select_option("automatic")
    drawn(page)
    assert page.is_hidden("#refusal")


def about(number: int) -> str:
    unit = 10 ** max(0, len(str(number)) - 3)
    return f"{-(-number // unit) * unit:,}"


def test_the_outlook_says_how_many_people_are_needed(served: Served, visit: Visit, token: str) -> None:
    page, _ = visit(f"/d/uldp#token={token}")
    drawn(page)
    found = told(served, "uldp", "outlook", target=0.03)
    width = float(f"{100 * found['margin']:.2g}")
    said = page.inner_text("#margin")
    assert said.endswith(f", or ± {width:g} percentage points.")
    name, low, high = re.match(r"The widest interval is that of “(.*)”: ([\d.]+) to ([\d.]+)%", said).groups()  # type: ignore[union-attr]
    assert (float(high) - float(low)) / 2 == pytest.approx(width, abs=0.1 if "." in low else 1), "the ends are rounded outwards"
    shown = {row[0]: [float(end) for end in re.findall(r"[\d.]+", row[2])[:2]] for row in rows(page)}
    assert shown[name] == [float(low), float(high)], "it's the interval of the table, with the same digits"
    assert all((high - low) / 2 <= width + 1 for low, high in shown.values()), "none is wider, up to rounding to whole points"
    assert page.inner_text("#needed") == f"you need about {about(found['needed'])} people: {about(found['more'])} more."
    assert page.locator("#outlook .now-label").text_content() == f"now ± {width:g}"
    page.get_by_label("For ±").fill("2.5")
    found = told(served, "uldp", "outlook", target=0.025)
    page.get_by_text(f"{about(found['needed'])} people").wait_for()
    assert "± 2.5 take" in (page.get_attribute("#outlook .curve", "aria-label") or "")
    page.get_by_label("For ±").fill("50")
    assert not found["ranked"], "its intervals overlap, so nothing is called enough"
    page.get_by_text("you have enough people, but all intervals overlap.").wait_for()
    page.get_by_label("For ±").fill("0")
    page.get_by_text("give a number between 0.01 and 99").wait_for()
    assert page.get_attribute("#target", "aria-invalid") == "true"


def test_files_can_be_had(served: Served, visit: Visit, token: str) -> None:
    page, _ = visit(f"/d/odd#token={token}")
    drawn(page)
    assert page.inner_text("h1") == "Which <b>of</b> these?"
    found = told(served, "odd")

    def downloaded(name: str, file: str) -> bytes:
        with page.expect_download() as waiting:
            page.get_by_role("button", name=name).click()
        assert waiting.value.suggested_filename == file
        return waiting.value.path().read_bytes()

    text = downloaded("Estimate (CSV)", "odd-estimate.csv").decode()
    assert text.count("\r\n") == 5
    listed = list(csv.DictReader(io.StringIO(text, newline="")))
    assert list(listed[0]) == ["item", "p", "low", "high", "quantity", "value", "remark", "n", "method", "level", "study", "fingerprint"]
    assert [row["item"] for row in listed] == ["'=1+1", 'a, "b"', "'-5 to 0", "plain"]
    for row, item in zip(listed, found["items"], strict=True):
        assert [float(row[key]) for key in ("p", "low", "high")] == [item["p"], item["low"], item["high"]]
        assert (row["quantity"], row["value"], row["n"]) == ("share", row["p"], str(found["n"]))
        assert (row["method"], row["level"]) == (found["method"], "0.95")
        assert (row["study"], row["fingerprint"]) == ("odd", found["fingerprint"])
    assert json.loads(downloaded("Estimate (JSON)", "odd-estimate.json")) == found
    png = downloaded("Chart (PNG)", "odd-estimate.png")
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(png[16:20]) >= 2 * 700
    parquet = downloaded("Reports (Parquet)", "odd-reports.parquet")
    assert parquet[:4] == parquet[-4:] == b"PAR1"


def test_a_grid_is_a_map_with_the_tags_in_a_table(served: Served, visit: Visit, token: str) -> None:
    page, _ = visit(f"/d/tags#token={token}")
    drawn(page)
    found = told(served, "tags")
    assert (page.get_attribute("#found .figure", "aria-label") or "").startswith("Map of the estimated shares of 20 answers")
    assert rows(page, "#tags") == written([tag | {"item": f"marked as “{tag['tag']}”"} for tag in found["tags"]])
    largest = largest_first([each for each in found["items"] if each["found"]])[:5]
    assert [row[1:] for row in rows(page, "#largest")] == [row[1:] for row in written(largest)]
    assert [row[0] for row in rows(page)][: len(largest)] == [each.get("name", each["item"]) for each in largest]
    drawn_numbers = page.locator("#found .figure svg text").all_text_contents()
    numbered = sorted(each for each in drawn_numbers if each.isdigit())
    assert numbered == [str(k + 1) for k in range(len(largest))], "as in the table below the map"
    assert "The widest interval is that of “" in page.inner_text("#margin")
    page.locator("#found .figure svg").first.scroll_into_view_if_needed()
    box = page.locator("#found .figure svg").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2)
    page.wait_for_selector("#found .tip:not([hidden])")
    said = page.inner_text("#found .tip").split("\n")
    row = next(row for row in rows(page) if row[0] == said[0])
    assert said[1:] == [row[1], f"95% interval: {row[2]}"]
    assert re.search(r"home.*and.*work", page.inner_text("#outlook-note"))


def test_the_headline_begins_with_its_claim_and_the_method_is_said_below(served: Served, visit: Visit, token: str) -> None:
    page, _ = visit(f"/d/uldp#token={token}")
    drawn(page)
    found = told(served, "uldp")
    assert page.text_content("#headline") == found["headline"], "it's a sentence, also where its rest has a line of its own"
    assert page.inner_text("#headline .claim") == found["claim"]
    said = page.inner_text("#computed")
    wording(said)
    assert found["method"] == "mle", "as for a file of the same reports"
    assert "Computed by maximum likelihood" in said
    assert "About 95 of 100 such intervals" in said
    assert page.is_hidden("#how")
    page.get_by_role("link", name="Change the method").click()
    assert "Method: mle." in page.inner_text("#how")
    page.get_by_label("Method").select_option("projected")
    page.get_by_text("Computed from the totals of the reports. A written report may use maximum likelihood").wait_for()


def test_many_items_can_be_searched_and_sorted(served: Served, visit: Visit, token: str) -> None:
    page, _ = visit(f"/d/olh#token={token}")
    drawn(page)
    found = told(served, "olh")
    items = found["items"]
    assert page.inner_text("#words") == found["found"]["words"] != ""
    largest = sorted(range(300), key=lambda code: (not items[code]["found"], -items[code]["p"]))
    assert [row[0] for row in rows(page)] == [str(code) for code in largest[:200]]
    assert "The first 200 of 300 answers are shown." in page.inner_text("#found")
    remarks = page.locator("#shares .remark:not([hidden])").all_inner_texts()
    assert remarks == ["maybe zero"] * sum(not items[code]["found"] for code in largest[:200])
    page.get_by_label("Find answers").fill("29")
    assert [row[0] for row in rows(page)] == [str(code) for code in largest if "29" in str(code)]
    page.get_by_label("Find answers").fill("")
    head = page.get_by_role("button", name="Answer", exact=True)
    head.focus()
    page.keyboard.press("Enter")
    assert page.get_attribute("#shares th:nth-child(1)", "aria-sort") == "ascending"
    assert page.get_attribute("#shares th:nth-child(3)", "aria-sort") == "none"
    assert [row[0] for row in rows(page)][:12] == [str(code) for code in range(12)]
    page.keyboard.press("Enter")
    assert page.get_attribute("#shares th:nth-child(1)", "aria-sort") == "descending"
    assert rows(page)[0][0] == "299"
    page.get_by_role("button", name="95% interval", exact=True).click()
    by_high = [float(row[2].split(" to ")[1].rstrip("%")) for row in rows(page)]
    assert by_high == sorted(by_high, reverse=True)


def test_axes_come_before_the_items_that_sum_to_them(served: Served, visit: Visit, token: str) -> None:
    page, _ = visit(f"/d/axes#token={token}")
    drawn(page)
    found = told(served, "axes")
    expected = [row for axis in ("sex", "age") for row in written(found["margins"][axis])]
    assert rows(page, "#margins table") == expected
    assert page.locator("#margins h3").all_inner_texts() == ["sex", "age", "All together"]
    ticks = page.locator("#margins thead .plot").all_text_contents()
    assert ticks[0] == ticks[1] != ""
    sums = [sum(item["p"] for item in found["items"] if item["item"].startswith(sex)) for sex in ("f /", "m /")]
    assert [item["p"] for item in found["margins"]["sex"]] == pytest.approx(sums)


def test_numbers_begin_with_the_mean_and_the_quartiles(served: Served, visit: Visit, token: str) -> None:
    page, _ = visit(f"/d/ages#token={token}")
    drawn(page)
    found = told(served, "ages")
    assert page.locator("#figures dt").all_inner_texts() == ["mean", "lower quartile", "median", "upper quartile"]
    shown = page.locator("#figures dd:first-of-type").all_inner_texts()
    for text, figure in zip(shown, [found["mean"], *found["quantiles"]], strict=True):
        assert float(text) == pytest.approx(figure["value"], abs=0.51)
    assert page.locator("#figures p").all_inner_texts() == [found["mean"]["note"]]
    assert rows(page) == written(found["items"])


def test_several_studies_share_a_tab(served: Served, visit: Visit, token: str) -> None:
    page, _ = visit(f"/d/uldp#token={token}")
    drawn(page)
    page.get_by_text("Other studies").click()
    links = page.locator("#studies a")
    assert links.count() == len(KINDS) + 2
    assert "three-reports" in page.inner_text("#studies")
    page.locator("#studies li", has_text="three-reports").get_by_role("link").click()
    drawn(page)
    assert page.url == f"{served.address}/d/three-reports"
    assert page.inner_text("#people") == "500"
    assert page.inner_text("#unit") == "people so far, 1,500 reports"


def test_a_token_for_one_study_is_kept_when_another_refuses_it(served: Served, visit: Visit) -> None:
    page, _ = visit(f"/d/uldp#token={secret(served, 'uldp')}")
    drawn(page)
    page.goto(f"{served.address}/d/grid")
    page.get_by_text("Your token is for other studies.").wait_for()
    page.fill("#token", secret(served, "grid"))
    page.keyboard.press("Enter")
    drawn(page)
    page.goto(f"{served.address}/d/uldp")
    drawn(page)


def test_levels_have_a_promise_each(visit: Visit, token: str) -> None:
    page, _ = visit(f"/d/levels#token={token}")
    drawn(page)
    page.get_by_text("What they read, for each level").click()
    levels = page.locator("#promise details.level")
    assert [each.split(" ")[0] for each in levels.locator("> summary").all_inner_texts()] == ["careful", "usual", "open"]
    levels.nth(1).click()
    assert "1 in 100" in levels.nth(1).inner_text()
    assert levels.nth(1).locator("svg.people").count() == 4
    levels.nth(2).click()
    assert "Nothing is guaranteed" in levels.nth(2).inner_text()


def test_a_study_that_was_tampered_with_is_found_out_in_the_browser(served: Served, visit: Visit, token: str) -> None:
    """The collector, or something on the way, hands out another study than the one it names."""
    page, _ = visit("/d/uldp")
    with served.client() as client:
        study = client.get("/studies/uldp").json()
    study["question"] += "?"
    page.route("**/studies/uldp", lambda route: route.fulfill(body=json.dumps(study), content_type=JSON))
    page.goto(f"{served.address}/d/uldp#token={token}")  # the page begins anew by itself
    page.locator("#promise .notice.bad", has_text="its fingerprint does not fit").wait_for()
    page.wait_for_selector("#shares tbody tr")
    assert page.locator("#checked").count() == 0


def test_more_reports_are_told_while_a_method_is_refused(served: Served, visit: Visit, token: str) -> None:
    study = named("ldp", "refused")
    added(served.url, study)
    send(served, study, 300)
    page, _ = visit("/d/refused")
    page.evaluate("sessionStorage.setItem('sottovoce.choice.refused', JSON.stringify({method: 'mmse', level: 0.95, target: 0.01}))")
    page.goto(f"{served.address}/d/refused#token={token}")  # the page begins anew by itself
    page.wait_for_selector("#refusal:not([hidden])")
    assert page.inner_text("#people") == "300"
    assert page.is_hidden("#empty")
    send(served, study, 200, seed=2)
    until(lambda: page.inner_text("#people") == "500")


def test_another_token_takes_the_place_of_the_first(served: Served, visit: Visit) -> None:
    first, second = secret(served, "uldp"), secret(served, "uldp")
    page, watch = visit(f"/d/uldp#token={first}")
    drawn(page)
    shown: list[str] = []
    page.on("request", lambda request: shown.append(request.headers.get("authorization", "")))
    page.evaluate("(token) => { location.hash = `token=${token}`; }", second)
    page.wait_for_timeout(7000)  # more than one round
    assert set(shown) - {""} == {f"Bearer {second}"}
    assert "#" not in page.url
    page.evaluate("() => { location.hash = 'token=%E2%98%83'; }")
    page.wait_for_timeout(200)
    assert "#" not in page.url
    drawn(page)
    assert watch.complaints == []


def test_a_study_that_is_replaced_is_judged_anew(served: Served, visit: Visit, token: str) -> None:
    before, after = named("ldp", "replaced"), named("uldp", "replaced")
    added(served.url, before)
    send(served, before, 300)
    page, _ = visit(f"/d/replaced#token={token}")
    drawn(page)
    assert page.text_content("#fingerprint") == before.fingerprint
    store = Store(served.url)
    store.delete("replaced", "test")
    store.close()
    page.wait_for_selector("#trouble:not([hidden])")
    added(served.url, after)
    until(lambda: page.inner_text("#people") == "0", 60)
    assert page.is_visible("#empty")
    send(served, after, 400)
    until(lambda: page.inner_text("#people") == "400")
    until(lambda: page.text_content("#fingerprint") == after.fingerprint)
    assert "chance decides whether it is sent as it is" in (page.text_content("#promise") or "")


def test_charts_are_fetched_only_where_they_are_needed_and_tried_again(served: Served, browser: Browser, token: str) -> None:
    study = named("ages", "chartless")
    added(served.url, study)
    send(served, study, 300)
    context = browser.new_context()
    page = context.new_page()
    watch = watched(page)
    page.goto(f"{served.address}/d/uldp#token={token}")
    drawn(page)
    assert not any("charts.js" in url for url in watch.requests)
    page.route("**/charts.js", lambda route: route.abort())
    page.goto(f"{served.address}/d/chartless#token={token}")
    page.wait_for_selector("text=The chart can’t be drawn now")
    assert rows(page) == written(told(served, "chartless")["items"])
    page.unroute("**/charts.js")
    send(served, study, 100, seed=2)
    page.wait_for_selector("#found .figure[data-drawn]")
    context.close()


def test_a_closed_study_says_so(served: Served, visit: Visit, token: str) -> None:
    with served.client() as client:
        admin = served.token(Role.ADMIN)
        assert client.patch("/studies/hadamard", json={"state": "closed"}, headers=admin).status_code == 200
    page, _ = visit(f"/d/hadamard#token={token}")
    drawn(page)
    assert page.inner_text("#state") == "closed"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("kind", ["uldp", "tags", "olh", "levels", "axes", "ages", "empty"])
def test_it_is_accessible_and_fits_any_screen(visit: Visit, token: str, kind: str, width: int, scheme: str) -> None:
    page, _ = visit(f"/d/{kind}#token={token}", width=width, color_scheme=scheme, reduced_motion="reduce")
    page.wait_for_selector("#outlook .curve")
    if kind != "empty":
        drawn(page)
    page.eval_on_selector_all("details", "all => all.forEach(each => { each.open = true; })")
    assert axe(page) == []
    assert overflow(page) <= 0


def test_charts_follow_the_window_and_the_colours(visit: Visit, token: str) -> None:
    page, _ = visit(f"/d/ages#token={token}")
    drawn(page)

    def paper() -> str:
        return str(page.eval_on_selector("#found .figure svg", "svg => getComputedStyle(svg).backgroundColor"))

    wide = page.eval_on_selector("#found .figure svg", "svg => svg.clientWidth")
    assert paper() == "rgb(255, 255, 255)"
    page.set_viewport_size({"width": 400, "height": 800})
    until(lambda: page.eval_on_selector("#found .figure svg", "svg => svg.clientWidth") < wide - 200)
    assert overflow(page) <= 0
    page.emulate_media(color_scheme="dark")
    until(lambda: paper() == "rgb(13, 17, 23)")


def test_nothing_is_shown_before_the_minimum(served: Served, visit: Visit, token: str) -> None:
    """A study that names no minimum has 50."""
    study = sv.Study.from_toml(re.sub(r'^name = "[^"]*"', 'name = "few"', STUDIES["ldp"]))
    added(served.url, study)
    send(served, study, 49)
    page, _ = visit(f"/d/few#token={token}")
    until(lambda: page.inner_text("#people") == "49")
    assert page.is_visible("#empty")
    wording(page.inner_text("#empty"))
    assert rows(page) == []
    assert axe(page) == []
    send(served, study, 1, seed=2)
    until(lambda: page.inner_text("#people") == "50")
    drawn(page)
    assert rows(page) == written(largest_first(told(served, "few")["items"]))


def test_labels_of_an_earlier_study_are_shown_escaped(served: Served, visit: Visit, token: str) -> None:
    """No page lets a label change the text around it: not the dashboard, and not what people answer."""
    domain = sv.Domain(["flu\x1b[31m", "hiv\u202e", "none"])
    promise = Promise.of(domain, 1.0, None, None, None, None, "ldp")
    study = sv.Study("hidden", "Which\u202e of these?", domain, {"": promise}, sv.krr(domain, 1.0))
    put_as_before(served.url, study)
    send(served, study, 60)
    for path, ready in ((f"/d/hidden#token={token}", "#shares tbody tr"), ("/s/hidden", "#answer")):
        page, _ = visit(path)
        page.wait_for_selector(ready)
        text = page.inner_text("body")
        assert "hiv\\u202e" in text
        assert "flu\\u001b[31m" in text
        assert "Which\\u202e of these?" in text
        assert [each for each in page.content() if each in "\x1b\u202e"] == []
