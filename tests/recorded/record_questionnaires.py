"""Record questionnaires, submissions and estimates of this version, so that later versions can be compared with it.

    python tests/recorded/record_questionnaires.py FOLDER

Don't record the files beside this script again to make a test pass: what they contain is in the hands of users.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import sottovoce as sv
from sottovoce.batch.collecting import collect
from sottovoce.batch.tally_files import save_tally
from sottovoce.batch.writers import writing_reports
from sottovoce.store import Arrival, Store
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.wire import lines, stream

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

from collectors import some_reports
from stores import arrival
from studies import QUESTIONNAIRES

#: Submissions of each questionnaire, and how many of them as a stream of Arrow too.
SUBMISSIONS, FEW = 120, 20


def figures(study: Questionnaire, tally: sv.Tally) -> dict[str, list[float]]:
    """The shares of every field, rounded so that another processor computes the same."""
    return {name: np.round(each.p, 9).tolist() for name, each in study.estimates(tally).items()}


def record(folder: Path, store: Store, text: str) -> None:
    folder.mkdir(parents=True)
    study = sv.Study.from_toml(text)
    assert isinstance(study, Questionnaire)
    reports = some_reports(study, SUBMISSIONS)
    (folder / "study.toml").write_text(text)
    (folder / "study.json").write_text(json.dumps(study.compile(), indent=1) + "\n")
    (folder / "reports.ndjson").write_bytes(lines(study.fingerprint, reports))
    (folder / "few.arrow").write_bytes(stream(study.fingerprint, study.mechanism, reports[:FEW]))
    with writing_reports(str(folder / "reports.parquet"), None, study) as out:
        out.write(reports)
    save_tally(str(folder / "tally.arrow"), study, sv.Tally(study.mechanism).add(reports))
    entry = store.add(study, json.dumps(study.compile()))
    sent: list[Arrival] = [arrival(entry, reports[:FEW]), arrival(entry, reports[FEW:])]
    store.write(sent)
    tally = collect(study, [str(folder / "reports.parquet")], keep=True).tally
    counts = {block.name: [block.n, block.counts.tolist()] for block in tally.blocks}
    found = {"fingerprint": study.fingerprint, "counts": counts, "estimates": figures(study, tally)}
    (folder / "expected.json").write_text(json.dumps(found) + "\n")


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)
    store = Store(str(folder / "store.sqlite"))
    store.ready()
    for kind, text in list(QUESTIONNAIRES.items())[:6]:  # those of the first recording
        record(folder / kind, store, text.replace("wellbeing", kind, 1))
    store.close()


if __name__ == "__main__":
    main()
