"""Everything that can be thrown at the collector: no 5xx, nothing stored that no device sent, no memory that grows.

20,000 bodies of hypothesis over both stores, and some thousand requests of schemathesis.
"""

from __future__ import annotations

import asyncio
import json
import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig
from schemathesis.core.control import SkipTest
from schemathesis.specs.openapi.checks import ignored_auth, negative_data_rejection, positive_data_acceptance

from collectors import (
    ARROW,
    JSON,
    NDJSON,
    Served,
    added,
    bodies,
    connected,
    exchange,
    fresh_url,
    named,
    recounted,
    request,
    serving,
    some_reports,
)
from sottovoce.store import Role, Store
from sottovoce.wire import stream
from studies import STUDIES

#: Bodies that hypothesis makes, for each of the stores; a request carries one.
GROUP = 50


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("fuzz")
    url = fresh_url(request, folder)
    added(url, *(named(kind) for kind in STUDIES))
    with serving(url, folder, body_bytes=1 << 18) as running:
        yield running


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(0, 40),
    st.floats(),
    st.text(max_size=60),
    st.text("0123456789abcdef", min_size=30, max_size=34),
    st.binary(max_size=40).map(lambda data: b64encode(data).decode()),
    st.sampled_from([study.fingerprint for study in map(named, STUDIES)]),
    st.sampled_from(["careful", "usual", "open", "", "\ud800", "𝒳", "\x00"]),
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4), max_leaves=12
)
FIELDS = ("study", "id", "report", "level")


@st.composite
def reports_gone_wrong(draw: st.DrawFn) -> tuple[str, str, bytes]:
    """A study, a type and a body: a good report, changed in one way or another."""
    kind = draw(st.sampled_from(sorted(STUDIES)))
    study = named(kind)
    count = draw(st.integers(1, 3))
    good = [json.loads(body) for body in bodies(study, some_reports(study, count, draw(st.integers(0, 3))))]
    for each in good:
        for _ in range(draw(st.integers(0, 2))):
            change = draw(st.sampled_from(("set", "drop", "add", "another")))
            key = draw(st.sampled_from(FIELDS))
            if change == "set":
                each[key] = draw(VALUES)
            elif change == "drop":
                each.pop(key, None)
            elif change == "add":
                each[draw(st.text(max_size=8))] = draw(VALUES)
            else:
                each["report"] = json.loads(
                    bodies(named(other := draw(st.sampled_from(sorted(STUDIES)))), some_reports(named(other), 1))[0]
                )["report"]
    form = draw(st.sampled_from((JSON, NDJSON, ARROW)))
    if form == ARROW:
        body = bytearray(stream(study.fingerprint, study.mechanism, some_reports(study, count)))
        for _ in range(draw(st.integers(0, 6))):
            body[draw(st.integers(0, len(body) - 1))] = draw(st.integers(0, 255))
        return study.name, form, bytes(body)
    texts = [json.dumps(each) for each in good]
    text = "\n".join(texts) if form == NDJSON else texts[0] if count == 1 else f"[{','.join(texts)}]"
    data = bytearray(text.encode("utf-8", "surrogatepass"))
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, max(0, len(data) - 1)))
        data[place : place + draw(st.integers(0, 3))] = draw(st.binary(max_size=4))
    return study.name, form, bytes(data)


def _counted(served: Served) -> dict[str, int]:
    store = Store(served.url)
    found = {study.name: store.tally(store.entry(study.name)).n for study in map(named, STUDIES)}
    store.close()
    return found


@pytest.mark.parametrize("count", [2_500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_bodies_of_every_kind(served: Served, count: int) -> None:
    """Sent many at a time over connections that stay open; what is answered 200 is what is stored."""
    statuses: dict[int, int] = {}
    accepted = _counted(served)
    memories = list[int]()

    async def all_of(cases: list[tuple[str, str, bytes]]) -> None:
        async def share(own: list[tuple[str, str, bytes]]) -> None:
            async with connected(served.port) as (reader, writer):
                for name, form, body in own:
                    status, answer = await exchange(reader, writer, request("POST", f"/studies/{name}/reports", body, content_type=form))
                    statuses[status] = statuses.get(status, 0) + 1
                    assert status < 500, (name, form, body, answer)
                    if status == 200:
                        accepted[name] += json.loads(answer)["accepted"]
                    else:
                        assert json.loads(answer)["status"] == status

        await asyncio.gather(*[share(cases[k::5]) for k in range(5)])

    @settings(
        max_examples=count // GROUP, phases=[Phase.generate], suppress_health_check=list(HealthCheck), deadline=None, derandomize=True
    )
    @given(st.lists(reports_gone_wrong(), min_size=GROUP, max_size=GROUP))
    def thrown(cases: list[tuple[str, str, bytes]]) -> None:
        asyncio.run(all_of(cases))
        memories.append(served.memory())

    thrown()
    assert sum(statuses.values()) >= count
    assert statuses.get(200, 0) > count / 100, "some reports were good"
    assert statuses.get(422, 0) > count / 4
    assert statuses.get(409, 0) > 0
    middle = memories[len(memories) // 3]
    assert memories[-1] - middle < 40_000, f"the process grew from {middle} to {memories[-1]} KB"
    recounted(served.url, *accepted)
    store = Store(served.url)
    for name, known in accepted.items():
        entry = store.entry(name)
        assert store.tally(entry).n == known, name
        kept = store.tally(entry, keep_reports=True)
        assert kept.n == known, "all that is stored can be read as the channel's reports"
    store.close()


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
