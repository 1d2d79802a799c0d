"""Operations between types of Python: where that raises, no kernel is verified."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from nkilint.base.options import Options
from nkilint.run import engine

KERNEL = """\
@nki.jit
def kernel_{number}(a):
    n, m = a.shape
    assert n == 100 and m > 8
    y = {expression}
    out = nl.ndarray((1, 1), dtype=a.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=a[0:1, 0:1])
    return out


"""
OPERANDS = (
    *("n", "(n < m)", "2.5", "None", "'rows'", "f'{n}'", "b'x'", "[n]", "(n, m)", "{'k': n}", "{n}", "range(n)"),
    *("slice(0, n)", "(lambda: n)"),
)
OPERATORS = ("+", "%", "in")
FUNCTIONS = ("float", "reversed", "range", "len", "sum", "abs")


def raises(expression: str) -> bool:
    """Whether Python raises there."""
    try:
        eval(expression, {"n": 100, "m": 9})
    except (TypeError, ValueError, ZeroDivisionError):
        return True
    return False


def test_what_python_has_no_operation_for_is_not_verified(tmp_path: Path) -> None:
    expressions = [f"{left} {op} {right}" for op in OPERATORS for left, right in product(OPERANDS, repeat=2)]
    expressions += [f"{function}({operand})" for function in FUNCTIONS for operand in OPERANDS]
    source = "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n\n\n"
    source += "".join(KERNEL.format(number=i, expression=each) for i, each in enumerate(expressions))
    (tmp_path / "kernels.py").write_text(source, encoding="utf-8")
    report = engine.check([tmp_path / "kernels.py"], Options(confirm=False))
    found = dict(zip(expressions, (kernel.verdict for kernel in report.kernels), strict=True))
    assert [each for each, verdict in found.items() if verdict == "verified" and raises(each)] == []
    assert [each for each, verdict in found.items() if verdict == "violated" and not raises(each)] == []
    right = [each for each, verdict in found.items() if not raises(each)]
    assert sum(found[each] == "verified" for each in right) > 0.85 * len(right)
