"""A line for each operation as it begins, where a run is to be traced."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, TextIO

from reference_sim.machine.program import Program
from reference_sim.observers.protocol import Observer, listen
from reference_sim.operations.operands import Operands
from reference_sim.report.sites import here, iterations_here, place, shown
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

_STREAMS: list[TextIO] = []
LONGEST = 40  # characters of an argument that is no tensor


@contextmanager
def traced(path: str) -> Iterator[None]:
    """Write to a file, or for `-` to standard error, what launches do while the body runs."""
    with nullcontext(sys.stderr) if path == "-" else open(path, "w", encoding="utf-8") as stream:
        _STREAMS.append(stream)
        try:
            yield
        finally:
            _STREAMS.remove(stream)


def trace_program(program: Program) -> None:
    """Follow a program if runs are traced."""
    listen(program, [Trace(program, stream) for stream in _STREAMS])


class Trace(Observer):
    """Writes what a program does."""

    def __init__(self, program: Program, stream: TextIO) -> None:
        super().__init__(program)
        self._stream = stream

    def began(self, operands: Operands | None) -> None:
        if operands is None:
            return
        defaults = operands.entry.defaults
        given = [f"{name}={_text(v)}" for name, v in operands.arguments.items() if v is not defaults.get(name)]
        made = operands.plan.tile
        result = "" if made is None else f" -> {made.element}{list(made.shape)}"
        self._line(f"{operands.entry.operation.leaf}({', '.join(given)}){result}")

    def wrote(self, target: Tensor, where: Where, operands: Operands | None) -> None:
        if operands is None:
            self._line(f"{_text(target)} is assigned")

    def _line(self, text: str) -> None:
        at = place(here())
        around = [f"program {list(self.program.index)}"] if self.program.index else []
        around += [f"{name}={value}" for name, value in iterations_here()]
        self._stream.write(f"{shown(at.file)}:{at.row}: {' '.join([*around, text])}\n")


def _text(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"{value.name} {value.element}{list(value.shape)} {value.storage.memory}".lstrip()
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_text, value))}]"
    told = str(getattr(value, "__name__", getattr(value, "name", value)))
    return told if len(told) <= LONGEST else told[: LONGEST - 3] + "..."
