"""`match`: which case a value meets, and what its pattern captures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nkilint.base import ir
from nkilint.base.names import own_names
from nkilint.base.walk import walk
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, any_of

from ..state import protocols
from ..state.machine import Fault, Machine
from ..state.paths import Flow, branch
from ..values.cells import MISSING
from ..values.containers import DictValue, ListValue
from ..values.objects import ClassValue, Environment, Instance
from .interpreter import evaluate, run_block, runs, undecided
from .library.registry import native
from .truths import condition_of
from .types.objects import is_open

Captured = dict[str, Any]
_PLAIN = (int, float, str, bytes, Sym, Cond, type(None))  # neither sequences nor mappings to a pattern
_THEMSELVES = frozenset(
    {"bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"}
)


@runs(ir.Match)
def _match(machine: Machine, node: ir.Match, env: Environment) -> Flow:
    return _first(machine, evaluate(machine, node.subject, env), node.cases, env)


def _first(machine: Machine, subject: Any, cases: Sequence[Any], env: Environment) -> Flow:
    """Run the body of the first case that the subject meets, each case under the condition that it comes to it."""
    if not cases:
        return Flow.NEXT
    (pattern, guard, body), *others = cases
    captured: Captured = {}
    condition = _meets(machine, pattern, subject, env, captured)

    def met() -> Flow:
        for name, value in captured.items():
            machine.assign(env, name, value)
        if guard is None:
            return run_block(machine, body, env)
        return _either(machine, condition_of(machine, guard, env), guard, lambda: run_block(machine, body, env), rest)

    def rest() -> Flow:
        return _first(machine, subject, others, env)

    return _either(machine, condition, pattern, met, rest)


def _either(machine: Machine, condition: Any, node: ir.Node, then: Any, otherwise: Any) -> Flow:
    if isinstance(condition, Unknown):
        condition = undecided(machine, node, condition)
    decided = machine.truth(condition)
    if decided is not None:
        return then() if decided else otherwise()  # type: ignore[no-any-return]
    return branch(machine, condition, then, otherwise)


def _meets(machine: Machine, pattern: ir.Pattern, value: Any, env: Environment, captured: Captured) -> Any:
    """The condition under which a value meets a pattern; what the pattern captures then."""
    match pattern:
        case ir.ValuePattern():
            wanted = evaluate(machine, pattern.value, env)
            single = isinstance(pattern.value, ir.Const) and (wanted is None or isinstance(wanted, bool))
            if single:
                return protocols.compare(machine, "is", value, wanted, pattern.at)
            return protocols.equal(machine, value, wanted)
        case ir.CapturePattern():
            inner = pattern.pattern is None or _meets(machine, pattern.pattern, value, env, captured)
            if pattern.name is not None:
                captured[pattern.name] = value
            return inner
        case ir.SequencePattern():
            return _meets_sequence(machine, pattern, value, env, captured)
        case ir.MappingPattern():
            return _meets_mapping(machine, pattern, value, env, captured)
        case ir.ClassPattern():
            return _meets_class(machine, pattern, value, env, captured)
        case ir.OrPattern():
            found: list[Captured] = [{} for _ in pattern.alternatives]
            sides = [_meets(machine, p, value, env, c) for p, c in zip(pattern.alternatives, found, strict=True)]
            first = next((c for side, c in zip(sides, found, strict=True) if side is not False), {})
            certain = [side for side in sides if side is not False][:1] == [True]
            captured |= {n: v if certain else Unknown("a name that several patterns capture") for n, v in first.items()}
            return any_of(sides)
    return Unknown("a pattern that is not known")


def _meets_all(machine: Machine, pairs: Sequence[tuple[ir.Pattern, Any]], env: Environment, captured: Captured) -> Any:
    return all_of([_meets(machine, pattern, value, env, captured) for pattern, value in pairs])


def _unknown(pattern: ir.Pattern, why: str, captured: Captured) -> Unknown:
    for part in walk(pattern):
        if isinstance(part, ir.Pattern):
            captured.update(dict.fromkeys(own_names(part), Unknown(why)))
    return Unknown(why)


def _meets_sequence(
    machine: Machine, pattern: ir.SequencePattern, value: Any, env: Environment, captured: Captured
) -> Any:
    if isinstance(value, (*_PLAIN, DictValue)):
        return False
    if isinstance(value, Instance) and value.cls.kind != "namedtuple":
        return _unknown(pattern, "a pattern on an object", captured) if is_open(value.cls) else False
    if not isinstance(value, (tuple, ListValue, Instance)):
        return _unknown(pattern, "a pattern on a value that is not known", captured)
    try:
        items = protocols.items_of(machine, value)
    except IsUnknown as unknown:
        return _unknown(pattern, unknown.reason, captured)
    star = next((i for i, p in enumerate(pattern.items) if isinstance(p, ir.StarPattern)), None)
    if star is None:
        return len(items) == len(pattern.items) and _meets_all(
            machine, list(zip(pattern.items, items, strict=True)), env, captured
        )
    behind = len(pattern.items) - star - 1
    if len(items) < star + behind:
        return False
    middle = items[star : len(items) - behind]
    starred = pattern.items[star]
    if isinstance(starred, ir.StarPattern) and starred.name is not None:
        captured[starred.name] = ListValue(middle)
    pairs = [*zip(pattern.items[:star], items, strict=False)]
    pairs += zip(pattern.items[star + 1 :], items[len(items) - behind :], strict=True)
    return _meets_all(machine, pairs, env, captured)


def _meets_mapping(
    machine: Machine, pattern: ir.MappingPattern, value: Any, env: Environment, captured: Captured
) -> Any:
    if isinstance(value, (*_PLAIN, tuple, ListValue)):
        return False
    keys = [evaluate(machine, key, env) for key, _ in pattern.items]
    if not isinstance(value, DictValue) or value.kind != "dict" or any(isinstance(k, Unknown) for k in keys):
        return _unknown(pattern, "a pattern on a mapping that is not known", captured)
    items = value.items
    if len(items) < len(keys):
        return False
    if any(key in keys[:position] for position, key in enumerate(keys)):
        raise Fault("ValueError")
    if any(key not in items for key in keys):
        return False
    if pattern.rest is not None:
        captured[pattern.rest] = DictValue({k: v for k, v in items.items() if k not in keys})
    pairs = [(inner, items[key]) for key, (_, inner) in zip(keys, pattern.items, strict=True)]
    return _meets_all(machine, pairs, env, captured)


def _meets_class(machine: Machine, pattern: ir.ClassPattern, value: Any, env: Environment, captured: Captured) -> Any:
    cls = evaluate(machine, pattern.cls, env)
    is_one = protocols.call(machine, native("isinstance"), [value, cls], {}, None)
    if is_one is False:
        return False
    places = _places(cls, pattern)
    if isinstance(is_one, Unknown) or places is None:
        why = is_one.reason if isinstance(is_one, Unknown) else "a class pattern that is not known"
        return _unknown(pattern, why, captured)
    pairs = []
    for (name, inner), place in zip(pattern.items, places, strict=True):
        attribute = name or place
        node = ir.Attr(pattern.at, pattern.cls, attribute)
        if attribute and isinstance(value, Instance) and value.attrs.get(attribute, MISSING) is MISSING:
            return _unknown(pattern, f"`{attribute}` in a pattern", captured)
        pairs.append((inner, protocols.get_attribute(machine, value, attribute, node) if attribute else value))
    inside = _meets_all(machine, pairs, env, captured)
    return all_of([is_one, inside])


def _places(cls: Any, pattern: ir.ClassPattern) -> list[str] | None:
    """The attributes that patterns by position stand for; an empty one is the value itself, as of built-in types."""
    count = sum(name is None for name, _ in pattern.items)
    others = [""] * (len(pattern.items) - count)
    if count == 0:
        return others
    if isinstance(cls, ClassValue):
        own = cls.lookup("__match_args__")
        by_keyword = {p.name for each in cls.mro() for p in each.parameters or () if p.by_keyword}
        names = list(own) if isinstance(own, tuple) else [name for name, _ in cls.fields if name not in by_keyword]
        return [*names[:count], *others] if len(names) >= count and all(type(n) is str for n in names) else None
    known = getattr(cls, "name", "") in _THEMSELVES
    return ["", *others] if known and count == 1 else None
