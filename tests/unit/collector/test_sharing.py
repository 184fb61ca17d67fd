"""Pages of other origins: which answers they may read."""

from __future__ import annotations

from collectors import Hosting, added, named
from sottovoce.store import Role


def test_only_what_everybody_may_use_is_shared(url: str, hosting: Hosting) -> None:
    added(url, named("ldp"))
    with hosting(origins="https://a.example") as served, served.client(headers={"origin": "https://a.example"}) as client:
        shared = "access-control-allow-origin"
        for path in ("/studies", "/studies/ldp", "/static/sottovoce.js"):
            assert client.get(path).headers[shared] == "https://a.example"
        assert client.post("/studies/ldp/reports", content=b"{}").headers[shared] == "https://a.example"  # also refusals can be read
        token = served.token(Role.ANALYST, "ldp")
        for path in ("/", "/s/ldp", "/d/ldp", "/studies/ldp/estimate", "/studies/ldp/tally", "/studies/ldp/export", "/metrics", "/nothing"):
            assert shared not in client.get(path, headers=token).headers, path
        early = client.options("/studies/ldp/reports", headers={"access-control-request-method": "POST"})
        assert early.status_code == 204
        assert "access-control-allow-methods" not in early.headers  # GET and POST need no naming; PATCH and DELETE are not for pages
        assert client.options("/studies/ldp/export").status_code == 405
        assert client.options("/studies/ldp/reports", headers={"origin": "https://b.example"}).status_code == 405
        assert shared not in client.get("/studies/ldp", headers={"origin": "https://b.example"}).headers
        admin = served.token(Role.ADMIN)
        for method, path in (("POST", "/studies"), ("PATCH", "/studies/ldp"), ("DELETE", "/studies/ldp")):
            assert shared not in client.request(method, path, headers=admin).headers, method
            assert client.options(path, headers={"access-control-request-method": method}).status_code == 405
        assert client.options("/studies//reports", headers={"access-control-request-method": "POST"}).status_code == 404
        for path, origin in (("/studies/ldp", "https://b.example"), ("/studies", "null")):
            assert client.get(path, headers={"origin": origin}).headers["vary"] == "origin"  # a cache must tell them apart


def test_devices_of_other_origins_learn_that_a_study_is_closed(url: str, hosting: Hosting) -> None:
    added(url, named("ldp"))
    with hosting(origins="https://a.example") as served, served.client(headers={"origin": "https://a.example"}) as client:
        tag = client.get("/studies/ldp").headers["etag"]
        for state, shown in (("closed", "closed"), ("open", None)):
            client.patch("/studies/ldp", json={"state": state}, headers=served.token(Role.ADMIN))
            for headers, status in (({}, 200), ({"if-none-match": tag}, 304)):
                found = client.get("/studies/ldp", headers=headers)
                assert found.status_code == status
                assert found.headers["etag"] == tag
                assert found.headers.get("sottovoce-state") == shown
                assert "sottovoce-state" in found.headers["access-control-expose-headers"]


def test_two_origins_are_none(url: str, hosting: Hosting) -> None:
    added(url, named("ldp"))
    with hosting(origins="https://a.example") as served, served.client() as client:
        answer = client.get("/studies/ldp", headers=[("origin", "https://a.example")] * 2)
    assert answer.status_code == 200
    assert answer.headers["vary"] == "origin"
    assert "access-control-allow-origin" not in answer.headers
