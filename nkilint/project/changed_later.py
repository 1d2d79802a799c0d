"""What the functions of a module may change once it is imported, by what they say: variables that they bind, attributes
that they set, and the lists and dicts that they put something into or take something from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from nkilint.base import ir
from nkilint.base.walk import parts, walk

Place = tuple[int, str]  # a variable of a function, by its identity, or of a module or an object: 0
Values = Iterable[Place]
_MADE = -1  # in a place: what calling the variable of a module gives

_MAKING = frozenset({"__init__", "__new__", "__post_init__"})
_CHANGING = frozenset(
    {"__delitem__", "__iadd__", "__ior__", "__setitem__", "add", "append", "appendleft", "clear", "discard", "extend"}
    | {"extendleft", "insert", "move_to_end", "pop", "popitem", "popleft", "remove", "reverse", "rotate", "setdefault"}
    | {"sort", "subtract", "update", "difference_update", "intersection_update", "symmetric_difference_update"}
)
"""Methods after which a container holds something else."""
_CHANGING_THE_FIRST = frozenset({"heapify", "heappop", "heappush", "heapreplace", "insort", "insort_left", "shuffle"})
"""Functions after which what they are given first does."""
_HANDING_ON = frozenset({"enumerate", "filter", "getattr", "iter", "map", "max", "min", "next", "reversed", "zip"})
"""Functions of Python's own that give what they are given, or what that holds."""
_CLASSES = frozenset({"__class__", "cls", "type"})
_KERNELS = frozenset({"baremetal", "benchmark", "jit", "profile", "trace"})
"""Decorators of kernels."""
_OF_VARIABLES = frozenset({"globals", "vars", "locals", "exec", "__dict__", "modules"})


@dataclass(slots=True)
class Changed:
    """What functions of a module may change after its import, but for those that are kernels' own."""

    own: frozenset[int] = frozenset()
    variables: set[str] = field(default_factory=set)  # of the module itself
    any_variable: bool = False
    captured: set[str] = field(default_factory=set)  # variables of functions, that functions in these bind anew
    attributes: set[str] = field(default_factory=set)
    of_classes: set[str] = field(default_factory=set)  # those of them that are set in what is named like a class
    set_in: dict[str, set[Place]] = field(default_factory=dict)  # where what each attribute is set in may be from
    classes: set[str] = field(default_factory=set)
    any_attribute: bool = False
    contents: set[Place] = field(default_factory=set)
    values: dict[Place, set[Place]] = field(default_factory=dict)  # where the value of each may be from
    handed: list[tuple[str, tuple[tuple[str | None, frozenset[Place]], ...]]] = field(default_factory=list)
    params: dict[str, list[tuple[int, tuple[str, ...]]]] = field(default_factory=dict)  # of functions, by their names

    def holds(self, target: Place, sources: Values) -> None:
        self.values.setdefault(target, set()).update(sources)


@lru_cache(256)
def changed_later(module: ir.Module, own: frozenset[int]) -> Changed:
    """What functions of a module may change, and its block for when it is run as a script; those that are kernels'
    `own` change nothing before there is a launch."""
    found = Changed(own)
    _look(found, module.body, (), False)
    return found


@lru_cache(64)
def own_functions(modules: tuple[ir.Module, ...]) -> frozenset[int]:
    """Kernels, what modules call while they are imported, and the functions that nothing else leads to by name."""
    functions = [node for module in modules for node in walk(module.body) if isinstance(node, ir.FunctionDef)]
    mentions = {id(function): _mentioned(function.body) for function in functions}
    named = dict[str, list[int]]()
    for function in functions:
        named.setdefault(function.name, []).append(id(function))
    kernels = {id(f) for f in functions if _mentioned(f.decorators) & _KERNELS}
    called = set[str]()
    outside = [_mentioned(module.body, called) for module in modules]
    own = kernels | {function for name in called for function in named.get(name, ())}
    waiting = list(own)
    while waiting:
        for name in mentions[waiting.pop()]:
            waiting += (found := [each for each in named.get(name, ()) if each not in own])
            own.update(found)
    outside += [names for function, names in mentions.items() if function not in own]
    while lost := [f for f in functions if id(f) in own - kernels and any(f.name in names for names in outside)]:
        own -= {id(function) for function in lost}
        outside = [mentions[id(function)] for function in lost]
    return frozenset(own)


def _mentioned(nodes: Any, called: set[str] | None = None) -> frozenset[str]:
    """The names that stand in code, but for the functions in it. Those that are called while a module is imported, or
    decorate, are added to `called` instead, if there is one."""
    found, waiting = set[str](), [(nodes, called)]
    while waiting:
        node, at_import = waiting.pop()
        if isinstance(node, (tuple, list)):
            waiting += [(each, at_import) for each in node]
        elif isinstance(node, ir.Lambda):
            waiting.append((node.function.body, None))
        elif isinstance(node, (ir.Call, ir.FunctionDef, ir.ClassDef)):
            callees = [node.func] if isinstance(node, ir.Call) else list(node.decorators)
            for callee in callees:
                if isinstance(callee, (ir.Name, ir.Attr)):
                    (found if at_import is None else at_import).add(_called(callee))
                waiting += [(each, at_import) for each in ([callee] if isinstance(callee, ir.Call) else parts(callee))]
            waiting += [(each, at_import) for each in _besides(node)]
        elif isinstance(node, ir.Node):
            found.update({_called(node)} if isinstance(node, (ir.Name, ir.Attr)) else ())
            script = isinstance(node, ir.If) and _asks_for_script(node.test)
            waiting += [(each, None if script else at_import) for each in parts(node)]
    return frozenset(found)


def _besides(node: ir.Call | ir.FunctionDef | ir.ClassDef) -> list[Any]:
    """What stands in a call besides what is called, and in a definition besides decorators and what it runs later."""
    if isinstance(node, ir.Call):
        return [value for _, value in node.args]
    if isinstance(node, ir.FunctionDef):
        return [param.default for param in node.params if param.default is not None]
    return [part for part in parts(node) if part not in node.decorators]


@lru_cache(64)
def changes_of(modules: tuple[ir.Module, ...]) -> tuple[Any, ...]:
    """All that functions of some modules may change before a launch, by name."""
    own = own_functions(modules)
    each = [changed_later(module, own) for module in modules]
    sets = [
        (sorted(c.variables), c.any_variable, sorted(c.captured), sorted(c.attributes), c.any_attribute) for c in each
    ]
    flow = Flow(each)
    return (*sets, sorted(flow.attributes_of_classes()), sorted(flow.filled()))


class Flow:
    """Where the values of all variables and attributes of some modules may be from."""

    def __init__(self, changes: Iterable[Changed]) -> None:
        self.changes = tuple(changes)
        self.classes = frozenset(name for each in self.changes for name in each.classes)
        self.values: dict[Place, set[Place]] = {}
        functions: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
        for each in self.changes:
            for target, sources in each.values.items():
                self.values.setdefault(target, set()).update(sources)
            for called, ones in each.params.items():
                functions.setdefault(called, []).extend(ones)
        for called, given in (call for each in self.changes for call in each.handed):
            for function, params in functions.get(called, ()):
                for number, (keyword, handed) in enumerate(given):
                    names = (keyword,) if keyword in params else params[number : number + 2] if keyword is None else ()
                    for param in names:  # the next one, where the first is the object of a method
                        self.values.setdefault((function, param), set()).update(handed)

    def filled(self) -> frozenset[str]:
        """The names of variables and attributes that hold what functions put more into, or take something from."""
        seen = self._led_to(place for each in self.changes for place in each.contents)
        return frozenset(name for function, name in seen if not function)

    def attributes_of_classes(self) -> frozenset[str]:
        """The attributes that functions set in what may be a class itself."""
        set_in: dict[str, set[Place]] = {}
        for each in self.changes:
            for name, places in each.set_in.items():
                set_in.setdefault(name, set()).update(places)
        classes = {(0, name) for name in self.classes}
        through = {name for name, places in set_in.items() if not classes.isdisjoint(self._led_to(places))}
        return frozenset(through.union(*(each.of_classes for each in self.changes)))

    def _led_to(self, places: Iterable[Place]) -> set[Place]:
        seen = set(places)
        waiting = list(seen)
        while waiting:
            function, name = waiting.pop()
            sources = self.values.get((function, name), ())
            if function == _MADE and name not in self.classes:
                sources = (*sources, (0, name))
            for place in sources:
                if place not in seen:
                    seen.add(place)
                    waiting.append(place)
        return seen


def _look(found: Changed, block: Iterable[ir.Node], scopes: tuple[ir.FunctionDef, ...], later: bool) -> None:
    """Take in nodes; `later` is whether they run only after the import."""
    for node in block:
        if isinstance(node, ir.Lambda):
            node = node.function
        if isinstance(node, ir.FunctionDef):
            _take_in_function(found, node, scopes, later)
            continue
        inside = later or (isinstance(node, ir.If) and _asks_for_script(node.test))
        if isinstance(node, ir.ClassDef):
            _take_in_class(found, node)
        if isinstance(node, ir.Stmt):
            _take_in_statement(found, node, scopes, inside)
        elif isinstance(node, ir.Comprehension):
            for target, iterable, _ in node.clauses:
                _bind(found, target, iterable, scopes)
        elif isinstance(node, ir.Walrus):
            _bind(found, node.target, node.value, scopes)
        elif isinstance(node, ir.Call):
            _take_in_call(found, node, scopes, inside)
        elif isinstance(node, ir.Attr) and inside and node.name in _CHANGING:
            found.contents.update(_sources(node.value, scopes))
        if isinstance(node, (ir.Name, ir.Attr)) and inside:
            found.any_attribute |= _called(node) == "__setattr__"
        _look(found, (part for part in parts(node) if isinstance(part, ir.Node)), scopes, inside)


def _asks_for_script(test: ir.Expr) -> bool:
    return any(isinstance(node, ir.Name) and node.id == "__name__" for node in walk(test))


def _take_in_function(
    found: Changed, function: ir.FunctionDef, scopes: tuple[ir.FunctionDef, ...], later: bool
) -> None:
    around = [*function.decorators, *(p.default for p in function.params if p.default is not None)]
    _look(found, around, scopes, later)
    names = tuple(p.name for p in function.params)
    found.params.setdefault(function.name, []).append((id(function), names))
    for param in function.params:
        found.holds((id(function), param.name), _sources(param.default, scopes))
    inside = (*scopes, function)
    for part in walk(function.body):
        if isinstance(part, ir.Return) and part.value is not None:
            found.holds(_place(function.name, scopes), _sources(part.value, inside))
            found.holds((0, function.name), _sources(part.value, inside))
    _look(found, function.body, inside, id(function) not in found.own)


def _take_in_class(found: Changed, cls: ir.ClassDef) -> None:
    """What it is called with goes to `__init__`, or is what it names without one."""
    found.classes.add(cls.name)
    inits = [part for part in cls.body if isinstance(part, ir.FunctionDef) and part.name == "__init__"]
    taken = [(id(init), tuple(param.name for param in init.params)) for init in inits]
    fields = tuple(
        part.target.id for part in cls.body if isinstance(part, ir.AnnAssign) and isinstance(part.target, ir.Name)
    )
    found.params.setdefault(cls.name, []).extend(taken or [(0, fields)])


def _take_in_statement(found: Changed, statement: ir.Stmt, scopes: tuple[ir.FunctionDef, ...], later: bool) -> None:
    for target, value in statement.assigns:
        if value is not None:
            _bind(found, target, value, scopes)
        for part in _targets(target) if later else ():
            if isinstance(part, ir.Index):
                found.contents.update(_sources(part.value, scopes))
                found.any_variable |= _is_of_variables(part.value)
            elif isinstance(part, ir.Attr) and not (scopes and scopes[-1].name in _MAKING):
                found.attributes.add(part.name)
                found.set_in.setdefault(part.name, set()).update(_sources(part.value, scopes))
                found.of_classes |= {part.name} if _may_be_class(part.value) else set()
            elif isinstance(part, ir.Name):
                if not scopes:
                    found.variables.add(part.id)
                if isinstance(statement, ir.AugAssign):
                    found.contents.add(_place(part.id, scopes))
    if isinstance(statement, ir.Scope) and later:
        (found.variables if statement.kind == "global" else found.captured).update(statement.names)


def _take_in_call(found: Changed, call: ir.Call, scopes: tuple[ir.FunctionDef, ...], later: bool) -> None:
    name = _called(call.func)
    given = tuple((keyword, frozenset(_sources(value, scopes))) for keyword, value in call.args)
    found.handed.append((name, given))
    if not later:
        return
    if name in _CHANGING_THE_FIRST and given:
        found.contents.update(given[0][1])
    if name == "setattr" and len(call.args) > 1:
        key = call.args[1][1]
        if isinstance(key, ir.Const) and isinstance(key.value, str):
            found.attributes.add(key.value)
            found.set_in.setdefault(key.value, set()).update(_sources(call.args[0][1], scopes))
            found.of_classes |= {key.value} if _may_be_class(call.args[0][1]) else set()
        else:
            found.any_attribute = True
        found.any_variable |= _is_of_variables(call.args[0][1])
    elif name in _CHANGING and isinstance(call.func, ir.Attr):
        found.any_variable |= _is_of_variables(call.func.value)
        found.any_attribute |= any(_called(node) in ("__dict__", "vars") for node in walk(call.func.value))
    found.any_variable |= name == "exec"


def _may_be_class(node: ir.Expr) -> bool:
    """Whether an expression names a class, as names of classes are written, or asks an object for its own."""
    name = _called(node.func) if isinstance(node, ir.Call) else _called(node)
    return name in _CLASSES or name[:1].isupper()


def _is_of_variables(node: ir.Expr) -> bool:
    """Whether an expression may be a module of this project, or its variables, by a name that stands elsewhere."""
    return any(_called(part) in _OF_VARIABLES for part in walk(node))


def _bind(found: Changed, target: ir.Expr, value: ir.Expr, scopes: tuple[ir.FunctionDef, ...]) -> None:
    sources = set(_sources(value, scopes))
    for part in _targets(target):
        if isinstance(part, ir.Name):
            found.holds(_place(part.id, scopes), sources)
        elif isinstance(part, ir.Attr):
            found.holds((0, part.name), sources)
        elif isinstance(part, ir.Index):  # what is put into something may be changed as a part of that
            for place in _sources(part.value, scopes):
                found.holds(place, sources)


def _targets(target: ir.Expr) -> Iterator[ir.Expr]:
    if isinstance(target, ir.Sequence):
        for item in target.items:
            yield from _targets(item)
    else:
        yield target.value if isinstance(target, ir.Starred) else target


def _called(node: ir.Node) -> str:
    return node.id if isinstance(node, ir.Name) else node.name if isinstance(node, ir.Attr) else ""


def _place(name: str, scopes: tuple[ir.FunctionDef, ...]) -> Place:
    return next(((id(scope), name) for scope in reversed(scopes) if name in scope.locals), (0, name))


def _sources(value: ir.Expr | None, scopes: tuple[ir.FunctionDef, ...]) -> Iterator[Place]:
    """What a value may be, or be a part of."""
    if isinstance(value, ir.Name):
        yield _place(value.id, scopes)
    elif isinstance(value, ir.Attr):
        yield 0, value.name
    elif isinstance(value, (ir.Index, ir.Starred, ir.Walrus)):
        yield from _sources(value.value, scopes)
    elif isinstance(value, ir.Call):
        called = value.func.value if isinstance(value.func, ir.Attr) else None
        for function, name in (*_sources(value.func, scopes), *_sources(called, scopes)):
            yield function or _MADE, name
        if called is None and _called(value.func) in _HANDING_ON:
            for _, argument in value.args:
                yield from _sources(argument, scopes)
    else:
        for part in _alternatives(value):
            yield from _sources(part, scopes)


def _alternatives(value: ir.Expr | None) -> Iterator[ir.Expr]:
    if isinstance(value, ir.Conditional):
        yield from (value.then, value.otherwise)
    elif isinstance(value, ir.BoolOp):
        yield from (value.left, value.right)
    elif isinstance(value, ir.Sequence):
        yield from value.items
    elif isinstance(value, ir.DictExpr):
        yield from (item for _, item in value.items)
    elif isinstance(value, ir.Comprehension):
        yield value.element
