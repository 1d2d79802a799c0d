"""Numbers in which the name of a loop stands for what an iteration is given, as in the source, and not for how many of
them went before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from nkilint.evaluator.state.trace import Loop
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym, key_of
from nkilint.symbolic.substitution import substitute


def in_values(value: Any, loops: Sequence[Loop]) -> Any:
    """A value of a message, as text where it speaks of loops that give iterations other numbers than their own."""
    if isinstance(value, (tuple, list)):
        return type(value)([in_values(item, loops) for item in value])
    if not isinstance(value, Sym):
        return value
    others = {loop.index.variable: loop for loop in loops if _differs(loop)}
    if not others.keys() & set(variables(value)):
        return value
    text = str(value)
    for loop in reversed(others.values()):  # what an inner one begins at may hang on those around it
        text = _in_values_of(loop, text)
    return text


def _differs(loop: Loop) -> bool:
    return isinstance(loop.value, Sym) and loop.value.key != loop.index.key


def _in_values_of(loop: Loop, text: str) -> str:
    """A number, written over the iterations of a loop, over what these are given: `first + iteration * step`."""
    first = substitute(loop.value, {loop.index.variable: 0})
    step = substitute(loop.value, {loop.index.variable: 1}) - first
    name = str(loop.index)
    behind = name if key_of(first) == 0 else f"({name} - {_factor(first)})"
    if key_of(step) == -1:
        iteration = f"({first} - {name})"
    else:
        iteration = behind if key_of(step) == 1 else f"({behind} // {_factor(step)})"

    def written(found: re.Match[str]) -> str:
        return behind if found[1] else iteration

    own = re.escape(name)
    whole = rf"(?<![\w.*])({re.escape(str(step))}\*){own}(?!\w|\.\d|\*\*)"
    return re.sub(rf"{whole}|(?<![\w.]){own}(?!\w|\.\d)", written, text)


def _factor(value: Any) -> str:
    return f"({value})" if isinstance(value, Sym) and not str(value).isidentifier() else str(value)
