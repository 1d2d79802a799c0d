"""Tensors that a loop carries from one iteration to the next, and their stand-ins."""

from __future__ import annotations

from typing import Any

from nkilint_rules.words.conditions import Unknown

from ..state import joining
from ..values.tensors import Declaration, View, whole_view


def merged(view: View, dtype: Any = None) -> View:
    """One that may be `view` or another like it; of another `dtype`, if there is one."""
    base = view.base
    blocks = base.blocks if view.whole else 0
    return whole_view(
        Declaration(base.name, view.shape, view.dtype if dtype is None else dtype, view.memory, base.at, "merged",
                    blocks, base.loops, base.region, mutable=base.mutable, sources=(view,))
    )  # fmt: skip


def alike(a: View, b: View) -> bool:
    return alike_but_for_dtype(a, b) and joining.same(a.dtype, b.dtype)


def alike_but_for_dtype(a: View, b: View) -> bool:
    return joining.same(a.shape, b.shape) and bool(a.memory == b.memory)


def describes(start: View, now: View) -> bool:
    """Whether a stand-in says nothing of a tensor that is not so; of an unknown dtype it says nothing."""
    free = isinstance(start.dtype, Unknown)
    return alike_but_for_dtype(start, now) and (free or alike(start, now))


def reshaped(before: Any, now: Any, start: Any) -> View | None:
    """The tensor from before the loop in the shape that an iteration gives it, whose `start` stood for it."""
    first, stood, last = (joining.as_tensor(value) for value in (before, start, now))
    if not all(isinstance(v, View) and joining.is_reshaped(v) for v in (first, stood, last)):
        return None
    if last.base is not stood.base or joining.same(first.shape, last.shape):
        return None
    return first.with_(shape=last.shape, index=last.index, layout=last.layout, bounds=last.bounds)  # type: ignore[no-any-return]
