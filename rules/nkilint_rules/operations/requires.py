"""What operations require of their arguments in forms that several share: sizes, dtypes, memories and engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields, replace
from typing import Any

from ..words.dtypes import BFLOAT16, DTYPES, FLOAT16, FLOAT32, TFLOAT32, DType
from ..words.records import dataclass

FP32 = frozenset({FLOAT32})
BIASES = frozenset({FLOAT32, FLOAT16, BFLOAT16})
ALL_BUT_TFLOAT32 = frozenset(DTYPES.values()) - {TFLOAT32}


@dataclass(frozen=True, slots=True)
class Column:
    """An operand that is a number (if `scalar`, from that NeuronCore generation on) or a tile with one element for
    each partition of the operand `of`. `dtypes` are those of the tile; None allows all."""

    of: str
    dtypes: frozenset[DType] | None = None
    scalar: bool = True
    scalar_generation: int = 2


@dataclass(frozen=True, slots=True)
class Requires:
    """Requirements on operands by name. They speak of inputs, and of outputs that no result describes: what the `dst`
    of 0.x has to look like is said by the operation's result. Operands that a call leaves out, and those that are no
    tensors, are skipped.

    `same_partitions`, `same_free` and `same_size` are operands that agree in these sizes, `same_dtype` pairs of one
    dtype, the second at fault; the partitions of the pair in `contraction` are contracted with each other. `columns`
    are numbers or columns. Both of `not_both_psum` cannot be in PSUM, the second at fault. `on_engines` is what
    `engine=` takes, with the first NeuronCore generation on which it does. `fixed_partitions` start at the same
    partition, because each GpSimd core serves 16 partitions of its own; elsewhere the engines move whole quadrants and
    halves between equal numbers of partitions, and DMA moves anything. `operators` name the set in `words.operators`
    that an operator comes from; None as an argument means no operator. `last_free_axes` says that `axis` names the last
    axes of `data` without a gap. `anywhere` are free of the rule on first partitions: scales stand 4 partitions in each
    quadrant, at 0, 4, 8 or 12 of it. One that `multiplies` has the operands `stationary` and `moving`, whose columns
    are limited.
    """

    same_partitions: tuple[str, ...] = ()
    same_free: tuple[str, ...] = ()
    same_size: tuple[str, ...] = ()
    same_dtype: tuple[tuple[str, str], ...] = ()
    contraction: tuple[str, str] | None = None
    columns: Mapping[str, Column] = field(default_factory=dict)
    not_both_psum: tuple[str, str] | None = None
    on_engines: Mapping[str, int] = field(default_factory=dict)
    fixed_partitions: tuple[str, ...] = ()
    operators: Mapping[str, str] = field(default_factory=dict)
    last_free_axes: bool = False
    anywhere: tuple[str, ...] = ()
    multiplies: bool = False

    def but(self, other: Requires | None) -> Requires:
        """The same, save for what another one says."""
        if other is None:
            return self
        said: dict[str, Any] = {f.name: value for f in fields(other) if (value := getattr(other, f.name))}
        return replace(self, **said)
