"""Calls of every method of Python's built-in types, and of every function of modules that host code uses: those that
the running Python has, with arguments that it takes."""

from __future__ import annotations

import builtins
import importlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from .host_programs import DIALECTS, IMPORTS
from .oracle import TooSlow, limited

OBJECTS = {  # by the type's name, an object, and an expression for all of its state
    "list": ("[3, 1, n]", "tuple(o)"),
    "dict": ("{'a': 1, 'b': n}", "tuple(o.items())"),
    "set": ("{1, 2, 5}", "tuple(sorted(o))"),
    "frozenset": ("frozenset((1, 2, 5))", "tuple(sorted(o))"),
    "tuple": ("(3, 1, n)", "o"),
    "str": ("'ab,c b'", "o"),
    "int": ("(n + 5)", "o"),
    "bool": ("(n > 1)", "o"),
    "float": ("2.5", "int(o * 2)"),
    "range": ("range(1, n + 5, 2)", "tuple(o)"),
    "slice": ("slice(1, n, 2)", "o.stop"),
    "collections.deque": ("collections.deque([3, 1, n])", "tuple(o)"),
    "collections.Counter": ("collections.Counter('abca')", "tuple(sorted(o.items()))"),
    "collections.OrderedDict": ("collections.OrderedDict([('a', 1), ('b', n)])", "tuple(o.items())"),
    "collections.defaultdict": ("collections.defaultdict(int, a=n)", "tuple(o.items())"),
}
MODULES = ("builtins", "math", "operator", "itertools", "functools", "heapq", "bisect", "copy", "collections")
EXCLUDED = frozenset(  # what reads or writes something outside, or gives what differs from run to run
    (
        *("input", "open", "exec", "eval", "breakpoint", "help", "exit", "quit", "print", "compile", "copyright"),
        *("credits", "license", "id", "hash", "super", "dir", "reveal", "memoryview", "object"),
    )
)
ONE = (
    "n",
    "3",
    "-2",
    "'a'",
    "'b,c'",
    "[5, 4]",
    "(n, 1)",
    "{'a': 9}",
    "{1, 9}",
    "2.5",
    "True",
    "abs",
    "lambda v: -v",
    "None",
)
TWO = ("n", "2", "-3", "'a'", "[4, 2]", "{1, 9}", "abs", "'x'", "None")
KEYWORDS = ("reverse=True", "key=lambda v: -v", "default=4", "start=2", "a=7", "base=16", "maxsplit=1", "initial=2")
MOST = 3  # calls of one function
SIZE = 3  # of the input, for finding arguments


@dataclass(frozen=True)
class LibraryCall:
    """A call, on an object of a type or of a function of a module."""

    group: str  # the type or the module
    text: str  # with `o` for the object
    made: str  # of the object
    state: str
    result: str  # an expression for `r`, what the call gives

    @property
    def name(self) -> str:
        return f"call {self.group}: {self.text}"

    @property
    def source(self) -> str:
        body = [
            "n, m = a.shape", f"o = {self.made}", "p = o", f"r = {self.text}", f"reveal({self.result})",
            f"reveal({self.state})", "reveal(o is p)",
        ]  # fmt: skip
        lines = "".join(f"    {line}\n" for line in body)
        return f"{IMPORTS}{DIALECTS['neuronxcc']}\n\n@nki.jit\ndef kernel(a):\n{lines}    return a\n"


@cache
def library_calls() -> tuple[LibraryCall, ...]:
    """All of them that CPython takes."""
    found = [call for group, (made, state) in OBJECTS.items() for call in _methods(group, made, state)]
    return (*found, *(call for module in MODULES for call in _functions(module)))


def _methods(group: str, made: str, state: str) -> Iterator[LibraryCall]:
    kind = type(_value(made, None))
    for name in sorted(set(dir(kind)) - set(dir(object))):
        yield from _taken(group, f"o.{name}", made, state)


def _functions(module: str) -> Iterator[LibraryCall]:
    found = builtins if module == "builtins" else importlib.import_module(module)
    for name in sorted(vars(found)):
        value = getattr(found, name)
        error = isinstance(value, type) and issubclass(value, BaseException)
        if callable(value) and name not in EXCLUDED and not name.startswith("_") and not error:
            yield from _taken(module, name if module == "builtins" else f"{module}.{name}", "[3, 1, n]", "tuple(o)")


def _taken(group: str, function: str, made: str, state: str) -> Iterator[LibraryCall]:
    """Calls of a function that raise nothing and give different results."""
    own = ("", "o") if not function.startswith("o.") else ("",)
    arguments = [*own, *ONE, *(f"{a}, {b}" for a, b in itertools.product((*own[1:], *TWO), TWO)), *KEYWORDS]
    arguments += [f"{a}, {k}" for a in (*own[1:], "[2, 9]", "'1f'") for k in KEYWORDS]
    seen: set[str] = set()
    for given in arguments:
        text = f"{function}({given})"
        outcome = _outcome(text, made, state)
        if outcome is not None and outcome[0] not in seen:
            seen.add(outcome[0])
            yield LibraryCall(group, text, made, state, outcome[1])
        if len(seen) == MOST:
            return


def _outcome(text: str, made: str, state: str) -> tuple[str, str] | None:
    """What a call comes to, and how its result is revealed; None where it raises or gives nothing to compare."""
    try:
        with limited(1):
            o = _value(made, None)
            r = _value(text, o)
            result = "r"
            if hasattr(r, "__next__"):
                result, r = "tuple(itertools.islice(r, 5))", tuple(itertools.islice(r, 5))
            elif isinstance(r, (list, tuple, range)) or type(r).__name__ == "deque":
                result, r = "tuple(r)", tuple(r)
            elif isinstance(r, dict) or type(r).__name__.endswith(("_keys", "_values", "_items")):
                items = r.items() if isinstance(r, dict) else r
                result, r = ("tuple(r.items())" if isinstance(r, dict) else "tuple(r)"), tuple(items)
            elif isinstance(r, (set, frozenset)):
                result, r = "tuple(sorted(r))", tuple(sorted(r))
            elif isinstance(r, float):
                result, r = "int(r * 4)", int(r * 4)
            if not _plain(r):
                result = r = "None"
            return repr((r, _value(state, o), repr(type(r)))), result
    except (Exception, TooSlow):
        return None


def _plain(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(map(_plain, value))
    return value is None or isinstance(value, (bool, int, str))


@cache
def _namespace() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(IMPORTS, names)
    return names


def _value(text: str, o: Any) -> Any:
    return eval(text, dict(_namespace()), {"n": SIZE, "o": o})
