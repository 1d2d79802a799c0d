"""What a name in a module stands for: something outside the project, or functions and classes inside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nkilint.base import ir
from nkilint_rules.operations import load_constants, load_operations
from nkilint_rules.words.dialects import BETA1, NKI

from .files import External, Project
from .names import Binding, Scope, scope_of

ROOTS = {"neuronxcc.nki": BETA1, "nki": NKI}
_KNOWN = ("neuronxcc", "nki", "torch_neuronx", "jax_neuronx", "numpy", "torch", "jax")
_DEPTH = 12

Seen = set[tuple[int, str]]  # variables, by their scopes, that have been looked at


def split_api(name: str) -> tuple[str, str] | None:
    """Dialect and name in the rulebook of a dotted name: `neuronxcc.nki.language.load` is `language.load` of Beta 1."""
    for root, dialect in ROOTS.items():
        if name == root:
            return dialect, ""
        if name.startswith(root + "."):
            return dialect, name[len(root) + 1 :]
    return None


class Imports:
    """Resolves names over the modules of a project, which it looks into as far as needed."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._scopes: dict[str, Scope] = {}

    def scope(self, module: ir.Module) -> Scope:
        known = self._scopes.get(module.path)
        if known is None:
            known = self._scopes[module.path] = scope_of(module)
        return known

    def table(self, module: ir.Module) -> dict[str, str]:
        """Local name to dotted name, of what the module's top level imports from outside the project."""
        scope = self.scope(module)
        found = {name: self.qualified(scope, _name(module, name)) for name in scope.imports}
        return {name: dotted for name, dotted in found.items() if dotted is not None}

    # --- names of what is outside ---

    def qualified(self, scope: Scope, node: ir.Expr) -> str | None:
        """The dotted name of something outside the project that `node` stands for in `scope`."""
        return self._qualified(scope, node, _DEPTH, set())

    def _qualified(self, scope: Scope, node: ir.Expr, depth: int, seen: Seen) -> str | None:
        if depth == 0:
            return None
        if isinstance(node, ir.Attr):
            base = self._qualified(scope, node.value, depth - 1, seen)
            if base is not None:
                return f"{base}.{node.name}"
            inside = self.module_of(scope, node.value, depth - 1)
            return None if inside is None else self._member(inside, node.name, depth - 1, seen)
        if not isinstance(node, ir.Name):
            return None
        owner = lookup(scope, node.id)
        if owner is None:
            return self._from_star(_top(scope), node.id, depth - 1, seen)
        if node.id in owner.imports:
            return self._imported(owner, node.id, depth - 1, seen)
        if (id(owner), node.id) in seen:
            return None
        seen.add((id(owner), node.id))
        for value in owner.values.get(node.id, ()):
            if isinstance(value, (ir.Name, ir.Attr)):
                found = self._qualified(owner, value, depth - 1, seen)
                if found is not None:
                    return found
        return None

    def _member(self, module: ir.Module, name: str, depth: int, seen: Seen) -> str | None:
        return self._qualified(self.scope(module), _name(module, name), depth, seen)

    def _imported(self, scope: Scope, name: str, depth: int, seen: Seen) -> str | None:
        for binding in _preferred(scope.imports[name]):
            module = self.project.resolve(scope.module, binding.module, binding.level)
            if isinstance(module, External):
                return module.name if binding.name is None else f"{module.name}.{binding.name}"
            if isinstance(module, ir.Module) and binding.name is not None:
                found = self._member(module, binding.name, depth, seen)
                if found is not None:
                    return found
        return None

    def _from_star(self, scope: Scope, name: str, depth: int, seen: Seen) -> str | None:
        for binding in scope.stars:
            module = self.project.resolve(scope.module, binding.module, binding.level)
            if isinstance(module, External):
                if _offers(module.name, name):
                    return f"{module.name}.{name}"
            elif isinstance(module, ir.Module) and depth > 0:
                found = self._member(module, name, depth, seen)
                if found is not None:
                    return found
        return None

    # --- what is inside ---

    def module_of(self, scope: Scope, node: ir.Expr, depth: int = _DEPTH) -> ir.Module | None:
        """The module of the project that `node` stands for."""
        if depth == 0:
            return None
        if isinstance(node, ir.Attr):
            base = self.module_of(scope, node.value, depth - 1)
            return None if base is None else self._submodule(base, node.name, depth - 1)
        owner = lookup(scope, node.id) if isinstance(node, ir.Name) else None
        if owner is None or not isinstance(node, ir.Name):
            return None
        for binding in _preferred(owner.imports.get(node.id, ())):
            module = self.project.resolve(owner.module, binding.module, binding.level)
            if isinstance(module, ir.Module):
                inside = module if binding.name is None else self._submodule(module, binding.name, depth - 1)
                if inside is not None:
                    return inside
        return None

    def _submodule(self, module: ir.Module, name: str, depth: int) -> ir.Module | None:
        """The module that an attribute of `module` is: one that it imports, or a part of the package."""
        scope = self.scope(module)
        if name in scope.values:
            return None
        if name in scope.imports:
            return self.module_of(scope, _name(module, name), depth)
        if name in scope.definitions or not module.path.endswith("__init__.py"):
            return None
        inside = self.project.resolve(module, name, 1)
        return inside if isinstance(inside, ir.Module) else None

    def definitions(self, scope: Scope, node: ir.Expr, depth: int = _DEPTH) -> list[Scope]:
        """The functions and classes of the project that a dotted name stands for, followed through imports."""
        if depth == 0:
            return []
        if isinstance(node, ir.Attr):
            inside = self.module_of(scope, node.value, depth - 1)
            if inside is not None:
                return self._exported(inside, node.name, depth - 1)
            classes = [s for s in self.definitions(scope, node.value, depth - 1) if isinstance(s.node, ir.ClassDef)]
            return [d for s in classes for d in s.definitions.get(node.name, ())]
        if not isinstance(node, ir.Name):
            return []
        owner = lookup(scope, node.id)
        if owner is None:
            return self._starred(_top(scope), node.id, depth - 1)
        if node.id in owner.definitions:
            return owner.definitions[node.id]
        result: list[Scope] = []
        for binding in owner.imports.get(node.id, ()):
            module = self.project.resolve(owner.module, binding.module, binding.level)
            if isinstance(module, ir.Module) and binding.name is not None:
                result += self._exported(module, binding.name, depth - 1)
        return result

    def are_outside(self, scope: Scope, name: str) -> bool:
        """Whether a name that a scope binds is imported by it, and all that it imports so is outside the project."""
        found = (self.project.resolve(scope.module, b.module, b.level) for b in scope.imports.get(name, ()))
        outside = [not isinstance(module, ir.Module) for module in found]
        return bool(outside) and all(outside) and name not in scope.definitions

    def _exported(self, module: ir.Module, name: str, depth: int) -> list[Scope]:
        return self.definitions(self.scope(module), _name(module, name), depth)

    def _starred(self, scope: Scope, name: str, depth: int) -> list[Scope]:
        for binding in scope.stars:
            module = self.project.resolve(scope.module, binding.module, binding.level)
            if isinstance(module, ir.Module) and depth > 0:
                found = self._exported(module, name, depth)
                if found:
                    return found
        return []


def _name(module: ir.Module, name: str) -> ir.Name:
    return ir.Name(ir.Span(module.path, 1, 1, 1, 1), name)


def lookup(scope: Scope, name: str) -> Scope | None:
    """The scope that binds `name` where `scope` reads it; None for builtins and what a star brings."""
    here: Scope | None = scope
    while here is not None:
        if here is scope or not isinstance(here.node, ir.ClassDef):
            if name in here.imports or name in here.definitions or name in here.values:
                return here
            if isinstance(here.node, ir.FunctionDef) and name in here.node.locals:
                return here
        here = here.parent
    return None


def _top(scope: Scope) -> Scope:
    while scope.parent is not None:
        scope = scope.parent
    return scope


def _preferred(bindings: Iterable[Binding]) -> Iterator[Binding]:
    """Alternatives of `try: import`, those of known packages first."""
    listed = list(bindings)
    known = [b for b in listed if b.level == 0 and b.module.partition(".")[0] in _KNOWN]
    yield from known
    yield from (b for b in listed if b not in known)


def _offers(module: str, name: str) -> bool:
    """Whether a star import of `module`, which is outside the project, brings `name`."""
    api = split_api(module)
    if api is None or name.startswith("_"):
        return False
    full = f"{api[1]}.{name}".lstrip(".")
    operation = load_operations().get(full)
    if operation is not None:
        return operation.signature(api[0]) is not None
    prefix = full + "."
    return full in load_constants()[api[0]] or any(known.startswith(prefix) for known in load_operations())
