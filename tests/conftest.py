from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from processes import answers
from studies import STUDIES

settings.register_profile("sottovoce", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("sottovoce")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a study and answers."""
    (tmp_path / "study.toml").write_text(STUDIES["uldp"])
    (tmp_path / "answers.csv").write_text("answer\n" + "\n".join(answers(4000)) + "\n")
    return tmp_path
