"""What several rules ask of a call: the tiles it makes, the limits its operation declares, and words for messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from .operations import load_operations
from .operations.form import Call, Limit, Result
from .operations.particular import Requirement
from .rule import Message, Need, Rule, Wording
from .words.conditions import IsUnknown, Unknown
from .words.memory import HBM, MEMORY_NAMES, ON_CHIP, PSUM, SBUF
from .words.shapes import same_size
from .words.tiles import Tile

_QUANTITIES = {"free": "free size", "partitions": "partition size", "rank": "rank", "size": "size"}
_BOUNDS = {"<=": "at most {}", ">=": "at least {}", "==": "exactly {}", "multiple": "multiples of {}"}


def new_tiles(call: Call) -> Iterator[Result]:
    """The tiles that a call makes, as opposed to those that it writes to."""
    result = call.result
    if result is None or isinstance(call.get("dst"), Tile):
        return
    for each in result if isinstance(result, tuple) else (result,):
        if isinstance(each, Result):
            yield each


def operand_tiles(call: Call, name: str) -> Iterator[tuple[str, Tile]]:
    """The tensor given as `name`, or the tensors of the list given, with the names that `Call.tiles` has for them."""
    value = call.get(name)
    if isinstance(value, Tile):
        yield name, value
    elif isinstance(value, (list, tuple)):
        yield from ((f"{name}[{i}]", item) for i, item in enumerate(value) if isinstance(item, Tile))


def declared(call: Call, said: Wording[...]) -> Iterator[Need]:
    """The size limits that the operation declares under the rule that words them."""
    for limit in call.operation.limits:
        if limit.code == said.rule.code:
            for name, tile in operand_tiles(call, limit.operand):
                value = _quantity(tile, limit.quantity)
                if value is not None:
                    yield _declared_need(call, limit, name, value, said)


def _quantity(tile: Tile, quantity: str) -> Any:
    """A number about a tile; None for the size of an axis that it does not have."""
    if quantity.startswith("shape["):
        axis = int(quantity[len("shape[") : -1])
        return tile.shape[axis] if -tile.rank <= axis < tile.rank else None
    return getattr(tile, quantity)


def _declared_need(call: Call, limit: Limit, name: str, value: Any, said: Wording[...]) -> Need:
    bound = limit.bound if isinstance(limit.bound, int) else getattr(call.target, limit.bound)
    words = _QUANTITIES.get(limit.quantity, f"size on axis {limit.quantity[len('shape[') : -1]}")
    leaf, wanted = call.operation.leaf, _BOUNDS[limit.relation].format(bound)
    message = said(operand=name, quantity=words, value=value, operation=leaf, bound=wanted)
    return Need(_meets(value, limit.relation, bound), name, message)


def _meets(value: Any, relation: str, bound: Any) -> Any:
    if relation == "<=":
        return value <= bound
    if relation == ">=":
        return value >= bound
    if relation == "==":
        return value == bound
    return value % bound == 0


def required(call: Call, rule: type[Rule]) -> Iterator[Need]:
    """What the operation alone requires under the rule; nothing for requirements that hold by constants alone."""
    for requirement in _requirements(call.operation.name, rule.code):
        try:
            condition = requirement.holds(call)
        except IsUnknown as unknown:
            condition = Unknown(unknown.reason)
        if condition is not True:
            message = Message(rule, requirement.message.format, requirement.values(call), "", requirement.enforced)
            yield Need(condition, requirement.operand, message)


@cache
def _requirements(operation: str, code: str) -> tuple[Requirement, ...]:
    found = load_operations()[operation].requirements
    return tuple(requirement for requirement in found if requirement.code == code)


def runs_on_engine(call: Call) -> bool:
    """Whether a compute engine accesses the operands, and not DMA or the program that traces the kernel."""
    operation = call.operation
    return operation.kind in ("compute", "matmul") and "dma" not in operation.engines


def on_chip(tile: Tile) -> bool:
    """Whether the tile is known to be in SBUF or PSUM."""
    return isinstance(tile.memory, str) and tile.memory in ON_CHIP


def shape_text(shape: Sequence[Any]) -> str:
    return f"[{', '.join(str(size) for size in shape)}]"


def listed(words: Iterable[Any]) -> str:
    """`a, b or c`."""
    *rest, last = (str(word) for word in words)
    return f"{', '.join(rest)} or {last}" if rest else last


def memory_words(memories: Iterable[str]) -> str:
    """`SBUF or PSUM`, in the order of the hierarchy."""
    return listed(MEMORY_NAMES[memory] for memory in (HBM, SBUF, PSUM) if memory in memories)


def partition_source(call: Call, result: Result) -> str | None:
    """The input whose partitions the result has; None where a matmul or a transposition makes them out of columns."""
    if call.operation.kind == "matmul" or call.operation.leaf.endswith("transpose"):
        return None
    for name, operand, tile in call.tiles():
        if operand.role == "read" and same_size(tile.partitions, result.shape[0]):
            return name
    return None


def elementwise_operands(call: Call) -> list[tuple[str, Tile]]:
    """The tiles that an operation of `nki.language` combines element by element; none for other operations."""
    operation, names = call.operation, tuple(call.operation.operands)
    if names not in _ELEMENTWISE or not operation.name.startswith("language.") or operation.leaf == "matmul":
        return []
    return [(name, tile) for name in names if isinstance(tile := call.get(name), Tile)]


_ELEMENTWISE = (("x", "y"), ("condition", "x", "y"))
