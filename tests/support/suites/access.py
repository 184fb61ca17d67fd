"""Who may do what: the wrong token is refused with the right status, and nothing changes.

The unit tests run this suite on the application in their own process, on SQLite. The system tests run it on a server with PostgreSQL.
A test file that imports it defines the fixture `served`: a collector with the studies of `mine_and_other` and 100 reports of each.
"""

from __future__ import annotations

import json

import httpx
from sqlalchemy import select

from collectors import JSON, Running, bodies, named, some_reports
from sottovoce.collector.routes import ROUTES
from sottovoce.store import Receipt, Role, Store, schema
from stores import arrival, opened


def mine_and_other(url: str) -> None:
    """Put the studies `mine` and `other` into a store, with 100 reports of each."""
    store, entries = opened(url, named("ldp", "mine"), named("uldp", "other"))
    for entry in entries:
        assert store.write([arrival(entry, some_reports(entry.study, 100))]) == [Receipt(100, 0)]
    store.close()


def everything(url: str) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables, the audit left out."""
    store = Store(url)
    with store.dialect.reading() as connection:
        rows = {
            table.name: sorted((tuple(row) for row in connection.execute(select(table)).all()), key=repr)
            for table in schema.metadata.sorted_tables
            if table.name not in {"audit", "tokens"}
        }
    store.close()
    return rows


def tokens(served: Running) -> dict[str, tuple[dict[str, str], set[int]]]:
    """Headers that open nothing of the study 'mine' to an administrator, and the statuses that they may get."""
    store = Store(served.url)
    revoked, made = store.access.new_token(Role.ADMIN, ["*"])
    store.access.revoke(made.name)
    good, _ = store.access.new_token(Role.ADMIN, ["mine"])
    store.close()
    swapped = good[:-2] + ("00" if good[-2:] != "00" else "11")
    return {
        "none": ({}, {401}),
        "wrong": ({"authorization": f"Bearer {swapped}"}, {401}),
        "revoked": ({"authorization": f"Bearer {revoked}"}, {401}),
        "empty": ({"authorization": "Bearer"}, {401}),
        "basic": ({"authorization": f"Basic {good}"}, {401}),
        "long": ({"authorization": "Bearer " + "a" * 20_000}, {401}),
        "sql": ({"authorization": "Bearer sv_' OR 1=1 --_" + "0" * 64}, {401}),
        "a ticket": ({"authorization": f"Ticket {good}"}, {401}),
        "of another study": (served.token(Role.ANALYST, "other"), {403}),
        "admin of another study": (served.token(Role.ADMIN, "other"), {403}),
        "monitor": (served.token(Role.MONITOR), {403}),
    }


def test_only_the_right_token_opens_a_study(served: Running) -> None:
    before = everything(served.url)
    calls = [
        ("GET", "/studies/mine/tally", None),
        ("GET", "/studies/mine/estimate", None),
        ("GET", "/studies/mine/outlook", None),
        ("GET", "/studies/mine/export", None),
        ("POST", "/studies", named("grid", "sneaked-in").compile()),
        ("PATCH", "/studies/mine", {"state": "closed"}),
        ("DELETE", "/studies/mine", None),
        ("POST", "/studies/mine/tickets", {"count": 1}),
        ("POST", "/studies/mine/recount", None),
        ("GET", "/audit", None),
    ]
    guarded = {(route.method, route.path.replace("{name}", "mine")) for route in ROUTES if route.role and route.path != "/metrics"}
    assert guarded == {(method, path) for method, path, _ in calls}
    with served.client() as client:
        for what, (headers, statuses) in tokens(served).items():
            for method, path, data in calls:
                confirmed = {"if-match": named("ldp", "mine").fingerprint} if method == "DELETE" else {}
                answer = client.request(method, path, json=data, headers=headers | confirmed)
                assert answer.status_code in statuses, (what, method, path, answer.text)
        analyst = served.token(Role.ANALYST, "mine")
        for method, path, data in calls:
            answer = client.request(method, path, json=data, headers=analyst | {"if-match": named("ldp", "mine").fingerprint})
            assert answer.status_code == (200 if path.endswith(("tally", "estimate", "outlook", "export")) else 403), (method, path)
        assert client.get("/metrics").status_code == 401
        assert client.get("/metrics", headers=analyst).status_code == 403
        assert client.get("/metrics", headers=served.token(Role.MONITOR)).status_code == 200
    assert everything(served.url) == before


def test_a_revoked_token_is_closed_at_once(served: Running) -> None:
    store = Store(served.url)
    secret, made = store.access.new_token(Role.ANALYST, ["mine"])
    headers = {"authorization": f"Bearer {secret}"}
    with served.client() as client:
        assert client.get("/studies/mine/tally", headers=headers).status_code == 200
        store.access.revoke(made.name)
        assert client.get("/studies/mine/tally", headers=headers).status_code == 401
    store.close()


INJECTIONS = (
    "' OR '1'='1",
    "mine'; DROP TABLE studies; --",
    '"; DELETE FROM ids; --',
    "mine\x00",
    "%s%s%s",
    "${jndi:ldap://x}",
    "../../etc/passwd",
    ":name",
    "{0}",
)


def test_injections_are_only_text(served: Running) -> None:
    before = everything(served.url)
    study = named("ldp", "mine")
    good = json.loads(bodies(study, some_reports(study, 1))[0])
    admin = served.token(Role.ADMIN)
    with served.client() as client:
        for text in INJECTIONS:
            for path in (f"/studies/{text}", f"/studies/{text}/estimate", f"/problems/{text}"):
                try:
                    url = client.build_request("GET", path).url
                except httpx.InvalidURL:
                    continue
                assert client.get(url, headers=admin).status_code in {400, 404}
            for change in ({"id": text}, {"report": text}, {"level": text}, {"study": text}):
                answer = client.post("/studies/mine/reports", content=json.dumps(good | change), headers={"content-type": JSON})
                assert answer.status_code in {409, 422}, answer.text
            assert client.get("/studies/mine/estimate", params={"method": text}, headers=admin).status_code == 422
            assert client.patch("/studies/mine", json={"state": text}, headers=admin).status_code == 422
    assert everything(served.url) == before
