"""Results of many partitions, put together on the cluster until few enough are left for the driver."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sottovoce.batch.spark.worker_rows import COLUMNS, Row
from sottovoce.batch.spark.workers import Merger, merged, study_of
from sottovoce.later import pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Results that one task, or the driver, puts together.
FANOUT = 64


def mapped(frame: DataFrame, work: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]) -> DataFrame:
    """What `work` makes of each partition, as rows."""
    with warnings.catch_warnings():
        # Spark looks for pandas here, which is not used, and finds it too new
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)
        return frame.mapInArrow(work, COLUMNS)


def gathered(frame: DataFrame) -> list[Row]:
    """The rows, at the driver."""
    return [Row(*row) for row in frame.collect()]


def brought_together(frame: DataFrame, partitions: int, compiled: str) -> list[Row]:
    """One row of each sort from the rows of so many partitions: a tree, of which the driver is the root."""
    while partitions > FANOUT:
        partitions = -(-partitions // FANOUT)
        frame = mapped(frame.repartition(partitions, "partition"), Merger(compiled))
    return merged(study_of(compiled), gathered(frame))
