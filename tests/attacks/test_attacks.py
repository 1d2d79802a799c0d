"""Kernels that attack: nothing outside of a run changes, nothing of it is told, and nothing is said in its name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from nkilint.confirm.jail.probing import ALL as PROTECTIONS

from . import table, world
from .world import FORGED, SECRET, World


@pytest.fixture(scope="module", params=["all lines", "the system alone"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "the system alone":
            world.without_hook(patch)
        made = World(tmp_path_factory.mktemp("world"))
        try:
            assert made.run("pass").seen, "the run of a kernel did not come about"
            if made.worker.open:
                pytest.skip(f"this system does not keep runs from {', '.join(made.worker.open)}")
            yield made
        finally:
            made.close()


@pytest.mark.parametrize("name", table.ALL)
def test_attack_is_contained(place: World, name: str) -> None:
    before = place.state()
    account = place.run(table.ALL[name], seconds=6)
    assert place.state() == before
    told = world.text(account)
    assert SECRET not in told
    assert FORGED not in told
    shown = any(seen.code == "NKI301" and 0 in seen.here for seen in account.seen)
    assert shown or account.problem or account.refused or account.stopped, "an attack made the run silent"
    assert account.open == ()


def test_kernel_that_attacks_nothing_is_confirmed(place: World) -> None:
    account = place.run("pass")
    assert [seen.code for seen in account.seen] == ["NKI301"]
    assert not account.problem
    assert not account.refused


def test_own_folder_is_there(place: World) -> None:
    account = place.run("import os\nos.mkdir('a')\nopen('a/b', 'w').write('c')\nassert open('a/b').read() == 'c'")
    assert [seen.code for seen in account.seen] == ["NKI301"]
    assert not account.stopped, account


def test_there_are_enough() -> None:
    assert len(table.ALL) >= 150
    assert len(PROTECTIONS) == 3
