"""`python -m reference_sim [options] SCRIPT.py ARGS...` or `-m MODULE ARGS...`: scripts on the simulator, unchanged."""

from __future__ import annotations

import argparse
import json
import os
import runpy
import sys
from collections.abc import Sequence
from typing import Any

from . import standin
from .context import target_named
from .errors import FINDINGS, NkiError
from .launch import SETTINGS
from .strictness import Strictness


def configure(
    target: str | None = None,
    checks: bool = True,
    collect: bool = False,
    shuffle: int | None = None,
    force: bool = False,
    precise: bool | None = None,
) -> None:
    """Choose how this process simulates, and install the stand-ins."""
    if precise is None and os.environ.get("NKI_PRECISE_FP") in ("0", "1"):
        precise = os.environ["NKI_PRECISE_FP"] == "1"
    SETTINGS["strictness"] = Strictness(checks, collect, shuffle, precise, target)
    standin.install(force)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="reference_sim", description=__doc__)
    parser.add_argument("--target", help="device to simulate: trn1, inf2, trn2 or trn3")
    parser.add_argument("--no-checks", action="store_true", help="do not check kernels, for speed")
    parser.add_argument("--collect", action="store_true", help="record all findings instead of stopping at the first")
    parser.add_argument("--shuffle", type=int, metavar="SEED", help="run affine_range loops in another order too")
    parser.add_argument("--force", action="store_true", help="replace real modules")
    parser.add_argument("--json", metavar="FILE", help="write the findings as JSON (`-`: stdout)")
    parser.add_argument("-m", dest="module", action="store_true", help="run a module instead of a script")
    parser.add_argument("program", help="script or module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a script or module on the simulator; the exit code is the script's, or 1 when findings were recorded."""
    options = _parser().parse_args(arguments)
    if options.target:
        target_named(options.target)
    configure(options.target, not options.no_checks, options.collect, options.shuffle, options.force)
    try:
        status = _execute(options)
    except NkiError as error:
        if not options.json:
            raise
        print(error, file=sys.stderr)
        status = 1
    errors = [f for f in FINDINGS.items if f.severity == "error"]
    _write_report(options.json)
    return status or (1 if errors else 0)


def _execute(options: Any) -> int:
    sys.argv = [options.program, *options.arguments]
    try:
        if options.module:
            sys.path[0:1] = [os.getcwd()]
            runpy.run_module(options.program, run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = os.path.dirname(os.path.abspath(options.program))
            runpy.run_path(options.program, run_name="__main__")
    except SystemExit as end:
        if end.code is None:
            return 0
        if isinstance(end.code, int):
            return end.code
        print(end.code, file=sys.stderr)
        return 1
    return 0


def _write_report(path: str | None) -> None:
    if path:
        text = json.dumps({"version": 1, "findings": [f.as_json() for f in FINDINGS.items]}, indent=2) + "\n"
        if path == "-":
            sys.stdout.write(text)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return
    for finding in FINDINGS.items:
        print(finding, file=sys.stderr)
