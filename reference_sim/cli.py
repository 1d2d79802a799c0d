"""`python -m reference_sim [options] SCRIPT.py ARGS...` or `-m MODULE ARGS...`: scripts on the simulator, unchanged."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import runpy
import sys
import traceback
from collections.abc import Sequence
from types import TracebackType

from . import standin
from .arguments import DESCRIPTION, add_arguments
from .context import target_named
from .errors import FINDINGS, NkiError
from .launch import SETTINGS
from .sites import is_ours
from .strictness import Strictness

FAILED = 2


def configure(
    target: str | None = None,
    checks: bool = True,
    collect: bool = False,
    shuffle: int | None = None,
    force: bool = False,
) -> None:
    """Choose how this process simulates, and install the stand-ins."""
    if target is not None:
        target_named(target)
    precise = {"0": False, "1": True}.get(os.environ.get("NKI_PRECISE_FP", ""))
    SETTINGS["strictness"] = Strictness(checks, collect, shuffle, precise, target)
    standin.install(force)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a script or module on the simulator and give its exit code."""
    parser = argparse.ArgumentParser(prog="reference_sim", description=DESCRIPTION)
    add_arguments(parser)
    return run(parser.parse_args(arguments))


def run(options: argparse.Namespace) -> int:
    """The exit code of the script; 1 also where `--collect` recorded errors, and 2 where there is no such script,
    module or target."""
    if not options.module and not os.path.exists(options.program):
        print(f"reference_sim: there is no file {options.program!r}", file=sys.stderr)
        return FAILED
    plugin = _plugin(options)
    sys.argv = [options.program, *plugin, *options.arguments]
    sys.path[0] = os.getcwd() if options.module else os.path.dirname(os.path.abspath(options.program))
    if options.module and not _is_module(options.program):
        print(f"reference_sim: there is no module {options.program!r}", file=sys.stderr)
        return FAILED
    try:
        configure(options.target, not options.no_checks, options.collect, options.shuffle, options.force)
    except ValueError as error:
        print(f"reference_sim: {error}", file=sys.stderr)
        return FAILED
    hook, sys.excepthook = sys.excepthook, _tell
    try:
        status = _execute(options)
    except NkiError as error:
        _explain(error)
        status = 1
    finally:
        if options.json is not None:
            write_json(options.json)
        elif not plugin:
            for finding in FINDINGS.passed:
                print(finding, file=sys.stderr)
    sys.excepthook = hook
    return status or (1 if any(finding.severity == "error" for finding in FINDINGS.passed) else 0)


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _plugin(options: argparse.Namespace) -> list[str]:
    """For pytest, which tells findings itself and may start processes of its own: the plugin, with its options."""
    if not options.module or options.program != "pytest":
        return []
    given = [f"--sim-{name}" for name in ("no-checks", "collect", "force") if getattr(options, name.replace("-", "_"))]
    valued = [f"--sim-{n}={getattr(options, n)}" for n in ("target", "shuffle") if getattr(options, n) is not None]
    return ["-p", "reference_sim.pytest", *given, *valued]


def _execute(options: argparse.Namespace) -> int:
    try:
        if options.module:
            runpy.run_module(options.program, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(options.program, run_name="__main__")
    except SystemExit as end:
        if end.code is None:
            return 0
        if isinstance(end.code, int):
            return end.code
        print(end.code, file=sys.stderr)
        return 1
    return 0


def _tell(kind: type[BaseException], error: BaseException, way: TracebackType | None) -> None:
    """What the script raised, as Python would tell it without the simulator around."""
    traceback.print_exception(kind, error, _from_script(way))


def _from_script(way: TracebackType | None) -> TracebackType | None:
    """The part of a traceback that begins with the script."""
    part, started = way, False
    while part is not None:
        name = part.tb_frame.f_code.co_filename
        if started and not name.startswith("<frozen") and os.path.basename(name) != "runpy.py":
            return part
        started = started or part.tb_frame.f_code is _execute.__code__
        part = part.tb_next
    return way


def _explain(error: NkiError) -> None:
    """The way through the script to the kernel's line, without the simulator's own part of it."""
    start = _from_script(error.__traceback__)
    frames = zip(traceback.walk_tb(start), traceback.extract_tb(start), strict=True)
    way = [entry for (frame, _), entry in frames if not is_ours(frame.f_code)]
    print("Traceback (most recent call last):", file=sys.stderr)
    sys.stderr.writelines(traceback.format_list(way))
    print(error, file=sys.stderr)


def write_json(path: str) -> None:
    """Write all findings of this process to a file, or for `-` to standard output."""
    text = json.dumps({"version": 1, "findings": [f.as_json() for f in FINDINGS.items]}, indent=2) + "\n"
    if path == "-":
        sys.stdout.write(text)
        return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
