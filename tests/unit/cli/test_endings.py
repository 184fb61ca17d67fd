"""How commands end when they are interrupted, or when no one reads what they print."""

from __future__ import annotations

from pathlib import Path

import pytest

from invoking import as_json, complaint, run
from sottovoce.batch import perturbing


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt, 130), (BrokenPipeError, 141), (MemoryError, None)])
def test_errors_from_outside(error: type[BaseException], code: int | None, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They have exit codes of their own, and what isn't foreseen is not hidden."""

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(perturbing, "perturb_file", fail)
    if code is None:
        with pytest.raises(error):
            run(place, "perturb", "answers.csv", "-o", "r.parquet")
        return
    said = complaint(place, "perturb", "answers.csv", "-o", "r.parquet", code=code)
    if code == 141:
        assert said == ""
    else:
        assert as_json(place, "perturb", "answers.csv", "-o", "r.parquet", code=code)["code"] == code
