"""The settings of a collector: from the command line, the environment (SOTTOVOCE_…) or a file, in this order of precedence."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sottovoce.errors import FileError, MissingFileError, ParameterError

#: The variables of the environment, and the one in which a process hands all settings to its workers.
PREFIX, HANDED = "SOTTOVOCE_", "settings"
_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:[0-9]+)?|https?://\[[0-9a-f:]+\](:[0-9]+)?").fullmatch
_Whole = Annotated[int, Meta(ge=1)]
_Seconds = Annotated[float, Meta(gt=0, le=86400)]


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings, which docs/collector-settings.md explains one by one."""

    db: str = "collector.sqlite"
    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8000
    workers: Annotated[int, Meta(ge=1, le=64)] = 1
    origins: str = ""
    operator: str = ""
    contact: str = ""
    certificate: str = ""
    certificate_key: str = ""
    hsts_seconds: Annotated[int, Meta(ge=0, le=10**10)] = 31_536_000
    body_bytes: Annotated[int, Meta(ge=1024)] = 16 << 20
    batch_reports: _Whole = 200_000
    queue_bytes: Annotated[int, Meta(ge=1 << 20)] = 256 << 20
    estimate_seconds: _Seconds = 30.0
    reread_bytes: Annotated[int, Meta(ge=0)] = 256 << 20
    connections: _Whole = 1024
    head_seconds: _Seconds = 10.0
    body_seconds: _Seconds = 60.0
    idle_seconds: _Seconds = 30.0
    write_seconds: _Seconds = 10.0
    shutdown_seconds: _Whole = 30
    gather_milliseconds: Annotated[int, Meta(ge=0, le=10_000)] = 0
    device_cap: Annotated[float, Meta(gt=0, le=1000)] = 8.0
    recount_hours: Annotated[float, Meta(ge=0)] = 24.0
    access_log: bool = False
    json_logs: bool = False

    @classmethod
    def of(cls, file: str | None, given: Mapping[str, Any], environment: Mapping[str, str] = os.environ) -> Settings:
        """Read the settings. Given values override the environment, which overrides the file, which overrides the defaults."""
        found = _converted({**_from_file(file), **_from_environment(environment), **given}, "the settings")
        for origin in found.origins.split():
            if origin != "*" and not _ORIGIN(origin):
                raise ParameterError(
                    f"The setting origins contains {origin!r}. Write each origin without a path, such as https://app.example."
                )
        return found


def _from_file(path: str | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        values = tomllib.loads(Path(path).read_text("utf-8"))
    except FileNotFoundError:
        raise MissingFileError(f"{path}: File not found. Check --config.") from None
    except IsADirectoryError:
        raise FileError(f"{path}: This is a folder. Name a settings file with --config.") from None
    except tomllib.TOMLDecodeError as error:
        raise ParameterError(f"{path} isn't TOML: {error}. Correct that line.") from None
    except UnicodeDecodeError:
        raise ParameterError(f"{path} isn't UTF-8 text. Save it as UTF-8.") from None
    _converted(values, path)
    return values


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    named = {name.removeprefix(PREFIX).lower(): text for name, text in environment.items() if name.startswith(PREFIX)}
    values = {name: text for name, text in named.items() if name != HANDED}
    _converted(values, "the environment", PREFIX)
    return values


def _converted(values: Mapping[str, Any], where: str, prefix: str = "") -> Settings:
    if unknown := sorted(set(values) - set(Settings.__struct_fields__)):
        raise ParameterError(f"{where}: unknown setting {unknown[0]!r}. The settings are {', '.join(Settings.__struct_fields__)}.")
    for name, value in values.items():
        try:
            msgspec.convert({name: value}, Settings, strict=not isinstance(value, str) or name in _TEXTS)
        except msgspec.ValidationError:
            named = f"{prefix}{name.upper()}" if prefix else name
            raise ParameterError(f"{where}: {named} is {value!r}. Give {_wanted(name)}.") from None
    return msgspec.convert(dict(values), Settings, strict=False)


def _wanted(name: str) -> str:
    """What a setting can be, in words."""
    settings: Any = msgspec.inspect.type_info(Settings)  # a StructType, which its signature doesn't show
    info = next(field.type for field in settings.fields if field.name == name)
    if isinstance(info, msgspec.inspect.StrType):
        return "a text in quotes"
    if isinstance(info, msgspec.inspect.BoolType):
        return "true or false"
    least = f"from {info.ge:,}" if info.ge is not None else f"above {info.gt:,}"
    most = f" to {info.le:,}" if info.le is not None else " on" if info.ge is not None else ""
    return f"a {'whole ' * isinstance(info, msgspec.inspect.IntType)}number {least}{most}"


_TEXTS = frozenset({"db", "host", "origins", "operator", "contact", "certificate", "certificate_key"})
