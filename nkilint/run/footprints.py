"""Which pieces of source the verdict on a kernel depends on."""

from __future__ import annotations

import os
from collections.abc import Sequence

from nkilint.base.ir import Module, Span
from nkilint.base.options import Options
from nkilint.base.serial import plain
from nkilint.base.store import digest
from nkilint.project.changed_later import changes_of
from nkilint.project.dependencies import Dependencies, Unit
from nkilint.project.discovery import Kernel
from nkilint.project.files import Project


class Footprints:
    """What the verdict on each kernel depends on: the pieces of source it is made of, with their places, and those of
    the host code that may run it."""

    def __init__(
        self,
        project: Project,
        modules: Sequence[Module],
        kernels: Sequence[Kernel],
        inner: frozenset[Span],
        options: Options,
    ) -> None:
        self.dependencies, self._modules, self._inner = Dependencies(project), modules, inner
        self._options = plain(options)
        own = {k: self.dependencies.unit_at(k.module, k.function.at.row) for k in kernels}
        self._parts = {k: self.dependencies.reached([u]) for k, u in own.items() if u is not None}
        self._own = own
        self._hosts = self._host_code()
        self._texts: dict[Unit, str] = {}

    def _host_code(self) -> dict[Unit, set[Unit]]:
        """The pieces of host code that may have to do with running the kernel in a piece."""
        device = frozenset(u for units in self._parts.values() for u in units)
        entries = frozenset(u for u in self._own.values() if u is not None)
        found: dict[Unit, set[Unit]] = {}
        for module in self._modules:
            for unit in self.dependencies.units(module):
                if unit not in device:
                    used = self.dependencies.reached([unit], stop=entries)
                    for entry in used & entries:
                        found.setdefault(entry, set()).update(used)
        return found

    def files(self, kernel: Kernel) -> set[str]:
        """The files that something may be found in by verifying a kernel."""
        return {kernel.module.path, *(unit.file for unit in self._units(kernel))}

    def _units(self, kernel: Kernel) -> set[Unit]:
        own = self._own[kernel]
        units = set(self._parts.get(kernel, ()))
        return units | (set(self.dependencies.units(kernel.module)) if own is None else self._hosts.get(own, set()))

    def key(self, kernel: Kernel) -> str:
        """A hash of all that the verdict depends on."""
        units = self._units(kernel)
        files = sorted({unit.file for unit in units})
        units |= {unit for file in files for unit in self.dependencies.acting(file)}
        pieces = sorted((unit.file, unit.row, unit.end_row, self._text(unit)) for unit in units)
        at = kernel.function.at
        place = (at.file, at.row, at.column, kernel.name, kernel.kind, kernel.dialect)
        flags = (kernel.may_write, kernel.is_called, at in self._inner, os.path.abspath(at.file))
        changes = changes_of(self.dependencies.led_to(kernel.module))
        return digest(self._options, place, flags, pieces, [self.dependencies.table(file) for file in files], changes)

    def _text(self, unit: Unit) -> str:
        if unit not in self._texts:
            self._texts[unit] = self.dependencies.text(unit)
        return self._texts[unit]
