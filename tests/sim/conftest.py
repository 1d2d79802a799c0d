"""The stand-ins are importable in these tests, and each test starts without findings."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import reference_sim
from reference_sim.running.settings import SETTINGS

reference_sim.install()


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    before = SETTINGS["strictness"]
    reference_sim.FINDINGS.clear()
    yield
    SETTINGS["strictness"] = before
    reference_sim.FINDINGS.clear()
