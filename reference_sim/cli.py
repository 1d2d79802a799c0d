"""`python -m reference_sim [options] SCRIPT.py ARGS...` or `-m MODULE ARGS...`: scripts on the simulator, unchanged."""

from __future__ import annotations

import argparse
import builtins
import importlib.util
import json
import os
import runpy
import sys
import traceback
from collections.abc import Sequence
from contextlib import ExitStack
from types import ModuleType, TracebackType
from typing import Any

from reference_sim.running.settings import target_named

from . import standin
from .arguments import DESCRIPTION, add_arguments
from .report.errors import FINDINGS, Finding, NkiError
from .report.sites import is_ours, shown
from .report.strictness import Strictness
from .report.tracebacks import without_hidden
from .running import progress
from .running.settings import SETTINGS
from .running.tracing import traced

FAILED = 2


def configure(
    target: str | None = None,
    checks: bool = True,
    collect: bool = False,
    shuffle: int | None = None,
    force: bool = False,
) -> None:
    """Choose how this process simulates, and install the stand-ins."""
    chosen = target or os.environ.get("NEURON_PLATFORM_TARGET_OVERRIDE")
    if chosen:
        target_named(chosen)
    SETTINGS["strictness"] = Strictness(checks, collect, shuffle, None, target)
    standin.install(force)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a script or module on the simulator and give its exit code."""
    parser = argparse.ArgumentParser(prog="reference_sim", description=DESCRIPTION)
    add_arguments(parser)
    return run(parser.parse_args(arguments))


def run(options: argparse.Namespace) -> int:
    """The exit code of the script; 1 also where `--collect` recorded errors, and 2 where there is no such script,
    module or target."""
    missing = None if options.module else _missing(options.program)
    if missing is not None:
        print(f"reference_sim: {missing}", file=sys.stderr)
        return FAILED
    if options.trace is not None and options.no_checks:
        print(
            "reference_sim: `--trace` listens to what the checks are told: it goes without `--no-checks`",
            file=sys.stderr,
        )
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
    try:
        watched = _watched(options, bool(plugin))
    except OSError as error:
        print(f"reference_sim: {options.trace} cannot be written: {error.strerror}", file=sys.stderr)
        return FAILED
    hook, sys.excepthook = sys.excepthook, _tell
    try:
        with watched:
            status = _execute(options)
    except NkiError as error:
        _explain(error)
        status = 1
    finally:
        reported = _report(options, bool(plugin))
    sys.excepthook = hook
    return reported or status or (1 if any(finding.severity == "error" for finding in FINDINGS.passed) else 0)


def _report(options: argparse.Namespace, told: bool) -> int:
    """Tell what was found and stopped nothing, unless it is `told` already; 2 where the report cannot be written."""
    if not told and options.json != "-":
        for finding in FINDINGS.passed:
            print(finding, file=sys.stderr)
    if options.json is not None:
        try:
            write_json(options.json)
        except OSError as error:
            print(f"reference_sim: {options.json} cannot be written: {error.strerror}", file=sys.stderr)
            return FAILED
    if options.json is not None or options.collect:
        written = "" if options.json is None else f", written to {_DESTINATIONS.get(options.json, options.json)}"
        print(f"reference_sim: {_counted()}{written}", file=sys.stderr)
    return 0


def _watched(options: argparse.Namespace, captured: bool) -> ExitStack:
    """What tells of launches while they run; `captured` says that the streams of this process are not its own."""
    stack = ExitStack()
    if options.progress or (sys.stderr.isatty() and not captured):
        stream = stack.enter_context(os.fdopen(os.dup(2), "w")) if captured else sys.stderr
        stack.enter_context(progress.told(stream))
    if options.trace is not None:
        stack.enter_context(traced(options.trace))
    return stack


_DESTINATIONS = {"-": "standard output"}


def _counted() -> str:
    """How many findings there are."""
    errors = sum(finding.severity == "error" for finding in FINDINGS.items)
    counts = {"error": errors, "warning": len(FINDINGS.items) - errors}
    said = [f"{count} {name}{'' if count == 1 else 's'}" for name, count in counts.items() if count]
    return ", ".join(said) or "no findings"


def _missing(path: str) -> str | None:
    """Why there is nothing to run; None for a file, and for a folder with a `__main__`."""
    if os.path.isdir(path):
        main = os.path.join(path, "__main__.py")
        return None if os.path.isfile(main) else f"there is no `__main__.py` in {path!r}"
    return None if os.path.exists(path) else f"there is no file {path!r}"


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
        elif os.path.isfile(options.program) and not options.program.endswith(_PACKED):
            _run_script(os.path.abspath(options.program))
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


_PACKED = (".pyc", ".pyz", ".zip")


def _run_script(path: str) -> None:
    """Run a script as Python does, which leaves `sys.argv` as it was typed and makes `__file__` absolute."""
    outer, main = sys.modules["__main__"], ModuleType("__main__")
    main.__dict__.update(__file__=path, __cached__=None, __builtins__=builtins)
    with open(path, "rb") as file:
        text = file.read()
    sys.modules["__main__"] = main
    try:
        exec(compile(text, path, "exec"), main.__dict__)
    finally:
        sys.modules["__main__"] = outer


def _tell(kind: type[BaseException], error: BaseException, way: TracebackType | None) -> None:
    """What the script raised, as Python would tell it without the simulator around."""
    traceback.print_exception(kind, error, without_hidden(_from_script(way)))


def _from_script(way: TracebackType | None) -> TracebackType | None:
    """The part of a traceback that begins with the script; nothing for a script that does not parse."""
    part, started = way, False
    while part is not None:
        name = part.tb_frame.f_code.co_filename
        if started and not name.startswith("<frozen") and name not in (runpy.__file__, __file__):
            return part
        started = started or part.tb_frame.f_code is _execute.__code__
        part = part.tb_next
    return None


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
    findings = [_as_json(finding) for finding in FINDINGS.items]
    text = json.dumps({"version": 1, "findings": findings}, indent=2) + "\n"
    if path == "-":
        sys.stdout.write(text)
        return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _as_json(finding: Finding) -> dict[str, Any]:
    """The finding with files as seen from the working folder."""
    told = finding.as_json()
    for place in (told, *told["related"]):
        place["filename"] = shown(place["filename"])
    return told
