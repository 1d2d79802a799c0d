"""Reads `[tool.nkilint]` of a pyproject.toml, or a nkilint.toml, into options."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from nkilint_rules.targets import TARGETS

from .catalogue import rules, suggestion
from .options import Conditional, Options

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class ConfigError(Exception):
    """A configuration that makes no sense; `file` and `row` say where it stands, where that is known."""

    def __init__(self, message: str, file: Path | None = None, row: int = 1) -> None:
        super().__init__(message)
        self.message, self.file, self.row = message, file, row


def find(start: Path) -> Path | None:
    """The configuration file for `start`: the nearest one in its folder or above."""
    folder = start.resolve()
    for parent in (folder, *folder.parents):
        own, project = parent / "nkilint.toml", parent / "pyproject.toml"
        if own.is_file():
            return own
        if project.is_file() and "nkilint" in _parse(project).get("tool", {}):
            return project
    return None


def load(file: Path, base: Options | None = None) -> Options:
    """`base` with what `file` says."""
    data = _parse(file)
    if "tool" in data:
        data = data["tool"].get("nkilint", {})
    reader = _Reader(file)
    changes: dict[str, Any] = {"root": file.resolve().parent}
    for key, value in data.items():
        if key not in _KEYS:
            raise reader.error(f"unknown key `{key}`" + suggestion(key, list(_KEYS)), key)
        field, read = _KEYS[key]
        changes[field] = read(reader, key, value)
    return replace(base or Options(), **changes)


def checked_target(name: str) -> str:
    """`name` if there is such a target."""
    if name not in TARGETS:
        raise ConfigError(f"unknown target `{name}`; known are {', '.join(TARGETS)}")
    return name


def checked_codes(prefixes: tuple[str, ...]) -> tuple[str, ...]:
    """`prefixes` in upper case if each begins the code of some rule."""
    for prefix in prefixes:
        if not any(code.startswith(prefix.upper()) for code in rules()):
            raise ConfigError(f"no rule has a code that begins with `{prefix}`{suggestion(prefix, list(rules()))}")
    return tuple(p.upper() for p in prefixes)


def checked_version(version: str) -> str:
    """`version` if it reads like one."""
    if not re.fullmatch(r"\d+(\.\d+)*", version):
        raise ConfigError(f"`{version}` is not a version of NKI, such as 0.4")
    return version


def _parse(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", file) from None
    except UnicodeDecodeError:
        raise ConfigError("is not UTF-8", file) from None
    except tomllib.TOMLDecodeError as error:
        row = re.search(r"line (\d+)", str(error))
        raise ConfigError(f"is not TOML: {error}", file, int(row[1]) if row else 1) from None


@dataclass(frozen=True)
class _Reader:
    """Checks the types of values, and says where a wrong one stands."""

    file: Path

    def error(self, message: str, key: str) -> ConfigError:
        return ConfigError(message, self.file, self._row(key))

    def _row(self, key: str) -> int:
        text = self.file.read_text(encoding="utf-8")
        inside = "[tool.nkilint" not in text
        for row, line in enumerate(text.splitlines(), 1):
            header = re.match(r"\s*\[+\s*([^\]]*)", line)
            if header:
                inside = inside or header[1].startswith("tool.nkilint")
                if inside and key in header[1]:
                    return row
            elif inside and re.match(rf"""\s*["']?{re.escape(key)}["']?\s*=""", line):
                return row
        return 1

    def checked(self, key: str, check: Callable[[Any], Any], value: Any) -> Any:
        try:
            return check(value)
        except ConfigError as error:
            raise self.error(error.message, key) from None

    def string(self, key: str, value: Any) -> str:
        if not isinstance(value, str):
            raise self.error(f"`{key}` takes a string", key)
        return value

    def boolean(self, key: str, value: Any) -> bool:
        if not isinstance(value, bool):
            raise self.error(f"`{key}` takes true or false", key)
        return value

    def strings(self, key: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(f"`{key}` takes a list of strings", key)
        return tuple(value)

    def target(self, key: str, value: Any) -> str:
        return str(self.checked(key, checked_target, self.string(key, value)))

    def version(self, key: str, value: Any) -> str:
        return str(self.checked(key, checked_version, self.string(key, value)))

    def codes(self, key: str, value: Any) -> tuple[str, ...]:
        return tuple(self.checked(key, checked_codes, self.strings(key, value)))

    def conditional(self, key: str, value: Any) -> str:
        if value not in get_args(Conditional):
            raise self.error(f"`{key}` takes " + " or ".join(f'"{v}"' for v in get_args(Conditional)), key)
        return str(value)

    def kernels(self, key: str, value: Any) -> Mapping[str, tuple[str, ...]]:
        """Specifications by absolute path and kernel; each is a string or a list of them."""
        if not isinstance(value, dict):
            raise self.error(f"`{key}` takes a table of specifications", key)
        found: dict[str, tuple[str, ...]] = {}
        for place, text in value.items():
            path, separator, kernel = place.partition("::")
            if not (path and separator and kernel):
                raise self.error(f'`{place}` does not name a kernel as "path::name"', place)
            lines = [text] if isinstance(text, str) else text
            file = (self.file.resolve().parent / path).resolve().as_posix()
            found[f"{file}::{kernel}"] = self.strings(place, lines)
        return found


_KEYS: Mapping[str, tuple[str, Callable[[_Reader, str, Any], Any]]] = {
    "target": ("target", _Reader.target),
    "nki-version": ("nki_version", _Reader.version),
    "select": ("select", _Reader.codes),
    "ignore": ("ignore", _Reader.codes),
    "exclude": ("exclude", _Reader.strings),
    "conditional": ("conditional", _Reader.conditional),
    "kernels": ("kernels", _Reader.kernels),
    "confirm": ("confirm", _Reader.boolean),
}
