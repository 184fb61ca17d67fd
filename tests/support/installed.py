"""The built wheel in environments of its own, for tests of what people install: built once in a run, whichever worker needs it first."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

import pytest

import sottovoce as sv
from paths import ROOT


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel, apart from this one."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def environment(self) -> dict[str, str]:
        """Variables that know nothing of the repository, with the commands of this environment first."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON") and name != "VIRTUAL_ENV"}
        return kept | {"PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}

    def run(self, command: str, place: Path, *, code: int = 0) -> str:
        """What a command prints, in an environment that knows nothing of the repository."""
        done = subprocess.run(
            ["bash", "-c", command], cwd=place, env=self.environment, capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == code, (command, done.stderr)
        return done.stdout + done.stderr


def build_wheel(folder: Path) -> None:
    """By way of the sdist, from a copy, so that nothing is left in the repository."""
    source, built = folder / "source", folder / "dist"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(ROOT / "src" / "sottovoce", source / "src" / "sottovoce", ignore=shutil.ignore_patterns("__pycache__", "*.nb[ci]"))
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(built), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {path.name for path in built.iterdir()} == {f"sottovoce-{sv.__version__}{end}" for end in ("-py3-none-any.whl", ".tar.gz")}


def install(wheel: Path, extras: str, folder: Path) -> None:
    """The wheel with some extras: of the packages here, only those that the lock has for them are visible."""
    venv.create(folder, symlinks=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, str(wheel)], check=True, timeout=120)
    (packages,) = folder.glob("lib/python*/site-packages")
    options = [option for extra in extras.split(",") for option in ("--extra", extra)]
    locked = subprocess.run([sys.executable, ROOT / "tools" / "locked.py", *options], capture_output=True, text=True, check=True)
    for name in re.findall(r"^([\w.-]+)==(?!.*win32)", locked.stdout, re.MULTILINE):
        files = distribution(name).files or []
        for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
            if not (packages / top).exists():
                (packages / top).symlink_to(Path(str(distribution(name).locate_file(top))))


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """One process at a time."""
    with file.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def _once(folder: Path, make: Callable[[Path], None]) -> Path:
    """A folder that the first process fills. The others wait for it."""
    with _alone(folder.with_name(f"{folder.name}.lock")):
        if not (folder / "complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            (folder / "complete").touch()
    return folder


def _shared(factory: pytest.TempPathFactory) -> Path:
    """The folder of the run, which all workers see."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = _once(_shared(tmp_path_factory) / "wheel", build_wheel)
    return folder / "dist" / f"sottovoce-{sv.__version__}-py3-none-any.whl"


@pytest.fixture(scope="session")
def with_extras(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Installed]:
    """An environment for extras as people write them: plot,server."""

    def made(extras: str) -> Installed:
        name = "with-" + "-".join(extras.split(","))
        return Installed(_once(_shared(tmp_path_factory) / name, lambda folder: install(wheel, extras, folder)))

    return made
