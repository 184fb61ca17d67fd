"""The content types that the collector accepts and sends."""

from __future__ import annotations

JSON, NDJSON = "application/json", "application/x-ndjson"
ARROW, PARQUET = "application/vnd.apache.arrow.stream", "application/vnd.apache.parquet"
PROBLEM = "application/problem+json"
HTML, TEXT = "text/html; charset=utf-8", "text/plain; charset=utf-8"
SCRIPT, STYLE, SVG = "text/javascript; charset=utf-8", "text/css; charset=utf-8", "image/svg+xml"
METRICS = "text/plain; version=0.0.4; charset=utf-8"


def media_type(content_type: str) -> str:
    """A content type without its parameters, in lower case.

    >>> media_type("Text/HTML; charset=utf-8")
    'text/html'
    """
    return content_type.partition(";")[0].strip().lower()
