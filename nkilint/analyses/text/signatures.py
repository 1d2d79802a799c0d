"""Calls of the project's own functions and classes whose arguments do not fit, by their definitions' text alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from nkilint.base import ir
from nkilint.base.handled import handled_calls
from nkilint.base.signatures import misfit
from nkilint.base.walk import parts, root_of, walk
from nkilint.project.imports import Imports, lookup
from nkilint.project.names import Scope
from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.rule import Message
from nkilint_rules.words.records import dataclass

from .by_text import Folded
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
from .code import OPAQUE

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
    excused: tuple[frozenset[str], frozenset[str]] | None = None  # looked for where it matters, which is seldom
    meanings: dict[_Called, _Meaning] = {}
    for scope in module.everything():
        elsewhere: dict[str, bool] = {}
        for call in scope.calls:
            root = root_of(call.func)
            if root not in elsewhere:
                elsewhere[root] = root not in ("", "self") and _is_elsewhere(scope, root, imports)
            if elsewhere[root]:
                continue
            found = _misfit(scope, call, imports, meanings)
            if found is None or any(name in ("*", "**") for name, _ in call.args):
                continue
            inner, set_later = excused = excused or _joined(
                [_NOTHING, *(_EXCUSING.of(each, module.module) for each in module.module.body)]
            )
            named = getattr(call.func, "name", "")
            if root in inner or named in set_later or id(call) in handled_calls(_around(call, module.module)):
                continue
            yield found


def _around(call: ir.Call, module: ir.Module) -> list[ir.Node]:
    """The statements that a call may stand in."""
    found: list[ir.Node] = []
    block = list(module.body)
    while block:
        block = [each for each in block if _may_hold(each, call)]
        found += block
        block = [part for each in block for part in parts(each) if isinstance(part, ir.Stmt)]
    return found


def _may_hold(statement: ir.Stmt, call: ir.Call) -> bool:
    at = statement.whole if isinstance(statement, ir.FunctionDef) else statement.at
    return isinstance(statement, ir.ClassDef) or at.row <= call.at.row <= at.end_row


_Names = tuple[frozenset[str], frozenset[str]]


def _excusing_names(nodes: Sequence[ir.Node]) -> _Names:
    """What nodes bind in lambdas and comprehensions, and the attributes that they set."""
    return _inner_names(nodes), set_names(nodes)


def _joined(names: Iterable[_Names]) -> _Names:
    inner, set_later = zip(*names, strict=True)
    return frozenset[str]().union(*inner), frozenset[str]().union(*set_later)


_NOTHING: _Names = (frozenset(), frozenset())
_EXCUSING = Folded("excusing", _excusing_names, _joined)


@dataclass(frozen=True, slots=True, eq=False)
class _Meaning:
    """What a name that is called stands for: definitions with their parameters, or a module."""

    found: Sequence[Scope] = ()
    parameters: Sequence[ir.Param] | None = None
    module: ir.Module | None = None
    of_self: bool = False


def _misfit(scope: Scope, call: ir.Call, imports: Imports, known: dict[_Called, _Meaning]) -> Misfit | None:
    key = _key(scope, call.func)
    meaning = known.get(key) if key is not None else None
    if meaning is None:
        meaning = _meaning(scope, call.func, imports)
        if key is not None:
            known[key] = meaning
    if meaning.module is not None:
        return _of_module(call, imports.scope(meaning.module), imports)
    problem = _unless_fitting(call, meaning.found, meaning.parameters)
    return problem if not meaning.of_self or problem is None or is_only_one(meaning.found[0], scope) else None


_Called = tuple["Scope | None", str]
"""A dotted name and the scope that tells what it stands for: that of the module where none inside binds it, and none
where it is Python's own."""


def _key(scope: Scope, function: ir.Expr) -> _Called | None:
    """What stands for the meaning of a name."""
    names: list[str] = []
    while isinstance(function, ir.Attr):
        names.append(function.name)
        function = function.value
    if not isinstance(function, ir.Name):
        return None
    owner = lookup(scope, function.id)
    shared = function.id != "self" and (owner is None or isinstance(owner.node, ir.Module))
    name = ".".join([function.id, *reversed(names)]) if names else function.id
    return owner if shared else scope, name


def _is_elsewhere(scope: Scope, root: str, imports: Imports) -> bool:
    """Whether what begins with a name is nothing of the project: Python's own, imported from outside, or a variable of
    a function that stands for no object made on the spot."""
    owner = lookup(scope, root)
    if owner is None or imports.are_outside(owner, root):
        return True
    if owner.function is None or root not in owner.function.locals:
        return False
    made = any(isinstance(value, ir.Call) for value in owner.values.get(root, ()))
    return not made and root not in owner.definitions and root not in owner.imports


def _meaning(scope: Scope, called: ir.Expr, imports: Imports) -> _Meaning:
    found, parameters = method_of_self(scope, called, imports)
    if found:
        return _Meaning(found, parameters, of_self=True)
    function = on_new(scope, called, imports)
    if is_bound_again(scope, function):
        return _Meaning()
    found = imports.definitions(scope, function)
    if not found and (module := imports.module_of(scope, function)) is not None:
        return _Meaning(module=module)
    if not found:
        return _Meaning(*method_of_new(scope, function, imports))
    return _Meaning(found, _parameters(found[0], imports) if len(found) == 1 else None)


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
