"""Environment variables, of which none is set, which the report says of kernels whose modules ask; and the version of
Python."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint_rules.words.conditions import Unknown

from ...state import protocols
from ...state.machine import VARIABLES_SET, Machine
from ...state.protocols import Args, Keywords
from ...values.containers import DictValue, ListValue
from ...values.objects import External
from ...values.wording import in_words
from .registry import CONSTANTS, models

OLDEST = (3, 9)  # that has had NKI
CONSTANTS["sys.version_info.major"] = 3
_VERSION = "sys.version_info"


@protocols.orders.of(External, rank=2)
def _order(machine: Machine, op: str, left: Any, right: Any) -> Any:
    """Whether Python is of a version, where it is for all that there is NKI for."""
    turned = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
    if isinstance(right, External):
        left, right, op = right, left, turned[op]
    known = isinstance(right, tuple) and all(isinstance(part, int) for part in right) and right <= OLDEST
    if left.name != _VERSION or not known or op not in turned:
        return Unknown(f"comparison of {in_words(left)} and {in_words(right)}")
    return op in (">=", ">") if op in (">=", "<") or right < OLDEST else Unknown("the version of Python")


@protocols.subscripts_set.of(External)
def _set(machine: Machine, container: External, key: Any, value: Any, target: ir.Index) -> None:
    """Texts may be set to anything; what asks for variables knows of those that are."""
    if container.name != "os.environ" or not (isinstance(key, str) and isinstance(value, str)):
        protocols.subscripts_set.otherwise(machine, container, key, value, target)


@models("os.environ.get", "os.getenv", keywords=("default",))
def _get(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return _asked(machine, args[1] if len(args) > 1 else kwargs.get("default"))


@models("os.environ.keys", "os.environ.values", "os.environ.items")
def _all(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return _asked(machine, ListValue([]))


@models("os.environ.copy")
def _copy(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return _asked(machine, DictValue())


def _asked(machine: Machine, value: Any) -> Any:
    """`value`, as long as nothing can have set variables."""
    return Unknown(VARIABLES_SET) if machine.in_kernel and machine.variables_set else value
