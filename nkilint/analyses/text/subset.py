"""Python in kernels of `nki` that its compiler does not take, or does not see change, by the text of its functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import TypeVar

from nkilint.base import ir
from nkilint.base.faults import Faults
from nkilint.base.findings import Diagnostic, diagnostic
from nkilint.base.ir import Span
from nkilint.base.walk import walk
from nkilint.project.names import Scope
from nkilint_rules.language.mutable_global import MutableGlobal
from nkilint_rules.language.unsupported_python import UnsupportedPython
from nkilint_rules.rule import Message
from nkilint_rules.words.dialects import NKI
from nkilint_rules.words.versions import bound_in, version_key

from .by_text import Folded, apart, by_text, text_of
from .classes import set_names

COMPREHENSIONS_SINCE = "0.3"
LAMBDA = "<lambda>"
_SMALLEST, _BEYOND = -(2**31), 2**32  # signed and unsigned integers of 32 bits
_ORDERED = "no_reorder"
_LOOPS = ("fori_loop", "while_loop")
_MODULES = 64  # whose answers are remembered: an edit leaves those that are imported as they are
_SHIFT = 64  # places that a constant is shifted by at most to be looked at

Found = tuple[Message, Span]
Item = TypeVar("Item")
Answer = TypeVar("Answer")


def judge_compiled(
    compiled: Sequence[Scope], version: str, quote: Callable[[Span], str], faults: Faults
) -> Iterator[Diagnostic]:
    """What the compiler of `nki` in this version rejects in the functions that it compiles, each place once."""
    bound = bound_in(version, NKI)
    without = bound if bound and version_key(bound) < version_key(COMPREHENSIONS_SINCE) else ""
    found: dict[Span, Message] = {}
    modules = {scope.module.path: scope.module for scope in compiled}
    unstable = {path: names for path, module in modules.items() for names in faults.until(_each, _unstable, module)}
    numbers = {path: names for path, module in modules.items() for names in faults.until(_each, _numbers, module)}
    for scope in compiled:
        if scope.function is not None:
            path = scope.module.path
            rejected = faults.until(_rejected, scope.function, scope.module, without, quote)
            changing = faults.until(_changing, scope.function, unstable.get(path, {}))
            large = faults.until(_beyond, scope.function, numbers.get(path, {}))
            for message, at in (*rejected, *changing, *large):
                found.setdefault(at, message)
    for at, message in found.items():
        yield from faults.until(_each, partial(diagnostic, at=at), message)


def _each(question: Callable[[Item], Answer], about: Item) -> tuple[Answer]:
    """The one answer to a question."""
    return (question(about),)


def _rejected(
    function: ir.FunctionDef, module: ir.Module, without: str, quote: Callable[[Span], str]
) -> Iterator[Found]:
    """`without` is the version if it has no comprehensions, else empty."""
    text = text_of(function, module)
    odd = not text or by_text("odd body", lambda: any(_ODD.of(each, module) for each in function.body), text)
    nodes = list(_odd_nodes(function.body, module)) if odd else []
    bodies = {name for node in walk(function.body) for name in _loop_bodies(node)} if any(map(_defines, nodes)) else ()
    for node in nodes:
        if isinstance(node, ir.FunctionDef) and _defines(node) and node.name not in bodies:
            yield UnsupportedPython.function(name=node.name), node.at
        elif isinstance(node, (ir.Assign, ir.For)):
            item = next(_items(_targets(node)), None)
            if item is not None:
                yield UnsupportedPython.item(target=quote(item)), item
        elif isinstance(node, ir.Comprehension) and without:
            yield UnsupportedPython.comprehension(version=without), node.at
        elif isinstance(node, ir.Stmt):
            for loop in _looped_in_order(node):
                said = UnsupportedPython.ordered if isinstance(loop, ir.For) else UnsupportedPython.ordered_call
                at = loop.iterable.at if isinstance(loop, ir.For) else loop.func.at
                yield said(loop=quote(at)), at
    large = _large([*walk(function.params), *nodes])
    yield from ((UnsupportedPython.integer(value=value), at) for value, at in large)


def _odd_nodes(block: Iterable[ir.Stmt], module: ir.Module) -> Iterator[ir.Node]:
    """The nodes of the statements of a block that hold something odd."""
    for statement in block:
        if _ODD.of(statement, module):
            head, inside = apart(statement)
            yield from (*head, *_odd_nodes(inside, module))


def _is_odd(nodes: Sequence[ir.Node]) -> bool:
    """Whether there is something odd among the nodes of a statement."""
    return any(
        _defines(n) or _has_odd_target(n) or isinstance(n, ir.Comprehension) or _called(n) == _ORDERED for n in nodes
    ) or any(_large(nodes))


_ODD = Folded("odd", _is_odd, any)


def _defines(node: ir.Node) -> bool:
    return isinstance(node, ir.FunctionDef) and node.name != LAMBDA


def _has_odd_target(node: ir.Node) -> bool:
    return isinstance(node, (ir.Assign, ir.For)) and any(True for _ in _items(_targets(node)))


def _targets(node: ir.Assign | ir.For) -> tuple[ir.Expr, ...]:
    return node.targets if isinstance(node, ir.Assign) else (node.target,)


def _looped_in_order(statement: ir.Stmt) -> Iterator[ir.For | ir.Call]:
    """The loops on the device in a block whose order is fixed."""
    head, inside = apart(statement)
    if any(_called(node) == _ORDERED for node in head):
        for loop in walk(inside):
            if isinstance(loop, ir.For) and _called(loop.iterable) == "dynamic_range":
                yield loop
            elif isinstance(loop, ir.Call) and _called(loop) in _LOOPS:
                yield loop


def _called(node: ir.Node) -> str:
    """The last name of what an expression calls."""
    func = node.func if isinstance(node, ir.Call) else None
    return func.name if isinstance(func, ir.Attr) else func.id if isinstance(func, ir.Name) else ""


def _loop_bodies(node: ir.Node) -> Iterator[str]:
    """The functions that a call hands to the loops of the device, which take nothing else for their bodies."""
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name in _LOOPS:
        yield from (value.id for _, value in node.args if isinstance(value, ir.Name))


def _changing(function: ir.FunctionDef, unstable: Mapping[str, Message]) -> Iterator[Found]:
    """The first read of each name of the module that a function there binds anew, or changes."""
    yield from ((unstable[node.id], node.at) for node in (_first_reads(function, unstable) if unstable else ()))


def _unstable(module: ir.Module) -> Mapping[str, Message]:
    """The names of a module that functions bind anew, and its lists and dicts that they change, with what to say."""
    words = {True: MutableGlobal.message, False: MutableGlobal.changed}
    return {name: words[bound](name=name, function=function) for name, (function, bound) in _touching(module).items()}


@lru_cache(maxsize=_MODULES)
def _touching(module: ir.Module) -> Mapping[str, tuple[str, bool]]:
    """Such names with the function that does so, and whether it binds them anew."""
    found: dict[str, tuple[str, bool]] = {}
    kept = {name for name, value in _values(module) if _is_of_constants(value)}
    for function in walk([s for s in _functions(module.body) if not _touched(s, module).isdisjoint({*kept, _GLOBAL})]):
        if isinstance(function, ir.FunctionDef):
            for node in walk(function.body):
                if isinstance(node, ir.Scope) and node.kind == "global":
                    found.update((n, (function.name, True)) for n in node.names)
                for name in kept.intersection(_changed(node)) - function.locals:
                    found.setdefault(name, (function.name, False))
    return found


def _functions(body: Iterable[ir.Stmt]) -> Iterator[ir.Stmt]:
    """The statements of a block, those of classes in place of these."""
    for statement in body:
        if isinstance(statement, ir.ClassDef):
            yield from _functions(statement.body)
        else:
            yield statement


def _names_changed(nodes: Sequence[ir.Node]) -> frozenset[str]:
    declared = [_GLOBAL for node in nodes if isinstance(node, ir.Scope) and node.kind == "global"]
    return frozenset([*declared, *(name for node in nodes for name in _changed(node))])


_GLOBAL = "global"  # no name can be spelled so
_TOUCHED = Folded("touched", _names_changed, lambda names: frozenset[str]().union(*names))
_touched = _TOUCHED.of


def _values(node: ir.Module | ir.ClassDef) -> Iterator[tuple[str, ir.Expr]]:
    """What a module or a class itself binds to a name."""
    for statement in node.body:
        for target, value in statement.assigns:
            if isinstance(target, ir.Name) and value is not None:
                yield target.id, value


def _is_of_constants(value: ir.Expr) -> bool:
    """Whether a list or dict begins with constants: what begins empty is filled while modules are imported."""
    items = value.items if isinstance(value, (ir.Sequence, ir.DictExpr)) else ()
    held = [item[1] if isinstance(item, tuple) else item for item in items]
    return bool(held) and all(isinstance(item, ir.Const) for item in held)


_CHANGING = frozenset({"append", "extend", "insert", "remove", "clear", "update", "setdefault", "popitem"})


def _changed(node: ir.Node) -> Iterator[str]:
    """The names whose items a node sets, or that it calls a method of which changes them."""
    for target, _ in node.assigns:
        if isinstance(target, ir.Index) and isinstance(target.value, ir.Name):
            yield target.value.id
    method = node.func if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) else None
    if method is not None and method.name in _CHANGING and isinstance(method.value, ir.Name):
        yield method.value.id


@lru_cache(maxsize=_MODULES)
def _numbers(module: ir.Module) -> Mapping[str, int]:
    """The names of a module, and of its classes after a dot, that stand for one constant that does not fit."""
    classes = [s for s in module.body if isinstance(s, ir.ClassDef) and not _is_of_members(s)]
    found = [(f".{name}", value) for each in classes for name, value in _values(each) if _constant(value) is not None]
    beyond = any(not _SMALLEST <= (_constant(value) or 0) < _BEYOND for _, value in found)
    set_later = set_names(walk(module.body)) if beyond else ()  # of the others nothing is told in any case
    inside = [(name, value) for name, value in found if name[1:] not in set_later]
    values = [*_values(module), *inside]
    bound = [name for name, _ in values]
    constants = ((name, _constant(value)) for name, value in values if bound.count(name) == 1)
    return {name: n for name, n in constants if n is not None and not _SMALLEST <= n < _BEYOND}


def _is_of_members(node: ir.ClassDef) -> bool:
    """Whether a class is an enumeration: its constants are no integers where they are read."""
    names = [getattr(base, "name", getattr(base, "id", "")) for base in node.bases]
    return any(name.endswith(("Enum", "Flag")) for name in names)


def _beyond(function: ir.FunctionDef, numbers: Mapping[str, int]) -> Iterator[Found]:
    """The first read of each such name."""
    for node in _first_reads(function, numbers) if numbers else ():
        yield UnsupportedPython.integer(value=numbers[node.id]), node.at
    own = [name for name in numbers if name.startswith(".")]
    fields = [n for n in walk(function.body) if isinstance(n, ir.Attr) and _is_own(n)] if own else []
    for name in own:
        read = [n for n in fields if f".{n.name}" == name]
        if read:
            first = min(read, key=lambda n: (n.at.row, n.at.column))
            yield UnsupportedPython.integer(value=numbers[name]), first.at


def _is_own(node: ir.Attr) -> bool:
    return isinstance(node.value, ir.Name) and node.value.id in ("self", "cls")


def _first_reads(function: ir.FunctionDef, wanted: Mapping[str, object]) -> list[ir.Name]:
    """Where a function first reads each of these names of its module."""
    own = {name for n in walk(function.body) if isinstance(n, ir.FunctionDef) for name in n.locals} | function.locals
    names = [n for n in walk(function.body) if isinstance(n, ir.Name) and n.id in wanted.keys() - own]
    first = {n.id: n for n in sorted(names, key=lambda n: (n.at.row, n.at.column), reverse=True)}
    return list(first.values())


def _items(targets: Iterable[ir.Expr]) -> Iterator[Span]:
    """The subscripts among the targets of an unpacking."""
    stack = [item for target in targets if isinstance(target, ir.Sequence) for item in target.items]
    while stack:
        item = stack.pop(0)
        if isinstance(item, ir.Sequence):
            stack = [*item.items, *stack]
        elif isinstance(item, ir.Starred):
            stack.insert(0, item.value)
        elif isinstance(item, ir.Index):
            yield item.at


def _large(nodes: Iterable[ir.Node]) -> Iterator[tuple[int, Span]]:
    """The constants among nodes, each before those in it, of as many operators as they are, that do not fit."""
    inside: set[int] = set()
    for part in nodes:
        if not isinstance(part, (ir.Const, ir.Binary, ir.Unary)) or id(part) in inside:
            continue
        value = _constant(part)
        if value is not None:
            inside |= {id(n) for n in walk(part)}
            if not _SMALLEST <= value < _BEYOND:
                yield value, part.at


def _constant(node: ir.Expr) -> int | None:
    """The integer that an expression of constants is."""
    if isinstance(node, ir.Const):
        return node.value if type(node.value) is int else None
    if isinstance(node, ir.Unary):
        value = _constant(node.operand)
        return -value if value is not None and node.op == "-" else None
    if not isinstance(node, ir.Binary) or node.op not in _OPERATORS:
        return None
    left, right = _constant(node.left), _constant(node.right)
    if left is None or right is None or (node.op in ("<<", "**") and not 0 <= right <= _SHIFT):
        return None
    return _OPERATORS[node.op](left, right)


_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": int.__add__, "-": int.__sub__, "*": int.__mul__, "<<": int.__lshift__, "|": int.__or__,
    "**": lambda base, power: int(base**power),
}  # fmt: skip
