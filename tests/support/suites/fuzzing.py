"""Bodies that are no reports, thrown at a collector: no 5xx, nothing stored that no device sent, no memory that grows."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from functools import cache
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from collectors import (
    ARROW,
    JSON,
    NDJSON,
    Served,
    bodies,
    connected,
    exchange,
    named,
    recounted,
    request,
    some_reports,
)
from sottovoce.store import Store
from sottovoce.wire import stream
from studies import STUDIES

#: How many bodies hypothesis makes at a time. Each request carries one.
GROUP = 50
FIELDS = ("study", "id", "report", "level")


@cache
def values() -> st.SearchStrategy[Any]:
    """Values of all kinds, some of them what reports are made of."""
    scalars = st.one_of(
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
    return st.recursive(
        scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4), max_leaves=12
    )


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
                each[key] = draw(values())
            elif change == "drop":
                each.pop(key, None)
            elif change == "add":
                each[draw(st.text(max_size=8))] = draw(values())
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


def bodies_of_every_kind(served: Served, count: int) -> None:
    """Throw so many bodies at a collector, many at a time, over connections that stay open. What is answered 200 is what is stored."""
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
