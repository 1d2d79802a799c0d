"""What the text tells of classes of the project: which parameters making one takes, and which methods it has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nkilint.base import ir
from nkilint.base.walk import statements, walk
from nkilint.project.imports import Imports, lookup
from nkilint.project.names import Scope

_ADDING_NOTHING = frozenset(
    {"nki.language.NKIObject", "abc.ABC", "typing.Protocol"}
)  # classes that leave the parameters of those below as they are
_RECORDS = frozenset({"dataclasses.dataclass"})
_DEPTH = 8  # of classes that derive from one another


def is_bound_again(scope: Scope, function: ir.Expr) -> bool:
    """Whether a name may stand for something else than its only definition or import."""
    if isinstance(function, ir.Attr):
        made = function.value
        return is_bound_again(scope, made.func if isinstance(made, ir.Call) else made)
    owner = lookup(scope, function.id) if isinstance(function, ir.Name) else None
    if owner is None or not isinstance(function, ir.Name):
        return True
    name = function.id
    ways = (name in owner.values) + len(owner.definitions.get(name, ())) + len(owner.imports.get(name, ()))
    return ways != 1 or name in owner.values


def is_one_of(decorator: ir.Expr, definition: Scope, imports: Imports, known: frozenset[str]) -> bool:
    """Whether a decorator or a base is one of those known, from outside the project."""
    name = decorator.func if isinstance(decorator, ir.Call) else decorator
    return definition.parent is not None and imports.qualified(definition.parent, name) in known


def init_parameters(
    node: ir.ClassDef, definition: Scope, imports: Imports, depth: int = _DEPTH
) -> Sequence[ir.Param] | None:
    """The parameters of the `__init__` of a class, or of the one class of the project that it has it from."""
    inits = definition.definitions.get("__init__", ())
    if not depth or node.keywords or node.decorators or len(inits) > 1 or "__init__" in definition.values:
        return None
    if "__new__" in definition.definitions or "__new__" in definition.values:
        return None
    own = [base for base in node.bases if not is_one_of(base, definition, imports, _ADDING_NOTHING)]
    above: Sequence[ir.Param] | None = None
    if own:
        base = _base(own[0], definition, imports) if len(own) == 1 else None
        above = init_parameters(base[0], base[1], imports, depth - 1) if base is not None else None
        if above is None:
            return None
    init = inits[0].node if inits else None
    if init is None:
        return above
    return init.params[1:] if isinstance(init, ir.FunctionDef) and not init.decorators else None


def _base(base: ir.Expr, definition: Scope, imports: Imports) -> tuple[ir.ClassDef, Scope] | None:
    """The class that a class derives from, if it is one of the project and nothing else goes by its name."""
    if definition.parent is None or is_bound_again(definition, base):
        return None
    found = imports.definitions(definition.parent, base)
    node = found[0].node if len(found) == 1 else None
    return (node, found[0]) if isinstance(node, ir.ClassDef) and node is not definition.node else None


def on_new(scope: Scope, function: ir.Expr, imports: Imports) -> ir.Expr:
    """A method of a variable as one of the object that is made for it, if a function binds it once, to that."""
    variable = function.value if isinstance(function, ir.Attr) else None
    if not isinstance(function, ir.Attr) or not isinstance(variable, ir.Name) or scope.function is None:
        return function
    values = scope.values.get(variable.id, [])
    others = scope.definitions.get(variable.id) or scope.imports.get(variable.id)
    if len(values) != 1 or others or variable.id in {p.name for p in scope.function.params}:
        return function
    made = values[0]
    if not isinstance(made, ir.Call) or not imports.definitions(scope, made.func):
        return function
    assigned = (n for n in statements(scope.function.body) if isinstance(n, ir.Assign))
    plain = any(n.value is made and _is_name(n.targets) for n in assigned)
    return ir.Attr(function.at, made, function.name) if plain else function


def _is_name(targets: tuple[ir.Expr, ...]) -> bool:
    return len(targets) == 1 and isinstance(targets[0], ir.Name)


def method_of_new(scope: Scope, function: ir.Expr, imports: Imports) -> tuple[list[Scope], Sequence[ir.Param] | None]:
    """The method that is called on an object made on the spot, of a class whose own text, or whose base's, tells it."""
    made = function.value if isinstance(function, ir.Attr) else None
    if not isinstance(function, ir.Attr) or not isinstance(made, ir.Call):
        return [], None
    classes = imports.definitions(scope, made.func)
    return _taken(_method(classes[0], function.name, imports) if len(classes) == 1 else None)


def method_of_self(scope: Scope, function: ir.Expr, imports: Imports) -> tuple[list[Scope], Sequence[ir.Param] | None]:
    """The method of its own class that a method calls on its object, which may be one of a class below."""
    cls, owner = scope.parent, scope.function
    if not isinstance(function, ir.Attr) or not isinstance(function.value, ir.Name) or owner is None or cls is None:
        return [], None
    own = function.value.id
    if not scope.is_method or own != "self" or owner.decorators or own in scope.values:
        return [], None
    if [p.name for p in owner.params[:1]] != [own]:
        return [], None
    return _taken(_method(cls, function.name, imports))


def is_only_one(method: Scope, scope: Scope) -> bool:
    """Whether no class of a module defines another method of the same name."""
    while scope.parent is not None:
        scope = scope.parent
    name = method.function.name if method.function is not None else ""
    classes = (s for s in scope.everything() if isinstance(s.node, ir.ClassDef))
    return all(d is method for s in classes for d in s.definitions.get(name, ()))


def _taken(found: Scope | None) -> tuple[list[Scope], Sequence[ir.Param] | None]:
    """A method with the parameters that a call on an object gives."""
    method = found.node if found is not None else None
    if found is None or not isinstance(method, ir.FunctionDef):
        return [], None
    named = [d.id for d in method.decorators if isinstance(d, ir.Name)]
    if method.decorators and (len(method.decorators) > 1 or named not in (["staticmethod"], ["classmethod"])):
        return [], None
    return [found], method.params[named != ["staticmethod"] :]


def _method(cls: Scope, name: str, imports: Imports, depth: int = _DEPTH) -> Scope | None:
    """A method of a class, or of the one class of the project that it has it from."""
    node = cls.node
    if not depth or not isinstance(node, ir.ClassDef) or node.keywords or name in cls.values:
        return None
    if not all(is_one_of(d, cls, imports, _RECORDS) for d in node.decorators):
        return None
    if "__getattribute__" in cls.definitions or "__new__" in cls.definitions:
        return None
    own = [base for base in node.bases if not is_one_of(base, cls, imports, _ADDING_NOTHING)]
    above = [_base(base, cls, imports) for base in own]
    if len(above) > 1 or None in above:
        return None
    found = cls.definitions.get(name, [])
    if found or not above or above[0] is None:
        return found[0] if len(found) == 1 else None
    return _method(above[0][1], name, imports, depth - 1)


def set_names(nodes: Iterable[ir.Node]) -> frozenset[str]:
    """The attributes that the nodes of a module set: an object may have something else there than its class."""
    targets = (target for n in nodes for target, _ in n.assigns)
    return frozenset(part.name for part in walk(tuple(targets)) if isinstance(part, ir.Attr))
