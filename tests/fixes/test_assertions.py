"""What `check` asks for, `explain` shows and `--fix` writes is one contract, in the words of a person."""

from __future__ import annotations

import pytest

import nkilint

MATMUL = """\
@nki.jit
def matmul(lhsT, rhs):
    K, M = lhsT.shape
    K_, N = rhs.shape
    result = nl.ndarray((M, N), dtype=lhsT.dtype, buffer=nl.shared_hbm)
    for m in nl.affine_range(M // 128):
        for n in nl.affine_range(N // 512):
            acc = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
            for k in nl.affine_range(K // 128):
                a = nl.load(lhsT[k * 128:(k + 1) * 128, m * 128:(m + 1) * 128])
                b = nl.load(rhs[k * 128:(k + 1) * 128, n * 512:(n + 1) * 512])
                acc += nl.matmul(a, b, transpose_x=True)
            nl.store(result[m * 128:(m + 1) * 128, n * 512:(n + 1) * 512], value=acc)
    return result
"""
WHOLE = {"K % 128 == 0", "M % 128 == 0", "N % 512 == 0", "K <= K_"}
ADD = """\
@nki.jit
def add(a, b):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    x = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.sbuf)
    y = nl.ndarray(b.shape, dtype=b.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=x, src=a)
    nisa.dma_copy(dst=y, src=b)
    nisa.tensor_tensor(dst=x, data1=x, data2=y, op=nl.add)
    nisa.dma_copy(dst=out, src=x)
    return out
"""


@pytest.mark.parametrize("stated", ["", "N % 512 == 0", "M % 128 == 0", "K == K_", "K == K_ and N % 512 == 0"])
def test_check_explain_and_fix_agree_on_the_contract_of_a_tiled_matmul(stated: str) -> None:
    source = MATMUL.replace("    result =", f"    assert {stated}\n    result =") if stated else MATMUL
    wanted = {c for c in WHOLE if c not in stated} - ({"K <= K_"} if "K == K_" in stated else set())
    checked = nkilint.check_source(source, dialect="neuronxcc")
    assert set(checked.kernels[0].contract) == wanted
    assert {f.precondition for f in checked.findings} == wanted
    explained = nkilint.explain_source(source, dialect="neuronxcc").text
    section = explained.partition("Contract: proved for all inputs with\n")[2].partition("\n\n")[0]
    assert {line.strip() for line in section.splitlines()} == wanted
    fixed = nkilint.fix_source(source, dialect="neuronxcc")
    added = set(fixed.source.splitlines()) - set(source.splitlines())
    assert added == {f"    assert {condition}" for condition in wanted}
    assert (fixed.checked.verdict, fixed.checked.findings) == ("verified", ())


def test_equal_shapes_are_stated_as_a_person_would() -> None:
    fixed = nkilint.fix_source(ADD, dialect="nki", unsafe=True)  # that there are two axes is assumed
    lines = fixed.source.splitlines()
    assert lines[2:4] == ["    assert a.shape == b.shape", "    assert a.shape[0] <= 128"]
    assert "shape[1]" not in fixed.source
    assert fixed.checked.verdict == "verified"


def test_one_equal_axis_is_stated_alone() -> None:
    flat = ADD.replace("def add(a, b):\n", "def add(a, b):\n    assert a.shape[0] == b.shape[0]\n")
    fixed = nkilint.fix_source(flat, dialect="nki", unsafe=True)
    assert "    assert a.shape[1] == b.shape[1]\n" in fixed.source
    assert fixed.checked.verdict == "verified"
