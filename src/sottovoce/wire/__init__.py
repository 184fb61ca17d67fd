"""Reports and channels as JSON and Arrow, for other processes and languages."""

from typing import TYPE_CHECKING

from sottovoce.later import exports

if TYPE_CHECKING:
    from sottovoce.wire.arrow import STUDY_KEY, read_stream, schema_of, stream
    from sottovoce.wire.channels import describe, restore
    from sottovoce.wire.reports import (
        AnotherStudyError,
        Body,
        Records,
        bodies,
        body,
        is_list,
        line_parts,
        lines,
        listed,
        of_study,
        reports_of,
    )

__all__ = [
    "STUDY_KEY",
    "AnotherStudyError",
    "Body",
    "Records",
    "bodies",
    "body",
    "describe",
    "is_list",
    "line_parts",
    "lines",
    "listed",
    "of_study",
    "read_stream",
    "reports_of",
    "restore",
    "schema_of",
    "stream",
]

_PLACES = {
    "STUDY_KEY": "arrow",
    "read_stream": "arrow",
    "schema_of": "arrow",
    "stream": "arrow",
    "describe": "channels",
    "restore": "channels",
    "AnotherStudyError": "reports",
    "Body": "reports",
    "Records": "reports",
    "bodies": "reports",
    "body": "reports",
    "line_parts": "reports",
    "lines": "reports",
    "is_list": "reports",
    "listed": "reports",
    "of_study": "reports",
    "reports_of": "reports",
}

__getattr__ = exports(__name__, _PLACES)
