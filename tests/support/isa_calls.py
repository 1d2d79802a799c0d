"""Calls of `nki.isa` operations on tiles of given shapes, and what the rulebook says of them."""

from __future__ import annotations

from typing import Any

from nkilint_rules.operations import load_operations
from nkilint_rules.operations.form import Call
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.names import Named
from nkilint_rules.words.targets import TARGETS

from .fake_calls import ps, sb

ISA = {name: operation for name, operation in load_operations().items() if name.startswith("isa.")}


def call(name: str, dialect: str = BETA1, *args: Any, target: str = "trn2", **kwargs: Any) -> Call:
    operation = ISA[f"isa.{name}"]
    signature = operation.signature(dialect)
    assert signature is not None, f"{name} is not in {dialect}"
    return Call(operation, dialect, TARGETS[target], signature.bind(args, kwargs), kwargs)


def result(name: str, dialect: str = BETA1, *args: Any, target: str = "trn2", **kwargs: Any) -> Any:
    made = call(name, dialect, *args, target=target, **kwargs)
    assert made.operation.result is not None
    return made.operation.result(made)


def broken(made: Call) -> list[str]:
    """Codes of the particular requirements that a call does not meet."""
    codes = []
    for requirement in made.operation.requirements:
        condition = requirement.holds(made)
        assert isinstance(condition, bool), requirement.message
        if not condition:
            codes.append(requirement.code)
            requirement.message.format(**requirement.values(made))
    return codes


def engine(name: str) -> Named:
    return Named(f"isa.engine.{name}")


X, W, P = sb(128, 512), sb(128, 128), ps(128, 512)
ADD, MULTIPLY, AND = Named("language.add"), Named("numpy.multiply"), Named("language.bitwise_and")
