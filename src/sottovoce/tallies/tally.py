"""Tallies: integer counts of reports that add up, with a block for each mechanism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from sottovoce.arrays import Counts
from sottovoce.catalogue import Need, method_named
from sottovoce.channels.statistic import exact_sum
from sottovoce.domain import Domain
from sottovoce.errors import ParameterError, ReportError, SourceError
from sottovoce.later import pa
from sottovoce.mechanisms import Mechanism, Population
from sottovoce.policy import Frozen
from sottovoce.printable import Printable
from sottovoce.reports import PopulationReports, Reports
from sottovoce.sources import Source
from sottovoce.tallies.arguments import checked_people, checked_shares
from sottovoce.tallies.block import Block, Remote

#: Reports simulated at a time, where they must be made and need not be kept.
_CHUNK = 1 << 18
#: The entry of a table's metadata that says whether reports were kept.
_KEPT = "sottovoce.keep_reports"
#: The entry that names the channels whose reports were counted.
_CHANNELS = "sottovoce.channels"


@cache
def _schema() -> pa.Schema:
    whole = pa.int64()
    return pa.schema(
        [("block", pa.string()), ("n", whole), ("counts", pa.list_(whole)), ("reports", pa.large_binary()), ("times", pa.list_(whole))]
    )


@dataclass(eq=False, repr=False)
class Tally(Printable, Frozen):
    """Counts of reports. Tallies of different files or machines add up, in any order.

    >>> from sottovoce import Domain, krr
    >>> m = krr(Domain("abc"), 1.0)
    >>> a, b = m.perturb("abca"), m.perturb("cc")
    >>> Tally(m).add(a) + Tally(m).add(b) == Tally(m).add(b).add(a)
    True
    """

    source: Mechanism | Population = field(repr=False)
    blocks: tuple[Block, ...]
    keep_reports: bool
    #: What to know about the files that were counted, such as rows that were left out. It isn't part of the counts.
    notes: tuple[str, ...] = field(default=(), repr=False)

    def __init__(self, mechanism: Mechanism | Population, keep_reports: bool = False) -> None:  # noqa: FBT001, FBT002 - a setting with one meaning
        if not isinstance(mechanism, (Mechanism, Population)):
            raise ParameterError(f"A tally can't be made for {mechanism!r}. Give a mechanism or a population.")
        if not isinstance(keep_reports, (bool, np.bool_)):
            raise ParameterError(
                f"keep_reports is {keep_reports!r}. Give True or False, and count reports with Tally(mechanism).add(reports)."
            )
        groups = mechanism.groups if isinstance(mechanism, Population) else {"": mechanism}
        blocks = tuple(Block.empty(each, keep_reports=keep_reports, name=name) for name, each in groups.items())
        self._set(mechanism, blocks, keep_reports)

    def _set(self, source: Mechanism | Population, blocks: tuple[Block, ...], keep_reports: bool, notes: tuple[str, ...] = ()) -> None:  # noqa: FBT001 - private
        self.source, self.blocks, self.keep_reports, self.notes = source, blocks, keep_reports, notes

    def _with(self, blocks: Sequence[Block]) -> Tally:
        tally = object.__new__(Tally)
        tally._set(self.source, tuple(blocks), self.keep_reports, self.notes)
        return tally

    def with_notes(self, notes: Sequence[str]) -> Tally:
        """The same counts with notes on the files that they are from, which estimates show."""
        tally = object.__new__(Tally)
        tally._set(self.source, self.blocks, self.keep_reports, tuple(notes))
        return tally

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(block.mechanism.name for block in self.blocks))
        return f"Tally({self.n:,} reports of {names}{', with the reports' if self.keep_reports else ''})"

    @property
    def n(self) -> int:
        """How many reports were counted."""
        return sum(block.n for block in self.blocks)

    @property
    def domain(self) -> Domain:
        return self.source.domain

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        return self.keep_reports == other.keep_reports and self.blocks == other.blocks

    __hash__ = None  # type: ignore[assignment]  # compared by content

    def add(self, reports: Reports) -> Tally:
        """Return the tally with more reports counted. This one doesn't change."""
        if not isinstance(reports, Reports):
            raise ReportError(f"A tally can't count {type(reports).__name__}. Read bytes with mechanism.channel.reports_from_bytes.")
        if isinstance(self.source, Population):
            if not isinstance(reports, PopulationReports) or reports.names != self.source.names:
                raise ReportError(
                    "The reports come from a different mechanism than the population of this tally. Count them in a tally of their own."
                )
            return self._with([block.add(reports.parts[block.name]) for block in self.blocks])
        return self._with([self.blocks[0].add(reports)])

    def __radd__(self, other: int) -> Tally:
        return self if other == 0 else NotImplemented

    def __add__(self, other: Tally) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        mine, theirs = ([(block.name, block.mechanism) for block in tally.blocks] for tally in (self, other))
        if mine != theirs:
            raise ReportError("The tallies count reports of different mechanisms. Merge tallies of one mechanism, or make a Population.")
        if self.keep_reports != other.keep_reports:
            raise ReportError("One tally kept its reports and the other only totals. Use the same keep_reports for both.")
        return self._with([a.merged(b) for a, b in zip(self.blocks, other.blocks, strict=True)]).with_notes([*self.notes, *other.notes])

    @classmethod
    def simulate(
        cls,
        mechanism: Mechanism | Population,
        p: Any,
        n: int | Mapping[str, int],
        source: Source,
        *,
        keep_reports: bool = False,
        reports: int = 1,
    ) -> Tally:
        """Simulate the tally of n people whose items follow p, each giving so many reports.

        For a population, n has the number of people in each group. Counts are drawn without making reports, at a cost that doesn't grow
        with n, unless the likelihood needs the reports or they are hashed by one of 2^62 functions.

        >>> from sottovoce import Domain, SeededSource, krr
        >>> Tally.simulate(krr(Domain("abc"), 2.0), [0.2, 0.3, 0.5], 1000, SeededSource(1)).n
        1000
        """
        if isinstance(mechanism, Population):
            if not isinstance(n, Mapping) or set(n) != set(mechanism.names):
                raise ParameterError(f"n is {n!r}. Give the number of people in each of {', '.join(mechanism.names)}.")
            groups = {
                name: cls.simulate(each, p, n[name], source, keep_reports=keep_reports, reports=reports).blocks[0]
                for name, each in mechanism.groups.items()
            }
            return cls(mechanism, keep_reports)._with([replace(block, name=name) for name, block in groups.items()])
        if not isinstance(mechanism, Mechanism):
            raise ParameterError(f"A tally can't be simulated for {mechanism!r}. Give a mechanism or a population.")
        if not isinstance(source, Source):
            raise SourceError(f"The source is {source!r}. Give a random source, for example SeededSource(1).")
        if isinstance(reports, bool) or not isinstance(reports, int) or reports < 1:
            raise ParameterError(f"reports is {reports!r}. Give the number of reports of each person, at least 1.")
        shares, people_asked = checked_shares(mechanism, p), checked_people(n)
        generator = np.random.Generator(np.random.PCG64([source.word() for _ in range(4)]))
        people = generator.multinomial(people_asked, shares / shares.sum())
        tally = cls(mechanism, keep_reports)
        for _ in range(reports):
            tally = tally._reported(people, generator, source)
        return tally

    def _reported(self, people: Counts, generator: np.random.Generator, source: Source) -> Tally:
        """Count one more report of each person. `people` has the holders of each item."""
        block, total = self.blocks[0], int(people.sum())
        channel, statistic = block.channel, block.channel.statistic
        drawn = statistic.simulated(people, generator) if not self.keep_reports or statistic.sufficient else None
        if drawn is not None:
            return self._with([replace(block, n=block.n + total, counts=block.counts + drawn)])
        tally, edges = self, np.concatenate([[0], np.cumsum(people)])
        for start in range(0, total, _CHUNK):
            held = np.diff(np.clip(edges, start, start + _CHUNK))
            tally = tally.add(channel.sample(np.repeat(np.arange(len(people)), held), source))
        return tally

    @classmethod
    def from_counts(cls, mechanism: Mechanism | Population, counts: Mapping[str, tuple[int, Counts]]) -> Tally:
        """Make a tally without reports: for each block its number of reports and their counts. Impossible counts raise an error.

        >>> from sottovoce import Domain, krr
        >>> Tally.from_counts(krr(Domain("abc"), 1.0), {"": (6, np.array([1, 2, 3]))}).n
        6
        """
        empty = cls(mechanism)
        if unknown := set(counts) - {block.name for block in empty.blocks}:
            raise ReportError(f"{sorted(unknown)[0]!r} isn't a block of this mechanism. Check its name.")
        return empty._with([_read(block, *counts[block.name]) if block.name in counts else block for block in empty.blocks])

    @classmethod
    def from_files(cls, study: Any, files: Any, *, method: str | None = None) -> Tally:
        """Count the reports of files that a study reads, as `study.tally(files)` does. Reports are kept if a `method` needs them."""
        if not hasattr(study, "tally"):
            raise ParameterError(f"Files of reports can't be read with {type(study).__name__}. Give their study.")
        return study.tally(files, method)

    def with_remote(self, reports: Mapping[str, Remote]) -> Tally:
        """The same counts, with remote reports for the named blocks."""
        return self._with([replace(block, remote=reports.get(block.name)) for block in self.blocks])

    #: Its name in earlier versions.
    with_elsewhere = with_remote

    def with_reports(self, reports: Mapping[str, Reports]) -> Tally:
        """The same counts with the reports kept. They must be the reports that were counted."""
        tally = Tally(self.source, keep_reports=True)
        blocks = []
        for block, empty in zip(self.blocks, tally.blocks, strict=True):
            found = block if empty.piles is None else empty.add(reports[block.name])
            if found.n != block.n or not np.array_equal(found.counts, block.counts):
                raise ReportError("The reports have changed since they were counted. Collect them again.")
            blocks.append(found)
        return tally._with(blocks)

    def totals(self) -> Tally:
        """The same counts without the kept reports."""
        tally = object.__new__(Tally)
        tally._set(self.source, tuple(block.totals() for block in self.blocks), keep_reports=False, notes=self.notes)
        return tally

    def has(self, need: Need) -> bool:
        """Whether the tally has what some methods of `estimate` need.

        Methods of the likelihood need the reports, or counts per report. Methods of inversion need counts that can be inverted.
        """
        channels = [block.channel for block in self.blocks]
        match need:
            case Need.REPORTS_AT_HAND if any(block.remote is not None for block in self.blocks):
                return False
            case Need.REPORTS | Need.REPORTS_AT_HAND:
                return all(block.sufficient for block in self.blocks if block.n or not self.n)
            case Need.COUNTS:
                return all(channel.inversion is not None for channel in channels)
            case Need.ORDER:
                ordered = all(block.mechanism.inputs.smoothable for block in self.blocks)
                return ordered and (self.has(Need.REPORTS) or self.has(Need.COUNTS))
            case Need.ITEMS:
                return all(channel.statistic.counts_items for channel in channels)
        return True

    def supports(self, method: str) -> bool:
        """Whether the tally has what a method of `estimate` needs."""
        return self.has(method_named(method).needs)

    def to_arrow(self) -> pa.Table:
        """Write a row for each block: its name, n, counts, and the distinct kept reports with their multiplicities."""
        groups = [block.grouped for block in self.blocks]
        columns = pa.table(
            {
                "block": [block.name for block in self.blocks],
                "n": [block.n for block in self.blocks],
                "counts": [block.counts for block in self.blocks],
                "reports": [None if group is None else group.records.tobytes() for group in groups],
                "times": [None if group is None else group.times for group in groups],
            },
            schema=_schema(),
        )
        return columns.replace_schema_metadata({_KEPT: str(int(self.keep_reports)), _CHANNELS: self._channels})

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The Arrow C stream of `to_arrow`."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    @property
    def _channels(self) -> str:
        return " ".join(block.mechanism.channel.fingerprint for block in self.blocks)

    def to_bytes(self) -> bytes:
        """Write the Arrow table as bytes. Equal tallies give equal bytes."""
        sink = pa.BufferOutputStream()
        table = self.to_arrow()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        return sink.getvalue().to_pybytes()

    @classmethod
    def from_arrow(cls, mechanism: Mechanism | Population, table: pa.Table) -> Tally:
        """Read what `to_arrow` wrote. Counts that no reports of the mechanism can have raise a `ReportError`."""
        if not isinstance(table, pa.Table) or any(table.schema.get_field_index(name) < 0 for name in _schema().names):
            raise ReportError(f"This isn't a tally. Give a table with the columns {', '.join(_schema().names)}.")
        metadata = table.schema.metadata or {}
        try:
            table.validate(full=True)
            rows = table.select(_schema().names).cast(_schema()).to_pylist()
        except (pa.ArrowException, UnicodeDecodeError, ValueError) as error:
            raise ReportError(f"The columns of this table aren't those of a tally: {error}") from None
        empty = cls(mechanism, metadata.get(_KEPT.encode()) == b"1")
        if [row["block"] for row in rows] != [block.name for block in empty.blocks]:
            raise ReportError("The tally has different blocks. Was it made for another mechanism?")
        if metadata.get(_CHANNELS.encode(), b"").decode("ascii", "replace") != empty._channels:
            raise ReportError("The tally has different probabilities. Was it made for another mechanism?")
        return empty._with([_with_reports(block, row) for block, row in zip(empty.blocks, rows, strict=True)])

    @classmethod
    def from_bytes(cls, mechanism: Mechanism | Population, data: bytes) -> Tally:
        """Read what `to_bytes` wrote."""
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise ReportError(f"A tally can't be read from {type(data).__name__}. Give bytes.")
        try:
            with pa.ipc.open_stream(data) as reader:
                table = reader.read_all()
        except (pa.ArrowException, OSError, UnicodeDecodeError, ValueError) as error:
            raise ReportError(f"These bytes aren't a tally: {error}") from None
        return cls.from_arrow(mechanism, table)


def _read(block: Block, n: int | None, counts: Counts) -> Block:
    if n is None or not block.channel.statistic.possible(counts, n):
        raise ReportError("A block of the tally has impossible counts. Was it made for another mechanism, or damaged?")
    return replace(block, n=n, counts=counts)


def _with_reports(empty: Block, row: dict[str, Any]) -> Block:
    block = _read(empty, row["n"], _counts(row["counts"]))
    if row["reports"] is None:
        if block.piles is not None:
            raise ReportError("The kept reports of a block are missing. Collect the reports again.")
        return block
    channel, times = block.channel, _counts(row["times"])
    distinct = channel.reports_from_bytes(row["reports"])
    if len(times) != len(distinct) or (times < 1).any() or (times > block.n).any() or exact_sum(times) != block.n:
        raise ReportError("The kept reports of a block don't add up to its number. Collect the reports again.")
    reports = distinct[np.repeat(np.arange(len(times)), times)]
    if not np.array_equal(channel.statistic.count(reports), block.counts):
        raise ReportError("The kept reports of a block contradict its counts. Collect the reports again.")
    return replace(block, piles=(reports,))


def _counts(values: list[int | None] | None) -> Counts:
    """Integers, with an impossible one for each that is missing."""
    return np.array([-1 if value is None else value for value in values or []], dtype=np.int64)
