"""Element-wise operations of `nki.language`: unary, binary, bitwise, comparing and logical, from one table.

All take tiles of SBUF or PSUM and give a new tile in SBUF. Page: `nki.language`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..words.memory import ON_CHIP, SBUF
from ..words.promotion import BITS, INTEGERS
from .effects import ALIGNED, RESULT, Effects
from .form import Call, Operand, Result, operation, reads, usual_effects
from .language_results import elementwise
from .particular import Requirement

UNARY = ("x",)
BINARY = ("x", "y")

# Operations by family, each with the versions that first have it ("" where a dialect always had it).
EVERYWHERE = {
    "0.3": "arctan ceil cos erf erf_dx exp floor gelu gelu_apprx_tanh gelu_dx log mish negative relu sigmoid sign sin "
    "softplus sqrt square tanh trunc",
    "2.21 0.3": "silu silu_dx tan",
    "2.22": "reciprocal",
    "2.26": "gelu_apprx_sigmoid",
    "": "abs",
}
ARITHMETIC = "add subtract multiply maximum minimum power"
COMPARISONS = "equal not_equal greater greater_equal less less_equal"
LOGICAL = "logical_and logical_or logical_xor"

NO_DIVISION = "the hardware has no division; multiply by the reciprocal"
NO_MODULO = "the hardware has no modulo: it works in simulation only"


def _integer(name: str) -> Requirement:
    """That a number beside a tile of integers is one, too."""
    message = f"`{name}` is the float {{{name}}}; bits are those of integers"
    return Requirement("NKI202", name, lambda call: not isinstance(call.get(name), float), message)


def _combined(call: Call) -> Effects:
    return usual_effects(call).changed(RESULT, combines=(call.operation.leaf, *BINARY))


def define(
    name: str,
    operands: Sequence[str],
    *,
    dialects: str = "both",
    default: str = "None",
    since: str = "",
    positional: bool = False,
    operand: Operand | None = None,
    nki_operands: dict[str, Operand] | None = None,
    unsupported: str = "",
    targets: Sequence[str] = (),
    engines: str | Sequence[str] = (),
    requirements: Sequence[Requirement] = (),
) -> None:
    """Define one element-wise operation; `default` is Beta 1's dtype, `positional` says that it need not be named."""
    arguments = ", ".join(operands)
    star = "" if positional else "*, "
    roles: dict[str, Any] = dict.fromkeys(operands, operand or reads(ON_CHIP, scalar=len(operands) > 1))

    @operation(
        f"language.{name}",
        beta1=None if dialects == "nki" else f"{arguments}, {star}dtype={default}, mask=None, **kwargs",
        nki=None if dialects == "beta1" else f"{arguments}, dtype=None",
        since=since,
        unsupported={"nki": unsupported} if unsupported else None,
        targets=targets,
        engines=engines,
        page=f"api/generated/nki.language.{name}",
        nki_operands=nki_operands,
        depends=_combined if tuple(operands) == BINARY else ALIGNED,
        requirements=requirements,
        **roles,
    )
    def result(call: Call) -> Result:
        return elementwise(call, operands)


for version, names in EVERYWHERE.items():
    for each in names.split():
        define(each, UNARY, since=version)

# From 0.5 on it runs on GpSimd, which cannot read PSUM.
define("rsqrt", UNARY, nki_operands={"x": reads(SBUF, earlier=("0.5", ON_CHIP))})
define("gelu_apprx_sigmoid_dx", UNARY, dialects="nki")
define("logical_not", UNARY, default="bool")
define("invert", UNARY, operand=reads(ON_CHIP, INTEGERS))  # of bools it gives wrong results: nki_known_issues

for each in ARITHMETIC.split():
    define(each, BINARY)
define("divide", BINARY, unsupported=NO_DIVISION)
for each in ("mod", "fmod"):
    define(each, BINARY, since="2.22 0.3", positional=True, unsupported=NO_MODULO)
for each in ("abs_max", "abs_min"):
    define(each, BINARY, dialects="nki", since="0.4", targets=("trn3",), engines="vector")
for each in ("bitwise_and", "bitwise_or", "bitwise_xor"):
    define(each, BINARY, operand=reads(ON_CHIP, BITS, scalar=True), requirements=tuple(map(_integer, BINARY)))
for each in ("left_shift", "right_shift"):
    define(
        each,
        BINARY,
        since="2.21",
        operand=reads(ON_CHIP, INTEGERS, scalar=True),
        requirements=tuple(map(_integer, BINARY)),
    )
for each in f"{COMPARISONS} {LOGICAL}".split():
    define(each, BINARY, default="bool")
