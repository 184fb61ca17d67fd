"""Write docs/images/{city,report,survey,questionnaire,dashboard}*.png.

These are the pages as they are, in a real browser, before a real collector with simulated people.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, ViewportSize, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from rich.console import Console

import sottovoce as sv
from collectors import Served, added, bodies, serving
from sottovoce.cli.demo import _City
from sottovoce.findings import Findings, findings_page
from sottovoce.labels import labels_of
from sottovoce.store import Role

IMAGES = ROOT / "docs" / "images"
HEALTH = """
name = "clinic-2026"
question = "Which of these do you have?"
items = ["hiv", "cancer", "hepatitis", "flu", "none"]
[privacy]
notion = "uldp"
epsilon = 1.0
sensitive = ["hiv", "cancer", "hepatitis"]
"""
WELLBEING = """
name = "wellbeing-2027"
title = "How are you?"
introduction = "We'd like to know how people in our town feel."
organisation = "City of Example"
contact = "survey@example.org"
consent = "I'm at least 16 years old and take part of my own free will."
thanks = "Thank you. The results will be in the town hall in May."
[privacy]
notion = "ldp"
epsilon = 2.0
[strategy]
kind = "split"
[[questions]]
name = "smokes"
text = "Do you smoke?"
items = ["yes", "no"]
prefer_not_to_say = true
[[questions]]
name = "mood"
text = "How do you feel today?"
help = "Think of the day as a whole."
scale = ["awful", "bad", "fair", "good", "great"]
prefer_not_to_say = true
"""
WIDE: ViewportSize = {"width": 820, "height": 860}
DESK: ViewportSize = {"width": 1200, "height": 900}
PHONE: ViewportSize = {"width": 360, "height": 740}


def main() -> None:
    """Serve two studies, let people answer, and take the pictures."""
    health = sv.Study.from_toml(HEALTH)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        folder = Path(place)
        demo = _City(folder, 1, Console(quiet=True))
        city = sv.Study.from_toml(demo.study_file())
        added(str(folder / "collector.sqlite"), health, city, sv.Study.from_toml(WELLBEING))
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        with serving(str(folder / "collector.sqlite"), folder) as served:
            _answer(served, health, np.random.default_rng(1).choice(5, 3000, p=[0.04, 0.07, 0.05, 0.24, 0.6]))
            places = list(demo.answers())[1:]  # behind the header; homes are marked, and enter as their tag
            texts = {text: code for code, text in enumerate(labels_of(city.domain).texts)}
            _answer(served, city, np.array([len(texts) if tag else texts[item] for item, tag in places]))
            _city(browser, demo)
            _report(browser, folder, health)
            _survey(browser, served)
            _questionnaire(browser, served)
            _dashboard(browser, served)
        browser.close()


def _answer(served: Served, study: sv.Study, codes: np.ndarray) -> None:
    made = bodies(study, study.blocks[""].channel.sample(codes, sv.SeededSource(7)))
    with served.client(headers={"content-type": "application/x-ndjson"}) as client:
        for start in range(0, len(made), 20_000):
            client.post(f"/studies/{study.name}/reports", content=b"\n".join(made[start : start + 20_000])).raise_for_status()


def _city(browser: Browser, demo: _City) -> None:
    """The map of the demo's page with its key."""
    page = browser.new_context(viewport=DESK, device_scale_factor=1.5).new_page()
    page.goto(f"file://{demo.run()['page']}")
    page.locator(".mapped").screenshot(path=IMAGES / "city.png")
    page.context.close()


def _report(browser: Browser, folder: Path, study: sv.Study) -> None:
    """The beginning of a report, down to what a report reveals about a person."""
    tally = sv.Tally.simulate(study.mechanism, [0.01, 0.07, 0.05, 0.25, 0.62], 8000, sv.SeededSource(7))
    (folder / "report.html").write_text(findings_page(Findings.of(study, sv.estimate(tally, progress=False))), encoding="utf-8")
    page = browser.new_context(viewport=WIDE, device_scale_factor=1.5).new_page()
    page.goto((folder / "report.html").as_uri())
    below = page.locator("h2", has_text="What this page can").bounding_box()
    assert below is not None
    page.screenshot(path=IMAGES / "report.png", full_page=True, clip={"x": 0, "y": 0, "width": WIDE["width"], "height": below["y"] - 24})
    page.context.close()


def _survey(browser: Browser, served: Served) -> None:
    for look, scheme in (("", "light"), ("-dark", "dark")):
        page = browser.new_context(viewport=WIDE, color_scheme=scheme).new_page()  # type: ignore[arg-type]  # one of two texts
        page.goto(f"{served.address}/s/clinic-2026")
        page.check("text=cancer")
        page.evaluate("document.activeElement.blur()")
        if not look:
            page.screenshot(path=IMAGES / "survey.png", full_page=True)
        page.click("button.main")
        page.wait_for_selector("#send")
        page.screenshot(path=IMAGES / f"survey-review{look}.png", full_page=True)
        page.context.close()
    page = browser.new_context(viewport={"width": 360, "height": 1250}, device_scale_factor=1.5).new_page()
    page.goto(f"{served.address}/s/city-demo")
    page.click("[data-code='320']")
    page.check("input[name=mark][value=home]")
    page.fill("[role=combobox]", "union sq")
    page.keyboard.press("Enter")
    page.evaluate("document.activeElement.blur()")
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=IMAGES / "survey-grid.png")
    page.context.close()


def _questionnaire(browser: Browser, served: Served) -> None:
    page = browser.new_context(viewport=PHONE, device_scale_factor=1.5).new_page()

    def picture(name: str) -> None:
        page.evaluate("document.activeElement.blur()")
        height = page.evaluate("document.documentElement.scrollHeight")
        page.set_viewport_size({**PHONE, "height": max(height, PHONE["height"])})  # the buttons that stay in view are then at their place
        page.screenshot(path=IMAGES / f"questionnaire-{name}.png", full_page=True)
        page.set_viewport_size(PHONE)

    page.goto(f"{served.address}/s/wellbeing-2027")
    page.check("#consent")
    picture("start")
    page.click("#start")
    page.wait_for_selector("#next")
    page.check("text=no")
    page.click("#next")
    page.check("text=good")
    picture("question")
    page.click("#next")
    page.wait_for_selector("#send")
    picture("review")
    page.context.close()


def _dashboard(browser: Browser, served: Served) -> None:
    token = served.token(Role.ANALYST, "*")["authorization"].removeprefix("Bearer ")
    looks = [("", "city-demo", DESK, "light"), ("-dark", "clinic-2026", DESK, "dark"), ("-phone", "clinic-2026", PHONE, "light")]
    for look, name, viewport, scheme in looks:
        page = browser.new_context(viewport=viewport, color_scheme=scheme).new_page()  # type: ignore[arg-type]  # one of two texts
        page.goto(f"{served.address}/d/{name}#token={token}")
        page.wait_for_selector("#shares tbody tr", state="attached")
        page.wait_for_timeout(1500)
        page.screenshot(path=IMAGES / f"dashboard{look}.png", full_page=True)
        page.context.close()


if __name__ == "__main__":
    main()
