"""The interface that a collector describes is the one that it has."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig
from schemathesis.core.control import SkipTest
from schemathesis.specs.openapi.checks import ignored_auth, negative_data_rejection, positive_data_acceptance

from collectors import (
    Served,
    named,
    recounted,
)
from sottovoce.store import Role
from studies import STUDIES


def the_interface_keeps_what_it_describes(served: Served, mode: str, examples: int, *, token: bool) -> None:
    """Schemathesis over the OpenAPI document: statuses, types and schemas of all answers, for good and bad requests."""
    with served.client() as client:
        document = client.get("/openapi.json").json()
    config = SchemathesisConfig.from_dict({"generation": {"mode": mode}})
    schema: Any = schemathesis.openapi.from_dict(document, config=config)
    schema.config.base_url = served.address
    headers = served.token(Role.ADMIN) if token else {}
    excluded = [positive_data_acceptance, negative_data_rejection, *([ignored_auth] if token else [])]
    names, count = sorted(named(kind).name for kind in STUDIES), 0
    for result in schema.get_all_operations():
        operation = result.ok()
        if token and operation.method.upper() == "DELETE":
            continue  # it would delete the studies of the other cases, and is tested by name

        @settings(max_examples=examples, phases=[Phase.generate], suppress_health_check=list(HealthCheck), deadline=None, derandomize=True)
        @given(case=operation.as_strategy(generation_mode=GenerationMode(mode)))
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
    assert count > 5 * examples
    recounted(served.url, *(named(kind).name for kind in STUDIES))
