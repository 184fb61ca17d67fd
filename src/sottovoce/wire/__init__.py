"""Encodings that leave the process."""

from sottovoce.wire.arrow import STUDY_KEY, read_stream, schema_of, stream
from sottovoce.wire.channels import describe, restore
from sottovoce.wire.reports import AnotherStudyError, Body, Records, bodies, body, lines, of_study, reports_of

__all__ = [
    "STUDY_KEY",
    "AnotherStudyError",
    "Body",
    "Records",
    "bodies",
    "body",
    "describe",
    "lines",
    "of_study",
    "read_stream",
    "reports_of",
    "restore",
    "schema_of",
    "stream",
]
