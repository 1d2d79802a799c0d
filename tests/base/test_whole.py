"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nkilint.base import whole


def then_stopped(plain: Callable[..., Any]) -> Callable[..., Any]:
    """What does its work, and is told to stop before it returns."""

    def stopped(*given: Any, **more: Any) -> Any:
        plain(*given, **more)
        raise KeyboardInterrupt

    return stopped


@pytest.mark.parametrize(
    ("call", "after"), [("open", "old"), ("fsync", "old"), ("chmod", "old"), ("replace", "new"), ("listdir", "old")]
)
def test_who_is_told_to_stop_leaves_nothing(
    call: str, after: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "k.py"
    file.write_text("old")
    monkeypatch.setattr(os, call, then_stopped(getattr(os, call)))
    with pytest.raises(KeyboardInterrupt):
        whole.write(str(file), b"new", mode=0o644)
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["k.py"]
    assert file.read_text() == after
