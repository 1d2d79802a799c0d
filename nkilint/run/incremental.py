"""Verifies only kernels whose verdict is not known yet, several at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from nkilint.base.serial import NotThis, plain, restored
from nkilint.base.store import Entries
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
            keys = {kernel: setting.footprints.key(kernel) for kernel in kernels}
            found = {k: outcome for k in kernels if (outcome := self._remembered(keys[k])) is not None}
        for kernel, outcome in found.items():
            setting.done(kernel, outcome)
        missing = [k for k in kernels if k not in found]
        self.verified = [k.name for k in missing]
        setting.listeners.insert(0, lambda kernel, outcome: self._remember(keys.get(kernel), outcome))
        run = self._runner(len(missing))
        for kernel, outcome in zip(missing, run(setting, missing, verify), strict=True):
            found[kernel] = outcome
            self.faulty = self.faulty or bool(outcome.faults)
        return [found[kernel] for kernel in kernels]

    def _remember(self, key: str | None, outcome: Outcome) -> None:
        if self.store is not None and key is not None and outcome.report is not None:
            self.store.put(_KIND, key, plain(outcome))

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
