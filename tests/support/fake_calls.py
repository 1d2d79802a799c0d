"""Calls of operations on tiles that only a rule looks at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nkilint_rules.catalogue import rules
from nkilint_rules.operations import load_operations
from nkilint_rules.operations.form import Call
from nkilint_rules.words.conditions import IsUnknown, product
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.dtypes import FLOAT32
from nkilint_rules.words.memory import HBM, PSUM, SBUF
from nkilint_rules.words.names import Named
from nkilint_rules.words.targets import TARGETS
from nkilint_rules.words.tiles import Tile


@dataclass(eq=False)
class Fake(Tile):
    """A tile with concrete properties."""

    shape: tuple[Any, ...]
    dtype: Any = FLOAT32
    memory: Any = SBUF
    start_partition: Any = 0
    partition_step: Any = 1
    indirect: bool = False
    gathered: bool = False
    apart: int = 1  # elements in a row

    @property
    def steps(self) -> tuple[Any, ...]:
        return tuple(self.apart * product(self.shape[axis + 1 :]) for axis in range(self.rank))


def sb(*shape: int, **more: Any) -> Fake:
    return Fake(shape, **more)


def ps(*shape: int, **more: Any) -> Fake:
    return Fake(shape, memory=PSUM, **more)


def hbm(*shape: int, **more: Any) -> Fake:
    return Fake(shape, memory=HBM, **more)


def named(name: str) -> Named:
    return Named(name)


ADD, EXP, MAX, AND = (named(f"language.{name}") for name in ("add", "exp", "max", "bitwise_and"))
VECTOR, SCALAR, GPSIMD, TENSOR = (named(f"isa.engine.{name}") for name in ("vector", "scalar", "gpsimd", "tensor"))


def call(name: str, *args: Any, dialect: str = BETA1, target: str = "trn2", **kwargs: Any) -> Call:
    operation = load_operations()[name]
    signature = operation.signature(dialect)
    assert signature is not None
    made = Call(operation, dialect, TARGETS[target], signature.bind(args, kwargs), kwargs)
    try:
        made.result = operation.result(made) if operation.result is not None else None
    except IsUnknown:
        made.result = None
    return made


def findings(code: str, made: Call) -> list[tuple[str | None, str]]:
    """Operand and message of every condition that fails."""
    rule = rules()[code]()
    needs = list(rule.check(made))
    for need in needs:
        need.message.text()  # every message can be filled, whether it is needed or not
    return [(n.operand, n.message.text()) for n in needs if n.condition is False]


NKI_ARGS = {"dialect": NKI}
TRN1, TRN3 = {"target": "trn1"}, {"target": "trn3"}
BUFFER = {"sbuf": named("language.sbuf"), "psum": named("language.psum"), "hbm": named("language.hbm")}
F32 = named("language.float32")
