"""Calls of the project's own functions and classes whose arguments do not fit, by their definitions' text alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nkilint.base import ir
from nkilint.base.handled import handled_calls
from nkilint.base.signatures import misfit
from nkilint.base.walk import root_of, walk
from nkilint.project.imports import Imports
from nkilint.project.names import Scope
from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.rule import Message
from nkilint_rules.words.records import dataclass

from .assignment import OPAQUE
from .classes import (
    init_parameters,
    is_bound_again,
    is_one_of,
    is_only_one,
    method_of_new,
    method_of_self,
    on_new,
    set_names,
)

_KEEPING = frozenset(
    {"nki.jit", "neuronxcc.nki.jit", "functools.cache", "functools.lru_cache", "torch.no_grad"}
)  # decorators that leave a function's parameters as they are
_RECORDS = frozenset({"dataclasses.dataclass"})
_NAMED_TUPLES = frozenset({"typing.NamedTuple"})
_HARMLESS = frozenset({"frozen", "slots", "eq", "order", "repr", "unsafe_hash", "match_args"})  # to the parameters
_OF_FIELDS = frozenset({"default", "default_factory", "repr", "hash", "compare", "metadata", "kw_only"})


_SETTING = OPAQUE | {"setattr"}


@dataclass(frozen=True, slots=True)
class Misfit:
    """A call that raises a TypeError, and the definition that it does not fit."""

    call: ir.Call
    message: Message
    definition: ir.FunctionDef | ir.ClassDef | None


def misfits(module: Scope, imports: Imports) -> Iterator[Misfit]:
    """The calls in a module that do not fit what they call."""
    excused: tuple[frozenset[str], frozenset[int], frozenset[str]] | None = (
        None  # looked for where it matters, which is seldom
    )
    for scope in module.everything():
        for call in scope.calls:
            found = _misfit(scope, call, imports)
            if found is None:
                continue
            if excused is None:
                nodes = tuple(walk(module.module.body))
                excused = _inner_names(nodes), handled_calls(nodes), set_names(nodes)
            inner, handled, set_later = excused
            named = getattr(call.func, "name", "")
            if root_of(call.func) not in inner and id(call) not in handled and named not in set_later:
                yield found


def _misfit(scope: Scope, call: ir.Call, imports: Imports) -> Misfit | None:
    if any(name in ("*", "**") for name, _ in call.args):
        return None
    found, parameters = method_of_self(scope, call.func, imports)
    if not found:
        return _of_other(scope, call, imports)
    problem = _unless_fitting(call, found, parameters)
    return problem if problem is not None and is_only_one(found[0], scope) else None


def _of_other(scope: Scope, call: ir.Call, imports: Imports) -> Misfit | None:
    """A call of what is no method of its own object."""
    function = on_new(scope, call.func, imports)
    if is_bound_again(scope, function):
        return None
    found = imports.definitions(scope, function)
    if not found and (module := imports.module_of(scope, function)) is not None:
        return _of_module(call, imports.scope(module), imports)
    parameters = _parameters(found[0], imports) if len(found) == 1 else None
    if not found:
        found, parameters = method_of_new(scope, function, imports)
    return _unless_fitting(call, found, parameters)


def _unless_fitting(call: ir.Call, found: Sequence[Scope], parameters: Sequence[ir.Param] | None) -> Misfit | None:
    """A call of one definition, unless it fits."""
    if parameters is None:
        return None
    keywords = [name for name, _ in call.args if name is not None]
    problem = misfit(parameters, len(call.args) - len(keywords), keywords)
    definition = found[0].node
    if problem is None or not isinstance(definition, (ir.FunctionDef, ir.ClassDef)):
        return None
    return Misfit(call, CallSignature.message(callee=definition.name, problem=problem), definition)


def _of_module(call: ir.Call, module: Scope, imports: Imports) -> Misfit | None:
    """A call of a module, which may have a function of its own name. A package that sets names which its text does not
    show may have put something else there."""
    around = [imports.project.resolve(module.module, "", level) for level in (1, 2)]
    named = {n.id for each in around if isinstance(each, ir.Module) for n in walk(each.body) if isinstance(n, ir.Name)}
    if not isinstance(call.func, (ir.Name, ir.Attr)) or named & _SETTING:
        return None
    name = call.func.id if isinstance(call.func, ir.Name) else call.func.name
    meant = [d.node for d in module.definitions.get(name, ()) if isinstance(d.node, (ir.FunctionDef, ir.ClassDef))]
    return Misfit(call, CallSignature.not_callable(callee=name, kind="a module"), meant[0] if meant else None)


def _inner_names(nodes: Sequence[ir.Node]) -> frozenset[str]:
    """What lambdas and comprehensions bind: scopes of their own, which the tree of scopes does not have."""
    targets = [target for n in nodes if isinstance(n, ir.Comprehension) for target, _, _ in n.clauses]
    named = {n.id for n in walk(targets) if isinstance(n, ir.Name)}
    return frozenset(named | {p.name for n in nodes if isinstance(n, ir.Lambda) for p in n.function.params})


def _parameters(definition: Scope, imports: Imports) -> Sequence[ir.Param] | None:
    """What a call of a function, or of a class, may give; None where the text alone does not tell."""
    node = definition.node
    if isinstance(node, ir.FunctionDef):
        return _of_function(node, definition, imports)
    if not isinstance(node, ir.ClassDef) or node.keywords:
        return None
    if node.decorators:
        return _of_record(node, definition, imports)
    if [is_one_of(base, definition, imports, _NAMED_TUPLES) for base in node.bases] == [True]:
        return _fields(node)
    return init_parameters(node, definition, imports)


def _of_function(node: ir.FunctionDef, definition: Scope, imports: Imports) -> Sequence[ir.Param] | None:
    """Those of a function, or of one that is called on its class and belongs to that."""
    if not definition.is_method:
        return node.params if all(is_one_of(d, definition, imports, _KEEPING) for d in node.decorators) else None
    named = [d.id for d in node.decorators if isinstance(d, ir.Name)]
    if len(node.decorators) != 1 or named not in (["staticmethod"], ["classmethod"]):
        return None
    return node.params[named == ["classmethod"] :]


def _of_record(node: ir.ClassDef, definition: Scope, imports: Imports) -> Sequence[ir.Param] | None:
    """Those of a dataclass: its fields behind those of the dataclass that it derives from. What derives from a class of
    the kernel language takes fields without annotations, too, and need not be given all."""
    (first, *others) = node.decorators
    options = {name for name, _ in first.args} if isinstance(first, ir.Call) else set()
    own = _fields(node)
    if own is None or others or not options <= _HARMLESS or not is_one_of(first, definition, imports, _RECORDS):
        return None
    found: dict[str, ir.Param] = {}
    if node.bases:
        known = len(node.bases) == 1 and definition.parent and not is_bound_again(definition, node.bases[0])
        above = imports.definitions(definition.parent, node.bases[0]) if known and definition.parent else []
        base = above[0].node if len(above) == 1 else None
        records = isinstance(base, ir.ClassDef) and base is not node and base.decorators and not base.keywords
        fields = _of_record(base, above[0], imports) if isinstance(base, ir.ClassDef) and records else None
        if fields is None:
            return None
        found.update((field.name, field) for field in fields)
    found.update((field.name, field) for field in own)
    return list(found.values())


def _fields(node: ir.ClassDef) -> Sequence[ir.Param] | None:
    """The fields of a dataclass as parameters of its `__init__`; None for what `field(...)` may change."""
    found: list[ir.Param] = []
    for statement in node.body:
        if isinstance(statement, ir.FunctionDef) and statement.name in ("__init__", "__new__"):
            return None
        if not isinstance(statement, ir.AnnAssign) or not isinstance(statement.target, ir.Name):
            continue
        words = {n for n in ("ClassVar", "InitVar", "KW_ONLY") if n in _names_of(statement.annotation)}
        made = statement.value if isinstance(statement.value, ir.Call) and _is_field(statement.value) else None
        given = dict(made.args) if made is not None else {}
        made_later = given.pop("init", None)
        if isinstance(made_later, ir.Const) and made_later.value is False and given.keys() <= _OF_FIELDS:
            continue
        by_name = given.get("kw_only")
        certain = by_name is None or (isinstance(by_name, ir.Const) and by_name.value is True)
        if words or not certain or made_later is not None or (made is not None and not given.keys() <= _OF_FIELDS):
            return None
        default = statement.value if made is None else given.get("default", given.get("default_factory"))
        kind = "positional" if by_name is None else "keyword"
        found.append(ir.Param(statement.target.id, kind, default, None, statement.at))
    return found


def _is_field(call: ir.Call) -> bool:
    """Whether a field's value says what becomes of the field; any other call is its default itself."""
    return (call.func.id if isinstance(call.func, ir.Name) else getattr(call.func, "name", "")) == "field"


def _names_of(annotation: ir.Expr) -> set[str]:
    stack, found = [annotation], set()
    while stack:
        node = stack.pop()
        if isinstance(node, ir.Name):
            found.add(node.id)
        elif isinstance(node, ir.Attr):
            found.add(node.name)
        elif isinstance(node, ir.Index):
            stack.append(node.value)
        elif isinstance(node, ir.Const) and isinstance(node.value, str):
            found |= {node.value.partition("[")[0].rpartition(".")[2]}
    return found
