"""What every channel can do, and how words reach its sampling loop."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE
from sottovoce.channels import kernels
from sottovoce.channels.columns import Columns
from sottovoce.channels.information import Bounds
from sottovoce.errors import DomainError, ParameterError, ReportError, UnsupportedError
from sottovoce.later import pa
from sottovoce.parallel import threads
from sottovoce.policy import Prior
from sottovoce.reports import Reports
from sottovoce.reports.base import same_shape
from sottovoce.sources import Source, Words, used_up

Codes = NDArray[Any]
Floats = NDArray[np.float64]

#: Words in flight per thread: enough to hide the cost of a draw, few enough to stay in cache.
CHUNK_WORDS = 1 << 16
#: Below this many words a second thread costs more than it brings.
PARALLEL_FROM = 1 << 18
#: The largest matrix that is written out.
MOST_ENTRIES = 1 << 24


class Channel(ABC):
    """Q(report | item), as integers out of 2^64 that are exactly what is sampled."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of items K."""

    def __eq__(self, other: object) -> bool:
        """Channels are equal when their tables are."""
        if type(self) is not type(other):
            return NotImplemented
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))  # type: ignore[arg-type]  # every channel is a dataclass
        return all(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b for a, b in pairs)

    def __hash__(self) -> int:
        return hash((type(self), self.size))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the kind of channel and its tables: what was counted for one channel is not read as another's."""
        return hashlib.sha256(repr(_content(self)).encode()).hexdigest()[:32]

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies are made by the constructor, which checks the tables and locks them."""
        return type(self), tuple(getattr(self, f.name) for f in fields(self))  # type: ignore[arg-type]  # every channel is a dataclass

    @property
    @abstractmethod
    def columns(self) -> Columns:
        """The channel as the collector sees it; see `sottovoce.channels.columns`."""

    def perturb(self, codes: Codes, source: Source) -> Reports:
        """One report for each code, reading words from `source` in the order fixed by spec/sampling.md."""
        return self.sample(checked_codes(codes, self.size), source)

    @abstractmethod
    def sample(self, codes: Codes, source: Source) -> Reports:
        """`perturb` without its checks: the codes must be integers from 0 to K − 1 in native byte order."""

    def perturb_one(self, code: int, source: Source) -> Any:
        """One report as a plain value: an integer, a list of items, or a pair (seed, bucket). The code is not checked."""
        return self.sample(np.array([code]), source).tolist()[0]

    @abstractmethod
    def outputs(self) -> list[Any]:
        """All possible reports, as plain values, in the order of the matrix's columns."""

    @abstractmethod
    def _numerators(self) -> NDArray[Any]:
        """The matrix as Python integers and Fractions out of 2^64."""

    def matrix(self, *, exact: bool = False) -> NDArray[Any]:
        """The K×L matrix of Q(y|x); `exact=True` gives Fractions, whose rows sum to exactly 1."""
        if not exact:
            return self._floats()
        return np.array([[Fraction(entry) / ONE for entry in row] for row in self._numerators().tolist()], dtype=object)

    def _floats(self) -> Floats:
        """The matrix in doubles."""
        return np.asarray((self._numerators() / ONE).astype(np.float64))

    def row(self, code: int) -> Floats:
        """One row of the matrix: the distribution of the reports of an item."""
        return self.matrix()[code]

    def example(self, inside: Sequence[int], outside: Sequence[int]) -> Any:
        """A possible report, as a plain value, that contains the first items and not the others (None where there is none to show)."""
        return None

    def revealing(self, code: int) -> Any:
        """A report that only this item can produce, as a plain value (None where there is none)."""
        return None

    def _writable(self, outputs: int) -> None:
        if self.size * outputs > MOST_ENTRIES:
            columns = f"{outputs:,}" if outputs < 1 << 60 else f"2^{outputs.bit_length() - 1}"
            raise UnsupportedError(
                f"the matrix of this channel has {self.size} rows and {columns} columns, too many to write out; "
                "work with its parameters, or with `likelihood(reports)`"
            )

    def likelihood(self, reports: Reports) -> Floats:
        """An n×K array proportional to Q(y_i|x), by the compact weights of the channel (a factor per report is free)."""
        if not same_shape(reports, self.reports_from_bytes(b"")):
            raise ReportError("these reports were not made by this channel: their shape is another one")
        return self._likelihood(reports)

    @abstractmethod
    def _likelihood(self, reports: Reports) -> Floats: ...

    @abstractmethod
    def leakage(self) -> Bounds:
        """Σ_y max_x Q(y|x)."""

    @abstractmethod
    def information(self, prior: Prior) -> Bounds:
        """The mutual information I(X; Y) in nats when items follow the prior."""

    @abstractmethod
    def reports_from_bytes(self, data: bytes) -> Reports:
        """Read the records that `Reports.to_bytes` wrote, refusing what this channel cannot have produced."""

    @abstractmethod
    def reports_from_arrow(self, table: pa.Table | pa.RecordBatch) -> Reports:
        """Read the columns that `Reports.to_arrow` wrote, refusing what this channel cannot have produced."""


def checked_codes(codes: Codes, size: int) -> Codes:
    """A column of integers from 0 to size − 1 in native byte order, or a `DomainError`."""
    codes = np.asarray(codes)
    if codes.ndim != 1 or (codes.size and codes.dtype.kind not in "iu"):
        raise DomainError(f"codes are {codes.dtype} of the shape {codes.shape}; give one integer code per person")
    codes = codes if codes.dtype.isnative and codes.dtype.kind in "iu" else codes.astype(np.int64)
    if kernels.outside(codes, size):
        wrong = codes[(codes < 0) | (codes >= size)][0]
        raise DomainError(f"{int(wrong)} is not a code of this domain; codes run from 0 to {size - 1}")
    return codes


def _content(part: Any) -> Any:
    """The fields of a channel, its arrays as digests."""
    if isinstance(part, np.ndarray):
        exact = part.astype(str).tolist() if part.dtype == object else np.ascontiguousarray(part).tobytes()
        return part.shape, hashlib.sha256(repr(exact).encode() if isinstance(exact, list) else exact).hexdigest()
    if isinstance(part, tuple):
        return [_content(each) for each in part]
    if is_dataclass(part):
        return type(part).__name__, [_content(getattr(part, f.name)) for f in fields(part)]
    return part


def whole(**numbers: Any) -> None:
    """Refuse parameters that are not integers, or are negative."""
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
            raise ParameterError(f"{name} is {value!r}; a channel is made of non-negative integers")


def frozen(table: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """A private copy that cannot be written to: what was certified is what is sampled."""
    copy = np.array(table, dtype=dtype)
    copy.setflags(write=False)
    return copy


def _run(count: int, words_each: float, source: Source, part: Callable[[int, int, Source], None]) -> None:
    """Work on the reports 0 .. count − 1: in threads where the source allows it, otherwise in order."""
    number = threads()
    sources = source.split(number) if count * words_each >= PARALLEL_FROM and number > 1 else None
    if sources is None:
        part(0, count, source)
        return
    edges = [count * k // number for k in range(number + 1)]
    with ThreadPoolExecutor(number) as pool:
        list(pool.map(part, edges[:-1], edges[1:], sources))


def draw_fixed(count: int, words_each: int, source: Source, body: Callable[[slice, Words], None]) -> None:
    """Feed a loop that reads the same number of words for every report."""

    def part(start: int, stop: int, source: Source) -> None:
        step = CHUNK_WORDS // words_each
        scratch = np.empty(words_each * min(step, stop - start), dtype=np.uint64)
        for begin in range(start, stop, step):
            end = min(begin + step, stop)
            words = scratch[: words_each * (end - begin)]
            if source.fill(words) < len(words):
                raise used_up()
            body(slice(begin, end), words)

    _run(count, words_each, source, part)


def draw_variable(count: int, words_each: float, source: Source, body: Callable[[slice, Words], tuple[int, int]]) -> None:
    """Feed a loop that reads as many words as chance asks for, `words_each` on average.

    `body(rows, words)` returns how many of the rows it finished and how many words those took. A report that the words did not
    suffice for is begun again **with the same words** and more behind them: how many words a report reads depends on what it says,
    so that giving it other words would favour short readings and change the channel.
    """

    def part(start: int, stop: int, source: Source) -> None:
        step = max(1, int(CHUNK_WORDS / words_each))
        scratch = np.empty(int(words_each * min(step, stop - start)) + 64, dtype=np.uint64)
        held, stuck = 0, False
        while start < stop:
            end = min(start + step, stop)
            wanted = 2 * held if stuck else max(held, min(len(scratch), int(words_each * (end - start)) + 64))
            if wanted > len(scratch):
                scratch = np.concatenate([scratch, np.empty(wanted - len(scratch), dtype=np.uint64)])
            filled = held + source.fill(scratch[held:wanted])
            done, used = body(slice(start, end), scratch[:filled])
            stuck = done == 0
            if stuck and filled < wanted:
                raise used_up()
            held = filled - used
            scratch[:held] = scratch[used:filled].copy()
            start += done
        source.give_back(scratch[:held])

    _run(count, words_each, source, part)
