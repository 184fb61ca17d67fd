"""The catalogue of mechanisms, notions and methods of estimation. Each is declared once, beside its code, by a decorator.

Everything that lists them reads the catalogue: study files, the planner, the command line, the documentation and the tests. It's
filled when the modules that declare something are imported, and imports nothing heavy itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from importlib import import_module
from typing import Any, Generic, TypeVar

from sottovoce.errors import ParameterError

#: What a constructor can take of a promise, by the names of its parameters.
PARTS = ("epsilon", "sensitive", "tags", "prior", "budgets", "claim")
#: The entry points under which packages declare mechanisms.
GROUP = "sottovoce.mechanisms"

Settings = Mapping[str, Any]
Maker = TypeVar("Maker", bound=Callable[..., Any])
Kind = TypeVar("Kind", bound=type)


@dataclass(frozen=True)
class Declared:
    """Something that is declared where it's defined."""

    thing: Callable[..., Any]

    @property
    def name(self) -> str:
        """The name of the function or class."""
        return str(self.thing.__name__)

    @property
    def summary(self) -> str:
        """The first paragraph of its docstring."""
        return " ".join((inspect.getdoc(self.thing) or "").split("\n\n")[0].split())


@dataclass(frozen=True)
class NotionEntry(Declared):
    """A notion: its definition, its source and, if studies can use it, how."""

    says: str
    source: str
    #: A link from the documentation's page of notions.
    see: str = ""
    #: Its name in study files. Without one, studies can't promise it.
    key: str = ""
    label: str = ""
    takes: tuple[str, ...] = ()
    #: Whether it asks for budgets of "some" items or of "all"; "" if it has a single ε.
    budgets: str = ""
    #: The arguments of the class, from a promise.
    arguments: Callable[[Any], tuple[Any, ...]] | None = None
    #: Whether LDP and ULDP with the smallest budget imply it, so that plans list their mechanisms too.
    uniform: bool = False
    #: Why the budgets of several reports don't add up, with the remedy; "" if they do.
    single: str = ""


@dataclass(frozen=True)
class MechanismEntry(Declared):
    """A mechanism: what it's for, what it can promise, and how it's built from a promise."""

    use: str
    report: str
    source: str
    #: The names of the notions that it can promise, in the catalogue of notions.
    promises: tuple[str, ...]
    #: Builds it for a study or a plan: takes the domain, then parts of the promise and settings by name. None if neither can.
    build: Callable[..., Any] | None
    #: The settings for each notion that it's planned for, from a promise; several if it comes in several kinds. None leaves it out.
    plan: Mapping[str, Callable[[Any], Settings | Sequence[Settings] | None]]
    #: What tests build: settings, and parts of the promise that differ from the usual ones.
    examples: Mapping[str, Settings]
    #: A link from the documentation's page of mechanisms.
    see: str = ""
    declared_settings: tuple[str, ...] | None = field(default=None, repr=False)

    @cached_property
    def _parameters(self) -> list[inspect.Parameter]:
        """The parameters of the builder after the domain. Keyword-only ones need a declaration."""
        if self.build is None:
            return []
        _, *others = inspect.signature(self.build).parameters.values()
        return [each for each in others if each.kind is each.POSITIONAL_OR_KEYWORD]

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """What it takes of a promise."""
        return tuple(each.name for each in self._parameters if each.name in PARTS)

    @cached_property
    def needs(self) -> tuple[str, ...]:
        """The parts that a promise must have: those without a default, or with None as the default."""
        return tuple(each.name for each in self._parameters if each.name in PARTS and (each.default is each.empty or each.default is None))

    @property
    def takes(self) -> tuple[str, ...]:
        """The parts that a study file writes."""
        return tuple(part for part in self.parts if part != "claim")

    @cached_property
    def settings(self) -> tuple[str, ...]:
        """The settings of its own that a study file may give it."""
        if self.declared_settings is not None:
            return self.declared_settings
        return tuple(each.name for each in self._parameters if each.name not in PARTS)

    @property
    def builds_itself(self) -> bool:
        """Whether the constructor itself takes the domain and the parts, so that another mechanism can call it."""
        return self.build is self.thing


class Need(Enum):
    """What a method of estimation needs of a tally."""

    NOTHING = "nothing"
    ITEMS = "counts per item"
    COUNTS = "counts that can be inverted"
    REPORTS = "counts per report, or kept or remote reports"
    REPORTS_AT_HAND = "counts per report, or kept reports"
    ORDER = "an ordered domain or a grid, and counts or kept reports"


@dataclass(frozen=True)
class MethodEntry(Declared):
    """A method of `estimate`: what it does, and what it needs of a tally."""

    method: str
    about: str
    needs: Need
    #: A link from the documentation's page of estimates.
    see: str = ""

    @property
    def name(self) -> str:
        """The name that `estimate` takes."""
        return self.method

    @property
    def needs_reports(self) -> bool:
        """Whether it works with the likelihood of the reports."""
        return self.needs in {Need.REPORTS, Need.REPORTS_AT_HAND}


Entry = TypeVar("Entry", bound=Declared)


class Catalogue(Mapping[str, Entry], Generic[Entry]):
    """Entries by name. `home` is the package whose import declares the library's own."""

    def __init__(self, home: str) -> None:
        self._home, self._entries = home, dict[str, Entry]()

    def add(self, entry: Entry) -> None:
        """Add an entry, or replace it if the same module declares it again."""
        known = self._entries.get(entry.name)
        if known is not None and known.thing.__module__ != entry.thing.__module__:
            raise ParameterError(f"{known.thing.__module__} already declares {entry.name!r}. Choose another name.")
        self._entries[entry.name] = entry

    def discard(self, name: str) -> None:
        """Remove an entry, if there is one."""
        self._entries.pop(name, None)

    @property
    def _filled(self) -> dict[str, Entry]:
        import_module(self._home)
        return self._entries

    def __getitem__(self, name: str) -> Entry:
        return self._filled[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._filled)

    def __len__(self) -> int:
        return len(self._filled)


class _Mechanisms(Catalogue[MechanismEntry]):
    """Mechanisms in the order of the notions that they promise first, and within a notion in the order of their declarations."""

    def __iter__(self) -> Iterator[str]:
        places = {name: place for place, name in enumerate(NOTIONS)}
        entries = self._filled.values()
        return iter([each.name for each in sorted(entries, key=lambda each: places.get((*each.promises, "")[0], len(places)))])


NOTIONS: Catalogue[NotionEntry] = Catalogue("sottovoce.notions")
MECHANISMS: Catalogue[MechanismEntry] = _Mechanisms("sottovoce.mechanisms")
METHODS: Catalogue[MethodEntry] = Catalogue("sottovoce.estimators.methods")


def notion(*, says: str, source: str, **more: Any) -> Callable[[Kind], Kind]:
    """Declare the class below as a notion, with the fields of a `NotionEntry`."""

    def declare(kind: Kind) -> Kind:
        NOTIONS.add(NotionEntry(kind, says, source, **more))
        return kind

    return declare


def method(name: str, *, about: str, needs: Need, see: str = "") -> Callable[[Maker], Maker]:
    """Declare the function below as a method of `estimate`. A function can serve several."""

    def declare(maker: Maker) -> Maker:
        METHODS.add(MethodEntry(maker, name, about, needs, see))
        return maker

    return declare


def method_named(name: object) -> MethodEntry:
    """The method of estimation that has this name, or a `ParameterError`."""
    if not isinstance(name, str) or name not in METHODS:
        raise ParameterError(f"{name!r} isn't a method of estimation. Choose one of {', '.join(sorted(METHODS))}.")
    return METHODS[name]


def promisable() -> dict[str, NotionEntry]:
    """The notions that studies can promise, by their names in study files."""
    return {each.key: each for each in NOTIONS.values() if each.key}


def mechanism(
    *,
    use: str,
    report: str,
    promises: tuple[str, ...],
    source: str = "",
    see: str = "",
    plan: tuple[str, ...] | Mapping[str, Callable[[Any], Settings | Sequence[Settings] | None]] = (),
    examples: Mapping[str, Settings] | None = None,
    build: Callable[..., Any] | None = None,
    settings: tuple[str, ...] | None = None,
    in_studies: bool = True,
) -> Callable[[Maker], Maker]:
    """Declare the constructor below as a mechanism.

    Args:
        use: What it's for, in a few words.
        report: What a report of it is.
        promises: The notions that it can promise, by the names of their classes.
        source: Where it was published.
        see: A link for the table in docs/mechanisms.md.
        plan: The notions that plans list it for, by their names in study files, or for each of them a function that returns the
            settings for a promise (or several, for options of different names), and None if the mechanism doesn't suit it.
        examples: What the tests build: for each name the settings, and parts of the promise that differ from the usual ones.
            By default a single example without settings.
        build: Builds the mechanism for a study, if the constructor itself can't be called with the domain, then parts of the promise
            (`epsilon`, `sensitive`, `tags`, `prior`, `budgets`, `claim`) and settings by name.
        settings: What a study file may set. By default the parameters of `build` that aren't parts of the promise or keyword-only.
        in_studies: Whether a study file can name it.

    """
    planned = plan if isinstance(plan, Mapping) else dict.fromkeys(plan, _no_settings)
    tested = ({"": {}} if in_studies else {}) if examples is None else examples

    def declare(maker: Maker) -> Maker:
        builder = (build or maker) if in_studies else None
        MECHANISMS.add(MechanismEntry(maker, use, report, source, promises, builder, planned, tested, see, settings))
        return maker

    return declare


def _no_settings(_promise: Any) -> Settings:
    return {}


def load_extensions() -> None:
    """Import the mechanisms that installed packages declare as entry points, each of which uses the decorator."""
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP):
        try:
            point.load()
        except Exception as error:
            package = point.dist.name if point.dist else "A package"
            message = f"{package} declares the mechanism {point.name!r}, which can't be loaded: {error!r}. Update or remove it."
            raise ParameterError(message) from error
