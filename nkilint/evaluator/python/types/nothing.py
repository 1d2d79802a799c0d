"""What Python does with None: nearly everything raises."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ...state import protocols
from ...state.machine import Fault, Machine
from ...state.paths import is_handled
from ...state.trace import links


def raises_surely(machine: Machine, exception: str, at: Span) -> None:
    """Raise where nothing decides whether the kernel comes here; elsewhere what follows is unknown."""
    machine.trace.nothing.setdefault(at, None)
    if any(link.origin == "path" for link in links(machine.facts)):
        return
    if not is_handled(machine, exception):
        machine.trace.raised = machine.site(at)
    raise Fault(exception)


@protocols.attributes.of(type(None))
def _attribute(machine: Machine, value: None, name: str, node: ir.Attr) -> Any:
    if not hasattr(None, name):
        raises_surely(machine, "AttributeError", node.at)
    return Unknown(f"attribute `{name}` of None")


@protocols.subscripts.of(type(None))
def _subscript(machine: Machine, value: None, key: Any, node: ir.Index) -> Any:
    raises_surely(machine, "TypeError", node.at)
    return Unknown("a subscript of None")


@protocols.lengths.of(type(None))
def _length(machine: Machine, value: None) -> Any:
    raises_surely(machine, "TypeError", machine.at)
    return Unknown("the length of None")


@protocols.iterated.of(type(None))
def _iterated(machine: Machine, value: None, at: Span | None, count: int | None) -> list[Any]:
    raises_surely(machine, "TypeError", at or machine.at)
    raise IsUnknown("iteration over None")
