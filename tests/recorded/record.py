"""Record what a version of sottovoce writes and computes, so that later versions can be compared with it.

    python tests/recorded/record.py FOLDER

The files beside this script were recorded before each family of channels had a folder of its own. Don't record them again to make a test
pass: what they contain is in the hands of users. This script uses only public names and commands, so it runs with older versions too.
Reports travel with random identifiers, and stores and exports shuffle them, so files differ from one recording to the next.
"""

from __future__ import annotations

import gzip
import inspect
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import numpy as np

import sottovoce as sv
from sottovoce.wire import describe, lines, stream

Form = dict[str, Any]

DOMAIN = sv.Domain(["a", "b", "c", "d", "e"])
SENSITIVE = ["a", "b", "d"]
PRIOR = [0.1, 0.15, 0.2, 0.25, 0.3]
BUDGETS = {"a": 1.0, "b": 1.3, "d": 1.7}
ALL_BUDGETS = {"a": 1.0, "b": 1.3, "c": 1.3, "d": 2.0, "e": 3.0}
#: Packages that the documentation imports names from.
PACKAGES = ("batch.spark", "channels", "checks", "errors", "report", "store", "wire")
#: How many reports are recorded of each mechanism, and how many of them as JSON and Arrow too.
REPORTS, FEW = 40, 5


def _lifted(base: Callable[..., sv.Mechanism], sensitive: list[str] = SENSITIVE, **settings: Any) -> sv.Mechanism:
    return sv.utility_optimized(base(DOMAIN.subset(sensitive), 1.0, **settings), DOMAIN)


def _matrix(domain: sv.Domain, epsilon: float) -> sv.Mechanism:
    return sv.from_matrix(domain, sv.krr(domain, epsilon).channel.matrix(), sv.LDP(epsilon))


#: Mechanisms by the names that their files have. The list stays as it is when mechanisms are added.
MECHANISMS: dict[str, Callable[[], sv.Mechanism]] = {
    "krr": partial(sv.krr, DOMAIN, 1.0),
    "rappor": partial(sv.rappor, DOMAIN, 1.0),
    "rappor-theta": partial(sv.rappor, DOMAIN, 1.0, theta=0.7),
    "oue": partial(sv.oue, DOMAIN, 1.0),
    "olh": partial(sv.olh, DOMAIN, 1.0, g=4),
    "subset_selection": partial(sv.subset_selection, DOMAIN, 1.0, size=2),
    "hadamard": partial(sv.hadamard, DOMAIN, 1.0, blocks=1),
    "hadamard-blocks": partial(sv.hadamard, DOMAIN, 1.0, blocks=4),
    "mangat": partial(sv.mangat, sv.Domain(["no", "yes"]), 1.0, "yes"),
    "urr": partial(sv.urr, DOMAIN, 1.0, SENSITIVE),
    "urap": partial(sv.urap, DOMAIN, 1.0, SENSITIVE),
    "urap-theta": partial(sv.urap, DOMAIN, 1.0, SENSITIVE, theta=0.8),
    "urap-optimal": partial(sv.urap, DOMAIN, 1.0, SENSITIVE, theta="optimal"),
    "ubd": partial(sv.ubd, sv.Domain("abcdefgh"), 1.0, "acdh"),
    "ubd-one": partial(sv.ubd, DOMAIN, 5.0, SENSITIVE),
    "ubd-all": partial(sv.ubd, DOMAIN, 1.0, DOMAIN),
    "idue": partial(sv.idue, DOMAIN, ALL_BUDGETS),
    "idue-opt1": partial(sv.idue, DOMAIN, ALL_BUDGETS, model="opt1"),
    "iprr": partial(sv.iprr, DOMAIN, BUDGETS),
    "ipue": partial(sv.ipue, DOMAIN, BUDGETS),
    "ipue-opt2": partial(sv.ipue, DOMAIN, BUDGETS, model="opt2"),
    "rr_lip": partial(sv.rr_lip, DOMAIN, 1.0, PRIOR),
    "rr_lip_published": partial(sv.rr_lip_published, sv.Domain("abc"), 1.0, [0.3, 0.3, 0.4]),
    "ue_lip": partial(sv.ue_lip, DOMAIN, 1.0, PRIOR),
    "ue_lip-bounded": partial(sv.ue_lip, DOMAIN, 1.0, priors=[PRIOR, [0.2] * 5]),
    "lh_lip": partial(sv.lh_lip, DOMAIN, 1.0, PRIOR, g=3, functions=8),
    "optimal_lip": partial(sv.optimal_lip, DOMAIN, 1.0, PRIOR),
    "optimal_lip-sum": partial(sv.optimal_lip, DOMAIN, 1.0, PRIOR, utility="sum"),
    "pum": partial(sv.pum, DOMAIN, 1.0, ["home", "work"], sensitive=["a"]),
    "pum-urap": partial(sv.pum, DOMAIN, 1.0, ["home"], sensitive=["a"], base=sv.urap),
    "from_matrix": partial(_matrix, DOMAIN, 1.0),
    "identity": partial(sv.identity, DOMAIN),
    "lift-krr": partial(_lifted, sv.krr),
    "lift-rappor": partial(_lifted, sv.rappor),
    "lift-oue": partial(_lifted, sv.oue),
    "lift-oue-one": partial(_lifted, sv.oue, ["c"]),
    "lift-olh": partial(_lifted, sv.olh),
    "lift-subset": partial(_lifted, sv.subset_selection, size=1),
    "lift-hadamard": partial(_lifted, sv.hadamard),
    "lift-matrix": partial(_lifted, _matrix),
}

_LDP = 'notion = "ldp"\nepsilon = 1.0\n'
_ULDP = 'notion = "uldp"\nepsilon = 1.0\nsensitive = ["a", "b", "d"]\n'
_LIP = 'notion = "lip"\nepsilon = 1.0\nprior = [0.1, 0.15, 0.2, 0.25, 0.3]\n'
_TAGS = 'notion = "uldp"\nepsilon = 1.0\ntags = ["home"]\nsensitive = ["a"]\n'
_SOME = 'notion = "{}"\n[privacy.budgets]\na = 1.0\nb = 1.3\nd = 1.7\n'
_ALL = 'notion = "minid"\n[privacy.budgets]\na = 1.0\nb = 1.3\nc = 1.3\nd = 2.0\ne = 3.0\n'
_ROWS = [[0.6 if x == y else 0.1 for y in range(5)] for x in range(5)]

#: Studies that name a mechanism, by their own names: what they promise, and the table of the mechanism. The vectors have the others.
STUDIES = {
    name: f'name = "{name}"\nquestion = "Which?"\nitems = ["a", "b", "c", "d", "e"]\n[privacy]\n{privacy}[mechanism]\n{mechanism}\n'
    for name, privacy, mechanism in [
        ("krr", _LDP, 'name = "krr"'),
        ("rappor", _LDP, 'name = "rappor"\ntheta = 0.7'),
        ("oue", _LDP, 'name = "oue"'),
        ("olh", _LDP, 'name = "olh"\ng = 4'),
        ("subset", _LDP, 'name = "subset_selection"\nsize = 2'),
        ("hadamard", _LDP, 'name = "hadamard"\nblocks = 4'),
        ("matrix", 'notion = "ldp"\nepsilon = 2.0\n', f'name = "from_matrix"\nmatrix = {_ROWS}'),
        ("urr", _ULDP, 'name = "urr"'),
        ("urap", _ULDP, 'name = "urap"\ntheta = "optimal"'),
        ("ubd", _ULDP, 'name = "ubd"'),
        ("lifted-subset", _ULDP, 'name = "utility_optimized"\nbase = "subset_selection"'),
        ("lifted-hadamard", _ULDP, 'name = "utility_optimized"\nbase = "hadamard"'),
        ("lifted-olh", _ULDP, 'name = "utility_optimized"\nbase = "olh"'),
        ("pum", _TAGS, 'name = "pum"'),
        ("pum-urap", _TAGS, 'name = "pum"\nbase = "urap"'),
        ("iprr", _SOME.format("ipldp"), 'name = "iprr"'),
        ("ipue", _SOME.format("item_uldp"), 'name = "ipue"\nmodel = "opt2"'),
        ("idue", _ALL, 'name = "idue"\nmodel = "opt1"'),
        ("rr-lip", _LIP, 'name = "rr_lip"'),
        ("ue-lip", _LIP, 'name = "ue_lip"'),
        ("lh-lip", _LIP, 'name = "lh_lip"\ng = 3\nfunctions = 8'),
        ("levels", 'notion = "uldp"\nsensitive = ["a", "b", "d"]\nlevels = {careful = 0.5, usual = 2.0, open = inf}\n', 'name = "ubd"'),
    ]
}

#: Studies of the store and of the files of reports: one for each kind of report, for tickets and for levels.
COLLECTED = ("krr", "oue", "olh", "ubd", "levels", "hadamard")
TICKETS, CLOSED = "hadamard", "ubd"

#: What a collector is asked about its studies.
PATHS = [
    "/studies",
    *(f"/studies/{name}{what}" for name in COLLECTED for what in ("", "/tally", "/estimate", "/estimate?method=mle&level=0.9", "/outlook")),
]

#: Arguments of plans, one for each notion.
PLANS: dict[str, Form] = {
    "ldp": {"domain": 20, "epsilon": 1.0, "n": 5000},
    "uldp": {"domain": 20, "epsilon": 1.0, "sensitive": 5, "target": 0.05},
    "tags": {"domain": 20, "epsilon": 1.0, "sensitive": 5, "tags": ["home"], "n": 5000},
    "ipldp": {"domain": 5, "budgets": {0: 0.5, 1: 1.0, 3: 2.0}, "n": 5000},
    "minid": {"domain": 5, "budgets": {0: 0.5, 1: 1.0, 2: 1.0, 3: 2.0, 4: 2.0}, "n": 5000, "target": 0.05},
    "item_uldp": {"domain": 5, "budgets": {0: 0.5, 1: 1.0, 3: 2.0}, "notion": "item_uldp", "n": 5000},
    "lip": {"domain": 5, "epsilon": 1.0, "prior": PRIOR, "n": 5000},
    "population": {"domain": 5, "epsilon": 1.0, "n": 5000, "p": PRIOR},
}


def names() -> Form:
    """The public names: the signature of each function, the public attributes of each class, the value of anything else."""
    return {
        "names": {name: _described(getattr(sv, name)) for name in sorted(sv.__all__) if name != "__version__"},
        "packages": {package: sorted(import_module(f"sottovoce.{package}").__all__) for package in PACKAGES},
        "instances": {type(each).__name__: _attributes(each) for each in _instances()},
    }


def _described(thing: Any) -> Any:
    if isinstance(thing, type):
        return {"parameters": _parameters(thing), "attributes": _attributes(thing)}
    return {"parameters": _parameters(thing)} if callable(thing) else repr(thing)


def _attributes(thing: Any) -> list[str]:
    return sorted(name for name in dir(thing) if not name.startswith("_"))


def _instances() -> Iterator[Any]:
    """Objects, which have attributes that their classes don't show."""
    sets = ("oue", "idue", "ipue", "ue_lip-bounded", "subset_selection", "ubd", "lift-oue")
    for name in (*sets, "krr", "iprr", "rr_lip", "pum", "olh", "lh_lip", "hadamard", "from_matrix", "optimal_lip"):
        made = MECHANISMS[name]()
        reports = made.channel.perturb(np.arange(9) % len(made.inputs), sv.SeededSource(7))
        yield from (made, made.channel, made.claim, reports, made.certify())
    tally = sv.Tally.simulate(sv.krr(DOMAIN, 1.0), PRIOR, 1000, sv.SeededSource(1))
    found, planned, asked = sv.estimate(tally), sv.plan(5, 1.0, n=100), sv.Study.from_toml(STUDIES["levels"])
    yield from (tally, tally.blocks[0], found, found.interval(), sv.distance(found, PRIOR), sv.losses(tally.blocks[0].mechanism, PRIOR, 9))
    yield from (planned, planned.options[0], planned.promise, asked, asked.mechanism, DOMAIN, sv.Prior.of(PRIOR))


def _parameters(thing: Callable[..., Any]) -> list[str]:
    """Names and kinds of parameters, and which of them may be left out."""
    try:
        found = inspect.signature(thing).parameters.values()
    except ValueError:
        return []
    return [f"{each.kind.name} {each.name}{'' if each.default is each.empty else ' = …'}" for each in found]


def mechanism(made: sv.Mechanism) -> Form:
    """A mechanism's channel, its levels under every notion, its reports, what is counted of them and what is estimated from them."""
    size = len(made.inputs)
    p = np.arange(1, size + 1) / np.arange(1, size + 1).sum()
    reports = made.channel.perturb(np.arange(REPORTS) % size, sv.SeededSource(7))
    kept = sv.Tally(made, keep_reports=True).add(reports)
    simulated = sv.Tally.simulate(made, p, 5000, sv.SeededSource(11))
    return {
        "name": made.name,
        "claim": _claim(made.claim),
        "channel": describe(made.channel),
        "fingerprint": made.channel.fingerprint,
        "matrix": _or_error(lambda: made.channel.matrix()),
        "likelihood": made.channel.likelihood(reports[:FEW]).tolist(),
        "levels": {name: _or_error(partial(_level, notion, made)) for name, notion in _notions(made, p).items()},
        "bytes": reports.to_bytes().hex(),
        "lines": lines("f" * 64, reports[:FEW]).decode(),
        "stream": b64encode(stream("f" * 64, made, reports[:FEW])).decode(),
        "tallies": {"kept": _tally(kept, p), "simulated": _tally(simulated, p)},
        "expected": {
            "losses": _or_error(lambda: _losses(sv.losses(made, p, 1000))),
            "worst": _or_error(lambda: sv.worst_case(made, 1000).losses.l2),
            "cramer_rao": _or_error(lambda: sv.cramer_rao(made, p, 1000, source=sv.SeededSource(3))),
            "mmse_loss": _or_error(lambda: sv.mmse_loss(made, p)),
        },
    }


def _claim(claim: sv.Notion) -> Form:
    budgets: Mapping[Any, float] = getattr(claim, "budgets", {})
    return {
        "notion": type(claim).__name__,
        "epsilon": getattr(claim, "epsilon", None),
        "sensitive": sorted(map(str, getattr(claim, "sensitive", ()))),
        "budgets": {str(item): budget for item, budget in budgets.items()},
    }


def _notions(made: sv.Mechanism, p: Any) -> dict[str, sv.Notion]:
    items = list(made.inputs)
    some = items[:2]
    return {
        "claim": made.claim,
        "ldp": sv.LDP(1.0),
        "uldp": sv.ULDP(1.0, some),
        "osldp": sv.OSLDP(1.0, some),
        "idldp": sv.IDLDP(dict.fromkeys(items, 1.0)),
        "ipldp": sv.IPLDP(dict.fromkeys(some, 1.0)),
        "item_uldp": sv.ItemULDP(dict.fromkeys(some, 1.0)),
        "lip": sv.LIP(1.0, p),
        "bounded": sv.BoundedPriorLIP(1.0, [p, p[::-1]]),
        "identifiability": sv.DifferentialIdentifiability(1.0, p),
        "leakage": sv.MaximalLeakage(1.0),
        "information": sv.MutualInformation(1.0, p),
        "pufferfish": sv.Pufferfish(1.0, [[p, p[::-1]]]),
    }


def _level(notion: sv.Notion, made: sv.Mechanism) -> Form:
    found = notion.check(made)
    return {"holds": found.holds, "level": found.level, "levels": {str(item): level for item, level in found.levels.items()}}


def _tally(tally: sv.Tally, p: Any) -> Form:
    """The bytes of a tally; every estimate from it; and the error bars of those that have their own."""
    found = {method: _estimate(tally, method, p) for method in sv.METHODS if tally.supports(method)}
    return {
        "bytes": b64encode(tally.to_bytes()).decode(),
        "estimates": {method: {"p": each.p.tolist(), "gap": each.gap, "chosen": dict(each.chosen)} for method, each in found.items()},
        "bars": {method: _bars(found[method]) for method in ("inversion", "average", "mmse") if method in found},
    }


def _estimate(tally: sv.Tally, method: str, p: Any) -> sv.Estimate:
    return sv.estimate(tally, method, prior=p) if method == "mmse" else sv.estimate(tally, method)


def _bars(found: sv.Estimate) -> Form:
    return {
        "stderr": _or_error(lambda: found.stderr),
        "interval": _or_error(lambda: np.array(found.interval(0.95))),
        "simultaneous": _or_error(lambda: np.array(found.interval(0.9, simultaneous=True))),
        "group": _or_error(lambda: np.array(found.group_interval([np.arange(len(found.p)) < 2]))),
        "covariance": _or_error(lambda: found.covariance().sum(axis=1) if found.method == "mmse" else found.covariance()[0]),
    }


def _losses(found: sv.Losses) -> Form:
    return {"l1": found.l1, "tv": found.tv, "l2": found.l2, "mse": found.mse, "per_item": found.per_item.tolist()}


def _or_error(value: Callable[[], Any]) -> Any:
    """A value as plain data, or the name of the error that says that there is none."""
    try:
        found = value()
    except sv.SottovoceError as error:
        return type(error).__name__
    return found.tolist() if isinstance(found, np.ndarray) else found


def study(text: str) -> Form:
    """A study file, and what it compiles to."""
    return {"toml": text, "compiled": sv.Study.from_toml(text).compile()}


def plan(arguments: Mapping[str, Any]) -> Form:
    """What a plan recommends, and why."""
    found: Form = sv.plan(**arguments).to_dict()
    return found


def run(*arguments: str | Path, cwd: Path) -> Any:
    """What a command prints as JSON."""
    command = [sys.executable, "-m", "sottovoce", *map(str, arguments), "--json"]
    return json.loads(subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.PIPE).stdout)


def write_files(folder: Path) -> None:
    """Reports in Parquet and NDJSON, tallies and the tallies of single files; and what was estimated from them."""
    found: Form = {}
    for name in COLLECTED:
        place = folder / name
        place.mkdir(parents=True)
        (place / "study.toml").write_text(STUDIES[name])
        head = "answer,level\n" if name == "levels" else "answer\n"
        for number, many in enumerate((40, 25)):
            rows = [f"{'abcde'[k * k % 5]}{',' + ('careful', 'usual', 'open')[k % 3] if name == 'levels' else ''}\n" for k in range(many)]
            (place / "answers.csv").write_text(head + "".join(rows))
            for ending in ("parquet", "ndjson"):
                run("perturb", "study.toml", "answers.csv", "-o", f"{number}.{ending}", "--seed", f"{number + 5}", cwd=place)
        (place / "answers.csv").unlink()
        for file in place.glob("*.parquet"):
            os.utime(file, (1_700_000_000, 1_700_000_000))
        run("tally", "study.toml", "0.parquet", "1.parquet", "--keep-reports", "-o", "kept.arrow", cwd=place)
        run("tally", "study.toml", "0.parquet", "1.parquet", "--totals", "-o", "totals.arrow", "--no-parts", cwd=place)
        found[name] = {
            "check": run("check", "study.toml", cwd=place),
            "estimate": run("estimate", "study.toml", "kept.arrow", cwd=place),
            "projected": run("estimate", "study.toml", "totals.arrow", "--method", "projected", cwd=place),
        }
    (folder / "found.json").write_text(_text(found))


def write_store(folder: Path, files: Path) -> None:
    """A store that a collector filled with the recorded reports, at the latest and at the first step; a backup; two exports."""
    folder.mkdir()
    db = ("--db", folder / "collector.sqlite")
    for name in COLLECTED:
        run("store", "add", files / name / "study.toml", *db, cwd=folder)
    run("store", "change", TICKETS, "--respondents", "tickets", *db, cwd=folder)
    used, left = run("ticket", "create", TICKETS, "--count", "2", *db, cwd=folder)["tickets"]
    token = run("token", "create", *COLLECTED, "--note", "recorded", *db, cwd=folder)["token"]
    with _served(folder / "collector.sqlite") as address:
        for name in COLLECTED:
            body, headers = (files / name / "0.ndjson").read_bytes(), {"content-type": "application/x-ndjson"}
            if name == TICKETS:
                body, headers = body.splitlines()[0], {"content-type": "application/json", "authorization": f"Ticket {used}"}
            assert _answer(Request(f"{address}/studies/{name}/reports", body, headers))["repeated"] == 0
    run("store", "change", CLOSED, "--state", "closed", *db, cwd=folder)
    with _served(folder / "collector.sqlite") as address:
        answers = {path: _answer(Request(address + path, headers={"authorization": f"Bearer {token}"})) for path in PATHS}
    for name in (CLOSED, "levels"):
        run("export", name, "-o", f"{name}.parquet", "--compiled", f"{name}.json", *db, cwd=folder)
    run("export", CLOSED, "-o", "exported/", *db, cwd=folder)
    (folder / "exported" / ".export.lock").unlink(missing_ok=True)
    run("store", "backup", "backup.sqlite", *db, cwd=folder)
    shutil.copy(folder / "backup.sqlite", folder / "first-step.sqlite")
    run("store", "migrate", "--to", "1", "--yes", "--db", folder / "first-step.sqlite", cwd=folder)
    listed = run("store", "studies", *db, cwd=folder)
    (folder / "found.json").write_text(_text({"token": token, "ticket": left, "studies": listed, "answers": answers}))


def _answer(request: Request) -> Any:
    with urlopen(request) as answer:
        return json.load(answer)


@contextmanager
def _served(store: Path) -> Iterator[str]:
    """The address of a collector."""
    command = [sys.executable, "-m", "sottovoce", "serve", "--db", str(store), "--port", "0"]
    with tempfile.TemporaryFile() as log, subprocess.Popen(command, stderr=log, stdout=log) as process:
        address = ""
        while not address:
            time.sleep(0.1)
            assert process.poll() is None, "the collector did not start"
            log.seek(0)
            told = [json.loads(line) for line in log.read().splitlines() if line.startswith(b"{")]
            address = next((each["address"] for each in told if "address" in each), "")
        yield address
        process.terminate()


def _text(form: Any) -> str:
    return json.dumps(form, separators=(",", ":")) + "\n"


def _compress(path: Path, data: bytes) -> None:
    path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(data, mtime=0))


def main(folder: Path) -> None:
    """Write everything into a folder that has nothing of it yet."""
    for part in ("mechanisms", "studies"):
        (folder / part).mkdir(parents=True)
    (folder / "names.json").write_text(_text(names()))
    (folder / "plans.json").write_text(_text({name: plan(arguments) for name, arguments in PLANS.items()}))
    for name, build in MECHANISMS.items():
        _compress(folder / "mechanisms" / f"{name}.json", _text(mechanism(build())).encode())
    for name, text in STUDIES.items():
        (folder / "studies" / f"{name}.json").write_text(_text(study(text)))
    with tempfile.TemporaryDirectory(prefix="recorded-") as place:  # paths are part of the tallies of single files
        write_files(Path(place) / "files")
        write_store(Path(place) / "store", Path(place) / "files")
        shutil.copytree(place, folder, dirs_exist_ok=True)
    for path in (folder / "store").glob("*.sqlite"):
        _compress(path, path.read_bytes())
        path.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
