"""What can be thrown at a collector: 5,000 bodies of hypothesis, and some thousand requests of schemathesis, over both stores."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig
from schemathesis.core.control import SkipTest
from schemathesis.specs.openapi.checks import ignored_auth, negative_data_rejection, positive_data_acceptance

from collectors import (
    Served,
    added,
    fresh_url,
    named,
    recounted,
    serving,
)
from sottovoce.store import Role
from studies import STUDIES
from suites.fuzzing import bodies_of_every_kind


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("fuzz")
    url = fresh_url(request, folder)
    added(url, *(named(kind) for kind in STUDIES))
    with serving(url, folder, body_bytes=1 << 18) as running:
        yield running


def test_bodies_of_every_kind(served: Served) -> None:
    bodies_of_every_kind(served, 2_500)


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize("token", [False, True])
def test_the_interface_keeps_what_it_describes(served: Served, mode: GenerationMode, token: bool) -> None:
    """Schemathesis over the OpenAPI document: statuses, types and schemas of all answers, for good and bad requests."""
    with served.client() as client:
        document = client.get("/openapi.json").json()
    config = SchemathesisConfig.from_dict({"generation": {"mode": mode.value}})
    schema: Any = schemathesis.openapi.from_dict(document, config=config)
    schema.config.base_url = served.address
    headers = served.token(Role.ADMIN) if token else {}
    excluded = [positive_data_acceptance, negative_data_rejection, *([ignored_auth] if token else [])]
    names, count = sorted(named(kind).name for kind in STUDIES), 0
    for result in schema.get_all_operations():
        operation = result.ok()
        if token and operation.method.upper() == "DELETE":
            continue  # it would delete the studies of the other cases, and is tested by name

        @settings(max_examples=60, phases=[Phase.generate], suppress_health_check=list(HealthCheck), deadline=None, derandomize=True)
        @given(case=operation.as_strategy(generation_mode=mode))
        def called(case: Any) -> None:
            nonlocal count
            if re.search(r"[\r\n\x00]", json.dumps(case.path_parameters or {})):
                return
            count += 1
            if count % 2 and "name" in (case.path_parameters or {}):
                case.path_parameters["name"] = names[count % len(names)]  # a study that there is
            # whether a report is one of the study's is not for a schema to say, so nothing follows from a good form
            case.call_and_validate(headers=headers, excluded_checks=excluded, timeout=30)

        with suppress(SkipTest):  # an address without parameters cannot be asked wrongly
            called()
    assert count > 300
    recounted(served.url, *(named(kind).name for kind in STUDIES))
