"""A quiet Spark session for a command, on this machine unless you name a cluster."""

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
#: Settings of a session. The configuration of Spark overrides them.
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",  # errors are raised, so they needn't be logged too
    "spark.sql.execution.arrow.maxBytesPerBatch": "16m",
}
#: What a session on this machine alone gets as well, so that no one else can reach it.
LOCAL = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.memory": "2g"}


def session(master: str | None = None, settings: Mapping[str, str] | None = None) -> SparkSession:
    """Open a session on the cluster `master` ("spark://…", "yarn", "k8s://…", "local[4]"), or on that of spark-submit.

    Without either, it uses all cores of this machine. `settings` are Spark's own, and override those chosen here.
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
    given = _configured() | dict(settings or {})
    chosen = master or given.get("spark.master") or (None if _SUBMITTED & set(os.environ) else "local[*]")
    local = chosen is not None and chosen.startswith("local")
    builder = SparkSession.builder.appName("sottovoce")
    for key, value in (SETTINGS | (LOCAL if local else {}) | ({"spark.master": chosen} if chosen else {}) | given).items():
        builder = builder.config(key, value)
    if python := given.get("spark.pyspark.python") or (sys.executable if local else None):
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
    """Run a session for the duration of a command. An interruption ends it at once, with nothing left running."""
    asked: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, lambda number, frame: asked.append(number))  # Java that is half started would stay behind
    try:
        found = session(master)
    finally:
        signal.signal(signal.SIGINT, before)  # Spark has a handler of its own, which asks Java in the middle of another question
    logging.disable(logging.CRITICAL)  # errors are raised, so they needn't be logged too
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
    """End Java without waiting for it, because it may be busy or gone."""
    gateway: Any = found.sparkContext._gateway
    with suppress(Exception):
        gateway.proc.terminate()
        gateway.proc.wait(10)


def _configured() -> dict[str, str]:
    """Spark's own configuration file, which overrides what is chosen here."""
    home = os.environ.get("SPARK_CONF_DIR") or os.path.join(os.environ.get("SPARK_HOME", ""), "conf")
    try:
        with open(os.path.join(home, "spark-defaults.conf"), encoding="utf-8", errors="replace") as file:
            found = [re.split(r"\s*=\s*|\s+", line.strip(), maxsplit=1) for line in file if line.strip() and not line.startswith("#")]
    except OSError:
        return {}
    return {pair[0]: pair[1] for pair in found if len(pair) == 2}


def _check_java() -> None:
    """Raise an error if Java is missing, which Spark needs."""
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    remedy = f"Install a Java runtime {_JAVA} or newer (on Debian or Ubuntu: openjdk-17-jre-headless), or set JAVA_HOME."
    try:
        version = subprocess.run([java or "java", "-version"], capture_output=True, text=True, check=False, timeout=60).stderr  # noqa: S603 - the user's own Java
    except OSError:
        raise ParameterError(f"The Spark engine needs Java, which wasn't found. {remedy}") from None
    found = re.search(r'version "(\d+)', version)
    if found is None or int(found[1]) < _JAVA:
        raise ParameterError(
            f"The Spark engine needs Java {_JAVA} or newer, but found {found[1] if found else 'an unknown version'}. {remedy}"
        )


@contextmanager
def _quiet() -> Iterator[IO[bytes]]:
    """Send Java's standard error, which it inherits when it starts and writes a lot to, into a temporary file."""
    with tempfile.TemporaryFile() as heard:
        sys.stderr.flush()
        kept = os.dup(2)
        os.dup2(heard.fileno(), 2)
        try:
            yield heard
        finally:
            os.dup2(kept, 2)
            os.close(kept)
