"""The JavaScript client with a real collector: the examples of its documentation, and reports from Node."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import sottovoce as sv
from browser import watched
from collectors import added, named, recounted, serving
from parts import node
from paths import ROOT
from sottovoce.store import Store
from sottovoce.study.templates import template
from studies import QUESTIONNAIRES

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CLIENT = ROOT / "clients" / "js" / "dist" / "sottovoce.js"
EXAMPLES = re.findall(r"```js\n(.*?)```", (ROOT / "docs" / "browser.md").read_text(encoding="utf-8"), re.DOTALL)


def test_the_examples_of_the_documentation_run(browser: Browser, tmp_path: Path) -> None:
    study = sv.Study.from_toml(template("survey", "my-survey", "Which of these do you have?", [], []))
    url = str(tmp_path / "collector.sqlite")
    entry = added(url, study)[0]
    page_code = re.sub(r'import (\{.*?\}) from "(.*?)";', r'const \1 = await import("\2");', EXAMPLES[0])
    node_code = EXAMPLES[1].replace("./clients/js/dist", str(CLIENT.parent))
    with serving(url, tmp_path) as served:
        context = browser.new_context()
        page = context.new_page()
        watch = watched(page)
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.goto(f"{served.address}/s/my-survey")
        page.evaluate(f"async () => {{ {page_code} }}")
        assert len(said) == 2
        assert "odds" in said[0]
        assert "The report speaks for" in said[1]
        assert watch.complaints == []
        context.close()
        more = f"""
            const {{ loadStudy }} = await import({json.dumps(str(CLIENT))});
            const study = await loadStudy("{served.address}/studies/my-survey");
            const answer = async () => device.send(study, await device.prepare(study, "flu"));
            const tried = [await answer().catch((error) => error.kind), await answer().catch((error) => error.kind)];
            console.log(JSON.stringify([...tried, await device.flush(), device.spent().epsilon]));
        """
        for expected in ([{"accepted": 1, "repeated": 0}, "ledger", 0, 1], ["ledger", "ledger", 0, 1]):
            done = subprocess.run(
                [node(), "--input-type=module", "-e", node_code + more],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=True,
                timeout=60,
            )
            assert json.loads(done.stdout) == expected  # the second program finds the ledger of the first
        store = Store(url)
        assert store.tally(entry).n == 2
        store.close()


def test_node_sends_reports_of_every_kind_of_study(tmp_path: Path) -> None:
    """Every report that the client draws is one that the collector takes; Python reads all of them."""
    kinds = [
        "ldp",
        "uldp",
        "ipldp",
        "item_uldp",
        "minid",
        "lip",
        "tags",
        "axes",
        "integers",
        "olh",
        "hadamard",
        "lh_lip",
        "lifted",
        "matrix",
    ]
    url = str(tmp_path / "collector.sqlite")
    added(url, *(named(kind) for kind in kinds))
    program = f"""
        import {{ loadStudy, perturb, submit }} from {json.dumps(str(CLIENT))};
        for (const address of process.argv.slice(1)) {{
            const study = await loadStudy(address);
            const reports = Array.from({{ length: 200 }}, (_, k) => perturb(study, study.domain.text(k % study.domain.size)));
            console.log(JSON.stringify(await submit(reports)));
        }}
    """
    with serving(url, tmp_path) as served:
        addresses = [f"{served.address}/studies/{named(kind).name}" for kind in kinds]
        done = subprocess.run(
            [node(), "--input-type=module", "-e", program, *addresses], capture_output=True, text=True, check=True, timeout=120
        )
    assert done.stdout.split() == ['{"accepted":200,"repeated":0}'] * len(kinds)
    recounted(url, *(named(kind).name for kind in kinds))


def test_the_example_of_a_questionnaire_answers_whatever_is_drawn(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "how-to" / "ask-several-questions.md").read_text(encoding="utf-8")
    file = re.search(r"<!-- file: wellbeing.toml -->\n```toml\n(.*?)```", page, re.DOTALL)
    assert file is not None
    url = str(tmp_path / "collector.sqlite")
    study = added(url, sv.Study.from_toml(file[1]))[0]
    (example,) = [each for each in EXAMPLES if "loadQuestionnaire" in each]
    names, code = re.findall(r"import (\{.*?\}) from .*?;\n(.*)", example, re.DOTALL)[0]
    with serving(url, tmp_path) as served:
        code = code.replace('"/studies/', f'"{served.address}/studies/').replace("new Device()", "new Device({ storage })")
        program = f"""
            const {names} = await import({json.dumps(str(CLIENT))});
            for (let k = 0; k < 30; k += 1) {{
                const kept = new Map();
                const storage = {{ getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => kept.set(key, text) }};
                {code}
            }}
        """
        subprocess.run([node(), "--input-type=module", "-e", program], check=True, capture_output=True, timeout=60)
    recounted(url, study.name)


def test_node_answers_questionnaires_of_every_kind(tmp_path: Path) -> None:
    """Each device draws a form of its own and sends one submission, which the collector takes and Python reads."""
    url = str(tmp_path / "collector.sqlite")
    studies = [named(kind) for kind in QUESTIONNAIRES]
    added(url, *studies)
    program = f"""
        import {{ Device, loadQuestionnaire }} from {json.dumps(str(CLIENT))};
        const pick = (list) => list[Math.floor(Math.random() * list.length)];
        const answer = ({{ answers, choices, atMost, refusal }}) => {{
            const labels = Array.from({{ length: answers.size }}, (_, code) => answers.text(code));
            if (refusal && Math.random() < 0.2) return refusal;
            return choices ? labels.filter(() => Math.random() < 0.5).slice(0, atMost) : pick(labels);
        }};
        for (const address of process.argv.slice(1)) {{
            const study = await loadQuestionnaire(address);
            let accepted = 0;
            for (let k = 0; k < 40; k += 1) {{
                const kept = new Map();
                const storage = {{ getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => kept.set(key, text) }};
                const device = new Device({{ storage }});
                const level = study.levels[k % study.levels.length].name;
                const {{ needed }} = await device.asked(study, {{ level }});
                const shown = study.questions.filter(({{ name }}) => needed.includes(name));
                const answers = Object.fromEntries(shown.map((each) => [each.name, answer(each)]));
                accepted += (await device.send(study, await device.prepare(study, answers, {{ level }}))).accepted;
            }}
            console.log(accepted);
        }}
    """
    with serving(url, tmp_path) as served:
        addresses = [f"{served.address}/studies/{study.name}" for study in studies]
        done = subprocess.run(
            [node(), "--input-type=module", "-e", program, *addresses], capture_output=True, text=True, check=True, timeout=120
        )
    assert done.stdout.split() == ["40"] * len(studies)
    recounted(url, *(study.name for study in studies))
