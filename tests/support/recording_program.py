"""A program that records answers, for tests that kill it: it prints each status that it got.

Arguments: the ledger, a file with a line for each study (its URL, a tab, the compiled study), the first and the last line, and which
answer to give.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import sottovoce as sv


def said(line: str) -> None:
    """Print a line that the reader has even if this program is killed."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(ledger: str, studies: str, first: str, last: str, place: str) -> None:
    lines = Path(studies).read_text(encoding="utf-8").splitlines()
    device = sv.Device(ledger, cap=1e9, max_waiting=10_000, max_bytes=1 << 30)
    said("ready")
    for line in lines[int(first) : int(last)]:
        url, _, text = line.partition("\t")
        study = sv.Study.from_json(text, url)
        asked = device.asked(study)
        said(json.dumps(["asked", study.fingerprint, asked.form if asked else ""]))
        answers = {question.name: question.domain.item(int(place)) for question in study.questions}
        status = device.record(study, answers, url=url)
        reports = [[each.id, each.report, each.level] for each in status.reports]
        said(json.dumps(["recorded", study.fingerprint, status.state, reports]))
    device.flush(60)
    device.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
