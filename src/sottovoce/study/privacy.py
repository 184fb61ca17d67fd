"""The items and the privacy guarantee of a study file: the [privacy] table as promises, one for each tier."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from sottovoce.catalogue import promisable
from sottovoce.domain import Domain, Item
from sottovoce.domain.bins import finite_end
from sottovoce.errors import DomainError, ParameterError
from sottovoce.labels import labels_of
from sottovoce.names import checked_text
from sottovoce.policy import Promise, positive_epsilon
from sottovoce.study.maps import read_map
from sottovoce.study.sections import OF_PRIVACY, Section

#: Keys of [privacy].
#: The largest number of reports that a study may wait for.
MOST_MINIMUM = 10**9

#: Columns of files that axes cannot be called by.
_TAKEN = frozenset({"answer", "item", "level", "tag", "share", "count", "people", "p", "low", "high", "truth", "cls", "self", "shape"})
#: The most items of a study, and how far a grid may reach.
_MOST_ITEMS, _FAR = 10_000_000, 1e15


def read_domain(study: Section) -> Domain:
    """The items: a list, the product of axes, the cells of a grid, numbers or a scale."""
    readers = {"items": read_items, "axes": _read_axes, "grid": _read_grid, "numbers": _read_numbers, "scale": _read_scale}
    given = [key for key in readers if study.has(key)]
    if not given:
        study.fail('The study has no items. Write items = ["yes", "no"], a scale, numbers, or a table [axes] or [grid].')
    if len(given) > 1:
        study.fail(f"The study has both {given[0]!r} and {given[1]!r}. Keep one of them.", given[1])
    domain = readers[given[0]](study)
    with study.at(given[0]):
        checked_names(domain)
    return domain


def checked_names(domain: Domain) -> Domain:
    """The domain, unless the names of its items or axes are reserved in files."""
    if taken := [axis.name for axis in domain.axes if axis.name in _TAKEN]:
        raise DomainError(f"An axis is called {taken[0]!r}, which is reserved in files. Rename it.")
    labels_of(domain)
    return domain


def read_items(study: Section, key: str = "items") -> Domain:
    """A list of items, or their number."""
    value = study.values[key]
    if isinstance(value, int) and not isinstance(value, bool):
        if not 2 <= value <= _MOST_ITEMS:
            study.fail(f"It asks for {'too many' if value > 2 else value} items. Give between 2 and {_MOST_ITEMS:,}.", key)
        return Domain(value)
    items = study.listed(key, '["flu", "none"]')
    _labels(study, items, key)
    with study.at(key):
        return Domain(items)


def _read_axes(study: Section) -> Domain:
    axes = study.table("axes", '[axes] then age = ["young", "old"]')
    for name in axes.values:
        _free(axes, name)
        _labels(axes, axes.listed(name, '["young", "old"]'), name)
        if not axes.values[name]:
            axes.fail('It has no labels. Write for example ["young", "old"].', name)
    with study.at("axes"):
        return Domain.product(**axes.values)


def _free(section: Section, name: str) -> None:
    """Refuse names of axes that mean something else."""
    section.misplaced(name)
    with section.at(name):
        checked_text(name, "the name of the axis")
    if name in _TAKEN or not name.strip():
        section.fail(f"An axis can't be called {name!r}, which is reserved in files. Rename it.", name)


def _labels(section: Section, items: list[Any], key: str) -> None:
    seen: set[str | int] = set()
    for place, item in enumerate(items):
        if isinstance(item, str) and not item.strip():
            section.fail(f"Item {place + 1} is empty. Give it a label.", key, place)
        if isinstance(item, int) and abs(item) >= 1 << 53:
            section.fail(f"Item {place + 1} is a number that some languages can't represent. Write it in quotes.", key, place)
        if isinstance(item, bool) or not isinstance(item, (str, int)):
            section.fail(f'Item {place + 1} is {item!r}. Write it in quotes: "{item}"', key, place)
        if item in seen:
            section.fail(f"Item {item!r} is listed twice. List each item once.", key, place)
        if isinstance(item, str):
            with section.at(key, place):
                checked_text(item, "the item")
        seen.add(item)


def _read_grid(study: Section) -> Domain:
    grid = study.table("grid", "[grid] then latitude = [40.70, 40.80]")
    example = "latitude = [40.70, 40.80], longitude = [-74.04, -73.92], shape = [25, 25]"
    if not grid.has("shape"):
        grid.fail(f"'shape' is missing. Write for example {example}.")
    bounds: dict[str, tuple[float, float]] = {}
    for name, value in grid.values.items():
        if name == "shape" or (name == "map" and isinstance(value, str)):
            continue
        _free(grid, name)
        if not isinstance(value, list) or len(value) != 2 or any(type(end) not in {int, float} for end in value):
            grid.fail(f"It is {value!r}. Write the two ends of the interval: {name} = [0.0, 1.0].", name)
        if not -_FAR < value[0] < value[1] < _FAR:
            grid.fail(f"It runs from {value[0]!r} to {value[1]!r}. Write the smaller end first.", name)
        bounds[name] = (float(value[0]) + 0.0, float(value[1]) + 0.0)
    with grid.at("shape"):
        domain = Domain.grid(grid.listed("shape", "[25, 25]"), **bounds)
    return read_map(grid, domain) if isinstance(grid.values.get("map"), str) else domain


def _read_numbers(study: Section) -> Domain:
    numbers = study.table("numbers", "numbers = {from = 18, to = 100, bins = 41}")
    numbers.only("from", "to", "bins", "log", "edges", "whole")
    log, whole = numbers.values.get("log", False), numbers.values.get("whole", False)
    for key, value, meaning in (("log", log, "bins of equal ratio"), ("whole", whole, "whole numbers")):
        if not isinstance(value, bool):
            numbers.fail(f"It is {value!r}. Write {key} = true for {meaning}.", key)
    if numbers.has("edges"):
        if beside := [key for key in ("from", "to", "bins", "log") if numbers.has(key)]:
            numbers.fail(f"{beside[0]!r} doesn't go with edges, which define the bins. Leave out one of them.", beside[0])
        with numbers.at("edges"):
            return Domain.numbers(edges=numbers.listed("edges", "[0, 20000, 50000, inf]"), whole=whole)
    if missing := [key for key in ("from", "to", "bins") if not numbers.has(key)]:
        numbers.fail(f"{missing[0]!r} is missing. Write for example numbers = {{from = 18, to = 100, bins = 41}}, or give edges.")
    low, high, bins = (numbers.values[key] for key in ("from", "to", "bins"))
    for key, value, which in (("from", low, "lower"), ("to", high, "upper")):
        with numbers.at(key):
            finite_end(value, which)
    with numbers.at("bins" if not isinstance(bins, int) or bins < 2 else "from"):
        return Domain.numbers(low, high, bins, log=log, whole=whole)


def _read_scale(study: Section) -> Domain:
    labels = study.listed("scale", '["never", "sometimes", "always"]')
    _labels(study, labels, "scale")
    ends = len(labels) == 2 and all(isinstance(label, int) for label in labels)
    with study.at("scale"):
        return Domain.scale(*labels) if ends else Domain.scale(labels)


def read_promises(study: Section, domain: Domain) -> Mapping[str, Promise | None]:
    """The promise of each tier, by its name ("" if there is only one). None for a tier without protection."""
    if not study.has("privacy"):
        study.fail('The study has no privacy guarantee. Add a table [privacy] with notion = "ldp" and epsilon = 1.0, for example.')
    privacy = study.table("privacy", '[privacy] then notion = "ldp" and epsilon = 1.0')
    privacy.only(*OF_PRIVACY)
    notion = privacy.text("notion", "ldp")
    if notion not in (known := promisable()):
        privacy.fail(f"{notion!r} isn't a notion for studies. Write one of {', '.join(known)}.", "notion")
    if not privacy.has("levels"):
        return {"": _promise(privacy, domain, notion, privacy.values.get("epsilon"), "epsilon")}
    if notion not in {"ldp", "uldp"} or privacy.has("budgets") or privacy.has("prior"):
        privacy.fail("Levels only work with 'ldp' and 'uldp', without budgets and without a prior. Leave out one or the other.", "levels")
    found: dict[str, Promise | None] = {}
    for name, epsilon in read_levels(privacy).items():
        if epsilon is None and privacy.has("tags"):
            privacy.fail("A level without protection can't be combined with tags. Leave out one or the other.", "levels", name)
        found[name] = None if epsilon is None else _promise(privacy, domain, notion, epsilon, "levels")
    if not any(found.values()):
        privacy.fail("Every level is infinite, which protects no one. Give at least one level an epsilon.", "levels")
    return found


def read_levels(privacy: Section) -> dict[str, float | None]:
    """The ε of each level that people can choose. None if it is infinite."""
    if privacy.has("epsilon"):
        privacy.fail("The study has both 'epsilon' and 'levels', and each level has its own epsilon. Leave out one of them.", "epsilon")
    tiers = privacy.table("levels", "levels = {careful = 0.5, usual = 2.0}")
    if not 1 <= len(tiers.values) <= 128 or any(not name.strip() or name != name.strip() for name in tiers.values):
        privacy.fail("Give between 1 and 128 levels with names. Write for example levels = {careful = 0.5, usual = 2.0}.", "levels")
    found: dict[str, float | None] = {}
    for name, epsilon in tiers.values.items():
        with tiers.at(name):
            checked_text(name, "the level")
            infinite = isinstance(epsilon, float) and epsilon == math.inf
            found[name] = None if infinite else positive_epsilon(epsilon, f"level {name!r}")
    return found


def read_minimum(study: Section, default: int) -> int:
    """How many reports it takes before results are shown."""
    return study.table("privacy", "[privacy] then minimum = 50").whole_number("minimum", default, 1, MOST_MINIMUM)


def _promise(privacy: Section, domain: Domain, notion: str, epsilon: Any, key: str) -> Promise:
    budgets = _budgets(privacy, domain)
    if promisable()[notion].budgets and budgets is None:
        privacy.fail(f"{notion!r} needs budgets. Add a table [privacy.budgets] with lines such as: hiv = 0.1.")
    if epsilon is None and budgets is None:
        privacy.fail("'epsilon' is missing. Add it to [privacy]: epsilon = 1.0.")
    sensitive = read_sensitive(privacy, domain) if privacy.has("sensitive") else None
    if notion == "uldp" and sensitive is None and not privacy.has("tags") and budgets is None:
        privacy.fail("'uldp' needs sensitive items. Add them to [privacy]: sensitive = [...].")
    if notion == "lip" and not privacy.has("prior"):
        privacy.fail("'lip' needs a prior. Add it to [privacy]: prior = [...], with a share for each item.")
    if epsilon is not None and budgets is None:
        with privacy.at(key):
            positive_epsilon(epsilon)
    tags = privacy.listed("tags", '["home", "work"]') if privacy.has("tags") else None
    if tags is not None and (
        not tags or any(not isinstance(tag, str) or not tag or tag != tag.strip() for tag in tags) or len(set(tags)) < len(tags)
    ):
        privacy.fail('The tags are not a list of different names. Write for example tags = ["home", "work"].', "tags")
    for place, tag in enumerate(tags or ()):
        with privacy.at("tags", place):
            checked_text(tag, "the tag")
    prior = _prior(privacy, domain)
    given = {"epsilon": epsilon, "sensitive": sensitive, "tags": tags, "prior": prior}
    beside = [name for name, value in given.items() if value is not None] if budgets is not None else ["prior"] * (prior is not None)
    if notion == "ldp":
        beside = [name for name in ("sensitive", "tags", "prior") if given[name] is not None]
    with privacy.at((beside or ["budgets" if budgets is not None else "notion"])[0]):
        return Promise.of(domain, epsilon, sensitive, budgets, tags, prior, notion)


def _budgets(privacy: Section, domain: Domain) -> dict[Item, float] | None:
    if not privacy.has("budgets"):
        return None
    table = privacy.table("budgets", "[privacy.budgets] then hiv = 0.1")
    if not table.values:
        privacy.fail("No item has a budget. Write lines such as: hiv = 0.1.", "budgets")
    found: dict[Item, float] = {}
    for text, epsilon in table.values.items():
        with table.at(text):
            item = domain.item(_code(domain, text))
            if item in found:
                raise ParameterError(f"Item {text!r} has two budgets. Keep one.")
            found[item] = positive_epsilon(epsilon, f"the budget of item {text!r}")
    return found


def read_sensitive(privacy: Section, domain: Domain) -> list[Item]:
    """The sensitive items: labels, cells, points of a grid, ranges of numbers, or tables that name labels of some axes."""
    codes: set[int] = set()
    for place, entry in enumerate(privacy.listed("sensitive", '["hiv"]')):
        with privacy.at("sensitive", place):
            found = set(_named(domain, entry))
            if not found - codes and not _is_point(domain, entry):
                raise ParameterError(f"{entry!r} is named twice. Name each item once.")
            codes |= found
    if not codes:
        privacy.fail('The list is empty. Name at least one item, or write notion = "ldp" to protect all alike.', "sensitive")
    return domain.decode(np.array(sorted(codes), dtype=np.int64))


def _is_point(domain: Domain, entry: Any) -> bool:
    return isinstance(entry, dict) and all(axis.bounds for axis in domain.axes)


def _named(domain: Domain, entry: Any) -> Iterable[int]:
    if isinstance(entry, dict) and domain.ordered:
        return [domain.code(item) for item in _between(domain, entry)]
    if isinstance(entry, (bool, float)):
        raise DomainError(f"{entry!r} isn't an item. Write labels exactly as in the list of items.")
    if isinstance(entry, dict):
        if _is_point(domain, entry) and set(entry) == {axis.name for axis in domain.axes}:
            return domain.locate(**{name: [value] for name, value in entry.items()}).tolist()
        return _matching(domain, entry)
    if isinstance(entry, list):
        return [domain.code(tuple(entry))]
    return [domain.code(entry) if len(domain.axes) == 1 and entry in domain else _code(domain, entry)]


def _between(domain: Domain, entry: Mapping[str, Any]) -> list[Item]:
    """The items of a range of numbers."""
    if set(entry) != {"from", "to"} or any(isinstance(end, bool) or not isinstance(end, (int, float)) for end in entry.values()):
        raise DomainError(f"{dict(entry)!r} isn't a range. Write for example {{from = 0, to = 20}}.")
    return domain.between(entry["from"], entry["to"])


def _matching(domain: Domain, entry: Mapping[str, Any]) -> list[int]:
    """All items that have the given labels on the given axes."""
    names = [axis.name for axis in domain.axes]
    if not entry or (unknown := [name for name in entry if name not in names]):
        if names == [None]:
            raise DomainError(f"{dict(entry)!r} names an axis, but the items have none. Write labels as in the list of items.")
        raise DomainError(f"{(unknown or ['nothing'])[0]!r} isn't an axis. The axes are {', '.join(map(str, names))}.")
    mask = np.ones(domain.shape, dtype=np.bool_)
    for place, axis in enumerate(domain.axes):
        if axis.name is not None and axis.name in entry:
            there = np.zeros(len(axis.labels), dtype=np.bool_)
            there[axis.code(entry[axis.name])] = True
            mask &= there.reshape([-1 if k == place else 1 for k in range(len(domain.axes))])
    return np.flatnonzero(mask.reshape(-1)).tolist()


def _code(domain: Domain, text: Any) -> int:
    """The code of an item that is written as text."""
    labels = labels_of(domain)
    code = labels.code(str(text)) if isinstance(text, (str, int)) and not isinstance(text, bool) else None
    if code is None:
        return Domain(labels.texts).code(text)  # says which item may have been meant
    return code


def _prior(privacy: Section, domain: Domain) -> list[Any] | None:
    """A share for each item, in their order, or by their names."""
    value = privacy.values.get("prior")
    if not isinstance(value, dict):
        return None if value is None else privacy.listed("prior", "[0.2, 0.8]")
    table = privacy.table("prior", "prior = {flu = 0.2, none = 0.8}")
    shares: dict[int, Any] = {}
    for text, share in table.values.items():
        with table.at(text):
            shares[_code(domain, text)] = share
    if missing := [text for code, text in enumerate(labels_of(domain).texts) if code not in shares]:
        privacy.fail(f"Item {missing[0]!r} has no prior. Give every item a share, with a sum of 1.", "prior")
    return [shares[code] for code in range(len(domain))]
