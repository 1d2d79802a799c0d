"""The functions of a stand-in module: one for each operation of the rulebook that has numerics."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from enum import Enum, IntEnum
from functools import cache
from typing import Any

from nkilint_rules.operands.unknown_api import UnknownApi
from nkilint_rules.operations import load_constants, load_operations, lookup
from nkilint_rules.operations.isa_constants import ENUMS
from nkilint_rules.words.dialects import BETA1, NKI
from reference_sim.machine.program import running
from reference_sim.operations import numerics
from reference_sim.operations.calls import entry_for, run
from reference_sim.operations.entries import Entry
from reference_sim.operations.numerics.registry import EFFECTS, VALUES
from reference_sim.report.errors import FINDINGS, CannotSimulate
from reference_sim.report.sites import here
from reference_sim.report.wording import source_text, told

from .instructions import NkiInstruction


@cache
def _load_numerics() -> None:
    for info in pkgutil.iter_modules(numerics.__path__):
        importlib.import_module(f"{numerics.__name__}.{info.name}")


def function_for(entry: Entry) -> Callable[..., Any]:
    """The operation as a kernel calls it, or passes it as an operator."""
    leaf = entry.operation.leaf
    handle = NkiInstruction(leaf)

    def operation(*args: Any, **kwargs: Any) -> Any:
        return run(entry, args, kwargs)

    def instruction(*args: Any, **kwargs: Any) -> Any:
        value = run(entry, args, kwargs)
        if value is not None:
            return value
        current = running()
        return NkiInstruction(leaf, current.device_loops) if current is not None and current.device_loops else handle

    if entry.dialect == NKI and entry.name.startswith("isa."):
        operation = instruction
    operation.__name__ = operation.__qualname__ = leaf
    operation.operator_name = entry.name  # type: ignore[attr-defined]
    return operation


_DEVICES = "it takes several devices, and this is a model of one"
_UNSAID = "the documentation does not say what it computes"

REFUSED = {
    "FrameworkKernel": "it hands kernels to a framework's compiler",
    "compiler.multi_buffer": "the documentation does not say where it places a tensor",
    "tensor.is_identity": _UNSAID,
    "isa.builtin_custom_op": "it runs a library that is built for the device",
    "isa.attention_kernel": _UNSAID,
    "isa.attention_kernel_cache": _UNSAID,
    "collectives.all_gather_v": _DEVICES,
    "collectives.all_to_all_v": _DEVICES,
    "collectives.collective_permute": _DEVICES,
    "collectives.collective_permute_implicit": _DEVICES,
    "collectives.collective_permute_implicit_current_processing_rank_id": _DEVICES,
    "collectives.collective_permute_implicit_reduce": _DEVICES,
}
"""Documented operations that are not simulated, and why."""


def refused(name: str) -> Callable[..., Any]:
    """A function that says why the operation is not simulated."""

    def operation(*args: Any, **kwargs: Any) -> Any:
        raise CannotSimulate(f"`{name}`", REFUSED[name])

    operation.__name__ = name.rpartition(".")[2]
    operation.operator_name = name  # type: ignore[attr-defined]
    return operation


def undocumented(module: str, attribute: str) -> None:
    """Note that a kernel asks a stand-in module for a name that the API does not have."""
    current = running()
    if current is None or not current.checks or attribute.startswith("_"):
        return
    site = here()
    leaf = module.rpartition(".")[2]
    written = source_text(site)
    other = NKI if current.dialect == BETA1 else BETA1
    elsewhere = lookup(other, f"{leaf}.{attribute}") is not None or f"{leaf}.{attribute}" in load_constants()[other]
    name = written if written.endswith(attribute) else f"{leaf}.{attribute}"
    message = UnknownApi.elsewhere(name=name, dialect=current.dialect) if elsewhere else UnknownApi.message(name=name)
    FINDINGS.add(told(message, site), stops=True)


def operations(dialect: str, family: str) -> dict[str, Any]:
    """The functions of one module by name."""
    _load_numerics()
    found: dict[str, Any] = {}
    for name, operation in load_operations().items():
        head, _, leaf = name.rpartition(".")
        if head != family or operation.signature(dialect) is None:
            continue
        implementation = VALUES.get(name) or EFFECTS.get(name)
        if implementation is None:
            found[leaf] = refused(name)
            continue
        entry = entry_for(name, dialect, implementation, name in EFFECTS)
        assert entry is not None
        found[leaf] = function_for(entry)
    return found


def enumerations(dialect: str) -> dict[str, Any]:
    """The enumerations of `nki.isa`, and their members' aliases."""
    found: dict[str, Any] = {}
    for name, documented in ENUMS[dialect].items():
        # The documentation's tests use `load_reduce` with Beta 1 too, whose own page does not list it.
        members = {**documented, "load_reduce": 4} if name == "reduce_cmd" else documented
        numeric = all(isinstance(v, int) for v in members.values())
        ordered = numeric and (dialect == BETA1 or name == "nc_version")  # kernels compare versions with numbers
        make: Any = IntEnum if ordered else Enum
        found[name] = make(name, dict(members))
    for alias in ("tensor", "vector", "scalar", "gpsimd", "unknown"):
        found[f"{alias}_engine"] = found["engine"][alias]
    return found


def constants(dialect: str, family: str) -> dict[str, Any]:
    """The rulebook's constants of one module by name."""
    prefix = family + "."
    table = load_constants()[dialect]
    return {name[len(prefix) :]: value for name, value in table.items() if name.startswith(prefix)}


def documented(found: dict[str, Any], dialect: str, family: str) -> dict[str, Any]:
    """What a module holds, without what only the other dialect has."""
    known = {name.split(".")[1] for name in load_constants()[dialect] if name.startswith(f"{family}.")}
    return {name: v for name, v in found.items() if name in known or lookup(dialect, f"{family}.{name}") is not None}


class Operator:
    """A bare operator such as `nl.bypass`, which is only passed to instructions."""

    def __init__(self, name: str) -> None:
        self.operator_name, self.__name__ = name, name.rpartition(".")[2]

    def __repr__(self) -> str:
        return self.operator_name
