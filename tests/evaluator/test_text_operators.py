"""Operators on texts: where Python raises a TypeError, no kernel is verified, and where it does not, one is."""

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
OPERANDS = ("n", "(n < m)", "'rows'", "f'{n}'", "2", "2.5", "None")


def raises(expression: str) -> bool:
    """Whether Python raises there."""
    try:
        eval(expression, {"n": 100, "m": 9})
    except TypeError:
        return True
    return False


def test_operators_on_texts_fit_as_in_python(tmp_path: Path) -> None:
    pairs = [(left, right) for left, right in product(OPERANDS, repeat=2) if "'" in left + right]
    expressions = [f"{left} {op} {right}" for op in ("+", "-", "*", "/") for left, right in pairs]
    expressions += [f"sum([{left}, {right}])" for left, right in pairs]
    source = "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n\n\n"
    source += "".join(KERNEL.format(number=i, expression=each) for i, each in enumerate(expressions))
    (tmp_path / "kernels.py").write_text(source, encoding="utf-8")
    report = engine.check([tmp_path / "kernels.py"], Options(confirm=False))
    verified = [kernel.verdict == "verified" for kernel in report.kernels]
    assert [e for e, is_right in zip(expressions, verified, strict=True) if is_right == raises(e)] == []
