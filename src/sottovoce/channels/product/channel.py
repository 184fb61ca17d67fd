"""Product channels: independent reports about the parts of a record, each through a channel of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE
from sottovoce.channels.product.counts import SideBySide
from sottovoce.channels.protocol import Channel, Codes, channel_kind
from sottovoce.errors import ParameterError, UnsupportedError
from sottovoce.later import pa
from sottovoce.reports import ProductReports, Reports
from sottovoce.reports.base import column_of, record_bytes, whole_records
from sottovoce.sources import Source


@dataclass(frozen=True, eq=False)
class ProductChannel(Channel, kind="product"):
    """Independent reports side by side: Q(y₁, y₂, … | x₁, x₂, …) = Q₁(y₁|x₁)·Q₂(y₂|x₂)·…, with the last part counted fastest.

    Records are rarely few enough to be listed, and their codes rarely fit into 64 bits. So a form samples its parts itself, and counts
    refer to the parts.
    """

    parts: tuple[Channel, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.parts))
        if not self.parts or any(not isinstance(part, Channel) for part in self.parts):
            raise ParameterError("There are no parts, or a part isn't a channel. Give at least one channel.")

    @property
    def size(self) -> int:
        return math.prod(part.size for part in self.parts)

    @cached_property
    def empty(self) -> ProductReports:
        return ProductReports(tuple(part.empty for part in self.parts))

    @cached_property
    def statistic(self) -> SideBySide:
        return SideBySide(self.empty, [part.statistic for part in self.parts])

    def sample(self, codes: Codes, source: Source) -> Reports:
        each = np.unravel_index(codes, [part.size for part in self.parts])
        return ProductReports(tuple(part.sample(mine, source) for part, mine in zip(self.parts, each, strict=True)))

    def possible(self, reports: Any) -> Reports:
        for part, each in zip(self.parts, reports.parts, strict=True):
            part.possible(each)
        return reports

    @cached_property
    def _places(self) -> list[tuple[Channel, int, int]]:
        """Where the record of each part begins and ends."""
        ends = np.cumsum(self.empty.widths).tolist()
        return list(zip(self.parts, [0, *ends[:-1]], ends, strict=True))

    def surely_possible(self, record: bytes) -> bool:
        return all(part.surely_possible(record[begin:end]) for part, begin, end in self._places)

    def reports_from_bytes(self, data: bytes) -> Reports:
        widths = self.empty.widths
        records = np.frombuffer(whole_records(data, sum(widths)), dtype=np.uint8).reshape(-1, sum(widths))
        pieces = np.split(records, np.cumsum(widths)[:-1], axis=1)
        return ProductReports(tuple(part.reports_from_bytes(piece.tobytes()) for part, piece in zip(self.parts, pieces, strict=True)))

    def reports_from_arrow(self, table: pa.Table | pa.RecordBatch) -> Reports:
        return self.reports_from_bytes(record_bytes(column_of(table, "report"), sum(self.empty.widths), "a report"))

    def outputs(self) -> list[Any]:
        return list(product(*(part.outputs() for part in self.parts)))

    def numerators(self) -> NDArray[Any]:
        """The Kronecker product of the parts' matrices, if it is small enough."""
        lengths = [part.length for part in self.parts]
        if None in lengths:
            raise UnsupportedError("The reports of a part can't be listed. Use likelihood(reports).")
        self.writable(math.prod(length or 0 for length in lengths))
        one = np.array(Fraction(1, ONE), dtype=object)
        return reduce(lambda left, right: np.asarray(np.kron(left, right) * one), [part.numerators() for part in self.parts])

    def form(self) -> dict[str, Any]:
        return {"kind": "product", "parts": [part.described() for part in self.parts]}

    @classmethod
    def of_form(cls, form: Mapping[str, Any]) -> ProductChannel:
        if any(part["kind"] == "product" for part in form["parts"]):
            raise ParameterError("A part of a product channel is a product itself. List all parts side by side.")
        return cls(tuple(channel_kind(part["kind"]).of_form(part) for part in form["parts"]))
