"""The collector's pages show what people wrote as text, whatever it contains."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

import sottovoce as sv
from collectors import Hosted, added, hosted, named
from kitchen import STUDIES as KITCHEN
from kitchen import kitchen
from sottovoce._version import __version__
from sottovoce.collector.cards import protected
from sottovoce.collector.languages import wordings
from sottovoce.store import Role

QUESTION = """<script>alert("1")</script> & 'a' </title></h1> "b" {{ 7 * 7 }} {% raw %}"""
ITEM = """<img src=x onerror='alert("2")'> & "c" </details>"""


class Seen(HTMLParser):
    """What a browser makes of a page: its elements with their attributes, and the text of each kind of element."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: dict[str, str] = {}
        self.pieces: list[str] = []
        self._open = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._open = tag

    def handle_data(self, data: str) -> None:
        self.text[self._open] = self.text.get(self._open, "") + data
        self.pieces.append(data)


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    url = str(tmp_path_factory.mktemp("pages") / "collector.sqlite")
    privacy = f"[privacy]\nnotion = \"uldp\"\nepsilon = 1.0\nsensitive = ['''{ITEM}''']\n"
    study = sv.Study.from_toml(f"name = \"hostile\"\nlisted = true\nquestion = '''{QUESTION}'''\nitems = ['''{ITEM}''', 'none']\n{privacy}")
    assert study.question == QUESTION
    added(url, study)
    with hosted(url) as running:
        yield running


@pytest.mark.parametrize("path", ["/", "/s/hostile", "/d/hostile"])
def test_hostile_text_stays_text(collector: Hosted, path: str) -> None:
    with collector.client() as client:
        page = client.get(path).text
    seen = Seen(page)
    assert seen.text["h3" if path == "/" else "h1"].count(QUESTION) == 1
    assert "alert(" not in page.replace("alert(&#34;", "")
    scripts = [attributes for tag, attributes in seen.elements if tag == "script"]
    assert [each["src"] for each in scripts] == ([] if path == "/" else [f"/static/{'survey' if path[1] == 's' else 'dashboard'}.js"])
    assert not [name for _, attributes in seen.elements for name in attributes if name.startswith("on")]
    assert {each.get("src") for tag, each in seen.elements if tag == "img"} <= {"/static/icon.svg"}
    if path == "/":
        assert ITEM in seen.text["p"], "what is promised names the item"


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ja"])
def test_the_page_of_what_is_stored_is_in_every_language(collector: Hosted, language: str) -> None:
    """All its words are texts of that language. Only the details of the guarantee, which say so, are in English."""
    texts = wordings()[language].texts
    with collector.client() as client:
        pages = [client.get("/", headers={"accept-language": f"{language}-XX, xx;q=0.5"}), client.get(f"/?lang={language}")]
    for page in pages:
        assert f'<html lang="{language}" dir="ltr">' in page.text
        assert page.headers["content-language"] == language
        assert page.headers["vary"] == "accept-language"
        assert texts["front_analysts"] in page.text
        seen = Seen(re.sub(r'<div lang="en".*?</div>', "", page.text, flags=re.DOTALL))
        shown = {text.strip() for text in seen.pieces if text.strip()}
        names = {each.name for each in wordings().values()} | {QUESTION, "hostile", "sottovoce", f"sottovoce {__version__}"}
        count = texts["front_count"]
        names |= {f"{ITEM} · none", count.get("one", count["other"]).replace("{count}", "1"), f"{texts['language']}:"}
        mine = {text for key, text in texts.items() if isinstance(text, str) and re.match("front_|footer_", key)}
        unknown = {text for text in shown - names - mine if not re.fullmatch(r"[·\s]*|/[a-z.]+", text)}
        assert unknown == set()
        elsewhere = {
            "front_none",
            "front_run_by",
            "front_count",
            "front_count_drawn",
            "front_count_most",
            "front_until",
            "front_opens",
            "front_closed",
            "front_others",
        }
        elsewhere |= {key for key in texts if key.startswith("front_protects_")}
        assert texts["front_protects_some"] in shown
        assert {text for key, text in texts.items() if key.startswith("front_") and key not in elsewhere} <= shown
    assert 'href="/s/hostile"' in pages[0].text
    assert f'href="/s/hostile?lang={language}"' in pages[1].text


def cards(page: str) -> list[list[str]]:
    """What the cards of the home page say: the title, then all else."""
    return [[text.strip() for text in Seen(card).pieces if text.strip()] for card in re.findall("<article.*?</article>", page, re.DOTALL)]


def test_the_front_page_says_how_many_questions_people_are_asked(tmp_path: Path) -> None:
    """If questions are drawn, fewer are asked than there are: the most that someone can draw, with those on which they depend.

    It's "up to" so many only if some people are asked fewer.
    """
    url = str(tmp_path / "drawn.sqlite")
    added(url, *(dataclasses.replace(kitchen(name), listed=True) for name in ("drawn", "all", "depends", "boxes")))
    with hosted(url) as running, running.client() as client:
        said = [fact for card in cards(client.get("/").text) for fact in card if "question" in fact]
    assert said == ["8 questions", "1 of 2 questions", "2 questions", "Up to 3 of 8 questions"]


def test_the_front_page_tells_studies_apart_and_lists_open_ones_first(tmp_path: Path) -> None:
    """Each card has who asks, what about, and until when, in the words of the page and of the study."""
    url = str(tmp_path / "apart.sqlite")
    plain = dataclasses.replace(named("ldp", "plain"), listed=True)
    until = sv.Study.from_toml(KITCHEN["late"].replace("2020-01-31", "2198-12-24").replace('"kitchen"', '"until"'))
    added(url, *(dataclasses.replace(each, listed=True) for each in (kitchen("early"), kitchen("late"), until)), plain)
    with hosted(url) as running, running.client() as client:
        page, german = (client.get(path).text for path in ("/", "/?lang=de"))
        french = client.get("/?lang=fr").text
    who, what = "City of Example", "We'd like to know how people feel."
    answer = "Take part"
    kept = "All answers protected"
    assert cards(page)[0] == [plain.question, " · ".join(map(str, plain.domain.axes[0].labels)), "1 question", kept, answer]
    weakly = "All answers weakly protected"
    assert [each[1:] for each in cards(page)[1:]] == [
        [who, what, "until", "2 questions", weakly, "Open until December 24, 2198", answer],
        [who, "early", "2 questions", weakly, "Opens on January 1, 2199"],
        [who, "late", "2 questions", weakly, "Ended on January 31, 2020"],
    ], "studies with the same title have their names, too"
    assert page.count("Not open now (2)") == 1
    assert page.index("until") < page.index("Not open now") < page.index("January 1, 2199")
    assert "Offen bis 24. Dezember 2198" in german
    assert cards(french)[1][-2:] == ["English", wordings()["fr"].texts["front_answer"]], "a study without French texts says which it has"


@pytest.mark.parametrize(
    ("privacy", "words"),
    [
        ('notion = "ldp"\nepsilon = 1.0', "All answers protected"),
        ('notion = "ldp"\nepsilon = 4.0', "All answers weakly protected"),
        ('notion = "uldp"\nepsilon = 1.0\nsensitive = ["a"]', "Some answers protected"),
        ('notion = "uldp"\nepsilon = 5.0\nsensitive = ["a", "b"]', "Some answers weakly protected"),
        ('notion = "uldp"\nepsilon = 1.0\nsensitive = ["a"]\ntags = ["mine"]', "Some answers protected"),
        ('notion = "uldp"\nepsilon = 1.0\nsensitive = ["a", "b", "c"]', "All answers protected"),
        ('notion = "ldp"\nlevels = {careful = 1.0, open = inf}', "You choose the protection"),
        ('notion = "ldp"\nlevels = {careful = 1.0, usual = 5.0}', "You choose the protection"),
        ('notion = "ldp"\nlevels = {careful = 0.5, usual = 1.0}', "All answers protected"),
    ],
)
def test_a_card_says_how_much_a_study_protects(privacy: str, words: str) -> None:
    study = sv.Study.from_toml(f'name = "kept"\nquestion = "Which?"\nitems = ["a", "b", "c"]\n[privacy]\n{privacy}\n')
    assert wordings()["en"].texts[protected(study)] == words


@pytest.mark.parametrize(
    ("name", "words"), [("clinic", "Some answers protected"), ("whole", "All answers protected"), ("all", "You choose the protection")]
)
def test_so_do_the_cards_of_questionnaires(name: str, words: str) -> None:
    assert wordings()["en"].texts[protected(kitchen(name))] == words


def test_an_introduction_is_cut_behind_a_sentence(tmp_path: Path) -> None:
    """A card has whole sentences of a long introduction, and none of one that doesn't end."""
    url = str(tmp_path / "long.sqlite")
    whole = "We'd like to know how people feel."
    for name, more in (("long", " This sentence is too long for a card" + ", very long" * 20 + "."), ("endless", ", and" * 60)):
        added(
            url,
            dataclasses.replace(
                sv.Study.from_toml(
                    KITCHEN["late"]
                    .replace(whole, whole[:-1] + "." * (name == "long") + more)
                    .replace('"kitchen"', f'"{name}"')
                    .replace("2020", "2198")
                ),
                listed=True,
            ),
        )
    with hosted(url) as running, running.client() as client:
        assert [len(card) for card in cards(client.get("/").text)] == [7, 8]
        assert cards(client.get("/").text)[1][2] == whole


@pytest.mark.parametrize(
    ("contact", "link"),
    [
        ("privacy@city.example", "mailto:privacy@city.example"),
        ("https://city.example/privacy", "https://city.example/privacy"),
        ("Room 7", None),
        ("javascript:alert(1)", None),
    ],
)
def test_the_home_page_names_its_operator(tmp_path: Path, contact: str, link: str | None) -> None:
    url = str(tmp_path / "operator.sqlite")
    added(url, named("ldp"))
    with hosted(url, operator="City of <b>Example</b>", contact=contact) as running, running.client() as client:
        page, survey = (client.get(path).text for path in ("/", f"/s/{named('ldp').name}"))
    asking = Seen(survey)
    assert asking.text["bdi"].startswith("City of <b>Example</b>"), "the survey has the same name at its head"
    assert [each["data-contact"] for tag, each in asking.elements if tag == "body"] == [contact]
    seen = Seen(page)
    assert seen.text["strong"].startswith("City of <b>Example</b>")
    assert seen.text["title"].strip().endswith("City of <b>Example</b>")
    assert contact in seen.pieces
    assert wordings()["en"].texts["front_unnamed"] not in page
    assert [each["href"] for tag, each in seen.elements if tag == "a" and each.get("rel") == "noreferrer"] == ([link] if link else [])


def test_unknown_languages_are_answered_in_english(collector: Hosted) -> None:
    with collector.client() as client:
        page = client.get('/?lang="><script>', headers={"accept-language": "xx"}).text
    assert '<html lang="en"' in page
    assert 'href="/s/hostile?lang=en"' in page


def test_the_front_page_names_only_studies_that_ask_for_it(tmp_path: Path) -> None:
    """The key is no part of the study: its fingerprint stays, and a collector takes the study with or without it."""
    url = str(tmp_path / "listed.sqlite")
    plain, shown = named("ldp", "plain"), named("uldp", "shown")
    asking = dataclasses.replace(shown, listed=True)
    assert asking.fingerprint == shown.fingerprint
    assert asking.compile() == shown.compile()
    added(url, plain, asking)
    with hosted(url) as running, running.client() as client:
        admin = running.token(Role.ADMIN)

        def linked() -> list[str]:
            return re.findall('href="/s/([^"?]*)', client.get("/").text)

        assert linked() == ["shown"]
        assert {each["name"]: each["listed"] for each in client.get("/studies", headers=admin).json()["studies"]} == {
            "plain": False,
            "shown": True,
        }
        assert client.patch("/studies/plain", json={"listed": True}, headers=admin).json()["listed"] is True
        assert linked() == ["plain", "shown"]
        for name in ("plain", "shown"):
            client.patch(f"/studies/{name}", json={"listed": False}, headers=admin)
        assert linked() == []
        assert wordings()["en"].texts["front_none"] in client.get("/").text
        assert client.get("/s/plain").status_code == 200
    assert [each.listed for each in added(url, plain, asking)] == [False, True], "a file that says so lists it again"
    assert [each.listed for each in added(url, plain, dataclasses.replace(shown, listed=False))] == [False, False]


def test_studies_lists_what_one_may_know(tmp_path: Path) -> None:
    url = str(tmp_path / "listed.sqlite")
    added(url, named("ldp", "plain"), named("ldp", "other"), dataclasses.replace(named("uldp", "shown"), listed=True))
    with hosted(url) as running, running.client() as client:

        def names(headers: dict[str, str] | None = None, **query: str) -> list[str]:
            return [each["name"] for each in client.get("/studies", headers=headers, params=query).json()["studies"]]

        assert names() == ["shown"]
        assert names(running.token(Role.MONITOR)) == ["shown"]
        assert names(running.token(Role.ANALYST, "plain")) == ["plain", "shown"]
        assert names(running.token(Role.ANALYST, "*")) == names(running.token(Role.ADMIN)) == ["other", "plain", "shown"]
        assert [names(name=each) for each in ("plain", "shown", "nothing", "no name")] == [["plain"], ["shown"], [], []]
        for wrong in ("Bearer sv_" + "0" * 12 + "_" + "0" * 64, "Bearer x"):
            refused = client.get("/studies", headers={"authorization": wrong})
            assert (refused.status_code, refused.json()["type"]) == (401, "/problems/no-token")
        assert client.get("/studies", params={"nme": "plain"}).status_code == 422
