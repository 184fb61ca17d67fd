"""A Spark cluster for the tests: a master and two workers on this machine, real processes, from the pyspark package."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from paths import ROOT

#: Seconds until a process of the cluster must have said that it is there.
_PATIENCE = 90


@dataclass
class Node:
    """A process of the cluster, its children with it, and what it said."""

    process: subprocess.Popen[bytes]
    log: Path

    def said(self, pattern: str, count: int = 1) -> re.Match[str]:
        """Wait until it has said something so many times."""
        deadline = time.monotonic() + _PATIENCE
        while True:
            found = list(re.finditer(pattern, self.log.read_text(errors="replace")))
            if len(found) >= count:
                return found[-1]
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(self.log.read_text(errors="replace")[-4000:])
            time.sleep(0.1)

    def kill(self) -> None:
        """End it and its children at once, as a loss of power would."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(30)


@dataclass
class Cluster:
    """A cluster that runs."""

    address: str
    folder: Path
    nodes: list[Node]

    @property
    def workers(self) -> list[Node]:
        """All workers that were ever started; the master is the first node."""
        return self.nodes[1:]

    def one_more_worker(self) -> None:
        """Start a worker with a core."""
        number = len(self.nodes)
        work = ("--cores", "1", "--memory", "1g", "--work-dir", str(self.folder / f"work-{number}"), self.address)
        self.nodes.append(_started(self.folder, f"worker-{number}", "--host", "127.0.0.1", "--webui-port", "0", *work))

    def known(self) -> None:
        """Wait until the master knows all workers that were started."""
        self.nodes[0].said(r"Registering worker \S+ with 1 cores", len(self.workers))

    @property
    def settings(self) -> dict[str, str]:
        """What a session must know to use it."""
        return {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.executor.memory": "512m",
            "spark.pyspark.python": sys.executable,
            "spark.sql.shuffle.partitions": "2",
            "spark.ui.liveUpdate.period": "0",  # how many tasks are done is told at once
        }


@contextmanager
def running(folder: Path) -> Iterator[Cluster]:
    """A master and two workers with a core each, for as long as they are needed; their logs stay in the folder."""
    cluster = Cluster("", folder, [_started(folder, "master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")])
    try:
        cluster.address = cluster.nodes[0].said(r"Starting Spark master at (spark://\S+)")[1]
        cluster.one_more_worker()
        cluster.one_more_worker()
        cluster.known()
        yield cluster
    finally:
        for node in reversed(cluster.nodes):
            node.kill()


def _started(folder: Path, name: str, *arguments: str) -> Node:
    import pyspark

    home = Path(pyspark.__file__).parent
    kind = name.partition("-")[0]
    source = str(ROOT / "src")
    environment = os.environ | {
        "SPARK_HOME": str(home),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": source,
        "SPARK_LOCAL_DIRS": str(folder / "scratch"),
    }
    command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}.{kind.capitalize()}", *arguments]
    log = folder / f"{name}.log"
    with open(log, "wb") as file:
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=environment, start_new_session=True
        )
    return Node(process, log)
