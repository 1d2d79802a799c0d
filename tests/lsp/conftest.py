"""One server for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ..support.lsp_client import Editor


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """One server for all tests that don't need their own; each uses files of its own."""
    with Editor(tmp_path_factory.mktemp("lsp")) as started:
        yield started
