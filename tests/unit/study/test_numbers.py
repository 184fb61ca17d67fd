"""Numbers and scales in study files, compiled studies and files of answers."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import sottovoce as sv
from files import codes_of, write
from messages import refused
from sottovoce.batch.perturbing import perturb_file
from sottovoce.policy import Promise
from studies import HEAD, STUDIES

PRIVACY = '[privacy]\nnotion = "ldp"\nepsilon = 1.0\n[mechanism]\nname = "krr"\n'


def asked(line: str) -> sv.Study:
    return sv.Study.from_toml(f"{HEAD}{line}\n{PRIVACY}")


@pytest.mark.parametrize(
    ("line", "domain"),
    [
        ("numbers = {from = 18, to = 100, bins = 41}", lambda: sv.Domain.numbers(18, 100, bins=41)),
        ("numbers = {from = 10, to = 1000, bins = 20, log = true}", lambda: sv.Domain.numbers(10, 1000, bins=20, log=True)),
        ("numbers = {from = 18, to = 100, bins = 41, whole = true}", lambda: sv.Domain.numbers(18, 100, bins=41, whole=True)),
        ("numbers = {edges = [-inf, 0, 0.5, inf]}", lambda: sv.Domain.numbers(edges=[-math.inf, 0, 0.5, math.inf])),
        ('scale = ["never", "sometimes", "always"]', lambda: sv.Domain.scale(["never", "sometimes", "always"])),
        ("scale = [1, 5]", lambda: sv.Domain.scale(1, 5)),
        ("scale = [-1, 0, 1]", lambda: sv.Domain.scale(-1, 1)),
    ],
)
def test_a_study_and_its_compiled_form_have_the_same_domain(line: str, domain: object) -> None:
    study = asked(line)
    assert callable(domain)
    assert study.domain == domain()
    again = sv.Study.from_json(json.dumps(study.compile()))
    assert again.domain == study.domain
    assert again.fingerprint == study.fingerprint
    assert again.domain.ordered


def test_an_order_is_part_of_the_fingerprint() -> None:
    assert asked('scale = ["a", "b"]').fingerprint != asked('items = ["a", "b"]').fingerprint


def test_axes_keep_their_order_when_compiled() -> None:
    domain = sv.Domain.product(age=sv.Domain.numbers(0, 100, bins=4), mood=sv.Domain.scale(["bad", "good"]), sex=["f", "m"])
    promise = Promise.of(domain, 1.0, None, None, None, None, "ldp")
    study = sv.Study("people", "Who?", domain, {"": promise}, sv.krr(domain, 1.0))
    again = sv.Study.from_json(json.dumps(study.compile()))
    assert again.domain == domain
    assert [axis.ordered for axis in again.domain.axes] == [True, True, False]


def test_a_sensitive_range_covers_the_bins_that_it_touches() -> None:
    study = sv.Study.from_toml(STUDIES["numbers"])
    assert study.promises[""] is not None
    assert list(study.promises[""].sensitive) == ["under 18", "18 to under 30.5"]
    for bad in ("{from = 0}", "{from = 30, to = 20}", '{from = "0", to = 20}', "{from = 0, to = 20, by = 1}"):
        with refused(sv.StudyError, "sensitive"):
            sv.Study.from_toml(STUDIES["numbers"].replace("{from = 0, to = 20}", bad))


def test_numbers_in_files_are_binned_clipped_and_counted(tmp_path: Path) -> None:
    study = asked("numbers = {from = 18, to = 100, bins = 41}")
    path = write(tmp_path / "a.csv", 'answer\n17\n30\nabc\n\n45.5\n120\n1e3\nnan\ninf\n"30 to under 32"\n-3\n')
    codes, skipped = codes_of(study, path)
    assert codes == [0, 6, 13, 40, 40, 6, 0]
    assert skipped.clipped == (2, 2)
    assert skipped.reasons == {"it isn't a number": 3, "it is empty": 1}
    assert skipped.examples["it isn't a number"] == [
        f"{path}, line {line}: {text!r}" for line, text in ((4, "abc"), (9, "nan"), (10, "inf"))
    ]


def test_a_long_column_of_numbers_is_read_as_it_is_encoded(tmp_path: Path) -> None:
    study = asked("numbers = {edges = [0, 1, 10, 100, inf]}")
    values = np.random.default_rng(1).lognormal(2, 2, 5000).round(4)
    path = write(tmp_path / "a.csv", "\n".join(map(str, values.tolist())) + "\n")  # without a header
    codes, skipped = codes_of(study, path)
    assert codes == study.domain.encode(values).tolist()
    assert skipped.count == 0
    assert skipped.clipped == (0, 0)


def test_clipped_numbers_are_mentioned_by_the_command(tmp_path: Path) -> None:
    study = asked("numbers = {from = 18, to = 100, bins = 41}")
    found = perturb_file(
        study, str(write(tmp_path / "a.csv", "answer\n17\n30\n120\n")), str(tmp_path / "r.ndjson"), source=sv.SeededSource(1)
    )
    assert found.clipped == (1, 1)
    assert found.used == 3


@pytest.mark.parametrize(
    "line",
    [
        'numbers = "18-100"',
        "numbers = {from = 18, to = 100, bins = 41, step = 2}",
        "numbers = {from = 18, to = inf, bins = 41}",
        "numbers = {from = true, to = 100, bins = 41}",
        'numbers = {from = "18", to = 100, bins = 41}',
        'numbers = {from = 18, to = 100, bins = "41"}',
        "numbers = {from = 18, to = 100, bins = 41, log = 1}",
        "numbers = {from = 18, to = 100, bins = 41, whole = 1}",
        "numbers = {from = 0, to = 10, bins = 41, whole = true}",
        "numbers = {edges = [1, nan, 3]}",
        "numbers = {edges = 5}",
        "scale = 5",
        "scale = [5, 1]",
        "scale = []",
        'scale = ["a", "a"]',
        "scale = [1.5, 3]",
    ],
)
def test_numbers_and_scales_that_are_none_are_refused_with_their_line(line: str) -> None:
    with refused(sv.StudyError, "line 3"):
        asked(line)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("numbers = {from = nan, to = 5, bins = 3}", "from"),
        ("numbers = {from = 18, to = nan, bins = 3}", "to"),
        ("numbers = {from = 18, to = 5, bins = 3}", "from"),
        ("numbers = {from = 18, to = 100, bins = 1}", "bins"),
        ("numbers = {edges = [inf, 5, 7]}", "edges"),
    ],
)
def test_the_key_that_is_wrong_is_named(line: str, key: str) -> None:
    with refused(sv.StudyError, f"[numbers] {key}:"):
        asked(line)
