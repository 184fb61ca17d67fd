"""Compiled studies: integer tables, labels and a fingerprint as JSON. A client in any language needs nothing else.

The canonical form contains texts, whole numbers below 2^53, lists and objects, and no other numbers. Budgets and shares are written as
decimal texts, so that every language writes the same bytes and finds the same fingerprint (their SHA-256).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sottovoce.catalogue import promisable
from sottovoce.domain import Axis, Domain
from sottovoce.errors import SottovoceError, StudyError, ended
from sottovoce.mechanisms import Mechanism, PersonalMechanism
from sottovoce.names import checked_name
from sottovoce.notions import LDP
from sottovoce.policy import Prior, Promise
from sottovoce.study.maps import read_map_form
from sottovoce.study.privacy import MOST_MINIMUM, checked_names
from sottovoce.wire import describe, restore

#: The version of the form, and that of questionnaires.
VERSION, QUESTIONNAIRE = 1, 2


@dataclass(frozen=True)
class CompiledBlock:
    """One level: its promise (None if it has no protection), and the tables of its channel."""

    level: str
    promise: Promise | None
    name: str
    channel: Mapping[str, Any]

    def mechanism(self, domain: Domain, reports: int) -> Mechanism:
        """The mechanism. Its tables are checked again."""
        channel = restore(self.channel)
        if self.promise is None:
            return Mechanism(domain, channel, LDP(math.inf), self.name)
        claim = self.promise.divided(reports).claim()
        if self.promise.tags:
            return PersonalMechanism(domain, channel, claim, self.name, self.promise.tags)
        return Mechanism(domain, channel, claim, self.name)


@dataclass(frozen=True)
class Compiled:
    """The content of a compiled study, before its tables are checked."""

    name: str
    question: str
    domain: Domain
    reports: int
    blocks: Sequence[CompiledBlock]
    fingerprint: str
    minimum: int | None = None


def canonical(
    name: str, question: str, domain: Domain, reports: int, blocks: Iterable[tuple[str, Promise | None, Mechanism]]
) -> dict[str, Any]:
    """The form that is hashed."""
    listed = [
        {"level": level, "privacy": _privacy(promise), "mechanism": each.name, "channel": describe(each.channel)}
        for level, promise, each in blocks
    ]
    return {"sottovoce": VERSION, "name": name, "question": question, "domain": domain_form(domain), "reports": reports, "blocks": listed}


def fingerprint_of(form: Mapping[str, Any]) -> str:
    """The SHA-256 of the canonical form: keys sorted, no blanks, all but ASCII escaped."""
    data = json.dumps(form, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(data.encode("ascii")).hexdigest()


def domain_form(domain: Domain) -> dict[str, Any]:
    """A domain as JSON has it."""
    if len(domain.axes) == 1 and domain.axes[0].name is None:
        axis = domain.axes[0]
        if axis.edges is not None:
            return {"numbers": {"labels": list(domain)} | _order(axis)}
        return {"scale" if axis.scale else "items": list(domain)}
    if all(axis.bounds for axis in domain.axes):
        cells = [(axis.name, len(axis.labels), *(axis.bounds or ())) for axis in domain.axes]
        form = {"grid": [{"name": name, "cells": count, "low": repr(low), "high": repr(high)} for name, count, low, high in cells]}
        return form if domain.basemap is None else form | {"map": domain.basemap.form}
    return {"axes": [{"name": axis.name, "labels": list(axis.labels)} | _order(axis) for axis in domain.axes]}


def _order(axis: Axis) -> dict[str, Any]:
    """What an axis of a product has besides labels."""
    if axis.edges is not None:
        return {"edges": _edges(axis.edges)} | ({"whole": 1} if axis.whole else {})
    return {"scale": 1} if axis.scale else {}


def _edges(edges: Sequence[float]) -> list[str | None]:
    return [repr(edge) if math.isfinite(edge) else None for edge in edges]


def _privacy(promise: Promise | None) -> dict[str, Any] | None:
    if promise is None:
        return None
    form: dict[str, Any] = {"notion": promise.notion}
    if promise.epsilon is not None:
        form["epsilon"] = repr(promise.epsilon)
    if promise.sensitive:
        form["sensitive"] = [promise.domain.code(item) for item in promise.sensitive]
    if promise.budgets is not None:
        budgets = {promise.domain.code(item): repr(budget) for item, budget in promise.budgets.items()}
        form["budgets"] = [budgets.get(code) for code in range(len(promise.domain))]
    if promise.tags:
        form["tags"] = list(promise.tags)
    if promise.prior is not None:
        form["prior"] = {"weights": [str(weight) for weight in promise.prior.weights], "total": str(promise.prior.total)}
    return form


def read_json(text: str, where: str) -> dict[str, Any]:
    """The object of a compiled study, of one question or of several."""
    if not isinstance(text, (str, bytes, bytearray)):
        raise StudyError(f"{where}: The compiled study has the type {type(text).__name__}. Give a str, or use Study.load(path).")
    try:
        form = json.loads(text)
    except ValueError as error:
        raise StudyError(f"{where}: This isn't JSON: {ended(str(error))} Check that it is a compiled study.") from None
    except RecursionError:
        raise StudyError(f"{where}: This isn't a compiled study, because it is nested too deeply. Compile the study again.") from None
    if not isinstance(form, dict) or "sottovoce" not in form:
        raise StudyError(
            f"{where}: This is JSON, but not a compiled study. Make one with: sottovoce check study.toml --compiled study.json"
        )
    if form["sottovoce"] not in (VERSION, QUESTIONNAIRE):
        raise StudyError(
            f"{where}: This compiled study has the version {form['sottovoce']!r}, and {VERSION} and {QUESTIONNAIRE} are supported. "
            "Compile it again, or install a newer sottovoce."
        )
    return form


def read_compiled(form: dict[str, Any], where: str) -> Compiled:
    """The content of a compiled study. The caller has to check its tables and its fingerprint."""
    try:
        domain = checked_names(read_domain_form(form["domain"]))
        blocks = [
            CompiledBlock(_text(block["level"]), _read_privacy(block["privacy"], domain), _text(block["mechanism"]), block["channel"])
            for block in form["blocks"]
        ]
        reports, levels = form["reports"], {block.level for block in blocks}
        if not blocks or len(levels) < len(blocks) or ("" in levels and len(blocks) > 1) or not any(block.promise for block in blocks):
            raise StudyError(
                "The levels are broken. A study has one without a name, or several with different names, and at least one is protected."
            )
        if type(reports) is not int or not 1 <= reports <= 1000:
            raise StudyError(f"reports is {reports!r}. Give a number from 1 to 1,000.")
        minimum = form.get("minimum")
        if minimum is not None and (type(minimum) is not int or not 1 <= minimum <= MOST_MINIMUM):
            raise StudyError(f"minimum is {minimum!r}. Give a whole number from 1 to {MOST_MINIMUM:,}.")
        own = {key: value for key, value in form.items() if key not in {"promise", "fingerprint"}}
        if fingerprint_of(own) != form["fingerprint"]:
            raise StudyError("The fingerprint doesn't match, so the file was changed after it was compiled. Compile it again.")
        if not _text(form["question"]).strip() or not isinstance(form["promise"], str):
            raise StudyError("The question or the privacy guarantee is missing. Compile the study again.")
        form["question"].encode()
        return Compiled(checked_name(_text(form["name"])), form["question"], domain, reports, blocks, form["fingerprint"], minimum)
    except SottovoceError as error:
        raise StudyError(f"{where}: {error}") from None
    except (KeyError, TypeError, ValueError, IndexError, ArithmeticError, AttributeError) as error:
        raise StudyError(f"{where}: This compiled study is damaged ({error!r}). Compile it again.") from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise StudyError(f"A text is {value!r}. Compile the study again.")
    return value


def read_domain_form(form: Mapping[str, Any]) -> Domain:
    """What `domain_form` wrote."""
    single = next((key for key in ("items", "scale") if key in form), None)
    for labels in [form[single]] if single else [axis["labels"] for axis in form.get("axes", ())]:
        if any(type(label) not in {str, int} for label in labels):
            raise StudyError("An item is neither text nor a whole number. Compile the study again.")
    if single:
        items = form[single]
        if any(type(item) is int and abs(item) >= 1 << 53 for item in items):
            raise StudyError("An item is a whole number of 2^53 or more, which some languages can't represent. Write it as text.")
        if single == "scale":
            return Domain.scale(items)
        return Domain(len(items) if items == list(range(len(items))) else items)
    if "numbers" in form:
        return _read_numbers(form["numbers"])
    if "grid" in form:
        bounds = {axis["name"]: (float(axis["low"]), float(axis["high"])) for axis in form["grid"]}
        domain = Domain.grid([axis["cells"] for axis in form["grid"]], **bounds)
        return domain.on(read_map_form(form["map"], domain)) if "map" in form else domain
    return Domain.product(**{axis["name"]: _read_axis(axis) for axis in form["axes"]})


def _read_axis(form: Mapping[str, Any]) -> Any:
    """What `Domain.product` takes for an axis."""
    if "edges" in form:
        return _read_numbers(form)
    return Domain.scale(form["labels"]) if form.get("scale") == 1 else form["labels"]


def _read_numbers(form: Mapping[str, Any]) -> Domain:
    ends = (-math.inf, math.inf)
    edges = [float(edge) if edge is not None else ends[bool(place)] for place, edge in enumerate(form["edges"])]
    found = Domain.numbers(edges=edges, whole=form.get("whole") == 1)
    if list(found) != form["labels"]:
        raise StudyError("The labels of the numbers don't match their edges. Compile the study again.")
    return found


def _read_privacy(form: Mapping[str, Any] | None, domain: Domain) -> Promise | None:
    if form is None:
        return None
    budgets = form.get("budgets")
    prior = form.get("prior")
    if form["notion"] not in promisable() or (budgets is not None and len(budgets) != len(domain)):
        raise StudyError("A block has an unknown notion, or budgets for unknown items. Compile the study again.")
    return Promise.of(
        domain,
        float(form["epsilon"]) if "epsilon" in form else None,
        [domain.item(code) for code in form["sensitive"]] if form.get("sensitive") else None,
        None if budgets is None else {domain.item(code): float(each) for code, each in enumerate(budgets) if each is not None},
        form.get("tags"),
        None if prior is None else Prior.of([Fraction(int(weight), int(prior["total"])) for weight in prior["weights"]]),
        form["notion"],
    )
