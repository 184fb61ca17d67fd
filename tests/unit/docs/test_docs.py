"""Every mechanism and every notion has its row in the documentation, and links lead somewhere."""

from __future__ import annotations

import importlib.util
import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

import sottovoce as sv
from paths import ROOT
from sottovoce import estimators, mechanisms, utility
from sottovoce.catalogue import promisable

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *(ROOT / "spec").glob("*.md"),
    *(ROOT / "deploy").glob("*.md"),
    ROOT / "clients" / "js" / "README.md",
]


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    """The script that writes the reference."""
    spec = importlib.util.spec_from_file_location("make_reference", ROOT / "docs" / "make_reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


#: What users call, and no channel has to think of.
NOT_ON_THE_PAGE = {"perturb", "perturb_one", "matrix", "likelihood", "row", "fingerprint", "as_matrix", "writable", "described"}


@pytest.mark.parametrize("name", ["mechanisms", "notions", "estimates", "http-api"])
def test_the_tables_made_of_the_code_are_current(reference: ModuleType, name: str) -> None:
    """Run `make reference` to update them."""
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert reference.with_table(text, name, reference.TABLES[name]()) == text


def test_the_page_on_channels_shows_the_example_that_is_tested() -> None:
    page = (ROOT / "docs" / "channels.md").read_text(encoding="utf-8")
    example = (ROOT / "tests" / "unit" / "channels" / "test_own_channel.py").read_text(encoding="utf-8")
    assert f"```python\n{example}```" in page
    assert len(example.splitlines()) < 80
    members = set(re.findall(r"`(\w+)", page))
    assert {name for name in vars(sv.Channel) if not name.startswith("_")} - NOT_ON_THE_PAGE <= members


def test_every_method_and_function_of_estimation_is_documented() -> None:
    text = (ROOT / "docs" / "estimates.md").read_text(encoding="utf-8")
    assert [method for method in sv.METHODS if f"`{method}`" not in text] == []
    functions = [name for name in estimators.__all__ if inspect.isfunction(getattr(sv, name))]
    assert [name for name in functions if name not in text] == []


def test_every_function_of_utility_is_documented() -> None:
    text = (ROOT / "docs" / "utility.md").read_text(encoding="utf-8")
    functions = [name for name in utility.__all__ if not isinstance(getattr(sv, name), type)]
    assert [name for name in functions if f"`{name}(" not in text] == []


def test_the_reference_is_current(reference: ModuleType) -> None:
    """Run `make reference` to update them."""
    assert (ROOT / "docs" / "reference.md").read_text(encoding="utf-8") == reference.page()
    assert [name for name in sv.__all__ if name != "__version__" and f"| `{name}" not in reference.page()] == []


def test_every_key_of_a_study_file_is_documented() -> None:
    text = (ROOT / "docs" / "study-files.md").read_text(encoding="utf-8")
    keys = ["name", "question", "items", "[axes]", "[grid]", "reports", "people", "[mechanism]", "[privacy.budgets]", *promisable()]
    keys += ["notion", "epsilon", "sensitive", "levels", "tags", "prior"]
    assert [key for key in keys if f"`{key}`" not in text] == []


def test_every_key_of_a_questionnaire_is_documented() -> None:
    from sottovoce.study import question_files, questionnaire_files
    from sottovoce.utility.strategies import KINDS

    page = (ROOT / "docs" / "study-files.md").read_text(encoding="utf-8")
    text = page[page.index("## Several questions") : page.index("## Compiled studies")]
    written = {"axes": "`[axes]`", "grid": "`[grid]`", "privacy": "`[privacy]`", "questions": "`[[questions]]`", "strategy": "`[strategy]`"}
    earlier = {"name", "people"}  # as in a study of one question
    keys = {*questionnaire_files.KEYS, *question_files.KEYS, *(f'"{kind}"' for kind in KINDS), "kind"} - earlier
    assert [key for key in sorted(keys) if written.get(key, f"`{key}`") not in text] == []


def test_every_setting_problem_and_address_of_the_collector_is_documented() -> None:
    from sottovoce.collector.routes import ROUTES
    from sottovoce.collector.settings import Settings
    from sottovoce.errors import PROBLEMS

    settings = (ROOT / "docs" / "collector-settings.md").read_text(encoding="utf-8")
    assert [name for name in Settings.__struct_fields__ if f"| `{name}` |" not in settings] == []
    text = (ROOT / "docs" / "http-api.md").read_text(encoding="utf-8")
    assert [kind for kind, problem in PROBLEMS.items() if f"| `{kind}` | {problem.status} | {problem.title} |" not in text] == []
    assert [route.path for route in ROUTES if f"| {route.method} | `{route.path}` |" not in text] == []


def test_the_example_of_settings_shows_all_of_them_with_their_defaults(tmp_path: Path) -> None:
    from sottovoce.collector.settings import Settings

    example = (ROOT / "deploy" / "collector.toml").read_text(encoding="utf-8")
    (tmp_path / "collector.toml").write_text(re.sub(r"(?m)^# ?([a-z_]+ = )", r"\1", example))
    assert Settings.of(str(tmp_path / "collector.toml"), {}, {}) == Settings()
    assert [name for name in Settings.__struct_fields__ if f"{name} = " not in example] == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, waiting = set[Path](), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        text = page.read_text(encoding="utf-8")
        listed = [f"{line}.md" for block in re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
        for target in re.findall(r"\]\(([^)#:]+\.md)(?:#[^)]*)?\)", text) + listed:
            found = (page.parent / target).resolve()
            if found not in reached and (target not in listed or found.is_file()):
                waiting.append(found)
    assert [page.name for page in PAGES if page not in reached] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (page.parent / target).exists(), target


def test_public_names_are_there_and_have_docstrings() -> None:
    assert len(set(sv.__all__)) == len(sv.__all__)
    undocumented = [name for name in sv.__all__ if name != "__version__" and not inspect.getdoc(getattr(sv, name))]
    assert undocumented == []


@pytest.mark.parametrize("name", [name for name in mechanisms.__all__ if inspect.isfunction(getattr(sv, name))])
def test_every_constructor_shows_an_example(name: str) -> None:
    assert ">>>" in (getattr(sv, name).__doc__ or "")
