"""What Python itself raises while a kernel runs, in the rulebook's words: it is noted, and the exception goes on."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from enum import EnumMeta
from types import FrameType, ModuleType, TracebackType
from typing import Any

from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.language.division_by_zero import DivisionByZero
from nkilint_rules.language.failed_assertion import FailedAssertion
from nkilint_rules.language.undefined_name import UndefinedName
from nkilint_rules.operands.shape_mismatch import ShapeMismatch
from nkilint_rules.operands.unknown_api import UnknownApi

from .errors import FINDINGS, Finding
from .sites import Site, here, is_ours
from .wording import parsed, source_text, told

_OTHERS = frozenset(
    (*sys.stdlib_module_names, "ml_dtypes", "neuronxcc", "nki", "nkilint_rules", "numpy", "reference_sim")
)
"""Modules whose classes are not the program's."""

_TENSORS = "reference_sim.tensors.tensor"
"""The module of the class of tensors."""

_MISSING = re.compile(r"(\w+)\(\) missing \d+ required [\w-]+ arguments?: (.*)")
_UNEXPECTED = re.compile(r"(\w+)\(\) got an unexpected keyword argument '(\w+)'")
_TOO_MANY = re.compile(r"(\w+)\(\) takes (?:from \d+ to )?(\d+) positional arguments? but (\d+) (?:was|were) given")
_NOT_CALLABLE = re.compile(r"'(\w+)' object is not callable")
_ADDED = re.compile(r'can only concatenate (\w+) \(not "(\w+)"\)')
_OPERANDS = re.compile(r"unsupported operand type\(s\) for ([^:]+): '(\w+)' and '(\w+)'")
_ORDERED = re.compile(r"'([<>]=?)' not supported between instances of '(\w+)' and '(\w+)'")
_NO_LENGTH = re.compile(r"object of type '(\w+)' has no len\(\)")
_USES = (
    (re.compile(r"'(\w+)' object is not iterable|cannot unpack non-iterable (\w+) object"), "cannot be iterated over"),
    (re.compile(r"'(\w+)' object is not subscriptable"), "has no items"),
    (re.compile(r"'(\w+)' object does not support item assignment"), "cannot be changed"),
)
_WORDS = {"NoneType": "None", "float": "a float", "int": "an integer", "str": "a string"}
_UNPACKED = re.compile(r"(?:too many|not enough) values to unpack \(expected (\d+)(?:, got (\d+))?\)")
_FIXED = re.compile(r"cannot (?:assign to|delete) field '(\w+)'|can't (?:set|delete) attribute$")
_BUILT_IN = (bool, dict, float, int, list, set, str, tuple, type(None))
_KINDS = {
    "NoneType": "None", "int": "a number", "float": "a number", "bool": "a number", "str": "a string",
    "Sizes": "a tuple",
}  # fmt: skip


def note(error: Exception) -> None:
    """Record the rule that an exception shows broken, if it shows one and the kernel's own code raised it."""
    *before, (frame, site) = _steps(error.__traceback__)
    host = here()
    found = None
    if isinstance(error, TypeError):
        found = _wrong_call(error, host if is_ours(frame.f_code) else site)
    elif is_ours(frame.f_code):
        return
    elif isinstance(error, ZeroDivisionError):
        found = told(DivisionByZero.message(expression=source_text(site) or "the expression", divisor=0), site)
    elif isinstance(error, AssertionError):
        found = _failed_assertion(frame, site, host)
    elif isinstance(error, NameError):
        name = re.search(r"'(\w+)'", str(error))
        found = None if name is None else told(UndefinedName.message(name=name[1]), site)
    elif isinstance(error, AttributeError) and isinstance(error.obj, EnumMeta):
        site = before[-1][1] if before and frame.f_globals.get("__name__") == "enum" else site
        found = told(UndefinedName.attribute(owner=error.obj.__name__, name=error.name), site)
    elif isinstance(error, AttributeError) and (fixed := _FIXED.search(str(error))):
        site = before[-1][1] if before and isinstance(error, FrozenInstanceError) else site
        found = told(UndefinedName.fixed(owner="an object", name=fixed[1] or "an item"), site)
    elif isinstance(error, AttributeError) and _is_users(type(error.obj)):
        found = told(UndefinedName.attribute(owner=type(error.obj).__name__, name=error.name), site)
    elif isinstance(error, AttributeError) and (isinstance(error.obj, _BUILT_IN) or _is_of_python(error.obj)):
        found = _missing_attribute(error, site)
    elif isinstance(error, KeyError):
        found = _missing_key(error, site)
    elif isinstance(error, ValueError) and (counts := _UNPACKED.match(str(error))):
        given, wanted = counts[2] or f"more than {counts[1]}", counts[1]
        said = ShapeMismatch.unpacked(count=given, targets=wanted, target="the left side")
        found = told(said, site)
    elif isinstance(error, AttributeError) and type(error.obj).__module__ == _TENSORS:
        found = told(UnknownApi.message(name=f"tensor.{error.name}"), site)
    if found is not None:
        FINDINGS.add(found, stops=True)


def _missing_attribute(error: AttributeError, site: Site) -> Finding:
    """An attribute that a value of one of Python's own types does not have."""
    owner = (source_text(site) or "").removesuffix(f".{error.name}") or f"a {type(error.obj).__name__}"
    if error.obj is None:
        return told(UndefinedName.of_none(owner=owner, name=error.name), site)
    return told(UndefinedName.attribute(owner=owner, name=error.name), site)


def _missing_key(error: KeyError, site: Site) -> Finding | None:
    """A key that a dict does not have, where it is looked up by a subscript or taken away."""
    node = parsed(source_text(site) or "")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("pop", "remove"):
        node = node.func
    if not isinstance(node, (ast.Attribute, ast.Subscript)) or not isinstance(error.args[0], (int, str)):
        return None
    return told(UndefinedName.key(owner=ast.unparse(node.value), key=repr(error.args[0])), site)


def _is_of_python(owner: object) -> bool:
    """Whether something is a module that comes with Python."""
    return isinstance(owner, ModuleType) and owner.__name__.partition(".")[0] in sys.stdlib_module_names


def _is_users(kind: type) -> bool:
    """Whether a class is one that the kernel's program defines."""
    return kind.__module__.partition(".")[0] not in _OTHERS


def _steps(traceback: TracebackType | None) -> Iterator[tuple[FrameType, Site]]:
    while traceback is not None:
        frame = traceback.tb_frame
        yield frame, (frame.f_code, traceback.tb_lasti)
        traceback = traceback.tb_next


def _wrong_call(error: TypeError, site: Site) -> Finding | None:
    text = str(error)
    if found := _MISSING.fullmatch(text):
        names = re.findall(r"'(\w+)'", found[2])
        problem = "is missing " + ", ".join(f"`{n}`" for n in names)
    elif found := _UNEXPECTED.match(text):
        problem = f"takes no argument `{found[2]}`"
    elif found := _TOO_MANY.match(text):
        problem = f"takes {found[2]} positional arguments, {found[3]} given"
    elif found := _NOT_CALLABLE.match(text):
        called = re.match(r"([\w.]+)\(", source_text(site) or "")
        callee = called[1].rpartition(".")[2] if called else "what is called"
        return told(CallSignature.not_callable(callee=callee, kind=_KINDS.get(found[1], f"a {found[1]}")), site)
    else:
        return _unfit(text, site)
    return told(CallSignature.message(callee=found[1], problem=problem), site)


def _unfit(text: str, site: Site) -> Finding | None:
    """What an operator, `len`, a loop or a subscript has no meaning for."""
    if found := _ADDED.match(text):
        left, right = found[1], found[2]
        return told(CallSignature.takes_none(callee="+", given=f"{_word(left)} and {_word(right)}"), site)
    if found := _OPERANDS.match(text):
        operator = found[1].removesuffix("=")
        return told(CallSignature.takes_none(callee=operator, given=f"{_word(found[2])} and {_word(found[3])}"), site)
    if found := _ORDERED.match(text):
        return told(CallSignature.takes_none(callee=found[1], given=f"{_word(found[2])} and {_word(found[3])}"), site)
    if found := _NO_LENGTH.match(text):
        return told(CallSignature.takes_none(callee="len", given=_word(found[1])), site)
    for pattern, use in _USES:
        if found := pattern.match(text):
            expression = source_text(site) or "what is used"
            node = parsed(expression)
            if isinstance(node, ast.Subscript):
                expression = ast.unparse(node.value)
            return told(
                CallSignature.unusable(expression=expression, kind=_word(found[found.lastindex or 0]), use=use), site
            )
    return None


def _word(kind: str) -> str:
    """A type of Python's in words."""
    return _WORDS.get(kind, f"a {kind}")


def _failed_assertion(frame: FrameType, site: Site, host: Site) -> Finding | None:
    """An assertion of a kernel speaks of what the host passed: the finding stands at the call."""
    condition = _asserted(site)
    if not condition:
        return None
    values = ", ".join(f"{text}={value}" for text, value in _numbers(condition, frame))
    said = FailedAssertion.message(kernel=frame.f_code.co_name, condition=condition, values=values)
    return told(said, host, [("the assertion", site)])


def _asserted(site: Site) -> str:
    """The condition of the assertion at a site."""
    text = source_text(site)
    if not text.startswith("assert"):
        return text
    try:
        statement = ast.parse(text).body[0]
    except SyntaxError:
        return ""
    return ast.get_source_segment(text, statement.test) or "" if isinstance(statement, ast.Assert) else ""


def _numbers(condition: str, frame: FrameType) -> Iterator[tuple[str, int]]:
    """The integers that a condition reads, with the source that reads them, each once."""
    node = parsed(condition)
    seen = set()
    pending: list[ast.AST] = [] if node is None else [node]
    names = {**frame.f_globals, **frame.f_locals}
    while pending:
        part = pending.pop(0)
        if isinstance(part, (ast.Name, ast.Attribute, ast.Subscript)) and not _calls(part):
            text = ast.get_source_segment(condition, part) or ""
            value = _value(text, names)
            if isinstance(value, int) and text not in seen and not hasattr(builtins, text):
                seen.add(text)
                yield text, value
            continue
        pending += ast.iter_child_nodes(part)


def _calls(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Call) for part in ast.walk(node))


def _value(text: str, names: dict[str, Any]) -> Any:
    """What a name, an attribute or a subscript of the kernel is; None where reading it fails."""
    try:
        return eval(text, names)
    except (NameError, AttributeError, LookupError, TypeError):
        return None
