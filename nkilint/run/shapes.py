"""The tiles that names stand for in a piece of a file, as an editor writes them beside the names."""

from __future__ import annotations

import os
from collections.abc import Mapping

from nkilint.base import ir
from nkilint.base.options import Options
from nkilint.base.source import SourceError
from nkilint.base.walk import walk
from nkilint.evaluator.values.tensors import View
from nkilint.project.discovery import discover
from nkilint.project.files import Project
from nkilint.project.imports import Imports
from nkilint_rules.words.records import dataclass

from .describing import shown
from .revealing import Asked, asking, revealed


@dataclass(frozen=True, slots=True)
class Shape:
    """What is known of a tensor, at the name that is bound to it."""

    at: ir.Span
    text: str


def tile_shapes(path: str, first: int, last: int, options: Options, overlay: Mapping[str, bytes]) -> list[Shape]:
    """The tensors bound to names by assignments in these rows; where several come to one name, nothing is said."""
    project = _AskingAll(path, first, last, overlay)
    try:
        module = project.module(path)
    except SourceError:
        return []
    found: dict[ir.Span, dict[str, None]] = {}
    for kernel in discover(Imports(project), [module]).kernels:
        whole = kernel.function.whole
        if whole.row <= last and first <= whole.end_row:
            for event in revealed(kernel, project, options):
                value = event.arguments["value"]
                text = f"{shown(value)} @ {value.memory}" if isinstance(value, View) and not value.problem else ""
                found.setdefault(event.site.at, {})[text] = None
    shapes = [Shape(at, next(iter(texts))) for at, texts in found.items() if len(texts) == 1 and "" not in texts]
    return sorted(shapes, key=lambda shape: (shape.at.row, shape.at.column))


class _AskingAll(Project):
    """A project in which every name that is assigned to in some rows of a file is handed to `reveal`."""

    def __init__(self, path: str, first: int, last: int, overlay: Mapping[str, bytes]) -> None:
        super().__init__([path], overlay)
        self._path, self._rows = os.path.abspath(path), range(first, last + 1)

    def _lower(self, path: str) -> ir.Module:
        module = super()._lower(path)
        if path != self._path:
            return module
        after: Asked = {
            id(node): (node.targets[0].at, node.targets[0])
            for function in walk(module.body)
            if isinstance(function, ir.FunctionDef)
            for node in walk(function.body)
            if isinstance(node, ir.Assign) and isinstance(node.targets[0], ir.Name) and node.at.row in self._rows
        }
        return asking(module, after=after)
