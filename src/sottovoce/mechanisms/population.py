"""Populations: people who differ in their mechanism, for example in their privacy level."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from sottovoce.domain import Domain
from sottovoce.errors import DomainError, ReportError
from sottovoce.mechanisms.base import Mechanism, chosen_source
from sottovoce.notions import Certificate
from sottovoce.policy import FrozenMap
from sottovoce.reports import PopulationReports, Reports
from sottovoce.reports.base import record_bytes, table_columns
from sottovoce.sources import Source


@dataclass(frozen=True)
class Population:
    """Named groups of people over one domain, each with its own mechanism; `identity` is the group that hides nothing.

    >>> from sottovoce import Domain, identity, krr
    >>> domain = Domain("abc")
    >>> crowd = Population({"careful": krr(domain, 0.5), "open": identity(domain)})
    >>> crowd.perturb("ab", ["open", "careful"]).tolist()[0]
    ('open', 0)
    """

    groups: Mapping[str, Mechanism]

    def __post_init__(self) -> None:
        if not isinstance(self.groups, Mapping) or not all(isinstance(each, Mechanism) for each in self.groups.values()):
            raise DomainError("a population is a mapping from the name of a level to its mechanism")
        object.__setattr__(self, "groups", FrozenMap(self.groups))
        if not self.groups or len(self.groups) > 128:
            raise DomainError(f"a population has between 1 and 128 groups, not {len(self.groups)}")
        if len({mechanism.inputs for mechanism in self.groups.values()}) > 1:
            raise DomainError("the groups of a population must share one domain, and the same tags where they have any")

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
        """One report per person; `levels[i]` names the group of person i. Words are read group by group, in the groups' order."""
        codes = self.domain.encode(values)
        if not isinstance(levels, Sequence | np.ndarray) or len(levels) != len(codes):
            raise DomainError(f"there are {len(codes)} values; give every person a level")
        ranks = {name: rank for rank, name in enumerate(self.names)}
        if unknown := [level for level in levels if level not in ranks]:
            raise DomainError(f"{unknown[0]!r} is not a level of this population; its levels are {', '.join(self.names)}")
        chosen = np.array([ranks[level] for level in levels], dtype=np.uint8)
        parts = {
            name: mechanism.channel.sample(codes[chosen == ranks[name]], chosen_source(source)) for name, mechanism in self.groups.items()
        }
        return PopulationReports(chosen, self.names, parts)

    def reports_from_arrow(self, table: pa.Table | pa.RecordBatch) -> PopulationReports:
        """Read the columns that `PopulationReports.to_arrow` wrote."""
        levels, records = table_columns(table, "level", "report")
        chosen = self._ranks(levels)
        return self._of(chosen, {name: records.filter(pa.array(chosen == rank)) for rank, name in enumerate(self.names)})

    def _ranks(self, levels: pa.Array) -> NDArray[np.uint8]:
        """The number of each person's group."""
        try:
            named = levels if pa.types.is_dictionary(levels.type) else levels.cast(pa.string()).dictionary_encode()
            texts = named.dictionary.cast(pa.string()).to_pylist()
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise ReportError(f"column 'level' holds {levels.type}; levels are texts") from None
        known = {name: rank for rank, name in enumerate(self.names)}
        codes = named.indices.to_numpy(zero_copy_only=False)
        used = set(np.unique(codes).tolist())
        if unknown := [text for place, text in enumerate(texts) if place in used and text not in known]:
            raise ReportError(f"{unknown[0]!r} is not a level of this population; its levels are {', '.join(self.names)}")
        return np.array([known.get(text, 0) for text in texts], dtype=np.uint8)[codes] if len(texts) else np.zeros(0, dtype=np.uint8)

    def reports_from_bytes(self, data: bytes) -> PopulationReports:
        """Read the bytes that `PopulationReports.to_bytes` wrote: a level and its record, person by person."""
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise ReportError(f"reports are read from bytes, not from {type(data).__name__}")
        widths = [_width(mechanism) for mechanism in self.groups.values()]
        pairs, place = [], 0
        while place < len(data):
            level = data[place]
            if level >= len(widths) or place + 1 + widths[level] > len(data):
                raise ReportError(f"byte {place} does not begin a report of this population; the data is cut or of another mechanism")
            pairs.append((self.names[level], data[place + 1 : place + 1 + widths[level]]))
            place += 1 + widths[level]
        groups = {name: pa.array([record for level, record in pairs if level == name], type=pa.binary()) for name in self.names}
        ranks = {name: rank for rank, name in enumerate(self.names)}
        return self._of(np.array([ranks[level] for level, _ in pairs], dtype=np.uint8), groups)

    def _of(self, levels: NDArray[np.uint8], groups: Mapping[str, pa.Array]) -> PopulationReports:
        """The reports of each group, one record after the other."""
        parts: dict[str, Reports] = {}
        for name, mechanism in self.groups.items():
            records = record_bytes(groups[name], _width(mechanism), f"a report of level {name!r}")
            parts[name] = mechanism.channel.reports_from_bytes(records)
        return PopulationReports(levels, self.names, parts)


def _width(mechanism: Mechanism) -> int:
    return int(mechanism.channel.reports_from_bytes(b"").records().shape[1])
