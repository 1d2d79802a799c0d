"""A table that decorators fill in."""

from __future__ import annotations

import pytest

from nkilint.base.registering import entered


def test_nothing_is_entered_twice() -> None:
    table: dict[str, str] = {}
    entered(table, ["a", "b"])("first")
    with pytest.raises(ValueError, match="b is entered twice"):
        entered(table, ["c", "b"])("second")
    assert table["b"] == "first"
