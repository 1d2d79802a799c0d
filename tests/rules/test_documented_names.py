"""The rulebook knows what is documented, and nothing else."""

from __future__ import annotations

from nkilint_rules.operations import load_constants, load_operations, lookup
from nkilint_rules.operations.tensor_methods import ATTRIBUTES
from nkilint_rules.words.dialects import BETA1, NKI

from ..support.documented import DOCUMENTED, ELSEWHERE, LEFT_OUT


def test_every_documented_name_is_known() -> None:
    unknown = [
        (dialect, name)
        for dialect, name in DOCUMENTED
        if lookup(dialect, name) is None
        and name not in load_constants()[dialect]
        and name.removeprefix("tensor.") not in (ATTRIBUTES[dialect] if name.startswith("tensor.") else ())
    ]
    assert set(unknown) == set(LEFT_OUT)


def test_every_operation_is_documented_or_says_where_it_is_seen() -> None:
    undocumented = {
        (dialect, name)
        for name, operation in load_operations().items()
        for dialect in (BETA1, NKI)
        if operation.signature(dialect) is not None and (dialect, name) not in DOCUMENTED
    }
    assert undocumented == set(ELSEWHERE), "tests/support/documented.py lists the names of the documentation"
