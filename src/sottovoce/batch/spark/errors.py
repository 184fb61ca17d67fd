"""Spark's errors in the words of this package: a file and a short reason, without a Java stack trace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote, urlsplit

from sottovoce.errors import MissingFileError, ParameterError, ReportError, SottovoceError

_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)*)\] (.*?)(?= SQLSTATE: |\n\tat |$)", re.DOTALL)
_FILE = re.compile(r"(?:while reading file|Path does not exist:|File) +(\S+?)\.?(?:\s|$)")
_CAUSE = re.compile(r"^Caused by: (?:[\w.$]+: )?(.+)$", re.MULTILINE)
_ABSENT = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_LONGEST = 300


def path_name(uri: str) -> str:
    """The name of a file for people: the path if it's local, otherwise with its scheme.

    >>> path_name("file:///tmp/my%20reports/a.parquet"), path_name("s3a://bucket/a.parquet")
    ('/tmp/my reports/a.parquet', 's3a://bucket/a.parquet')
    """
    parts = urlsplit(uri)
    return unquote(parts.path) if parts.scheme == "file" else unquote(uri)


@contextmanager
def explained() -> Iterator[None]:
    """Turn Spark's errors into errors of this package."""
    from py4j.protocol import Py4JError, Py4JNetworkError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JNetworkError, ConnectionError) as error:
        raise ReportError(
            f"Spark's process has ended ({type(error).__name__}). If it ran out of memory, raise spark.driver.memory."
        ) from None
    except (PySparkException, Py4JError) as error:
        raise translated(str(error)) from None


def java_reason(error: BaseException) -> str:
    """The first line of a Java exception's message, without its class."""
    thrown = getattr(error, "java_exception", None)
    message = str(thrown.getMessage() or thrown.getClass().getSimpleName()) if thrown is not None else str(error)
    return _short(message)


def translated(text: str) -> SottovoceError:
    """The error for a message of Spark.

    >>> translated("[PATH_NOT_FOUND] Path does not exist: file:/tmp/none.parquet. SQLSTATE: 42K03").args[0]
    '/tmp/none.parquet: File not found. Check its name.'
    """
    found: dict[str, str] = dict(_CONDITION.findall(text))
    message = next((message for condition, message in found.items() if condition.startswith("FAILED_READ_FILE")), None)
    causes = _CAUSE.findall(text)
    if message is not None:
        named = _FILE.search(message)
        reason = _short(causes[-1]) if causes else _short(message)
        return ReportError(f"{path_name(named[1]) if named else 'A file'} can't be read as reports or is damaged: {reason}")
    if "PATH_NOT_FOUND" in found:
        named = re.search(r"Path does not exist: (.+?)\.?\s*$", found["PATH_NOT_FOUND"])
        return MissingFileError(
            f"{path_name(named[1])}: File not found. Check its name." if named else "A path wasn't found. Check the paths."
        )
    if "UNABLE_TO_INFER_SCHEMA" in found:
        return ParameterError("No Parquet files found at the given paths. Check the paths.")
    if "maxResultSize" in text:
        return ParameterError(
            "There are too many reports for the driver (spark.driver.maxResultSize). Leave them on the cluster with keep=None."
        )
    if absent := _ABSENT.search(text):
        return ParameterError(
            f"The workers of the cluster don't have the Python package {absent[1]!r}. Install sottovoce there, or send an "
            "environment with it (spark.archives) and name its Python (PYSPARK_PYTHON)."
        )
    if "PYTHON_EXCEPTION" in found or "Traceback (most recent call last)" in text:
        lines = [line for line in text.partition("\n\tat ")[0].strip().splitlines() if line.strip() and "SQLSTATE" not in line]
        return ReportError(f"A worker of the cluster failed: {_short(lines[-1])}")
    condition, message = next(iter(found.items()), ("", text))
    return ReportError(f"Spark failed{f' ({condition})' if condition else ''}: {_short(message)}")


def _short(text: str) -> str:
    line = next((line.strip() for line in text.strip().splitlines() if line.strip()), "no reason was given")
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "…"
