"""Where functions go: through assignments, calls and wrappers such as `nki.jit`, to the places that use them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nkilint.base import ir
from nkilint_rules.words.records import dataclass

from .imports import Imports, lookup, split_api
from .names import Scope

KINDS = {
    "jit": "jit",
    "nki_jit": "jit",
    "trace": "trace",
    "baremetal": "baremetal",
    "benchmark": "benchmark",
    "profile": "profile",
    "simulate": "simulate",
    "simulate_kernel": "simulate",
    "nki_call": "nki_call",
}
LAUNCHING = frozenset({"simulate_kernel", "nki_call"})  # take the kernel and its arguments in one call
_FRAMEWORKS = ("torch_neuronx.", "jax_neuronx.", "neuronxcc.starfish.", "libneuronxla.")
_SUBJECTS = ("func", "kernel", "fn", "kernel_func")
_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A decorator of NKI or of a framework, with the arguments it has been given so far."""

    leaf: str
    dialect: str | None
    framework: bool
    arguments: tuple[tuple[str | None, ir.Expr], ...] = ()


class Flow:
    """Follows functions through the text of `scopes`, whatever the order in which it would run."""

    def __init__(self, imports: Imports, scopes: Iterable[Scope]) -> None:
        self.imports = imports
        self._wrappers: dict[tuple[int, int], Wrapper | None] = {}
        self._calls: dict[str, list[tuple[Scope, ir.Call]]] = {}
        for scope in scopes:
            for call in scope.calls:
                name = _leaf(call.func)
                if name is not None:
                    self._calls.setdefault(name, []).append((scope, call))

    def wrapper(self, scope: Scope, node: ir.Expr, depth: int = _DEPTH) -> Wrapper | None:
        """The wrapper that `node` is: `nki.jit`, `nki.jit(mode="trace")`, or a name for either."""
        key = (id(scope), id(node))
        if key not in self._wrappers:
            self._wrappers[key] = self._wrapper(scope, node, depth) if depth else None
        return self._wrappers[key]

    def _wrapper(self, scope: Scope, node: ir.Expr, depth: int) -> Wrapper | None:
        if isinstance(node, ir.Call):
            if self.imports.qualified(scope, node.func) == "functools.partial" and node.args:
                base = self.wrapper(scope, node.args[0][1], depth - 1)
                rest = node.args[1:]
            else:
                base = self.wrapper(scope, node.func, depth - 1)
                rest = node.args
            if base is None or base.leaf in LAUNCHING or (base.arguments and rest):
                return None
            if subject_of(node) is not None and rest is node.args:
                return None  # it is given its kernel here
            return Wrapper(base.leaf, base.dialect, base.framework, base.arguments + rest)
        if not isinstance(node, (ir.Name, ir.Attr)):
            return None
        name = self.imports.qualified(scope, node)
        if name is not None:
            return _known_wrapper(name)
        if isinstance(node, ir.Name):
            owner = lookup(scope, node.id)
            for value in owner.values.get(node.id, ()) if owner is not None else ():
                if owner is not None and isinstance(value, ir.Call):
                    found = self.wrapper(owner, value, depth - 1)
                    if found is not None:
                        return found
        return None

    # --- functions that an expression may stand for ---

    def functions(self, scope: Scope, node: ir.Expr, seen: frozenset[tuple[int, str]] = frozenset()) -> list[Scope]:
        """The functions of the project that `node` may stand for, by every assignment and call that is seen."""
        if len(seen) > _DEPTH:
            return []
        if isinstance(node, (ir.Name, ir.Attr)):
            found = [s for s in self.imports.definitions(scope, node) if s.function is not None]
            if found or not isinstance(node, ir.Name) or (id(scope), node.id) in seen:
                return found
            return self._variable(scope, node.id, seen | {(id(scope), node.id)})
        if isinstance(node, ir.Index):  # a grid, or a table of kernels
            return self.functions(scope, node.value, seen)
        if isinstance(node, ir.Call):
            return self._made(scope, node, seen)
        parts: Iterable[ir.Expr] = ()
        if isinstance(node, ir.Conditional):
            parts = (node.then, node.otherwise)
        elif isinstance(node, ir.Sequence):
            parts = node.items
        elif isinstance(node, ir.DictExpr):
            parts = [value for _, value in node.items]
        return distinct(f for part in parts for f in self.functions(scope, part, seen))

    def _variable(self, scope: Scope, name: str, seen: frozenset[tuple[int, str]]) -> list[Scope]:
        owner = lookup(scope, name)
        if owner is None:
            return []
        found = [f for value in owner.values.get(name, ()) for f in self.functions(owner, value, seen)]
        function = owner.function
        if function is not None and any(p.name == name for p in function.params):
            for place, value in self._passed(owner, function, name):
                found += self.functions(place, value, seen)
        return distinct(found)

    def _passed(self, scope: Scope, function: ir.FunctionDef, name: str) -> Iterator[tuple[Scope, ir.Expr]]:
        """What the project's calls, and pytest's tables, pass for a parameter."""
        positions = [p.name for p in function.params if p.kind in ("positional", "positional-only")]
        index = positions.index(name) if name in positions else -1
        for place, call in self._calls.get(function.name, ()):
            if scope not in self.imports.definitions(place, call.func):
                continue
            plain = [value for key, value in call.args if key is None]
            yield from ((place, value) for key, value in call.args if key == name)
            if 0 <= index < len(plain):
                yield place, plain[index]
        for decorator in function.decorators if scope.parent is not None else ():
            if isinstance(decorator, ir.Call) and _leaf(decorator.func) == "parametrize" and len(decorator.args) > 1:
                names = decorator.args[0][1]
                if isinstance(names, ir.Const) and name in str(names.value).replace(",", " ").split():
                    assert scope.parent is not None
                    yield scope.parent, decorator.args[1][1]

    def _made(self, scope: Scope, node: ir.Call, seen: frozenset[tuple[int, str]]) -> list[Scope]:
        """Functions that come out of a call: of a wrapper, of `partial`, of a factory, or of a table's method."""
        if self.wrapper(scope, node.func) is not None:
            subject = subject_of(node)
            return [] if subject is None else self.functions(scope, subject, seen)
        if self.imports.qualified(scope, node.func) == "functools.partial" and node.args:
            return self.functions(scope, node.args[0][1], seen)
        if isinstance(node.func, ir.Attr) and node.func.name in ("get", "items", "values"):
            return self.functions(scope, node.func.value, seen)
        found: list[Scope] = []
        for factory in self.imports.definitions(scope, node.func):
            key = (id(factory), "return")
            if factory.function is not None and key not in seen:
                found += [f for value in factory.returns for f in self.functions(factory, value, seen | {key})]
        return distinct(found)


def _known_wrapper(name: str) -> Wrapper | None:
    leaf = name.rpartition(".")[2]
    if leaf not in KINDS:
        return None
    if name.startswith(_FRAMEWORKS):
        return Wrapper(leaf, None, True)
    api = split_api(name)
    if api is None or api[1].partition(".")[0] in ("language", "isa", "typing", "collectives", "nccl"):
        return None
    return Wrapper(leaf, api[0], False)


def subject_of(call: ir.Call) -> ir.Expr | None:
    """The function that a wrapper is given: its first argument, or the one that is named so."""
    if call.args and call.args[0][0] is None:
        return call.args[0][1]
    return next((value for name, value in call.args if name in _SUBJECTS), None)


def _leaf(node: ir.Expr) -> str | None:
    if isinstance(node, ir.Name):
        return node.id
    return node.name if isinstance(node, ir.Attr) else None


def distinct(scopes: Iterable[Scope]) -> list[Scope]:
    """Each scope once, in order."""
    return list(dict.fromkeys(scopes))
