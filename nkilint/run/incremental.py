"""Verifies only kernels whose verdict is not known yet, several at a time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from nkilint.base.serial import NotThis, plain, restored
from nkilint.base.store import Entries, digest
from nkilint.project.dependencies import Dependencies, Unit
from nkilint.project.discovery import Kernel
from nkilint.project.files import Project

from .outcome import Outcome, Runner, Setting, Verify, one_by_one
from .processes import in_processes

_KIND = "kernels"
_WORTH_IT = 4  # kernels for which more processes are started


@dataclass
class Incremental:
    """A runner that remembers outcomes by what they were made from. `elsewhere` runs what is not known, if given.

    Afterwards, `project` is that of the run, `verified` names the kernels whose outcome was not known, and `faulty`
    says that this program failed on one.
    """

    store: Entries | None = None
    jobs: int = 1
    elsewhere: Runner | None = None
    project: Project | None = field(default=None, init=False)
    verified: list[str] = field(default_factory=list, init=False)
    faulty: bool = field(default=False, init=False)

    def __call__(self, setting: Setting, kernels: Sequence[Kernel], verify: Verify) -> list[Outcome]:
        self.project = setting.project
        found: dict[Kernel, Outcome] = {}
        keys: dict[Kernel, str] = {}
        if self.store is not None and kernels:
            footprints = Footprints(setting)
            keys = {kernel: footprints.key(kernel) for kernel in kernels}
            found = {k: outcome for k in kernels if (outcome := self._remembered(keys[k])) is not None}
        missing = [k for k in kernels if k not in found]
        self.verified = [k.name for k in missing]
        run = self._runner(len(missing))
        for kernel, outcome in zip(missing, run(setting, missing, verify), strict=True):
            found[kernel] = outcome
            self.faulty = self.faulty or bool(outcome.faults)
            if self.store is not None and outcome.report is not None:
                self.store.put(_KIND, keys[kernel], plain(outcome))
        return [found[kernel] for kernel in kernels]

    def _runner(self, count: int) -> Runner:
        if self.elsewhere is not None and count:
            return self.elsewhere
        return in_processes(self.jobs) if self.jobs > 1 and count >= _WORTH_IT else one_by_one

    def _remembered(self, key: str) -> Outcome | None:
        assert self.store is not None
        data = self.store.get(_KIND, key)
        try:
            return None if data is None else restored(Outcome, data)
        except NotThis:
            return None


class Footprints:
    """What the verdict on each kernel depends on, in a hash: the pieces of source it is made of, with their places,
    and those of the host code that may run it."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.dependencies = Dependencies(setting.project)
        self._options = plain(setting.options)
        own = {k: self.dependencies.unit_at(k.module, k.function.at.row) for k in setting.kernels}
        self._parts = {k: self.dependencies.reached([u]) for k, u in own.items() if u is not None}
        self._own = own
        self._hosts = self._host_code()
        self._texts: dict[Unit, str] = {}

    def _host_code(self) -> dict[Unit, set[Unit]]:
        """The pieces of host code that may have to do with running the kernel in a piece."""
        device = frozenset(u for units in self._parts.values() for u in units)
        entries = frozenset(u for u in self._own.values() if u is not None)
        found: dict[Unit, set[Unit]] = {}
        for module in self.setting.modules:
            for unit in self.dependencies.units(module):
                if unit not in device:
                    used = self.dependencies.reached([unit], stop=entries)
                    for entry in used & entries:
                        found.setdefault(entry, set()).update(used)
        return found

    def key(self, kernel: Kernel) -> str:
        own = self._own[kernel]
        units = set(self._parts.get(kernel, ()))
        if own is None:
            units |= set(self.dependencies.units(kernel.module))
        else:
            units |= self._hosts.get(own, set())
        files = sorted({unit.file for unit in units})
        units |= {unit for file in files for unit in self.dependencies.acting(file)}
        pieces = sorted((unit.file, unit.row, unit.end_row, self._text(unit)) for unit in units)
        at = kernel.function.at
        place = (at.file, at.row, at.column, kernel.name, kernel.kind, kernel.dialect)
        flags = (kernel.may_write, kernel.is_called, at in self.setting.inner, os.path.abspath(at.file))
        return digest(self._options, place, flags, pieces, [self.dependencies.table(file) for file in files])

    def _text(self, unit: Unit) -> str:
        if unit not in self._texts:
            self._texts[unit] = self.dependencies.text(unit)
        return self._texts[unit]
