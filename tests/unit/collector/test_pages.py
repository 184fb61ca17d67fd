"""The collector's pages show what people wrote as text, whatever it contains."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

import pytest

import sottovoce as sv
from collectors import Hosted, added, hosted

QUESTION = """<script>alert("1")</script> & 'a' </title></h1> "b" {{ 7 * 7 }} {% raw %}"""
ITEM = """<img src=x onerror='alert("2")'> & "c" </details>"""


class Seen(HTMLParser):
    """What a browser makes of a page: its elements with their attributes, and the text of each kind of element."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: dict[str, str] = {}
        self._open = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._open = tag

    def handle_data(self, data: str) -> None:
        self.text[self._open] = self.text.get(self._open, "") + data


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    url = str(tmp_path_factory.mktemp("pages") / "collector.sqlite")
    privacy = f"[privacy]\nnotion = \"uldp\"\nepsilon = 1.0\nsensitive = ['''{ITEM}''']\n"
    study = sv.Study.from_toml(f"name = \"hostile\"\nquestion = '''{QUESTION}'''\nitems = ['''{ITEM}''', 'none']\n{privacy}")
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
