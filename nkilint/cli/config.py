"""`nkilint config`: show the configuration in force, or the form of all."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from nkilint.base.config import KEYS, ConfigError, schema
from nkilint.base.options import Options
from nkilint.base.serial import json_text

from . import settings


def run(arguments: argparse.Namespace) -> int:
    if arguments.schema:
        sys.stdout.write(json_text(schema()))
        return 0
    if not Path(arguments.path).exists():
        print(f"nkilint: there is no file or folder {arguments.path}", file=sys.stderr)
        return 2
    try:
        file = settings.configuration(arguments, Path(arguments.path))
        options = settings.options(arguments, Path(arguments.path))
    except ConfigError as error:
        settings.complain(error)
        return 2
    values = {name: _plain(getattr(options, key.field), options) for name, key in KEYS.items()}
    if arguments.output_format == "json":
        sys.stdout.write(json_text({"file": None if file is None else file.as_posix(), "configuration": values}))
        return 0
    print(f"# {file.as_posix()}" if file is not None else "# no configuration file: the defaults")
    for name, value in values.items():
        print(f"# {name} is not set" if value is None or value == "" else f"{name} = {_toml(value)}")
    return 0


def _plain(value: Any, options: Options) -> Any:
    """A value as JSON and TOML have it; places are relative to the configuration's folder again."""
    if isinstance(value, Path):
        return value.relative_to(options.root).as_posix() if value.is_relative_to(options.root) else value.as_posix()
    if isinstance(value, tuple):
        return [_plain(item, options) for item in value]
    if isinstance(value, dict):
        root = options.root.resolve().as_posix() + "/"
        return {str(key).removeprefix(root): _plain(item, options) for key, item in value.items()}
    return str(value) if isinstance(value, str) else value


def _toml(value: Any) -> str:
    """A value on one line; strings and lists are written in TOML as in JSON."""
    if isinstance(value, dict):
        items = ", ".join(f"{json.dumps(key, ensure_ascii=False)} = {_toml(item)}" for key, item in value.items())
        return f"{{ {items} }}" if items else "{}"
    return json.dumps(value, ensure_ascii=False)
