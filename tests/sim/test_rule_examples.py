"""Every example of every rule that runs detect goes through the simulator: the same code, words and line as the linter.

An example that fails for some inputs only runs with the inputs of the linter's witness; one that is right runs with
several sizes.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from inspect import signature
from itertools import product
from typing import Any

import numpy as np
import pytest

from nkilint_rules.catalogue import rules
from nkilint_rules.rule import Example
from nkilint_rules.words.dtypes import DTYPES
from reference_sim import FINDINGS, Finding, NkiError, Strictness
from reference_sim.machine.dtypes import HOST
from reference_sim.running.settings import SETTINGS

from ..rules.test_rule_examples import identified
from ..support.checking import report_on
from ..support.example_source import FILE, source_of

DYNAMIC = {code: rule for code, rule in rules().items() if rule.dynamic}
WORDS_OF_SOURCE = (  # what a run has nothing to do with
    "; its annotation says",
    "no input meets the assertion",
    "outside the branch that makes it",
    "of which the next iteration sees nothing",
    "each iteration of `fori_loop` overwrites",
    "which no tensor of NKI has",
    "which is computed here",
)
NO_VIEW = "t.permute((0, 2, 1)).flatten_dims(1, 2)"  # legal, but no view in this machine: it says that it cannot
INVALID = [
    (code, e)
    for code, rule in DYNAMIC.items()
    for e in rule.invalid
    if not any(words in (e.message or "") for words in WORDS_OF_SOURCE)
]
VALID = [(code, e) for code, rule in DYNAMIC.items() for e in rule.valid if NO_VIEW not in e.code]
SAME = {"NKI703": {"NKI702"}}  # with the least inputs nothing at all is written
SIZES = (128, 256, 300, 512)
SHORT = {"bf16": "bfloat16", "f32": "float32", "fp32": "float32", "f16": "float16", "i32": "int32", "u32": "uint32"}


@dataclass(frozen=True)
class Spec:
    """What the comment above a kernel says of its inputs."""

    tensors: Mapping[str, tuple[str, list[str]]]
    scalars: Mapping[str, Any]
    constraints: list[str]

    def names(self) -> list[str]:
        """The names of sizes."""
        sizes = " ".join(" ".join(dims) for _, dims in self.tensors.values())
        return sorted(set(re.findall(r"[A-Za-z_]\w*", sizes)))


def spec_of(source: str) -> tuple[str, Spec] | None:
    """The kernel with a specification above it, and what that says."""
    found = re.search(r"^# nkilint: (.*)\n(?:@.*\n)*def (\w+)", source, re.MULTILINE)
    if found is None:
        return None
    subscript = ast.parse(f"x[{found[1]}]", mode="eval").body
    assert isinstance(subscript, ast.Subscript)
    items = subscript.slice.elts if isinstance(subscript.slice, ast.Tuple) else [subscript.slice]
    spec = Spec({}, {}, [])
    for item in items:
        if not isinstance(item, ast.Slice):
            spec.constraints.append(ast.unparse(item))
            continue
        assert isinstance(item.lower, ast.Name)
        assert item.upper is not None
        _add(spec, item.lower.id, item.upper)
    return found[2], spec


def _add(spec: Any, name: str, value: ast.expr) -> None:
    if isinstance(value, ast.Subscript):
        dims = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
        dtype = ast.unparse(value.value)
        spec.tensors[name] = (SHORT.get(dtype, dtype), [ast.unparse(d) for d in dims])
    elif isinstance(value, ast.List):
        spec.tensors[name] = ("float32", [ast.unparse(d) for d in value.elts])
    else:
        spec.scalars[name] = ast.literal_eval(value)


def tensor_of(dtype: str, shape: list[int]) -> Any:
    return np.zeros(shape, HOST[DTYPES[dtype]])


def inputs_with(spec: Spec, sizes: Mapping[str, int]) -> dict[str, Any] | None:
    """Arguments for some sizes; None where they do not meet the specification."""
    known = {**sizes, **spec.scalars}
    if not all(eval(text, {}, known) for text in spec.constraints):
        return None
    tensors = {n: tensor_of(d, [int(eval(dim, {}, known)) for dim in dims]) for n, (d, dims) in spec.tensors.items()}
    return {**tensors, **spec.scalars}


def witness_inputs(witness: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that a witness of the linter names."""
    found: dict[str, Any] = {}
    for name, value in witness.items():
        tensor = re.fullmatch(r"(\w+)\[(.*)\]", value) if isinstance(value, str) else None
        if tensor is None:
            found[name] = value
        else:
            sizes = [size.strip() for size in tensor[2].split(",")]
            found[name] = tensor_of(tensor[1], [int(size) if size.isdigit() else 128 for size in sizes])
    return found


class Raised(Exception):
    """The kernel failed without a finding."""


def run(source: str, example: Example, kernel: str | None, arguments: Mapping[str, Any]) -> list[Finding]:
    """The errors found on one run; with an exception that is none of them, `Raised`."""
    FINDINGS.clear()
    SETTINGS["strictness"] = Strictness(target=example.target)
    linecache.cache[FILE] = (len(source), None, source.splitlines(True), FILE)
    space = {"__name__": "__main__", "__file__": FILE}
    try:
        exec(compile(source, FILE, "exec"), space)
        if kernel is not None:
            function: Any = space[kernel]
            open_ = {p.name: False for p in signature(function).parameters.values() if p.default is p.empty}
            function(**{**open_, **arguments})
    except NkiError:
        pass
    except Exception as error:
        if not FINDINGS.items:
            raise Raised(f"{type(error).__name__}: {error}") from error
    return list(FINDINGS.items)


def runs(source: str, example: Example) -> Iterator[list[Finding]]:
    """What is found with each of several inputs."""
    spec = None if "__main__" in source else spec_of(source)
    if spec is None:
        yield run(source, example, None, {})
        return
    kernel, inputs = spec
    names = inputs.names()
    for sizes in product(SIZES, repeat=len(names)):
        arguments = inputs_with(inputs, dict(zip(names, sizes, strict=True)))
        if arguments is not None:
            found = run(source, example, kernel, arguments)
            if not any(f.code == "NKI807" for f in found):  # the kernel asserts that these sizes are not meant
                yield found


def told(findings: list[Finding], source: str) -> str:
    return "\n".join([*map(str, findings), source])


def test_every_rule_that_runs_detect_has_examples_of_both_kinds_in_its_dialects() -> None:
    for examples in (INVALID, VALID):
        told = {(code, example.dialect) for code, example in examples}
        assert {(code, dialect) for code, rule in DYNAMIC.items() for dialect in rule.dialects} - told == set()


@pytest.mark.parametrize(("code", "example"), INVALID, ids=identified(INVALID))
def test_invalid_example_is_found_on_its_line(code: str, example: Example) -> None:
    source, span = source_of(example)
    spec = None if "__main__" in source else spec_of(source)
    if spec is None:
        findings = run(source, example, None, {})
        assert findings, f"nothing is found, or no comment `# nkilint: ...` says on which inputs to run:\n{source}"
    else:
        (witness,) = [d.witness for d in report_on(source, target=example.target).findings if d.code == code]
        names = inputs_with(spec[1], dict.fromkeys(spec[1].names(), 128)) if not spec[1].constraints else {}
        found = witness_inputs(witness.inputs) if witness else {}
        findings = run(source, example, spec[0], {**(names or {}), **found})
    assert findings, source
    first = findings[0]
    expected = {code} if example.precondition is None else {code, *SAME.get(code, ())}
    assert first.code in expected, told(findings, source)
    assert span is not None
    assert span.row <= first.at.row <= span.end_row, told(findings, source)
    symbolic = spec is not None and bool(spec[1].names())
    if example.message is not None and not symbolic:
        assert first.message == example.message or _alike(first.message, example.message), told(findings, source)


def _alike(message: str, other: str) -> bool:
    """Whether messages about two sums that alternate tell of the same, from one side or from the other."""
    return "the sum in" in message and sorted(re.findall(r"\w+", message)) == sorted(re.findall(r"\w+", other))


@pytest.mark.parametrize(("code", "example"), VALID, ids=identified(VALID))
def test_valid_example_is_silent(code: str, example: Example) -> None:
    source, _ = source_of(example)
    silent = 0
    for findings in runs(source, example):
        assert [f for f in findings if f.severity == "error"] == [], told(findings, source)
        silent += 1
    assert silent
