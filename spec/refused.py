"""Studies that every client must refuse: what is done to good ones, each with a fingerprint that fits unless that is what is wrong."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import sottovoce as sv
from sottovoce.study.compiled import fingerprint_of
from studies import STUDIES


def refused() -> Iterator[tuple[str, dict[str, Any]]]:
    """Studies that every client must refuse, with a fingerprint that fits unless that is what is wrong."""
    for kind, text in STUDIES.items():
        yield f"broken-promise-{kind}", _changed(kind, _promise_more)
        yield f"fingerprint-{kind}", sv.Study.from_toml(text).compile() | {"question": "What else?"}
    for name, kind, change in CHANGES:
        yield name, _changed(kind, change)


def _changed(kind: str, change: Callable[[Any], Any]) -> dict[str, Any]:
    form = copy.deepcopy(sv.Study.from_toml(STUDIES[kind]).compile())
    change(form)
    own = {key: value for key, value in form.items() if key not in {"promise", "fingerprint"}}
    return form | {"fingerprint": fingerprint_of(own)}


def _promise_more(form: Any) -> None:
    """Promise a hundredth more than the tables keep (those of the given matrix keep more than they must)."""
    less = 0.7 if form["blocks"][0]["channel"]["kind"] == "matrix" and form["blocks"][0]["mechanism"] == "from_matrix" else 0.99
    for block in form["blocks"]:
        privacy = block["privacy"] or {}
        if "epsilon" in privacy:
            privacy["epsilon"] = repr(float(privacy["epsilon"]) * less)
        if "budgets" in privacy:
            privacy["budgets"] = [None if each is None else repr(float(each) * less) for each in privacy["budgets"]]


def put(path: str, value: Any) -> Callable[[Any], Any]:
    """A change of one place of the form."""

    def change(form: Any) -> None:
        *way, last = (int(step) if step.isdecimal() else step for step in path.split("."))
        for step in way:
            form = form[step]
        form[last] = value

    return change


def drop(path: str) -> Callable[[Any], Any]:
    """A change that takes one place out of the form."""

    def change(form: Any) -> None:
        *way, last = (int(step) if step.isdecimal() else step for step in path.split("."))
        for step in way:
            form = form[step]
        del form[last]

    return change


def _shift(path: str, places: tuple[int, int], amount: int) -> Callable[[Any], Any]:
    """A change that moves probability from one entry of a table to another."""

    def change(form: Any) -> None:
        for step in path.split("."):
            form = form[int(step) if step.isdecimal() else step]
        for place, sign in zip(places, (1, -1), strict=True):
            form[place] = str(int(form[place]) + sign * amount)

    return change


def _hush(form: Any) -> None:
    """Give the noise of the first report to the second."""
    noise = form["blocks"][0]["channel"]["noise"]
    noise[:2] = "0", str(int(noise[0]) + int(noise[1]))


_CHANNEL, _PRIVACY = "blocks.0.channel", "blocks.0.privacy"
_WHOLE = str(1 << 64)
_IDENTITY = {"kind": "direct", "truth": _WHOLE, "noise": ["0"] * 5}


def _shows(**privacy: Any) -> Callable[[Any], Any]:
    """A study that shows every answer as it is, under a promise that says nothing where it should."""
    return lambda form: form["blocks"][0].update(privacy=privacy, channel=_IDENTITY)


#: Names, kinds of studies, and what is done to them.
CHANGES: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("version", "ldp", put("sottovoce", 2)),
    ("unknown-key", "ldp", put("extra", 1)),
    ("unknown-key-of-a-block", "ldp", put("blocks.0.extra", 1)),
    ("unknown-key-of-a-channel", "years", put(f"{_CHANNEL}.extra", 1)),
    ("unknown-key-of-privacy", "ldp", put(f"{_PRIVACY}.extra", 1)),
    ("unknown-key-of-the-domain", "ldp", put("domain.extra", 1)),
    ("no-blocks", "ldp", drop("blocks")),
    ("empty-blocks", "ldp", put("blocks", [])),
    ("no-privacy", "ldp", drop(_PRIVACY)),
    ("no-channel", "ldp", drop(_CHANNEL)),
    ("no-noise", "years", drop(f"{_CHANNEL}.noise")),
    ("no-name", "ldp", drop("name")),
    ("bad-name", "ldp", put("name", "../etc")),
    ("name-of-a-number", "ldp", put("name", 7)),
    ("question-of-a-number", "ldp", put("question", 7)),
    ("no-reports", "ldp", put("reports", 0)),
    ("too-many-reports", "ldp", put("reports", 1001)),
    ("one-report-more", "ldp", put("reports", 2)),
    ("several-reports-under-a-prior", "lip", put("reports", 2)),
    ("several-reports-under-ipldp", "ipldp", put("reports", 2)),
    ("nothing-promised", "ldp", put(_PRIVACY, None)),
    ("unknown-notion", "ldp", put(f"{_PRIVACY}.notion", "trust-me")),
    ("epsilon-zero", "ldp", put(f"{_PRIVACY}.epsilon", "0")),
    ("epsilon-infinite", "ldp", put(f"{_PRIVACY}.epsilon", "inf")),
    ("epsilon-not-a-number", "ldp", put(f"{_PRIVACY}.epsilon", "nan")),
    ("no-epsilon", "ldp", drop(f"{_PRIVACY}.epsilon")),
    ("another-sensitive-item", "uldp", put(f"{_PRIVACY}.sensitive", [0, 1, 2, 3])),
    ("unknown-sensitive-item", "uldp", put(f"{_PRIVACY}.sensitive", [0, 1, 2, 9])),
    ("uldp-called-ldp", "uldp", lambda form: form["blocks"][0].update(privacy={"notion": "ldp", "epsilon": "1.0"})),
    ("ipldp-called-minid", "ipldp", put(f"{_PRIVACY}.notion", "minid")),
    ("another-item-with-a-budget", "ipldp", put(f"{_PRIVACY}.budgets.3", "1.0")),
    ("budgets-of-other-items", "ipldp", put(f"{_PRIVACY}.budgets", ["0.1", "0.5"])),
    ("a-budget-of-nothing", "minid", put(f"{_PRIVACY}.budgets.0", None)),
    ("prior-of-other-items", "lip", put(f"{_PRIVACY}.prior", {"weights": ["1", "1"], "total": "2"})),
    ("prior-does-not-sum", "lip", put(f"{_PRIVACY}.prior.total", "99999999999999999999")),
    ("another-prior", "lip", put(f"{_PRIVACY}.prior", {"weights": ["1", "1", "98"], "total": "100"})),
    ("prior-with-a-zero", "lip", put(f"{_PRIVACY}.prior", {"weights": ["0", "50", "50"], "total": "100"})),
    ("tags-without-inputs", "uldp", put(f"{_PRIVACY}.tags", ["home"])),
    ("tags-taken-away", "tags", drop(f"{_PRIVACY}.tags")),
    ("tags-alike", "tags", put(f"{_PRIVACY}.tags", ["home", "home"])),
    ("levels-alike", "levels", put("blocks.1.level", "careful")),
    ("level-without-a-name", "levels", put("blocks.1.level", "")),
    ("no-level-protects", "levels", lambda form: [block.update(privacy=None) for block in form["blocks"]]),
    ("items-alike", "ldp", put("domain.items.1", "hiv")),
    ("items-written-alike", "ldp", put("domain", {"items": ["1", 1, "b", "c", "d"]})),
    ("one-item-less", "ldp", put("domain", {"items": ["a", "b", "c", "d"]})),
    ("one-item", "ldp", put("domain", {"items": ["a"]})),
    ("no-items", "ldp", put("domain", {})),
    ("a-grid-backwards", "grid", put("domain.grid.0.high", "40.0")),
    ("a-grid-of-no-numbers", "grid", put("domain.grid.0.low", "nan")),
    ("map-with-a-place-outside", "map", put("domain.map.places.0.1", 4097)),
    ("map-with-a-place-without-a-name", "map", put("domain.map.places.0.0", " ")),
    ("map-with-a-place-twice", "map", put("domain.map.places.1.0", "Times Square")),
    ("map-that-leaves-its-box", "map", put("domain.map.shapes.0", [1, 0, 0, 10, 0, 0, -10])),
    ("map-with-half-a-point", "map", put("domain.map.shapes.0", [1, 0, 0, 10, 0, 0, 10, 7])),
    ("map-with-a-line-of-two-points", "map", put("domain.map.shapes.0", [1, 0, 0, 10, 0])),
    ("map-of-neither-land-nor-water", "map", put("domain.map.shapes.0.0", 2)),
    ("map-of-nothing", "map", put("domain.map", {"credit": "No one"})),
    ("map-with-an-unknown-key", "map", put("domain.map.roads", [[0, 0, 1, 1]])),
    ("map-without-a-grid", "ldp", put("domain.map", {"places": [["Here", 1, 1]]})),
    ("axes-alike", "axes", put("domain.axes.1.name", "sex")),
    ("unknown-channel", "ldp", put(f"{_CHANNEL}.kind", "psychic")),
    ("not-a-channel", "ldp", put(_CHANNEL, "krr")),
    ("direct-sum", "years", put(f"{_CHANNEL}.noise.1", "7")),
    ("direct-number-not-text", "years", put(f"{_CHANNEL}.noise.0", 7)),
    ("direct-negative", "years", _shift(f"{_CHANNEL}.noise", (0, 1), -(1 << 63))),
    ("direct-above", "years", put(f"{_CHANNEL}.truth", "36893488147419103232")),
    ("unary-against-its-item", "integers", put(f"{_CHANNEL}.present.0", "1")),
    ("unary-always", "integers", put(f"{_CHANNEL}.present.0", _WHOLE)),
    ("unary-lengths", "integers", put(f"{_CHANNEL}.absent", ["1", "1"])),
    ("unary-one-item-told-more", "integers", put(f"{_CHANNEL}.absent.3", "1000")),
    ("subset-too-large", "three-reports", put(f"{_CHANNEL}.chosen", 6)),
    ("subset-against-its-item", "three-reports", put(f"{_CHANNEL}.include", "1")),
    ("subset-always", "three-reports", put(f"{_CHANNEL}.include", _WHOLE)),
    ("hadamard-blocks", "hadamard", put(f"{_CHANNEL}.block", 3)),
    ("hadamard-room", "hadamard", put(f"{_CHANNEL}.items", 3000)),
    ("hadamard-always", "hadamard", put(f"{_CHANNEL}.include", _WHOLE)),
    ("hashed-uneven", "olh", _shift(f"{_CHANNEL}.noise", (0, 1), 1000)),
    ("hash-tables-three", "lh_lip", lambda form: form["blocks"][0]["channel"]["tables"].__delitem__(slice(3, None))),
    ("hash-tables-told-more", "lh_lip", put(f"{_CHANNEL}.tables.0.noise", ["0", "0"])),
    ("matrix-sum", "matrix", put(f"{_CHANNEL}.rows.0.0", "1")),
    ("matrix-ragged", "matrix", put(f"{_CHANNEL}.rows.0", [_WHOLE])),
    ("matrix-told-more", "matrix", _shift(f"{_CHANNEL}.rows.0", (0, 1), 1 << 61)),
    ("lifted-kept-always", "lifted", put(f"{_CHANNEL}.keep", _WHOLE)),
    ("lifted-kept-never", "lifted", put(f"{_CHANNEL}.keep", "1")),
    ("lifted-empty-kept-never", "lifted", put(f"{_CHANNEL}.keep_empty", "1")),
    ("lifted-other-items", "lifted", put(f"{_CHANNEL}.sensitive", [0, 9])),
    ("lifted-twice-the-same", "lifted", put(f"{_CHANNEL}.sensitive", [0, 0])),
    (
        "lifted-on-a-direct-channel",
        "lifted",
        put(f"{_CHANNEL}.base", {"kind": "direct", "truth": "1", "noise": [str((1 << 64) - 2), "1"]}),
    ),
    ("budgets-of-null", "item_uldp", _shows(notion="item_uldp", budgets=None)),
    ("budgets-of-zero", "item_uldp", _shows(notion="item_uldp", budgets=0)),
    ("budgets-of-null-under-ipldp", "ipldp", _shows(notion="ipldp", budgets=None)),
    ("budgets-of-null-under-minid", "ldp", _shows(notion="minid", budgets=None)),
    ("budgets-that-are-empty", "ipldp", _shows(notion="ipldp", budgets=[])),
    ("tags-of-null", "uldp", _shows(notion="uldp", epsilon="1.0", tags=None)),
    ("tags-that-are-empty", "uldp", _shows(notion="uldp", epsilon="1.0", tags=[])),
    ("sensitive-of-null", "uldp", _shows(notion="uldp", epsilon="1.0", sensitive=None)),
    ("sensitive-twice", "uldp", put(f"{_PRIVACY}.sensitive", [0, 1, 1, 2])),
    ("epsilon-of-null", "ldp", _shows(notion="ldp", epsilon=None)),
    ("epsilon-that-is-empty", "ldp", _shows(notion="ldp", epsilon="")),
    ("epsilon-that-is-huge", "ldp", _shows(notion="ldp", epsilon="1e308")),
    ("epsilon-that-is-tiny", "ldp", put(f"{_PRIVACY}.epsilon", "1e-9")),
    ("prior-of-null", "lip", put(f"{_PRIVACY}.prior", None)),
    ("question-of-blanks", "ldp", put("question", "  ")),
    ("an-item-without-a-name", "ldp", put("domain.items.0", "")),
    ("an-item-that-is-true", "ldp", put("domain.items.0", value=True)),
    ("an-item-that-is-a-fraction", "ldp", put("domain.items.0", 1.5)),
    ("no-promise", "ldp", drop("promise")),
    ("edges-backwards", "numbers", put("domain.numbers.edges.2", "70.0")),
    ("edges-open-within", "numbers", put("domain.numbers.edges.2", None)),
    ("edges-that-are-numbers", "numbers", put("domain.numbers.edges.2", 30.5)),
    ("edges-missing", "numbers", drop("domain.numbers.edges")),
    ("edges-of-fewer-bins", "numbers", drop("domain.numbers.edges.1")),
    ("labels-of-other-bins", "numbers", drop("domain.numbers.labels.1")),
    ("scale-and-items", "scale", put("domain.items", ["a", "b", "c", "d"])),
    ("window-sum", "window", put(f"{_CHANNEL}.gain", "7")),
    ("window-without-noise", "window", _hush),
    ("window-wider-than-its-reports", "window", put(f"{_CHANNEL}.half", 40)),
    ("window-one-report-told-more", "window", _shift(f"{_CHANNEL}.noise", (1, 2), 1 << 55)),
    ("window-half-lifted", "window-lifted", drop(f"{_CHANNEL}.items")),
    ("window-other-items", "window-lifted", put(f"{_CHANNEL}.sensitive", [0, 1, 2, 3, 4, 99])),
    ("window-twice-the-same", "window-lifted", put(f"{_CHANNEL}.sensitive", [0, 1, 2, 3, 4, 4])),
    ("window-kept-never", "window-lifted", put(f"{_CHANNEL}.kept.0", "1")),
    ("window-kept-nothing", "window-lifted", put(f"{_CHANNEL}.kept.0", "0")),
    ("mixed-share", "uldp", put(f"{_CHANNEL}.share", "0")),
    ("mixed-parts", "uldp", lambda form: form["blocks"][0]["channel"]["parts"].pop()),
    ("mixed-parts-alike", "uldp", lambda form: form["blocks"][0]["channel"].update(parts=[form["blocks"][0]["channel"]["parts"][0]] * 2)),
    ("mixed-other-items", "uldp", put(f"{_CHANNEL}.parts.1.sensitive", [0, 1, 3])),
]
