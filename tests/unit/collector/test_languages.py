"""The language of a survey page, from a query and a header that can be of any length."""

from __future__ import annotations

import time

from sottovoce.collector.languages import accepted, chosen, named


def test_the_first_language_of_a_query_counts() -> None:
    assert named("lang=de&lang=fr") == ["de"]
    assert named("utm_source=a&lang=zh%2DHans") == ["zh-Hans"]
    for query in ("", "slang=de", "lang=", "x=lang=de", f"lang={'a' * 36}", f"lang={'%61' * 36}", "lang"):
        assert named(query) == []


def test_long_requests_cost_little() -> None:
    own = [f"x{number}" for number in range(50)]
    start = time.perf_counter()
    for _ in range(20):
        chosen(own, [*named("&".join(["lang=q"] * 4600)), *accepted(",".join(["a;q=" + "1" * 400] * 70))])
    assert (time.perf_counter() - start) / 20 < 0.01


def test_headers_are_bounded() -> None:
    assert accepted("de, " + "x" * 30_000)[0] == "de"
    assert len("".join(accepted("," * 10 + "x" * 30_000))) <= 1000
