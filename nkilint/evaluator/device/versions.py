"""Calls compared with the version of NKI that a kernel is checked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.integers import Sym
from nkilint_rules.language.unsupported_python import UnsupportedPython
from nkilint_rules.migration.changed_signature import ChangedSignature
from nkilint_rules.migration.deprecated_api import DeprecatedApi
from nkilint_rules.migration.neuronxcc_namespace import NeuronxccNamespace
from nkilint_rules.migration.removed_api import RemovedApi
from nkilint_rules.migration.replacements import instead_of
from nkilint_rules.operands.unknown_api import UnknownApi
from nkilint_rules.operations.availability import available, deprecated, parameter_available, removed
from nkilint_rules.operations.form import Operation
from nkilint_rules.operations.signatures import Signature, SignatureError
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.names import Named
from nkilint_rules.words.versions import bound_in, version_key, within

from ..state.machine import Machine
from ..values.containers import ListValue
from ..values.objects import Api

ENUMS = ("engine", "dge_mode", "oob_mode", "reduce_cmd", "nc_version")  # of nki.isa, which took numbers before 0.3
COMPARISONS = frozenset({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})
NAMED_OPERATORS = frozenset({"op", "op0", "op1", "reduce_op", "cmp_op"})


def check_namespace(machine: Machine, kernel: str, dialect: str, at: Span) -> None:
    """From 0.4 on, kernels of `neuronxcc.nki` do not compile."""
    version = bound_in(machine.version, NKI)
    if dialect == BETA1 and version and version_key(version) >= (0, 4):
        machine.need(NeuronxccNamespace.message(kernel=kernel), False, at)


def check_python(machine: Machine, function: ir.FunctionDef, dialect: str) -> None:
    """What the signature of a kernel cannot have."""
    if dialect != NKI or not is_current("0.3", NKI, machine.version):
        return
    for parameter in function.params:
        if parameter.kind == "keyword":
            machine.need(UnsupportedPython.separator(parameter=parameter.name), False, parameter.at)
        elif isinstance(parameter.default, ir.Sequence) and parameter.default.kind == "list":
            machine.need(UnsupportedPython.list(parameter=parameter.name), False, parameter.at)


def check_options(machine: Machine, options: Sequence[tuple[str | None, ir.Expr]], dialect: str) -> None:
    """What `nki.jit` takes no longer."""
    if dialect != NKI or not is_current("0.3", NKI, machine.version):
        return
    for name, value in options:
        if name == "platform_target":
            machine.need(
                RemovedApi.argument(
                    operation="jit", name=name, version="0.3", instead=instead_of("jit.platform_target")
                ),
                False,
                value.at,
            )
        elif name == "mode":
            advise(machine, "jit.mode", "jit(mode=)", "0.3", value.at)


def check_launch(machine: Machine, given: dict[str, Any], dialect: str, at: Span) -> None:
    """What a launch cannot pass."""
    if dialect == NKI and is_current("0.3", NKI, machine.version):
        for name, value in given.items():
            if isinstance(value, ListValue):
                machine.need(UnsupportedPython.list(parameter=name), False, at)


def check_comparison(machine: Machine, operator: str, with_none: bool, at: Span) -> None:
    """Kernels cannot compare identities, by the documentation not even with None."""
    if operator in ("is", "is not") and machine.dialect == NKI and is_current("0.3", NKI, machine.version):
        said = UnsupportedPython.none if with_none else UnsupportedPython.message
        machine.need(said(operator=operator, instead="==" if operator == "is" else "!="), False, at)


def check_operator(machine: Machine, operation: str, at: Span) -> None:
    """Tiles of `nki` have no arithmetic; comparisons are a matter of control flow."""
    if machine.dialect == NKI and operation not in COMPARISONS:
        machine.need(UnsupportedPython.operator(operation=operation), False, at)


def check_available(machine: Machine, operation: Operation, dialect: str, at: Span) -> None:
    """The version has the operation."""
    version = machine.version
    if not available(operation, dialect, version):
        if dialect == NKI and removed(operation, dialect, version):
            machine.need(
                RemovedApi.message(
                    name=operation.leaf, version=bound_in(operation.until, NKI), instead=instead_of(operation.name)
                ),
                False,
                at,
            )
            return
        machine.need(UnknownApi.version(name=operation.name), False, at)
    elif dialect == NKI and deprecated(operation, dialect, version):
        advise(machine, operation.name, operation.leaf, bound_in(operation.deprecated, NKI), at)


def check_modules(machine: Machine, name: str, dialect: str, at: Span) -> None:
    """A module has not moved. The release notes have `nki.tensor` move with 0.2, while AWS's own kernels for 0.2 import
    it, so that counts from 0.3 on."""
    if dialect == NKI and is_current("0.3", NKI, machine.version):
        machine.need(RemovedApi.message(name=f"nki.{name}", version="0.3", instead=instead_of(name)), False, at)


def advise(machine: Machine, name: str, shown: str, since: str, at: Span) -> None:
    """Once in a kernel, that something will go away."""
    said = machine.memo.setdefault("deprecated", set())
    if machine.in_kernel and name not in said:
        said.add(name)
        machine.need(DeprecatedApi.message(name=shown, version=since, instead=instead_of(name)), False, at)


def is_current(since: str, dialect: str, version: str) -> bool:
    """Whether the version is as late as `since`, which may speak of other dialects only."""
    return bool(bound_in(since, dialect)) and within(since, "", dialect, version)


def check_keywords(machine: Machine, operation: Operation, dialect: str, names: Any, at: Span) -> None:
    """The version takes the keyword arguments."""
    for name in names:
        if parameter_available(operation, name, dialect, machine.version):
            continue
        if not lost(machine, operation, name, dialect, at):
            machine.need(UnknownApi.version(name=f"{operation.leaf}({name}=)"), False, at)


def lost(machine: Machine, operation: Operation, name: str, dialect: str, at: Span) -> bool:
    """Whether earlier versions took an argument that this one does not; then it is reported."""
    if dialect != NKI:
        return False
    current = operation.signature_at(dialect, bound_in(machine.version, dialect))
    if current is not None and name in current.names:
        return False
    later = version_key(bound_in(machine.version, dialect) or "99")
    eras = [e for e in operation.history if e.dialect == dialect and version_key(e.until) <= later]
    with_it = [e for e in eras if name in Signature(e.text).names]
    if not with_it:
        return False
    machine.need(
        RemovedApi.argument(
            operation=operation.leaf,
            name=name,
            version=max(with_it, key=lambda e: version_key(e.until)).until,
            instead=instead_of(f"{operation.name}.{name}"),
        ),
        False,
        at,
    )
    return True


def in_order_of_version(
    machine: Machine, operation: Operation, dialect: str, args: list[Any], kwargs: dict[str, Any]
) -> dict[str, Any] | None:
    """The arguments by their newest names, bound as an older version orders them; None where the newest one does."""
    newest, version = operation.signature(dialect), bound_in(machine.version, dialect)
    gone = newest is not None and not kwargs.keys() <= newest.names
    asked = version and dialect == NKI and (args or gone)
    current = operation.signature_at(dialect, version) if asked else newest
    if newest is None or current is None or current.text == newest.text:
        return None
    try:
        told = current.bind(args, kwargs).items()
        given = {name: value for name, value in told if name in newest.names or name in kwargs}
    except SignatureError:
        return None
    bound = {**newest.defaults, **given}
    return bound if newest.names <= bound.keys() else None


def check_order(
    machine: Machine, operation: Operation, dialect: str, args: list[Any], kwargs: dict[str, Any], at: Span
) -> bool:
    """Whether the arguments are in the order of this version; a call in the order of another one is reported."""
    current = operation.signature_at(dialect, bound_in(machine.version, dialect))
    if dialect != NKI or current is None or not args or _fits(operation, current, args, kwargs):
        return True
    newest = operation.signature(dialect)
    others = [Signature(e.text) for e in operation.history if e.dialect == dialect]
    others += [newest] if newest is not None else []
    if not any(_fits(operation, other, args, kwargs) for other in others if other.text != current.text):
        return True
    names = ", ".join(n for n in current.positional if n != "name")
    machine.need(ChangedSignature.message(operation=operation.leaf, signature=names), False, at)
    return False


def _fits(operation: Operation, signature: Signature, args: list[Any], kwargs: dict[str, Any]) -> bool:
    try:
        bound = signature.bind(args, kwargs)
    except SignatureError as error:
        return error.kind == "unexpected"
    return all(_is_of_kind(operation, name, value) for name, value in bound.items())


def _is_of_kind(operation: Operation, name: str, value: Any) -> bool:
    """Whether a value may be an operator, or a tensor, where only that can stand."""
    if name in NAMED_OPERATORS:
        return not isinstance(value, (int, float, Sym, tuple, ListValue))
    operand = operation.operands_in(NKI).get(name)
    if operand is not None and not operand.scalar and not operand.many:
        return not isinstance(value, (int, float, Sym, Api))
    if operand is not None and operand.many:
        return not isinstance(value, (int, float, Sym, Api))
    return True


def check_enums(machine: Machine, operation: Operation, dialect: str, bound: dict[str, Any], at: Span) -> None:
    """Members of enums are not numbers, and buffers no strings, from 0.3 on."""
    signature = operation.signature(dialect)
    if dialect != NKI or signature is None or not is_current("0.3", NKI, machine.version):
        return
    for name, value in bound.items():
        default = signature.defaults.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and isinstance(default, Named):
            family = default.name.split(".")
            if family[:1] == ["isa"] and family[1] in ENUMS:
                machine.need(ChangedSignature.number(name=name, value=value, enum=family[1]), False, at)
        elif name == "buffer" and isinstance(value, str):
            machine.need(ChangedSignature.string(value=repr(value)), False, at)
