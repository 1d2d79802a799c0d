"""Modules of the project as values, and the names of everything outside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.base import ir
from nkilint.base.source import SourceError
from nkilint.project.files import is_outside
from nkilint_rules.words.conditions import Unknown

from ..values.cells import Cell
from ..values.objects import Api, Environment, External, ModuleValue

_ROOTS = (("neuronxcc.nki", "neuronxcc"), ("nki", "nki"))
# Modules that re-export the API or parts of it.
_ALIASES = {
    "neuronxcc.nki.typing": ("neuronxcc", "typing"),
    "neuronxcc.nki.isa.constants": ("neuronxcc", "isa"),
    "nki.isa.constants": ("nki", "isa"),
    "neuronxcc.nki.isa.neuron_isa": ("neuronxcc", "isa"),
    "neuronxcc.nki.compiler.backends.neuron.dimensions": ("neuronxcc", "language"),
    "torch_neuronx": None,
}


def outside(name: str) -> Any:
    """The value of a module that is not part of the project."""
    alias = _ALIASES.get(name)
    if alias is not None:
        return Api(*alias)
    for root, dialect in _ROOTS:
        if name == root or name.startswith(root + "."):
            return Api(dialect, name[len(root) + 1 :])
    return External(name)


class Modules:
    """One value per module of the project, made when first asked for."""

    def __init__(self, resolve: Callable[[ir.Module, str, int], Any]) -> None:
        self.resolve = resolve
        self.values: dict[str, ModuleValue] = {}
        self.lasting: list[tuple[int, int]] = []  # moments between which the cells were made that modules hold
        self.remembered: dict[str, object] = {}  # what was found out about modules, by their paths
        self.patched = Cell()  # what the program sets in modules outside of it, by full name
        self._missing: set[str] = set()  # modules that no file of the project holds, and no known package

    def value(self, module: ir.Module) -> ModuleValue:
        found = self.values.get(module.path)
        if found is None:
            found = ModuleValue(module.name, module)
            found.env = Environment(found)
            self.values[module.path] = found
        return found

    def of_file(self, path: str) -> ir.Module | None:
        """The module of a file that was asked for."""
        found = self.values.get(path)
        return None if found is None else found.ir

    def __call__(self, importer: ModuleValue, name: str, level: int) -> Any:
        """The module that `import name` (or `from ...name import`) means in `importer`."""
        if level == 0 and any(name == r or name.startswith(r + ".") for r, _ in _ROOTS):
            return outside(name)
        if importer.ir is None:
            return outside(name)
        found = self.resolve(importer.ir, name, level)
        if isinstance(found, ir.Module):
            return self.value(found)
        if isinstance(found, SourceError):
            return Unknown(f"`{found.path}` cannot be read")
        if found is None:
            return Unknown(f"module `{'.' * level}{name}` is not found")
        if not is_outside(name.partition(".")[0]):
            self._missing.add(name)
        return outside(name)

    def may_lack(self, found: Any) -> bool:
        """Whether what an import gives may not be there: no file of the project has it, and no known package."""
        return isinstance(found, Unknown) or (isinstance(found, External) and found.name in self._missing)

    def why(self, name: str, otherwise: str) -> str:
        """Why nothing is known of a name outside of the project."""
        parts = name.split(".")
        tops = (".".join(parts[:length]) for length in range(len(parts) - 1, 0, -1))
        return next((f"module `{top}` is not found" for top in tops if top in self._missing), otherwise)
