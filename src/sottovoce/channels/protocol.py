"""The protocol of channels, with slow defaults for nearly everything.

A channel must define `size`, `sample` and `numerators` (its matrix). If its reports can't be listed, it defines `empty` (their shape),
`weigh` (the likelihood of given reports) and `columns` (what notions need) instead. The defaults do the rest slowly. Override them if you
know a faster way. docs/channels.md has the whole list.
"""

from __future__ import annotations

import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from functools import cached_property, partial
from math import lcm
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE
from sottovoce.arrays import Floats, Mask
from sottovoce.channels.columns import Columns
from sottovoce.channels.fisher import Fisher, of_matrix
from sottovoce.channels.information import Bounds, total_xlogx
from sottovoce.channels.inversion import Inversion, matrix_of, tabulated
from sottovoce.channels.matrix_columns import MatrixColumns
from sottovoce.channels.model import Model
from sottovoce.channels.sampling import outside
from sottovoce.channels.statistic import Cells, PerOutput, PerReport, Statistic, Uncounted, grouped, place_of, places_of
from sottovoce.channels.tables import digested, same_fields
from sottovoce.errors import DomainError, ParameterError, ReportError, UnsupportedError
from sottovoce.later import pa
from sottovoce.optima.posterior import explained_by_matrix, variance_left
from sottovoce.policy import Prior
from sottovoce.reports import CodeReports, Reports
from sottovoce.reports.base import same_shape
from sottovoce.sources import Source

Codes = NDArray[Any]

#: The largest matrix that is written out.
MOST_ENTRIES = 1 << 24
#: The channels that have a JSON form of their own, by its `kind`.
KINDS: dict[str, type[Channel]] = {}


class Channel(ABC):
    """A channel Q(report | item), as integers out of 2^64 that are exactly what is sampled. Subclass it to write your own.

    A subclass is a dataclass with `frozen=True, eq=False`: its fields are its tables, and channels compare these themselves.
    `class Mine(Channel, kind="mine")` gives it a JSON form of its own (`form` and `of_form`). Without a kind, a channel is written as a
    matrix.

    >>> from sottovoce import Domain, krr
    >>> channel = krr(Domain("abc"), 1.0).channel
    >>> channel.size, channel.matrix(exact=True).sum(axis=1).tolist() == [1, 1, 1]
    (3, True)
    """

    kind: ClassVar[str | None] = None
    #: Whether `fisher` takes seconds, because it is an average over many functions.
    slow_fisher: ClassVar[bool] = False
    #: Whether the places of the items matter: reports speak of neighbours.
    in_order: ClassVar[bool] = False

    def __init_subclass__(cls, *, kind: str | None = None, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if "numerators" in vars(cls) and "columns" not in vars(cls) and cls.columns is not Channel.columns:
            raise ParameterError(
                f"{cls.__name__} overrides `matrix` but inherits `columns`, so its certificate would be wrong. Give it `columns` too."
            )
        cls.kind = kind
        if kind is not None:
            known = KINDS.get(kind, cls)
            if known.__module__ != cls.__module__:
                raise ParameterError(f"{known.__module__} already declares the kind {kind!r}. Choose another name.")
            if cls.form is Channel.form or cls.of_form.__func__ is Channel.of_form.__func__:  # type: ignore[attr-defined]  # a class method
                raise ParameterError(f"The kind {kind!r} needs a JSON form. Give {cls.__name__} the methods `form` and `of_form`.")
            KINDS[kind] = cls

    # ---- what a channel must give ----

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of items K."""

    @abstractmethod
    def sample(self, codes: Codes, source: Source) -> Reports:
        """The same as `perturb` without its checks: the codes are integers from 0 to K − 1 in native byte order."""

    def numerators(self) -> NDArray[Any]:
        """The K×L matrix of Q(y|x) as integers and Fractions out of 2^64, if the reports can be listed."""
        raise UnsupportedError(f"The reports of {type(self).__name__} can't be listed. Use likelihood(reports).")

    def weigh(self, reports: Reports) -> Floats:
        """The same as `likelihood` without its check. By default from the columns of the matrix."""
        return self.matrix().T[self._rows_of(reports)]

    # ---- reports ----

    @property
    def length(self) -> int | None:
        """The number of possible reports L, or None if they can't be listed."""
        try:
            return int(self.numerators().shape[1])
        except UnsupportedError:
            return None

    def outputs(self) -> list[Any]:
        """All possible reports, as plain values, in the order of the matrix's columns."""
        return list(range(self.numerators().shape[1]))

    @cached_property
    def empty(self) -> Reports:
        """No reports, in the shape that this channel's reports have. By default they are numbers below L."""
        if self.length is None:
            raise UnsupportedError(f"{type(self).__name__} doesn't define the type of its reports. Give it the property `empty`.")
        return CodeReports(np.zeros(0, dtype=np.int64), self.length)

    def possible(self, reports: Any) -> Reports:
        """Return the reports, or raise a `ReportError` if this channel can't have made one of them. By default the matrix decides, if there
        is one.
        """
        if self._made is not None and not self._made[self._rows_of(reports)].all():
            raise ReportError("A report is impossible for every item. Was it made by this channel?")
        return reports

    @cached_property
    def _made(self) -> Mask | None:
        """Which of the outputs some item can produce, or None if they can't be listed."""
        try:
            return np.asarray((self.numerators() != 0).any(axis=0))
        except UnsupportedError:
            return None

    def reports_from_bytes(self, data: bytes) -> Reports:
        """Read the records that `Reports.to_bytes` wrote. Records that this channel can't have produced raise a `ReportError`."""
        kind, shape = self._reader
        return self.possible(kind.from_bytes(data, *shape))

    def surely_possible(self, record: bytes) -> bool:
        """Whether a record of the right length is certainly possible, found without making arrays of it.

        False means unknown: `reports_from_bytes` decides then.
        """
        return False

    def reports_from_arrow(self, table: pa.Table | pa.RecordBatch) -> Reports:
        """Read the columns that `Reports.to_arrow` wrote. Reports that this channel can't have produced raise a `ReportError`."""
        kind, shape = self._reader
        return self.possible(kind.from_arrow(table, *shape))

    @cached_property
    def _reader(self) -> tuple[Any, tuple[int, ...]]:
        """The class of the reports, and what its readers take besides the data."""
        return type(self.empty), self.empty.shape

    @property
    def names_items(self) -> bool:
        """Whether reports are the items themselves."""
        return isinstance(self.empty, CodeReports) and self.length == self.size == self.empty.limit

    def example(self, inside: Sequence[int], outside: Sequence[int]) -> Any:
        """A possible report, as a plain value, that contains the first items and not the others (None if there is none)."""
        return None

    def revealing(self, code: int) -> Any:
        """A report that only this item can produce, as a plain value (None if there is none)."""
        if self.length is None:
            return None
        named = self.numerators() != 0
        alone = np.flatnonzero(named[code] & (named.sum(axis=0) == 1))
        return self.outputs()[int(alone[0])] if len(alone) else None

    def revealed_chances(self) -> Floats:
        """How likely each item is to have a report that only it can produce. By default from the matrix."""
        rows = self.matrix()
        return np.asarray(rows[:, np.count_nonzero(rows, axis=0) == 1].sum(axis=1), dtype=np.float64)

    def has_one_report(self, code: int) -> bool:
        """Whether all reports of an item are the same. Of channels whose reports can't be listed, none has such an item."""
        return self.length is not None and np.count_nonzero(self.row(code)) == 1

    # ---- sampling and probabilities ----

    def perturb(self, codes: Codes, source: Source) -> Reports:
        """Draw one report for each code, with words from `source` in the order that spec/sampling.md defines."""
        return self.sample(checked_codes(codes, self.size), source)

    def perturb_one(self, code: int, source: Source) -> Any:
        """Draw one report as a plain value: an integer, a list of items, or a pair (seed, bucket). The code isn't checked."""
        return self.sample(np.array([code]), source).tolist()[0]

    def matrix(self, *, exact: bool = False) -> NDArray[Any]:
        """The K×L matrix of Q(y|x). `exact=True` gives Fractions, whose rows sum to exactly 1."""
        if not exact:
            return self._floats()
        return np.array([[Fraction(entry) / ONE for entry in row] for row in self.numerators().tolist()], dtype=object)

    def _floats(self) -> Floats:
        """The matrix in doubles."""
        return np.asarray((self.numerators() / ONE).astype(np.float64))

    def row(self, code: int) -> Floats:
        """One row of the matrix: the distribution of the reports of an item."""
        return self.matrix()[code]

    def likelihood(self, reports: Reports) -> Floats:
        """An n×K array proportional to Q(y_i|x), by the compact weights of the channel (a factor per report is free)."""
        if not same_shape(reports, self.empty):
            raise ReportError("The shape of these reports doesn't fit this channel. Were they made by a different study?")
        return self.weigh(reports)

    def writable(self, outputs: int) -> None:
        """Raise an error if the matrix is too large to write out."""
        if self.size * outputs > MOST_ENTRIES:
            columns = f"{outputs:,}" if outputs < 1 << 60 else f"2^{outputs.bit_length() - 1}"
            raise UnsupportedError(
                f"The matrix of this channel has {self.size} rows and {columns} columns, too many to write out. "
                "Use its parameters, or `likelihood(reports)`."
            )

    # ---- what others ask ----

    @cached_property
    def columns(self) -> Columns:
        """The columns of the channel, for notions of privacy. See `sottovoce.channels.columns`."""
        try:
            rows = self._exact()
        except UnsupportedError:
            name = type(self).__name__
            raise UnsupportedError(f"The reports of {name} can't be listed, so notions can't check it. Give it `columns`.") from None
        return MatrixColumns(rows * lcm(*(entry.denominator for entry in rows.ravel().tolist())))

    def _exact(self) -> NDArray[Any]:
        """The numerators, if they are exact and sum to 2^64, because what is certified must be what is sampled."""
        rows = self.numerators()
        entries = rows.ravel().tolist()
        if rows.ndim != 2 or len(rows) != self.size or not all(isinstance(entry, (int, Fraction)) and entry >= 0 for entry in entries):
            raise ParameterError(
                f"The numerators of {type(self).__name__} are {rows.dtype} of the shape {rows.shape}. "
                f"Give a table (dtype=object) of {self.size} rows of integers or Fractions that aren't negative."
            )
        if any(sum(row) != ONE for row in rows.tolist()):
            raise ParameterError(
                f"A row of the numerators of {type(self).__name__} doesn't sum to 2^64. Make each row sum to exactly that."
            )
        return rows

    @cached_property
    def statistic(self) -> Statistic:
        """The statistic of the reports that a tally adds up."""
        if self.length is None:
            return Uncounted(self.empty)
        if not isinstance(self.empty, CodeReports):
            return PerOutput(self.empty, self.outputs(), partial(matrix_of, self))
        return PerReport(
            self.empty, items=self.names_items, codes=None if self._numbered else self.outputs(), matrix=partial(matrix_of, self)
        )

    @property
    def inversion(self) -> Inversion | None:
        """The unbiased estimate that is linear in the counts, or None if there is none of moderate size."""
        return tabulated(self)

    @cached_property
    def model(self) -> Model:
        """The likelihood of a population, from counts or from reports."""
        return Model(self)

    def leakage(self) -> Bounds:
        """Σ_y max_x Q(y|x)."""
        matrix = self.matrix(exact=True)
        return Bounds.around(float(sum(max(column) for column in matrix.T.tolist())), terms=matrix.shape[1])

    def information(self, prior: Prior) -> Bounds:
        """The mutual information of item and report, in nats, when items follow the prior."""
        q, p = self.matrix(), prior.p
        return Bounds.around(
            float(sum(weight * total_xlogx(row) for weight, row in zip(p, q, strict=True))) - total_xlogx(p @ q),
            terms=self.size * q.shape[1],
        )

    def fisher(self, p: Floats) -> Fisher:
        """The Fisher information of a report about the shares, when items follow p. By default from the matrix."""
        return of_matrix(p, self.matrix())

    def posterior_variance(self, p: Floats) -> Floats:
        """The expected posterior variance when the prior p is known: P_k − E[Pr(k | Y)²] for each item k."""
        return np.maximum(0.0, p - explained_by_matrix(p, self.matrix()))

    def posterior_variance_of(self, priors: Floats, numbers: Floats) -> Floats:
        """The same for a number per item, for each prior (a row): Var[number] − Var[E[number | Y]]."""
        matrix = self.matrix()
        return variance_left(priors, numbers, priors @ matrix, (priors * numbers) @ matrix)

    def summable(self, times: int = 1) -> bool:
        """Whether `posterior_variance_of` is quick for so many priors."""
        return True

    def cells(self, code: int, reports: Reports) -> Iterator[Cells]:
        """Groups of disjoint cells for a test of the sampling: how many reports of the item fall into each, and the chances."""
        chances = self.row(code)
        yield np.bincount(self._rows_of(reports), minlength=len(chances)), chances

    def _rows_of(self, reports: Reports) -> NDArray[np.int64]:
        """The place of each report among the outputs."""
        if isinstance(reports, CodeReports) and self._numbered:
            return reports.codes.astype(np.int64)
        places = places_of(self.outputs())
        return np.array([place_of(value, places) for value in reports.tolist()], dtype=np.int64)

    @cached_property
    def _numbered(self) -> bool:
        """Whether the reports are the numbers of the matrix's columns."""
        return isinstance(self.empty, CodeReports) and self.outputs() == list(range(self.empty.limit))

    def lifted(self, sensitive: NDArray[np.bool_], epsilon: float) -> Channel:
        """The ULDP channel over more items, in which the marked ones are this channel's. By default through its matrix."""
        return self.as_matrix().lifted(sensitive, epsilon)

    def margin(self, groups: NDArray[np.int64], count: int) -> Channel | None:
        """The channel of groups of items, if a report about an item is a report about its group. `groups` has the group of each item.

        Counts of items then add up to counts of groups. None if they don't: margins then come from the estimate.
        """
        return None

    def combined(self, codes: Sequence[Codes], sizes: Sequence[int]) -> Codes:
        """The codes of items that are combinations, from the codes of their places. The last place is counted fastest."""
        return codes[0] if len(codes) == 1 else np.ravel_multi_index(list(codes), list(sizes))

    def margin_of(self, places: Sequence[int], sizes: Sequence[int]) -> Channel | None:
        """The `margin` of some places of items that are combinations. The statistic's `margin` has its counts."""
        return self.margin(grouped(places, sizes), math.prod(sizes[place] for place in places))

    # ---- identity and JSON ----

    def as_matrix(self) -> Channel:
        """The same channel as a table, which is how a channel without its own kind is written."""
        rows = self._exact()
        if any(entry.denominator != 1 for entry in rows.ravel().tolist()) or not self._numbered:
            raise UnsupportedError(
                f"{type(self).__name__} can't be written as a matrix: its reports aren't the numbers 0, 1, …, or its chances aren't whole "
                "numbers out of 2^64. Give it a kind, `form` and `of_form`."
            )
        return KINDS["matrix"](np.array([[int(entry) for entry in row] for row in rows.tolist()], dtype=object))  # type: ignore[call-arg]  # its rows

    def form(self) -> dict[str, Any]:
        """The tables as a JSON object. Integers out of 2^64 are decimal strings, since not every reader keeps 64 bits."""
        return self.as_matrix().form()

    def described(self) -> dict[str, Any]:
        """The channel as JSON: its own form, or that of its matrix if it has no kind."""
        return (self if self.kind is not None else self.as_matrix()).form()

    @classmethod
    def of_form(cls, form: Mapping[str, Any]) -> Self:
        """Rebuild the channel that `form` wrote. Tables that no channel can have raise an error."""
        raise UnsupportedError(f"{cls.__name__} has no JSON form. Give it `form` and `of_form`.")

    def __eq__(self, other: object) -> bool:
        """Channels are equal if their tables are. One without a kind compares by its matrix."""
        if not isinstance(other, Channel):
            return NotImplemented
        if type(self) is not type(other):
            return (self.kind is None or other.kind is None) and self.size == other.size and self.fingerprint == other.fingerprint
        return all(same_fields(a, b) for a, b in zip(self._field_values(), other._field_values(), strict=True))

    def __hash__(self) -> int:
        return hash(self.size)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the channel's kind and tables, so that counts of one channel aren't read as another's."""
        try:
            described = self if self.kind is not None else self.as_matrix()
        except UnsupportedError:  # it can't travel, and so nothing else can be taken for it
            described = self
        return hashlib.sha256(repr(digested(described)).encode()).hexdigest()[:32]

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy through the constructor, which checks the tables and makes them read-only."""
        return type(self), self._field_values()

    def _field_values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, f.name) for f in fields(self))  # type: ignore[arg-type]  # every channel is a dataclass


def channel_kind(kind: object) -> type[Channel]:
    """The class of channels of a kind. Other packages register theirs with the entry point `sottovoce.channels`."""
    if isinstance(kind, str) and kind not in KINDS:
        from importlib.metadata import entry_points

        for found in entry_points(group="sottovoce.channels", name=kind):
            try:
                found.load()
            except Exception as error:
                package = found.dist.name if found.dist else "A package"
                message = f"{package} declares the kind of channel {kind!r}, which can't be loaded: {error!r}. Update or remove it."
                raise ParameterError(message) from error
    if not isinstance(kind, str) or kind not in KINDS:
        raise UnsupportedError(f"{kind!r} isn't a kind of channel. Use one of {', '.join(KINDS)}.")
    return KINDS[kind]


def checked_codes(codes: Codes, size: int) -> Codes:
    """Check a column of integers from 0 to size − 1 in native byte order, or raise a `DomainError`."""
    codes = np.asarray(codes)
    if codes.ndim != 1 or (codes.size and codes.dtype.kind not in "iu"):
        raise DomainError(f"Got codes of type {codes.dtype} and shape {codes.shape}. Give one integer per person.")
    codes = codes if codes.dtype.isnative and codes.dtype.kind in "iu" else codes.astype(np.int64)
    if outside(codes, size):
        wrong = codes[(codes < 0) | (codes >= size)][0]
        raise DomainError(f"{int(wrong)} isn't a code of this domain. Give codes from 0 to {size - 1}.")
    return codes
