"""The memory map that `nkilint explain --memory` draws."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.cli import main

OVERLAP = """\
import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.language as nl


# nkilint: x: float32[4, 128, 512]
@nki.jit
def overlap(x):
    output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    two = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))
    first = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.float32, buffer=two)
    second = nl.ndarray((nl.par_dim(32), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=2048))
    quarter = ncc.sbuf.mod_alloc(base_addr=4096, base_partition=64)
    third = nl.ndarray((nl.par_dim(32), 512), dtype=nl.float32, buffer=quarter)
    bank = nl.ndarray((nl.par_dim(32), 512), dtype=nl.float32, buffer=ncc.psum.mod_alloc(base_bank=3))
    for i in nl.affine_range(4):
        first[i] = nl.load(x[i])
        second[...] = nl.load(x[i, 0:32])
        bank[...] = nl.copy(second)
        third[...] = nl.copy(bank)
        nl.store(output[i], value=first[i])
        nl.store(output[i, 0:32], value=third)
    return output


# nkilint: x: float32[M, 128, 512], M % 2 == 0, M <= 64
@nki.jit
def automatic(x):
    output = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.sequential_range(x.shape[0]):
        total[...] = nl.add(total, nl.load(x[i]))
        nl.store(output[i], value=total)
    return output


@nki.jit
def nothing_on_chip():
    return nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
"""

END = """\
Each column is a statement, below its line number. Capitals are written, `!` is read after something else
was written over it. Loops are drawn once, tensors from their first write to their last read.
"""

DRAWN = {
    "overlap": f"""\
k.py::overlap on trn2, for x=float32[4, 128, 512]

SBUF: 212992 bytes in each partition; at most 6144 of them hold data at once, on line 20
                        111222
  line                  789012
  loop                  i-----
     0 - 2047 [0-127]   Aaaa!.
  2048 - 4095 [0-31]    ABba!.
  2048 - 4095 [32-127]  Aaaa!.
  4096 - 6143 [64-95]   ...Ddd
  A first (line 11): 4 tiles of 2048 bytes in 2 places
  B second (line 12): 1 tile of 2048 bytes
  D third (line 14): 1 tile of 2048 bytes

PSUM: 16384 bytes in each partition; at most 2048 of them hold data at once, on line 19
                       111222
  line                 789012
  loop                 i-----
  bank 3: 6144 - 8191  ..Cc..
  C bank (line 15): 1 tile of 2048 bytes

{END}""",
    "automatic": f"""\
k.py::automatic on trn2, for x=float32[2, 128, 512]

SBUF: 212992 bytes in each partition
        333
  line  023
  loop   i-
  A     AAa
  A total (line 30): 1 tile of 2048 bytes, placed by the compiler

{END}""",
    "nothing_on_chip": "k.py::nothing_on_chip: nothing is on chip\n",
}


@pytest.mark.parametrize("kernel", DRAWN)
def test_memory_is_drawn(
    kernel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.py").write_text(OVERLAP, encoding="utf-8")
    assert main(["explain", "--memory", f"k.py::{kernel}"]) == 0
    assert capsys.readouterr().out == DRAWN[kernel]
