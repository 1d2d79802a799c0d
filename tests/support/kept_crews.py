"""Processes that run kernels, kept from one test to the next: each run is in a copy of such a process, of which nothing
stays, and to start one takes longer than most runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from nkilint import confirm
from nkilint.confirm import workers


@contextmanager
def kept_crews() -> Iterator[None]:
    """Until the end, who asks for a crew gets one that another has closed, if that was started as this would be."""
    idle: dict[str, list[_Kept]] = {}

    class _Kept(workers.Crew):
        def __init__(self, jobs: int) -> None:
            super().__init__(jobs)
            self.key = ""

        def close(self) -> None:
            if any(worker._stopped for worker in self._workers):
                super().close()
            else:
                idle.setdefault(self.key, []).append(self)

    def crew(jobs: int) -> workers.Crew:
        key = json.dumps([jobs, workers.command("1")])
        if idle.get(key):
            return idle[key].pop()
        made = _Kept(jobs)
        made.key = key
        return made

    with mock.patch.object(workers, "Crew", crew), mock.patch.object(confirm, "Crew", crew):
        yield
    for made in [each for crews in idle.values() for each in crews]:
        workers.Crew.close(made)
