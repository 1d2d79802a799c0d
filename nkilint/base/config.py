"""Reads `[tool.nkilint]` of a pyproject.toml, or a nkilint.toml, into options."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from nkilint_rules.catalogue import rules
from nkilint_rules.rule import Severity
from nkilint_rules.words.dialects import NKI
from nkilint_rules.words.records import dataclass
from nkilint_rules.words.suggestions import suggestion
from nkilint_rules.words.targets import TARGETS
from nkilint_rules.words.versions import LATEST, RELEASED

from . import toml
from .options import Conditional, Confirm, Options, real


class ConfigError(Exception):
    """A configuration that makes no sense; `file` and `row` say where it stands, where that is known."""

    def __init__(self, message: str, file: Path | None = None, row: int = 1) -> None:
        super().__init__(message)
        self.message, self.file, self.row = message, file, row


def find(start: Path) -> Path | None:
    """The configuration file for `start`: the nearest one in its folder or above."""
    folder = real(start)
    for parent in (folder, *folder.parents):
        own, project = parent / "nkilint.toml", parent / "pyproject.toml"
        if os.path.isfile(own):
            return own
        if os.path.isfile(project) and "nkilint" in _parse(project).get("tool", {}):
            return project
    return None


def load(file: Path, base: Options | None = None) -> Options:
    """`base` with what `file` says."""
    data = _parse(file)
    if "tool" in data:
        data = data["tool"].get("nkilint", {})
    return replace(read(data, base or Options(), file), root=real(file).parent, configuration=file.absolute())


def read(data: Mapping[str, Any], base: Options, file: Path) -> Options:
    """`base` with what `data` says; `file` is where that stands, and its folder what places are relative to."""
    reader = _Reader(file)
    changes: dict[str, Any] = {}
    for key, value in data.items():
        if key not in KEYS:
            raise reader.error(f"unknown key `{key}`" + suggestion(key, list(KEYS)), key)
        changes[KEYS[key].field] = KEYS[key].read(reader, key, value)
    return replace(base, **changes)


def row_of(file: Path, path: str, kernel: str) -> int:
    """Where a configuration speaks of a kernel, by the path of its file; 1 if that cannot be told."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return 1
    for row, line in enumerate(lines, 1):
        named = re.match(r"""\s*(["'])(.+)::(.+)\1\s*=""", line)
        if named and named[3] == kernel and (real(file).parent / named[2]).resolve() == Path(path):
            return row
    return 1


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
    """`version` if there is such a one."""
    if not re.fullmatch(r"\d+(\.\d+)*", version):
        raise ConfigError(f"`{version}` is not a version of NKI, such as 0.4")
    known = [each for versions in RELEASED.values() for each in versions]
    if version not in known:
        raise ConfigError(
            f"there is no version `{version}` of NKI{suggestion(version, known)}; the newest is {LATEST[NKI]}"
        )
    return version


def checked_address(address: str) -> str:
    """`address` if it is one with a place for the code of a rule."""
    if not re.fullmatch(r"https?://[^\s{}]+\{code\}[^\s{}]*", address):
        raise ConfigError(f"`{address}` is no address with `{{code}}` in it, such as https://example.org/{{code}}.md")
    return address


def _parse(file: Path) -> dict[str, Any]:
    try:
        return toml.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", file) from None
    except UnicodeDecodeError:
        raise ConfigError("is not UTF-8", file) from None
    except RecursionError:
        raise ConfigError("is nested too deep", file) from None
    except toml.TOMLDecodeError as error:
        row = re.search(r"line (\d+)", str(error))
        raise ConfigError(f"is not TOML: {error}", file, int(row[1]) if row else 1) from None


@dataclass(frozen=True)
class _Reader:
    """Checks the types of values, and says where a wrong one stands."""

    file: Path

    def error(self, message: str, key: str) -> ConfigError:
        return ConfigError(message, self.file, self._row(key))

    def _row(self, key: str) -> int:
        text = self.file.read_text(encoding="utf-8") if os.path.isfile(self.file) else ""
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

    def confirm(self, key: str, value: Any) -> Confirm:
        if value == "sandboxed":
            return "sandboxed"
        if not isinstance(value, bool):
            raise self.error(f'`{key}` takes true, false or "sandboxed"', key)
        return value

    def strings(self, key: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(f"`{key}` takes a list of strings", key)
        return tuple(value)

    def target(self, key: str, value: Any) -> str:
        return str(self.checked(key, checked_target, self.string(key, value)))

    def version(self, key: str, value: Any) -> str:
        return str(self.checked(key, checked_version, self.string(key, value)))

    def address(self, key: str, value: Any) -> str:
        return str(self.checked(key, checked_address, self.string(key, value)))

    def codes(self, key: str, value: Any) -> tuple[str, ...]:
        return tuple(self.checked(key, checked_codes, self.strings(key, value)))

    def conditional(self, key: str, value: Any) -> str:
        if value not in get_args(Conditional):
            raise self.error(f"`{key}` takes " + " or ".join(f'"{v}"' for v in get_args(Conditional)), key)
        return str(value)

    def kernels(self, key: str, value: Any) -> Mapping[str, tuple[str, ...]]:
        """Specifications by absolute path and kernel; each is a string or a list of them."""
        found: dict[str, tuple[str, ...]] = {}
        for place, text in self.table(key, value).items():
            path, separator, kernel = place.partition("::")
            if not (path and separator and kernel):
                raise self.error(f'`{place}` does not name a kernel as "path::name"', place)
            lines = [text] if isinstance(text, str) else text
            file = real(real(self.file).parent / path).as_posix()
            found[f"{file}::{kernel}"] = self.strings(place, lines)
        return found

    def table(self, key: str, value: Any) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            raise self.error(f"`{key}` takes a table", key)
        return value

    def codes_by_file(self, key: str, value: Any) -> Mapping[str, tuple[str, ...]]:
        return {pattern: self.codes(pattern, codes) for pattern, codes in self.table(key, value).items()}

    def severities(self, key: str, value: Any) -> Mapping[str, Severity]:
        known = [str(s) for s in Severity]
        found: dict[str, Severity] = {}
        for code, severity in self.table(key, value).items():
            if severity not in known:
                raise self.error(f"`{code}` takes " + " or ".join(f'"{s}"' for s in known), code)
            (prefix,) = self.checked(code, checked_codes, (code,))
            found[prefix] = Severity(severity)
        return found

    def budget(self, key: str, value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise self.error(f"`{key}` takes a positive integer", key)
        return value

    def path(self, key: str, value: Any) -> Path:
        return real(self.file).parent / self.string(key, value)

    def folders(self, key: str, value: Any) -> tuple[Path, ...]:
        folders = {name: real(self.file).parent / name for name in self.strings(key, value)}
        for name, folder in folders.items():
            if not os.path.isdir(folder):
                raise self.error(f"`{key}` names `{name}`, which is no folder", key)
        return tuple(folders.values())


@dataclass(frozen=True, slots=True)
class Key:
    """A key of the configuration: the field of `Options` it sets, how it is read, its form as a JSON schema."""

    field: str
    read: Callable[[_Reader, str, Any], Any]
    form: Mapping[str, Any]
    doc: str


_TEXT = {"type": "string"}
_FLAG = {"type": "boolean"}
_COUNT = {"type": "integer", "minimum": 1}
_TEXTS = {"type": "array", "items": _TEXT}
_CODE = "^[Nn][Kk][Ii][0-9]{0,3}$"
_CODES = {"type": "array", "items": {"type": "string", "pattern": _CODE}}
_BUDGETS = {
    "solver-budget": ("solver_budget", "units of work that the solver may spend on one question"),
    "work-budget": ("work_budget", "units of work that evaluating a kernel may take, and deciding its obligations"),
    "step-budget": ("step_budget", "statements and expressions that may be evaluated for one kernel"),
    "confirm-budget": ("confirm_budget", "steps that confirming all findings may take together"),
    "confirm-steps": ("confirm_steps", "steps that one run of a kernel may take: iterations, and 100 for an operation"),
    "confirm-memory": ("confirm_memory", "MiB of memory that one run may use"),
    "confirm-elements": ("confirm_elements", "elements that the inputs of one run may have; larger ones are shrunk"),
    "confirm-seconds": ("confirm_seconds", "seconds after which a run is ended that escapes the limits above"),
}

KEYS: Mapping[str, Key] = {
    "target": Key("target", _Reader.target, {"enum": list(TARGETS)}, "device to check for"),
    "nki-version": Key(
        "nki_version",
        _Reader.version,
        {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)*$"},
        "version of NKI to check for; by default the newest of each namespace",
    ),
    "select": Key("select", _Reader.codes, _CODES, "report only codes with these prefixes"),
    "ignore": Key("ignore", _Reader.codes, _CODES, "leave out codes with these prefixes"),
    "per-file-ignores": Key(
        "per_file_ignores",
        _Reader.codes_by_file,
        {"type": "object", "additionalProperties": _CODES},
        "prefixes of codes to leave out, by patterns of files relative to the configuration's folder",
    ),
    "severity": Key(
        "severity",
        _Reader.severities,
        {
            "type": "object",
            "patternProperties": {_CODE: {"enum": [str(s) for s in Severity]}},
            "additionalProperties": False,
        },
        "how loud findings are, by prefixes of codes",
    ),
    "conditional": Key(
        "conditional",
        _Reader.conditional,
        {"enum": list(get_args(Conditional))},
        "how loud findings are that only some inputs meet",
    ),
    "exclude": Key(
        "exclude", _Reader.strings, _TEXTS, "patterns of files and folders to pass over, relative to this folder"
    ),
    "strict": Key("strict", _Reader.boolean, _FLAG, "whether warnings and incomplete analyses make the exit code 1"),
    "confirm": Key(
        "confirm",
        _Reader.confirm,
        {"enum": [True, False, "sandboxed"]},
        'whether findings are run in the reference simulator; "sandboxed": only where the system contains the run',
    ),
    "exception-texts": Key(
        "exception_texts",
        _Reader.boolean,
        _FLAG,
        "whether what exceptions say in such a run is shown; it may hold anything that a kernel can read",
    ),
    "search-paths": Key(
        "search_paths",
        _Reader.folders,
        _TEXTS,
        "folders that imports are looked for in, besides the project's own, relative to this folder",
    ),
    "baseline": Key("baseline", _Reader.path, _TEXT, "file with known findings, relative to this folder"),
    "rule-pages": Key(
        "rule_pages",
        _Reader.address,
        {"type": "string", "pattern": r"^https?://[^\s{}]+\{code\}[^\s{}]*$"},
        "address of the rules' pages, with `{code}` for the code of a rule; SARIF links there",
    ),
    "kernels": Key(
        "kernels",
        _Reader.kernels,
        {
            "type": "object",
            "propertyNames": {"pattern": "^[^:]+.*::.+$"},
            "additionalProperties": {"anyOf": [_TEXT, _TEXTS]},
        },
        'inputs of kernels, by "path::name", as they would stand in a comment: "a: bf16[M, K], M % 128 == 0"',
    ),
    **{key: Key(field, _Reader.budget, _COUNT, doc) for key, (field, doc) in _BUDGETS.items()},
}


def schema() -> dict[str, Any]:
    """The JSON schema of `[tool.nkilint]`, and of a nkilint.toml."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Configuration of nkilint",
        "type": "object",
        "additionalProperties": False,
        "properties": {name: {"description": key.doc, **key.form} for name, key in KEYS.items()},
    }
