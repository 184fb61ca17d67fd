"""A Spark session for a command that runs on its own: quiet, and on this machine unless a cluster is named."""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any

from sottovoce.batch.spark.errors import java_reason
from sottovoce.errors import ParameterError
from sottovoce.extras import install

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The oldest Java that Spark 4 runs on.
_JAVA = 17
#: Where these are set, something else has configured Spark, and says where to run.
_SUBMITTED = {"PYSPARK_GATEWAY_PORT", "PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR", "SPARK_REMOTE"}
#: What a session is told, unless the configuration of Spark says otherwise.
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",  # what goes wrong is told by an error, once
    "spark.sql.execution.arrow.maxBytesPerBatch": "16m",
}
#: What a session on this machine alone gets as well, so that no one else can reach it.
LOCAL = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.memory": "2g"}


def session(master: str | None = None, settings: Mapping[str, str] | None = None) -> SparkSession:
    """A session on the cluster that `master` names ("spark://…", "yarn", "k8s://…", "local[4]"), or that spark-submit was told.

    Without either, all cores of this machine are used. `settings` are Spark's own, and go before those chosen here.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise ParameterError(f"The Spark engine needs pyspark 4. Install it with: {install('spark')}") from None
    if (running := SparkSession.getActiveSession()) is not None:
        if master is not None and running.sparkContext.master != master:
            raise ParameterError(f"A Spark session on {running.sparkContext.master} is already running. Stop it or use it.")
        return running
    _check_java()
    told = _configured() | dict(settings or {})
    chosen = master or told.get("spark.master") or (None if _SUBMITTED & set(os.environ) else "local[*]")
    local = chosen is not None and chosen.startswith("local")
    builder = SparkSession.builder.appName("sottovoce")
    for key, value in (SETTINGS | (LOCAL if local else {}) | ({"spark.master": chosen} if chosen else {}) | told).items():
        builder = builder.config(key, value)
    if python := told.get("spark.pyspark.python") or (sys.executable if local else None):
        os.environ.setdefault("PYSPARK_PYTHON", python)
    if local:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    with _quiet() as heard:
        try:
            return builder.getOrCreate()
        except Exception as error:
            heard.seek(0)
            lines = [line.strip() for line in heard.read().decode(errors="replace").splitlines()]
            last = [line for line in lines if re.match(r"(Exception|Error|Caused by|[\w.]+(Exception|Error))\b", line)][:1]
            reason = java_reason(error) if hasattr(error, "java_exception") else " ".join([java_reason(error), *last])
            if "stopped SparkContext" in reason:
                reason = "no cluster answers"
            raise ParameterError(f"Spark didn't start on {chosen or 'the configured cluster'}: {reason}") from None


@contextmanager
def running(master: str | None = None) -> Iterator[SparkSession]:
    """A session for as long as a command takes; an interruption ends it at once, and leaves nothing running."""
    asked: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, lambda number, frame: asked.append(number))  # Java that is half started would stay behind
    try:
        found = session(master)
    finally:
        signal.signal(signal.SIGINT, before)  # Spark has a handler of its own, which asks Java in the middle of another question
    logging.disable(logging.CRITICAL)  # what goes wrong is told by an error, once
    try:
        if asked:
            raise KeyboardInterrupt
        yield found
        found.stop()
    except BaseException:
        _end(found)
        raise
    finally:
        logging.disable(logging.NOTSET)


def _end(found: SparkSession) -> None:
    """End Java without asking it: it may be in the middle of something, or gone."""
    gateway: Any = found.sparkContext._gateway
    with suppress(Exception):
        gateway.proc.terminate()
        gateway.proc.wait(10)


def _configured() -> dict[str, str]:
    """What the file of Spark's own defaults says, which goes before what is chosen here."""
    home = os.environ.get("SPARK_CONF_DIR") or os.path.join(os.environ.get("SPARK_HOME", ""), "conf")
    try:
        with open(os.path.join(home, "spark-defaults.conf"), encoding="utf-8", errors="replace") as file:
            found = [re.split(r"\s*=\s*|\s+", line.strip(), maxsplit=1) for line in file if line.strip() and not line.startswith("#")]
    except OSError:
        return {}
    return {pair[0]: pair[1] for pair in found if len(pair) == 2}


def _check_java() -> None:
    """Spark runs on Java; say so before it is missed."""
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    remedy = f"Install a Java runtime {_JAVA} or newer (on Debian or Ubuntu: openjdk-17-jre-headless), or set JAVA_HOME."
    try:
        said = subprocess.run([java or "java", "-version"], capture_output=True, text=True, check=False, timeout=60).stderr  # noqa: S603 - the user's own Java
    except OSError:
        raise ParameterError(f"The Spark engine needs Java, which wasn't found. {remedy}") from None
    found = re.search(r'version "(\d+)', said)
    if found is None or int(found[1]) < _JAVA:
        raise ParameterError(
            f"The Spark engine needs Java {_JAVA} or newer, but found {found[1] if found else 'an unknown version'}. {remedy}"
        )


@contextmanager
def _quiet() -> Iterator[IO[bytes]]:
    """Java inherits the standard error when it starts, and has much to say there: it goes into a file, which is gone afterwards."""
    with tempfile.TemporaryFile() as heard:
        sys.stderr.flush()
        kept = os.dup(2)
        os.dup2(heard.fileno(), 2)
        try:
            yield heard
        finally:
            os.dup2(kept, 2)
            os.close(kept)
