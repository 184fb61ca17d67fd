"""A server on SQLite takes a report, counts it, and ends when it is told to."""

from __future__ import annotations

import signal
from pathlib import Path

from collectors import JSON, added, bodies, named, recounted, serving, some_reports
from sottovoce.store import Role


def test_a_server_counts_a_report_and_ends(url: str, tmp_path: Path) -> None:
    study = named("uldp")
    added(url, study)
    (report,) = bodies(study, some_reports(study, 1))
    with serving(url, tmp_path, check=False) as served:
        with served.client() as client:
            for expected in ({"accepted": 1, "repeated": 0}, {"accepted": 0, "repeated": 1}):
                answer = client.post(f"/studies/{study.name}/reports", content=report, headers={"content-type": JSON})
                assert (answer.status_code, answer.json()) == (200, expected)
            tally = client.get(f"/studies/{study.name}/tally", headers=served.token(Role.ANALYST, study.name)).json()
            assert (tally["n"], tally["fingerprint"]) == (1, study.fingerprint)
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(30) == 0
    log = served.log.read_text()
    assert '"event": "stopped"' in log
    assert "error" not in log
    recounted(url, study.name)
    assert list(tmp_path.glob("*-wal")) == [], "everything is in the database file"
