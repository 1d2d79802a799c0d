"""Finds the kernels of modules, and the expressions that launch them, without evaluating anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from nkilint.base import ir
from nkilint_rules.operations import load_operations
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.records import dataclass

from .imports import Imports, split_api
from .names import Scope
from .wrappers import KINDS, LAUNCHING, Flow, Wrapper, distinct, subject_of

_NO_WORK = frozenset({"type", "launch", "host", "index", "method", "print"})


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """A function that runs on the device when the host calls it.

    `kind` says what makes it one: "jit", "trace", "baremetal", "benchmark", "profile", "simulate", "nki_call", or
    "implicit" where nothing does but the operations in it. `arguments` are those of the decorator or wrapper.
    `may_write` says that it may write to its parameters, `is_called` that other kernels use it as a part of theirs.
    """

    module: ir.Module
    function: ir.FunctionDef
    outer: tuple[ir.FunctionDef | ir.ClassDef, ...]
    dialect: str
    kind: str
    arguments: tuple[tuple[str | None, ir.Expr], ...]
    may_write: bool
    is_called: bool = False

    @property
    def name(self) -> str:
        """Qualified by the functions and classes around it."""
        return ".".join([*(o.name for o in self.outer), self.function.name])


@dataclass(frozen=True, slots=True, eq=False)
class LaunchSite:
    """A call that runs `kernel`, in the function `enclosing` or at the top level; `grid` is the subscript, if any."""

    kernel: Kernel
    module: ir.Module
    call: ir.Call
    enclosing: ir.FunctionDef | None
    grid: ir.Expr | None


@dataclass(frozen=True, slots=True)
class Discovered:
    """Kernels and launches in the order of the modules and their text, and all functions that run as part of kernels of
    `nki`, which its compiler takes in place of Python."""

    kernels: tuple[Kernel, ...]
    launches: tuple[LaunchSite, ...]
    compiled: tuple[Scope, ...]


def discover(imports: Imports, modules: Sequence[ir.Module]) -> Discovered:
    """The kernels that `modules` define; launches and decorators in any of them count for all."""
    return _Discovery(imports, modules).run()


class _Discovery:
    def __init__(self, imports: Imports, modules: Sequence[ir.Module]) -> None:
        self.imports = imports
        self.modules = modules
        self.scopes = [scope for module in modules for scope in imports.scope(module).everything()]
        self.kernels: dict[Scope, Kernel] = {}
        self._works: dict[Scope, tuple[str, bool] | None] = {}
        self._mentions: dict[Scope, list[Scope]] = {}
        self.flow = Flow(imports, self.scopes)

    def run(self) -> Discovered:
        for scope in self.scopes:
            self._by_decorator(scope)
        for scope in self.scopes:
            for call in scope.calls:
                self._by_wrapper(scope, call)
        self._implicit()
        for scope in self._used(self.kernels):
            if scope in self.kernels:
                self.kernels[scope] = replace(self.kernels[scope], is_called=True)
        order = {module.path: index for index, module in enumerate(self.modules)}
        kernels = [k for k in self.kernels.values() if k.module.path in order]
        kernels.sort(key=lambda k: (order[k.module.path], k.function.at.row, k.function.at.column))
        compiled = self._reached(scope for scope, kernel in self.kernels.items() if kernel.dialect == NKI)
        return Discovered(tuple(kernels), tuple(self._launches()), tuple(compiled))

    # --- kernels that say so ---

    def _by_decorator(self, scope: Scope) -> None:
        function = scope.function
        if function is None or scope.parent is None:
            return
        for decorator in function.decorators:
            wrapper = self.flow.wrapper(scope.parent, decorator)
            if wrapper is not None:
                self._add(scope, wrapper)
                return

    def _by_wrapper(self, scope: Scope, call: ir.Call) -> None:
        wrapper = self.flow.wrapper(scope, call.func)
        if wrapper is None:
            return
        subject = subject_of(call)
        if subject is None:
            return
        rest = tuple(a for a in call.args if a[1] is not subject and wrapper.leaf not in LAUNCHING)
        wrapper = Wrapper(wrapper.leaf, wrapper.dialect, wrapper.framework, wrapper.arguments + rest)
        for found in self.flow.functions(scope, subject):
            self._add(found, wrapper)

    def _add(self, scope: Scope, wrapper: Wrapper) -> None:
        function = scope.function
        if function is None or scope in self.kernels:
            return
        dialect = wrapper.dialect or (self.work(scope) or (BETA1, False))[0]
        may_write = _may_write(wrapper, scope)
        kind = "trace" if dialect == BETA1 and _given(wrapper).get("mode") == "trace" else KINDS[wrapper.leaf]
        self.kernels[scope] = Kernel(scope.module, function, scope.outer, dialect, kind, wrapper.arguments, may_write)

    # --- kernels that nothing declares ---

    def work(self, scope: Scope) -> tuple[str, bool] | None:
        """The dialect of the operations that a function calls itself, and whether it stores to HBM."""
        if scope not in self._works:
            self._works[scope] = self._find_work(scope)
        return self._works[scope]

    def _find_work(self, scope: Scope) -> tuple[str, bool] | None:
        dialect: str | None = None
        stores = False
        for call in scope.calls:
            if not isinstance(call.func, (ir.Name, ir.Attr)):
                continue
            name = self.imports.qualified(scope, call.func)
            api = None if name is None else split_api(name)
            operation = None if api is None else load_operations().get(api[1])
            if api is None or operation is None or operation.kind in _NO_WORK:
                continue
            dialect = dialect or api[0]
            stores = stores or operation.stores
        return None if dialect is None else (dialect, stores)

    def _references(self, scope: Scope) -> list[Scope]:
        """The functions that a function mentions; of a class it mentions, all methods."""
        if scope not in self._mentions:
            self._mentions[scope] = self._find_references(scope)
        return self._mentions[scope]

    def _find_references(self, scope: Scope) -> list[Scope]:
        result: list[Scope] = []
        for name in {_text(name): name for name in scope.names}.values():
            for found in self.imports.definitions(scope, name):
                if found.function is None:
                    result += [s for s in found.everything() if s.function is not None]
                else:
                    result.append(found)
        if scope.is_method and scope.parent is not None:
            result += [s for s in scope.parent.children if s.function is not None]
        return distinct(result)

    def _reached(self, roots: Iterable[Scope]) -> list[Scope]:
        """`roots` and all functions that run as part of them."""
        reached = dict.fromkeys(roots)
        stack = list(reached)
        while stack:
            for found in self._references(stack.pop()):
                if found not in reached:
                    reached[found] = None
                    stack.append(found)
        return list(reached)

    def _used(self, scopes: Iterable[Scope]) -> set[Scope]:
        """All functions that run as part of others among `scopes`."""
        return {found for scope in scopes for found in self._reached(self._references(scope)) if found is not scope}

    def _declared_otherwise(self, scope: Scope, function: ir.FunctionDef) -> bool:
        """Whether it has a decorator that isn't NKI's: it then is what that decorator makes of it."""
        around = scope.parent
        assert around is not None
        names = [self.imports.qualified(around, d.func if isinstance(d, ir.Call) else d) for d in function.decorators]
        return any(name is None or split_api(name) is None for name in names)

    def _implicit(self) -> None:
        helpers = set(self._reached(self.kernels))
        working = [s for s in self.scopes if s.function is not None and s not in helpers and self.work(s) is not None]
        used = self._used(working)
        inside = set(working) | helpers
        for scope in working:
            function = scope.function
            assert function is not None
            if scope in used or scope.is_method or scope.parent in inside or self._declared_otherwise(scope, function):
                continue
            reached = [w for s in self._reached([scope]) if (w := self.work(s)) is not None]
            if any(stores for _, stores in reached):
                dialect = reached[0][0]
                self.kernels[scope] = Kernel(scope.module, function, scope.outer, dialect, "implicit", (), True)

    # --- launches ---

    def _launches(self) -> Iterator[LaunchSite]:
        device = set(self._reached(self.kernels))
        for scope in self.scopes:
            if scope in device:
                continue
            for call in scope.calls:
                grid, target = None, call.func
                wrapper = self.flow.wrapper(scope, target)
                if wrapper is not None:
                    subject = subject_of(call)
                    if wrapper.leaf not in LAUNCHING or subject is None:
                        continue
                    target = subject
                if isinstance(target, ir.Index):
                    grid, target = target.key, target.value
                for found in self.flow.functions(scope, target):
                    kernel = self.kernels.get(found)
                    if kernel is not None and not self._makes(scope, call):
                        yield LaunchSite(kernel, scope.module, call, scope.function, grid)

    def _makes(self, scope: Scope, call: ir.Call) -> bool:
        """Whether a call gives a kernel instead of running it."""
        if not isinstance(call.func, (ir.Name, ir.Attr)):
            return False
        return any(s.function is not None and s not in self.kernels for s in self.imports.definitions(scope, call.func))


def _may_write(wrapper: Wrapper, scope: Scope) -> bool:
    """Whether the way a kernel is run lets it write to its parameters, as kernels without results have to."""
    given = _given(wrapper)
    if wrapper.framework or wrapper.leaf in ("trace", "simulate_kernel", "simulate", "nki_call"):
        return True
    if given.get("mode") == "trace" or given.get("kernel_return") is False:
        return True
    if "mutable" in str(given.get("experimental_flags", "")):
        return True
    return wrapper.leaf in ("baremetal", "benchmark", "profile") and not scope.returns


def _given(wrapper: Wrapper) -> dict[str | None, object]:
    """The arguments of a wrapper that are constants."""
    return {name: value.value for name, value in wrapper.arguments if isinstance(value, ir.Const)}


def _text(node: ir.Expr) -> str:
    """A dotted name as it is written."""
    parts: list[str] = []
    while isinstance(node, ir.Attr):
        parts.append(node.name)
        node = node.value
    return ".".join([*parts, node.id]) if isinstance(node, ir.Name) else ""
