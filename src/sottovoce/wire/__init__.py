"""Encodings that leave the process."""

from sottovoce.wire.channels import describe, restore
from sottovoce.wire.reports import AnotherStudyError, Body, Records, body, lines, reports_of

__all__ = ["AnotherStudyError", "Body", "Records", "body", "describe", "lines", "reports_of", "restore"]
