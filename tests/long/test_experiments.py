"""Committed results are measured again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from experiments.data import Data
from experiments.page import Results
from experiments.papers import NAMES, paper_of
from experiments.running import Request, jobs_of, measured
from paths import ROOT

COMMITTED = ROOT / "docs" / "reproduction"


@pytest.mark.parametrize("name", NAMES)
def test_committed_cells_are_measured_again(name: str) -> None:
    """The first cell of each committed table comes out as it stands there, measured by workers, as the table was."""
    paper = paper_of(name)
    found = {each.name: (each, frame) for each, frame, _ in Results(paper, COMMITTED).found.values() if not each.timed}
    jobs = [next(jobs_of(paper, experiment, Request(COMMITTED, full=True), Data())) for experiment, _ in found.values()]
    for job, kept in measured(jobs, 2):
        fresh, frame = pd.DataFrame(kept.rows), found[job.experiment][1]
        stands = frame.head(len(fresh))
        for column in job.setting:
            assert stands[column].nunique(dropna=False) == 1
        assert fresh["metric"].tolist() == stands["metric"].tolist()
        np.testing.assert_allclose(fresh["mean"].astype(float), stands["mean"].astype(float), rtol=1e-8, atol=1e-14)
