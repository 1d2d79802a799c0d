"""The witness of a finding as a test: it fails as long as the fault is there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from pprint import pformat
from typing import Any

from nkilint.base.findings import Diagnostic, Trial
from nkilint.base.options import Options
from nkilint.base.source import Overlay, decode, read_bytes
from nkilint.confirm.shrinking import smaller
from nkilint.confirm.sizes import elements, lacks_dtype, mentions
from nkilint.confirm.verdict import first_line
from nkilint.run.engine import check
from nkilint_rules.catalogue import rule
from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.language.failed_assertion import FailedAssertion
from nkilint_rules.words.dtypes import DTYPES
from nkilint_rules.words.records import dataclass

from .checking import Text
from .settings import BadRequest, Settings
from .simulating import Call, simulated

_OF_CALLS = (CallSignature.code, FailedAssertion.code)  # faults of a call, not of the kernel
_SMALL = 1_000_000  # elements of inputs that a test may have


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A finding, and the call that shows it; or why there is none."""

    finding: Diagnostic
    call: Call | None = None
    target: str = ""
    problem: str = ""
    search_paths: Sequence[str] = ()


def reproductions(file: str, kernel: str, code: str, options: Options) -> list[Reproduction]:
    """For each finding about a kernel, of one rule or of all, a call that was seen to show it."""
    report = check([Path(file)], replace(options, confirm=True))
    if report.failures:
        raise BadRequest(report.failures[0].message)
    names = [k.name for k in report.kernels]
    if kernel not in names:
        raise BadRequest(f"there is no kernel `{kernel}` in {file}; it has {', '.join(names) or 'none'}")
    source = decode(read_bytes(file, Overlay()), file)
    folders = tuple(Path(os.path.relpath(folder)).as_posix() for folder in options.search_paths)
    version = options.nki_version or None
    settings = Settings(name=file, target=options.target or None, nki_version=version, search_paths=folders)
    text = Text(source, settings)
    found = [d for d in report.diagnostics if d.kernel == kernel and d.verdict is not None]
    return [_reproduction(d, text, kernel) for d in found if code in ("", d.code)]


def _reproduction(finding: Diagnostic, text: Text, kernel: str) -> Reproduction:
    trial = finding.trial
    if finding.code in _OF_CALLS:
        return Reproduction(finding, problem="the fault is in a call of the kernel")
    if trial is None or trial.positional:
        return Reproduction(finding, problem="no run shows what this rule is about")
    told = ""
    for call in _calls(trial):
        try:
            run = simulated(replace(text, settings=replace(text.settings, target=trial.target)), kernel, call)
        except BadRequest as error:
            return Reproduction(finding, problem=str(error))
        if any(seen.code in codes_of(finding) for seen in run.findings):
            return Reproduction(finding, call, trial.target, search_paths=text.settings.search_paths)
        told = told or run.problem
    return Reproduction(finding, problem=first_line(told) or "its witness was run, and did not show it")


def codes_of(finding: Diagnostic) -> tuple[str, ...]:
    """The rules under which a run may show the fault."""
    return (finding.code, *rule(finding.code).same_as)


def _calls(trial: Trial) -> Iterator[Call]:
    """The calls that a trial stands for, the likeliest first; a large one is replaced by smaller ones of its form."""
    given = [*trial.arguments.values(), *trial.around.values()]
    trials = [trial] if elements(given) <= _SMALL else list(smaller(trial, _SMALL))
    truths = (True, False) if mentions(given, "either") else (True,)
    dtypes = ("float32", "int32", "bfloat16") if lacks_dtype(trial.arguments) else ("float32",)
    for each in trials:
        for truth in truths:
            for dtype in dtypes:
                known = {name: _value(value, dtype, truth) for name, value in each.arguments.items()}
                around = {name: _value(value, dtype, truth) for name, value in each.around.items()}
                yield Call(known, each.grid, around, each.outputs)


def _value(argument: Any, dtype: str, truth: bool) -> Any:
    """An argument of a trial as a caller writes it."""
    if isinstance(argument, str):
        return {"text": argument} if argument in DTYPES or "[" in argument else argument
    if not isinstance(argument, Mapping):
        return argument
    ((kind, content),) = argument.items()
    if kind == "array":
        return f"{content[0] or dtype}[{', '.join(map(str, content[1]))}]"
    if kind == "dtype":
        return content or dtype
    if kind == "either":
        return truth
    if kind in ("tuple", "list"):
        items = [_value(item, dtype, truth) for item in content]
        return tuple(items) if kind == "tuple" else items
    if kind == "dict":
        return {kind: {key: _value(item, dtype, truth) for key, item in content.items()}}
    return dict(argument)


# --- as a test ---

_HEAD = '''"""What is wrong with `{kernel}` in {file}, and how to see it. Each test fails as long as the fault is there.

Made by `nkilint reproduce {asked}`. Run it where that was run: pytest {name}
"""

from pathlib import Path

import nkilint

FILE = Path({path})
'''
_TEST = '''

def test_{name}() -> None:
    """{message}"""
    run = nkilint.simulate_source(
        FILE.read_text(encoding="utf-8"),
        {inputs},
        {kernel},
        name=str(FILE),
        target={target},{more}
    )
    assert [seen for seen in run.findings if seen.code in {codes}] == []
    assert not run.problem or "AssertionError" in run.problem, run.problem  # the kernel may refuse such inputs
'''


def as_test(file: str, kernel: str, asked: str, found: Iterable[Reproduction]) -> str:
    """A file for pytest with a test for each finding that a call shows."""
    shown = Path(os.path.normpath(file)).as_posix()
    tests = []
    names: dict[str, int] = {}
    known = set()
    for each in found:
        again = (each.finding.code, repr(each.call)) in known
        known.add((each.finding.code, repr(each.call)))
        if each.call is not None and not again:
            name = re.sub(r"\W+", "_", f"{kernel}_{each.finding.name}".lower())
            names[name] = number = names.get(name, 0) + 1
            tests.append(_test(each, each.call, kernel, name if number == 1 else f"{name}_{number}"))
    head = _HEAD.format(kernel=kernel, file=shown, path=_literal(shown), asked=asked, name="test_x.py")
    return head + "".join(tests)


def _test(each: Reproduction, call: Call, kernel: str, name: str) -> str:
    finding = each.finding
    place = f"line {finding.at.row}"
    message = f"{finding.code} on {place}: {finding.message}".replace("\\", "\\\\").replace('"', "'")
    extra = [("grid", tuple(call.grid)), ("around", dict(call.around)), ("outputs", tuple(call.outputs))]
    extra.append(("search_paths", list(each.search_paths)))
    more = "".join(f"\n        {key}={_literal(value)}," for key, value in extra if value)
    return _TEST.format(
        name=name,
        message=message,
        inputs=_literal(dict(call.inputs)),
        kernel=_literal(kernel),
        target=_literal(each.target),
        more=more,
        codes=_literal(list(codes_of(finding))),
    )


def _literal(value: Any) -> str:
    text = pformat(value, width=100, sort_dicts=False).replace("\n", "\n        ")
    return text if '"' in text else text.replace("'", '"')
