"""A real Spark cluster, a master and two workers, gives the same as one machine, also when it loses a worker on the way."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import sottovoce as sv
from clusters import Cluster, Node, running
from collectors import named, some_reports
from messages import refused
from sottovoce.batch import collecting
from sottovoce.batch.spark import collect, read, session
from sottovoce.batch.writers import writing_reports
from sottovoce.channels.likelihood import total
from sottovoce.estimators.report_likelihood import of_blocks

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTS = 24


pytestmark = pytest.mark.usefixtures("java")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running(tmp_path_factory.mktemp("cluster")) as found:
        yield found


@pytest.fixture(scope="module")
def spark(cluster: Cluster) -> Iterator[SparkSession]:
    found = session(cluster.address, cluster.settings)
    yield found
    found.stop()


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    study, folder = named("uldp"), tmp_path_factory.mktemp("reports")
    reports = some_reports(study, 6000)
    found = []
    for k in range(PARTS):
        found.append(str(folder / f"{k}.parquet"))
        with writing_reports(found[-1], None, study) as out:
            out.write(reports[6000 * k // PARTS : 6000 * (k + 1) // PARTS])
    return found


@dataclass
class Killer:
    """Kills a worker when some tasks of a stage are done, and others are not."""

    spark: SparkSession
    victim: Node
    done: int = 0
    tasks: int = 0
    thread: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def _watch(self) -> None:
        tracker, deadline = self.spark.sparkContext.statusTracker(), time.monotonic() + 120
        while time.monotonic() < deadline:
            for stage in tracker.getActiveStageIds():
                found = tracker.getStageInfo(stage)
                if found is not None and found.numTasks == PARTS and 3 <= found.numCompletedTasks < PARTS - 2:
                    self.done, self.tasks = found.numCompletedTasks, found.numTasks
                    self.victim.kill()
                    return
            time.sleep(0.01)

    def killed_in_the_middle(self) -> bool:
        self.thread.join(5)
        return self.tasks > 0


def executors(spark: SparkSession) -> int:
    context: Any = spark.sparkContext
    return len(context._jsc.sc().statusTracker().getExecutorInfos()) - 1  # the driver is one of them


@pytest.mark.parametrize("kind", ["olh", "levels", "ldp", "integers", "hadamard", "lifted"])
def test_a_cluster_counts_every_kind_of_reports(kind: str, spark: SparkSession, tmp_path: Path) -> None:
    """Hashed ones and several channels; direct, unary, of Hadamard, and lifted."""
    study, place = named(kind), str(tmp_path / f"{kind}.parquet")
    with writing_reports(place, None, study) as out:
        out.write(some_reports(study, 300))
    expected = sv.Tally(study.mechanism).add(some_reports(study, 300))
    assert collect(study, read(spark, [place]).repartition(3), keep=False).tally.to_bytes() == expected.to_bytes()


def test_a_cluster_counts_and_climbs_the_same_and_survives_the_loss_of_its_workers(
    cluster: Cluster, spark: SparkSession, paths: list[str]
) -> None:
    study = named("uldp")
    alone = collecting.collect(study, paths).tally
    spark.conf.set("spark.sql.files.openCostInBytes", "128m")  # a task for each file
    frame = read(spark, paths)
    assert frame.rdd.getNumPartitions() == PARTS
    assert spark.sparkContext.master == cluster.address
    found = collect(study, frame)
    assert found.tally.to_bytes() == alone.totals().to_bytes()
    assert executors(spark) == 2

    # in the middle of a pass: the reports that lay in the memory of the lost worker are read again
    killer = Killer(spark, cluster.workers[0])
    there, here = sv.estimate(found.tally), sv.estimate(alone)
    assert killer.killed_in_the_middle(), (killer.done, killer.tasks)
    values = [total(of_blocks(alone.blocks), each.p).value / alone.n for each in (there, here)]
    assert abs(values[0] - values[1]) < 1e-9

    cluster.one_more_worker()
    deadline = time.monotonic() + 60
    while executors(spark) < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    killer = Killer(spark, cluster.workers[1])
    again = collect(study, frame)
    assert killer.killed_in_the_middle(), (killer.done, killer.tasks)
    assert again.tally.to_bytes() == alone.totals().to_bytes()
    assert (again.skipped.used, again.skipped.count) == (alone.n, 0)
    spark.stop()
    with refused(sv.ReportError):
        sv.estimate(again.tally)
