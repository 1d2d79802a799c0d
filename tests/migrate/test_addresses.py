"""Direct allocation where the input says the dtype, and in branches that no evaluation comes to."""

from __future__ import annotations

from pathlib import Path

from nkilint.base.options import Options
from nkilint.migrate.outcomes import Migration, migrate

KERNEL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    assert x.shape == (256, 64)
    out = nl.ndarray((256, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = nl.ndarray((4, nl.par_dim(128), 64), dtype=x.dtype, buffer={1})
    if nisa.get_nc_version() >= nisa.nc_version.gen2:
        sums = nl.ndarray((2, nl.par_dim(128), 64), dtype=nl.float32, buffer={2})
    else:
        sums = nl.ndarray(({0}, 64), dtype=nl.float32, buffer={3})
    for k in nl.affine_range(2):
        tiles[k] = nl.load(x[k * 128:k * 128 + 128])
        sums[k] = nl.copy(tiles[k], dtype=nl.float32)
        tiles[k + 2] = nl.copy(sums[k], dtype=x.dtype)
        nl.store(out[k * 128:k * 128 + 128], tiles[k + 2])
    return out
"""


SBUF = "ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))"
BANKS = [f"ncc.psum.mod_alloc(base_bank={bank}, num_bank_tiles=(2,))" for bank in (0, 2)]


def migrated(path: Path, shape: str = "2, nl.par_dim(128)") -> Migration:
    file = path / "k.py"
    file.write_text(KERNEL.format(shape, SBUF, *BANKS))
    return migrate([file], Options(), "B1", "0.6")


def test_the_size_of_an_element_is_that_of_the_input(tmp_path: Path) -> None:
    result = migrated(tmp_path)
    after = result.files[0].after.decode()
    assert [(k.state, k.problems, k.skipped) for k in result.kernels] == [("migrated", (), ())], after
    assert "(block % 2) * 64 * (4 if x.dtype in (nl.float32, nl.int32, nl.uint32) else 1 if x.dtype in" in after


def test_both_branches_make_the_same_list(tmp_path: Path) -> None:
    after = " ".join(migrated(tmp_path).files[0].after.decode().split())
    assert "buffer=nl.psum, address=(0, block_2 * 2048)) for block_2 in range(2) ]" in after
    assert "buffer=nl.psum, address=(0, (2 + block_3) * 2048)) for block_3 in range(2) ]" in after


def test_a_shape_with_other_blocks_is_left(tmp_path: Path) -> None:
    found = migrated(tmp_path, "2, 1, nl.par_dim(128)")
    assert [n.text for n in found.files[0].notes if n.letter == "P"] == ["counts of tiles that are not written out"]


def test_what_tiles_take_of_sbuf_is_no_new_condition(tmp_path: Path) -> None:
    """No closed form is found of what a tile in a loop asks, and it follows from what all of them asked together."""
    file = tmp_path / "k.py"
    second = SBUF.replace("base_addr=0", "base_addr=2 * f * 4")
    file.write_text(
        KERNEL[: KERNEL.index("@nki.jit")]
        + f"""\
@nki.jit
def kernel(x):
    n, f = x.shape
    out = nl.ndarray((n, f), dtype=x.dtype, buffer=nl.shared_hbm)
    a = nl.ndarray((n // 128, nl.par_dim(128), f), dtype=nl.float32, buffer={SBUF})
    b = nl.ndarray((n // 128, nl.par_dim(128), f), dtype=nl.float32, buffer={second})
    for k in nl.affine_range(n // 128):
        a[k] = nl.load(x[k * 128:k * 128 + 128])
        b[k] = nl.copy(a[k])
        nl.store(out[k * 128:k * 128 + 128], b[k])
    return out
"""
    )
    (kernel,) = migrate([file], Options(), "B1", "0.6").kernels
    assert (kernel.state, kernel.problems) == ("migrated", ())
