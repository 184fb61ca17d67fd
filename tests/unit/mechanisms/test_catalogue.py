"""Mechanisms and notions are declared once; what is defined, exported or promised without a declaration is found here."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from messages import refused
from sottovoce import catalogue, mechanisms, notions
from sottovoce.catalogue import MECHANISMS, METHODS, NOTIONS, mechanism, promisable
from sottovoce.estimators import methods
from sottovoce.study.recipes import nameable
from studies import HEAD
from zoo import ENTRIES, NAMES

#: Exported types that are parts of mechanisms. The last three are made by questionnaires, which plan them.
TYPES = {"Bot", "Mechanism", "OptimalMechanism", "Person", "PersonalMechanism", "Form", "Forms", "Part"}


def defined(package: Any) -> Iterator[Any]:
    """The public functions and classes that the modules of a package define."""
    for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        module = importlib.import_module(found.name)
        for name, thing in vars(module).items():
            if not name.startswith("_") and getattr(thing, "__module__", None) == module.__name__:
                yield thing


def constructors() -> set[str]:
    """Functions that say that they return a mechanism; annotations are texts."""
    return {
        thing.__name__
        for thing in defined(mechanisms)
        if inspect.isfunction(thing) and str(thing.__annotations__.get("return")).endswith("Mechanism")
    }


def test_every_constructor_is_declared_and_exported() -> None:
    own = {name for name, entry in MECHANISMS.items() if entry.thing.__module__.startswith("sottovoce.")}
    assert constructors() | {"Population"} == own
    assert set(mechanisms.__all__) - TYPES == own


def test_every_notion_is_declared_and_exported() -> None:
    kinds = {thing.__name__ for thing in defined(notions) if isinstance(thing, type) and issubclass(thing, sv.Notion)}
    assert kinds - {"Notion", "EpsilonNotion"} == set(NOTIONS)
    assert set(notions.__all__) > set(NOTIONS)


def test_every_method_of_estimation_is_declared() -> None:
    """Methods are the functions that take what `estimate` was asked for."""
    defined = {each for each in vars(methods).values() if inspect.isfunction(each) and "_Asked" in each.__annotations__.get("asked", "")}
    assert defined == {entry.thing for entry in METHODS.values()}
    assert tuple(sorted(METHODS)) == sv.METHODS


def test_mechanisms_promise_notions_that_there_are() -> None:
    for entry in MECHANISMS.values():
        assert set(entry.promises) <= set(NOTIONS), entry.name
        assert set(entry.plan) <= set(promisable()), entry.name


@pytest.mark.parametrize("name", [*ENTRIES])
def test_every_mechanism_of_studies_has_an_example_and_settings_that_it_takes(name: str) -> None:
    entry = ENTRIES[name]
    assert any(each == name or each.startswith(f"{name}-") for each in NAMES)
    assert entry.build is not None
    assert set(entry.settings) <= set(inspect.signature(entry.build).parameters)


def test_every_notion_of_studies_can_be_planned() -> None:
    for key in promisable():
        assert any(key in entry.plan for entry in MECHANISMS.values()), key


@pytest.fixture
def half() -> Iterator[None]:
    """Someone else's mechanism: half of the reports are the truth, the others are noise."""

    @mechanism(use="a test", report="an item", promises=("LDP",), plan=("ldp",))
    def halves(domain: sv.Domain, epsilon: float, truth: float = 0.1) -> sv.Mechanism:
        """Tell the truth so often."""
        size = len(domain)
        matrix = truth * np.eye(size) + (1 - truth) / size
        return sv.from_matrix(domain, matrix, sv.LDP(epsilon))

    yield
    MECHANISMS.discard("halves")


@pytest.mark.usefixtures("half")
def test_a_declared_mechanism_is_planned_named_and_a_base() -> None:
    names = [option.name for option in sv.plan(4, 1.0, n=1000).options]
    assert names.count("from_matrix") == 1
    assert "from_matrix" not in [option.name for option in sv.plan(4, 0.1, n=1000).options]  # it can't keep that
    text = f'{HEAD}items = ["a", "b", "c"]\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n[mechanism]\nname = "halves"\n'
    study = sv.Study.from_toml(text + "truth = 0.2\n")
    assert study.blocks[""].channel.matrix()[0, 0] == pytest.approx(0.2 + 0.8 / 3)
    assert sv.Study.from_json(json.dumps(study.compile())).fingerprint == study.fingerprint
    with refused(sv.StudyError, "halves", "gives"):
        sv.Study.from_toml(text + "truth = 0.9\n")
    lifted = sv.Study.from_toml(
        text.replace('"ldp"', '"uldp"').replace("[mechanism]", 'sensitive = ["a", "b"]\n[mechanism]').replace("halves", "utility_optimized")
        + 'base = "halves"\n'
    )
    assert lifted.blocks[""].name == "utility_optimized(from_matrix)"


@pytest.mark.usefixtures("half")
def test_a_name_is_declared_once() -> None:
    entry = MECHANISMS["krr"]
    with refused(sv.ParameterError, "sottovoce.mechanisms.direct", "krr"):

        @mechanism(use="a test", report="an item", promises=("LDP",))
        def krr() -> None: ...

    assert MECHANISMS["krr"] is entry


@pytest.mark.parametrize(("value", "fails"), [("toy_mechanism:third", False), ("toy_mechanism:missing", True)])
def test_packages_declare_mechanisms_as_entry_points(monkeypatch: pytest.MonkeyPatch, value: str, fails: bool) -> None:
    """They're loaded for a list and for an unknown name only."""
    points = [EntryPoint("third", value, catalogue.GROUP)]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points if group == catalogue.GROUP else [])
    study = f'{HEAD}items = ["a", "b", "c"]\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n[mechanism]\nname = '
    try:
        sv.Study.from_toml(f'{study}"krr"\n')
        assert "third" not in nameable()
        if fails:
            with refused(sv.StudyError, "third", "missing"):
                sv.Study.from_toml(f'{study}"third"\n')
        else:
            assert sv.Study.from_toml(f'{study}"third"\n').blocks[""].certify().level == pytest.approx(1.0)
            assert "third" in nameable()
    finally:
        MECHANISMS.discard("third")
        monkeypatch.delitem(sys.modules, "toy_mechanism", raising=False)
