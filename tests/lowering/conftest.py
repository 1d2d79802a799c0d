"""What tests of the lowering share."""

import pytest


@pytest.fixture
def notebooks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Statements that await stand on the top of a notebook only, where no kernel begins."""
    monkeypatch.setattr("nkilint.lowering.refusal", lambda text, path, edited: None)
