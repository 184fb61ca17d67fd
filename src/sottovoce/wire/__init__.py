"""Encodings that leave the process."""

from sottovoce.wire.channels import describe, restore
from sottovoce.wire.reports import Body, body, lines, reports_of

__all__ = ["Body", "body", "describe", "lines", "reports_of", "restore"]
