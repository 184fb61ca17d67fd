"""Populations: people who choose between tiers, each with its own mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.arrow import column_of_texts, numbers_of_column
from sottovoce.catalogue import mechanism
from sottovoce.domain import Domain
from sottovoce.errors import DomainError, ReportError
from sottovoce.later import pa, pc
from sottovoce.mechanisms.base import Mechanism, chosen_source
from sottovoce.notions import Certificate
from sottovoce.policy import Frozen, FrozenMap
from sottovoce.reports import PopulationReports, Reports, kernels
from sottovoce.reports.base import frames_of, lengths_are, table_columns
from sottovoce.sources import Source


@mechanism(
    use="people who choose between levels of privacy, each with its own mechanism and guarantee",
    report="a level and its report",
    promises=(),
    in_studies=False,
)
@dataclass(unsafe_hash=True)  # safe: the groups are set once
class Population(Frozen):
    """Named groups of people over one domain, each with its own mechanism. Use `identity` for a group without protection.

    >>> from sottovoce import Domain, identity, krr
    >>> domain = Domain("abc")
    >>> crowd = Population({"careful": krr(domain, 0.5), "open": identity(domain)})
    >>> crowd.perturb("ab", ["open", "careful"]).tolist()[0]
    ('open', 0)
    """

    groups: Mapping[str, Mechanism]

    def __init__(self, groups: Mapping[str, Mechanism]) -> None:
        if not isinstance(groups, Mapping):
            raise DomainError(f"The groups are {groups!r}. Give a mapping from the name of each level to its mechanism.")
        if wrong := [name for name, each in groups.items() if not isinstance(each, Mechanism)]:
            raise DomainError(f"The group {wrong[0]!r} is {groups[wrong[0]]!r}. Give its mechanism, for example krr(domain, 1.0).")
        if not groups or len(groups) > 128:
            raise DomainError(f"The population has {len(groups)} groups. Give between 1 and 128.")
        if len({each.inputs for each in groups.values()}) > 1:
            raise DomainError("The groups have different domains or tags. Use the same domain and tags for all of them.")
        self.groups = FrozenMap(groups)

    @property
    def domain(self) -> Domain:
        return next(iter(self.groups.values())).domain

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.groups)

    def certify(self) -> dict[str, Certificate]:
        """The certificate of each group's claim."""
        return {name: mechanism.certify() for name, mechanism in self.groups.items()}

    def perturb(
        self, values: ArrayLike | Iterable[Any] | Mapping[str, Iterable[Any]], levels: Sequence[str], source: Source | None = None
    ) -> PopulationReports:
        """One report per person. `levels[i]` names the group of person i. Words are read group by group, in the groups' order."""
        codes = self.domain.encode(values)
        if not isinstance(levels, Sequence | np.ndarray) or len(levels) != len(codes):
            raise DomainError(f"The levels don't fit the {len(codes)} values. Give every person a level.")
        ranks = {name: rank for rank, name in enumerate(self.names)}
        if unknown := [tier for tier in levels if tier not in ranks]:
            raise DomainError(f"{unknown[0]!r} isn't a level of this population. Choose from {', '.join(self.names)}.")
        chosen = np.array([ranks[tier] for tier in levels], dtype=np.uint8)
        parts = {
            name: mechanism.channel.sample(codes[chosen == ranks[name]], chosen_source(source)) for name, mechanism in self.groups.items()
        }
        return PopulationReports(chosen, self.names, parts)

    def reports_from_arrow(self, table: pa.Table | pa.RecordBatch) -> PopulationReports:
        """Read the columns that `PopulationReports.to_arrow` wrote."""
        tiers, records = table_columns(table, "level", "report")
        data, edges = frames_of(records)
        return self._of(self._ranks(tiers), data, edges[:-1], np.diff(edges))

    def _ranks(self, tiers: pa.Array) -> NDArray[np.uint8]:
        """The number of each person's group."""
        try:
            texts = (tiers.dictionary if pa.types.is_dictionary(tiers.type) else tiers).cast(pa.string())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise ReportError(f"Column 'level' has the type {tiers.type}. Give texts.") from None
        places = pc.index_in(texts, value_set=column_of_texts(self.names))
        ranks = numbers_of_column(places.fill_null(-1) if places.null_count else places)
        if pa.types.is_dictionary(tiers.type):
            ranks = ranks[numbers_of_column(tiers.indices)]
        if len(unknown := np.flatnonzero(ranks < 0)):
            try:
                tier = tiers[int(unknown[0])].as_py()
            except UnicodeDecodeError:
                raise ReportError("A level isn't UTF-8 text. Was the data damaged?") from None
            raise ReportError(f"{tier!r} isn't a level of this population. Choose from {', '.join(self.names)}.")
        return ranks.astype(np.uint8)

    def reports_from_bytes(self, data: bytes) -> PopulationReports:
        """Read the bytes that `PopulationReports.to_bytes` wrote: a tier and its record, person by person."""
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise ReportError(f"Reports can't be read from {type(data).__name__}. Give bytes.")
        found = np.frombuffer(data, dtype=np.uint8)
        found.flags.writeable = False
        widths = np.array([_width(mechanism) for mechanism in self.groups.values()], dtype=np.int64)
        most = len(found) // (1 + int(widths.min())) + 1
        tiers, starts = np.empty(most, dtype=np.uint8), np.empty(most, dtype=np.int64)
        count, place = kernels.walk_records(found, widths, tiers, starts)
        if place < len(found):
            raise ReportError(f"No report of this population begins at byte {place}. Is the data cut off, or from another mechanism?")
        return self._of(tiers[:count].copy(), found, starts[:count], None)

    def _of(
        self, tiers: NDArray[np.uint8], data: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int64] | None
    ) -> PopulationReports:
        """The reports of each group, from the records that begin at `starts`. Those of a group have one length."""
        edges = np.concatenate([[0], np.cumsum(np.bincount(tiers, minlength=len(self.names)))])
        order = np.argsort(tiers, kind="stable")
        parts: dict[str, Reports] = {}
        for rank, (name, group) in enumerate(self.groups.items()):
            rows = order[edges[rank] : edges[rank + 1]]
            records = np.empty((len(rows), _width(group)), dtype=np.uint8)
            if lengths is not None:
                lengths_are(lengths[rows], records.shape[1], f"A report of level {name!r}")
            kernels.pick_records(data, starts, rows, records)
            parts[name] = group.channel.reports_from_bytes(records.reshape(-1).data)  # type: ignore[arg-type]  # not copied to bytes
        return PopulationReports(tiers, self.names, parts)


def _width(mechanism: Mechanism) -> int:
    return int(mechanism.channel.reports_from_bytes(b"").records().shape[1])
