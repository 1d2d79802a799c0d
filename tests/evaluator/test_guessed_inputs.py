"""What is taken for granted about parameters of which a kernel says little, and what is left open."""

from __future__ import annotations

import pytest

from nkilint.base.findings import KernelReport
from nkilint.verdicts.decide import SUPPOSED

from ..support.checking import report_on, shown

BETA1 = "import numpy as np\nimport neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\n"
NKI = "import nki\nimport nki.language as nl\nimport nki.isa as nisa\n"

STREAMED = """
@nki.jit
def add(a, b):
    count = a.shape[0]
    rows = a.reshape((count // 100, 100))
    other = b.reshape((count // 100, 100))
    out = nl.ndarray(rows.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(count // 12800):
        left = nl.load(rows[i * 128 : (i + 1) * 128])
        nl.store(out[i * 128 : (i + 1) * 128], value=nl.add(left, nl.load(other[i * 128 : (i + 1) * 128])))
    return out
"""

WHOLE = """
@nki.jit
def add(a, b):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.add(nl.load(a), nl.load(b)))
    return out
"""

LAUNCH = """
if __name__ == "__main__":
    nki.simulate_kernel(add, np.zeros(96, np.float32), np.zeros(96, np.float32))
"""

ONE_BY_ONE = """
@nki.jit
def copy(source):
    tile = nl.ndarray((128, 4, 512), dtype=source.dtype, buffer=nl.sbuf)
    out = nl.ndarray((4, 128, 512), dtype=source.dtype, buffer=nl.shared_hbm)
    for i in range(4):
        nisa.dma_copy(dst=tile[:, i, :], src=source[i])
        nisa.dma_copy(dst=out[i], src=tile[:, i, :])
    return out
"""


def only_kernel(source: str) -> KernelReport:
    report = report_on(source, confirm=False)
    assert not [shown(d) for d in report.findings if d.severity.value == "error"]
    (kernel,) = report.kernels
    return kernel


def test_a_vector_that_is_reshaped_by_its_first_size_has_one_dimension() -> None:
    contract = [str(c) for c in only_kernel(BETA1 + STREAMED).contract]
    assert "a.shape[0] % 12800 == 0" in contract  # rows of 100, tiles of 128 rows
    assert "a.shape[0] == b.shape[0]" in contract
    assert not any("shape[1]" in condition for condition in contract)


def test_a_tensor_whose_last_size_is_used_may_have_more_dimensions() -> None:
    wide = STREAMED.replace("count = a.shape[0]", "count = a.shape[0] * a.shape[-1]")
    assert any("a.shape[1]" in str(c) for c in only_kernel(BETA1 + wide).contract)


def test_launches_tell_the_rank() -> None:
    assert "a.shape[0] <= 128" in [str(c) for c in only_kernel(BETA1 + WHOLE + LAUNCH).contract]
    assert not any("a.shape[1]" in str(c) for c in only_kernel(BETA1 + WHOLE + LAUNCH).contract)
    assert any("a.shape[1]" in str(c) for c in only_kernel(BETA1 + WHOLE).contract)


@pytest.mark.parametrize("sizes", ["", "    count = source.shape[0]\n"])
def test_a_single_index_leaves_the_rank_to_be_supposed(sizes: str) -> None:
    kernel = only_kernel(NKI + ONE_BY_ONE.replace("    tile", f"{sizes}    tile", 1))
    assert kernel.verdict == "incomplete"
    assert "source has 2 dimensions" in kernel.assumptions
    assert list(map(str, kernel.contract)) == ["source.shape[0] >= 4"]  # however many there are
    assert {u.reason for u in kernel.unknown} == {SUPPOSED}


def test_a_specification_closes_it() -> None:
    specified = ONE_BY_ONE.replace("@nki.jit", "# nkilint: source: float32[4, 128, 512]\n@nki.jit")
    assert only_kernel(NKI + specified).verdict == "verified"


def test_a_copy_by_hardware_descriptors_assumes_the_dtypes_that_nothing_tells() -> None:
    kernel = """
@nki.jit
def copy(source):
    tile = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.sbuf)
    out = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=tile, src=source[0:128, 0:512], dge_mode=nisa.dge_mode.hwdge)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""
    report = only_kernel(NKI + kernel)
    assert report.verdict == "conditional"
    assert "source.dtype == bfloat16" in report.assumptions
    wrong = kernel.replace("@nki.jit", "# nkilint: source: float32[128, 512]\n@nki.jit")
    assert [d.code for d in report_on(NKI + wrong, confirm=False).findings] == ["NKI202"]


def test_shapes_are_compared_with_lists_as_the_documentation_does() -> None:
    kernel = """
@nki.jit
def copy(source):
    assert source.shape == [128, 512]
    tile = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.sbuf)
    out = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=tile, src=source)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""
    assert only_kernel(NKI + kernel).verdict == "verified"
    before = """
@nki.jit
def copy(source):
    assert source.shape == [128, 512] and [128, 512] == source.shape and source.shape != [512, 128]
    out = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.shared_hbm)
    assert out.shape == source.shape == [128, 512] and (128, 512) != [128, 512]
    nl.store(out, value=nl.load(source))
    return out
"""
    assert only_kernel(BETA1 + before).verdict == "verified"


def test_what_an_unknown_operand_does_is_unknown() -> None:
    kernel = """
import elsewhere
@nki.jit
def copy(source):
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=tile, src=elsewhere.part())
    nisa.dma_copy(dst=out, src=tile)
    return out
"""
    assert {u.reason for u in only_kernel(NKI + kernel).unknown} == {"module `elsewhere` is not found"}


def test_arrays_of_a_numpy_generator_have_their_shapes() -> None:
    launch = LAUNCH.replace("np.zeros(96, np.float32)", "rng.standard_normal(96).astype(np.float32)").replace(
        "    nki.sim", "    rng = np.random.default_rng(0)\n    nki.sim"
    )
    (instance,) = only_kernel(BETA1 + WHOLE + launch).instances
    assert instance.inputs == {"a": "float32[96]", "b": "float32[96]"}


LOOKED_UP = """
    rows = nl.load(places)
    tile = nl.load(source[rows[nl.arange(128)[:, None], 0], nl.arange(512)[None, :]])
    nl.store(out, value=tile)
"""
MOVED = """
    rows = nl.ndarray((128, 1), nl.int32, buffer=nl.sbuf)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=rows, src=places)
    chosen = source.ap(pattern=[[512, 128], [1, 512]], offset=0, vector_offset=rows, indirect_dim=0)
    nisa.dma_copy(dst=tile, src=chosen)
    nisa.dma_copy(dst=out, src=tile)
"""


@pytest.mark.parametrize(("head", "body"), [(BETA1, LOOKED_UP), (NKI, MOVED)], ids=["neuronxcc", "nki"])
def test_indices_that_only_the_running_kernel_knows_are_taken_to_be_in_bounds(head: str, body: str) -> None:
    report = only_kernel(f"""{head}
@nki.jit
def gather(source, places):
    assert source.shape == (1024, 512) and places.shape == (128, 1)
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
{body}
    return out
""")
    assert report.verdict == "verified"
    assert [a for a in report.assumptions if a.endswith("are in bounds")]


BY_PATH = """
def flat(weights, out):
    rows, columns = weights.shape
    tile = nl.ndarray((128, columns), dtype=weights.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[0:rows], src=weights)
    nisa.dma_copy(dst=out, src=tile[0:rows])
    return out


def deep(weights, out):
    batch, rows, columns = weights.shape
    tile = nl.ndarray((HEIGHT, columns), dtype=weights.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[0:rows], src=weights[0])
    nisa.dma_copy(dst=out, src=tile[0:rows])
    return out


@nki.jit
def either(x, weights, is_deep):
    out = nl.ndarray((128, 64), dtype=weights.dtype, buffer=nl.shared_hbm)
    if is_deep:
        return deep(weights, out)
    else:
        return flat(weights, out)
"""


def test_an_error_on_the_path_of_one_rank_is_found_and_no_other() -> None:
    found = [
        [(d.code, d.at.row) for d in report_on(NKI + BY_PATH.replace("HEIGHT", height), confirm=False).findings]
        for height in ("128", "256")
    ]
    assert [code for code, _ in found[1] if (code, _) not in found[0]] == ["NKI101"]


def test_no_error_hangs_on_a_rank_that_hardly_anything_tells() -> None:
    kernel = """
def sizes(weights):
    return {2: None, 3: 128}.get(len(weights.shape), 64)


@nki.jit
def made(weights):
    out = nl.ndarray((sizes(weights), 64), dtype=weights.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((sizes(weights), 64), dtype=weights.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""
    assert not [shown(d) for d in report_on(NKI + kernel, confirm=False).findings if d.severity.value != "info"]


def test_a_part_of_a_shape_whose_end_is_a_parameter_is_unknown() -> None:
    kernel = only_kernel(f"{NKI}\n\n@nki.jit\ndef cut(x, end):\n    before = x.shape[:end]\n    return x\n")
    assert kernel.verdict == "incomplete"


CONFIGURED = """
@nki.jit
def cut(x, **config):
    left, size = config["begin"], config["size"]
    if "debug" in config:
        print(config["debug"])
    config["rows"] = 128
    assert config["rows"] == 128 and x.shape == (128, 256)
    assert 0 <= left < 100 and 0 < size <= {most}
    tile = nl.ndarray((config["rows"], size), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[:, left:left + size])
    out = nl.ndarray((128, size), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""


@pytest.mark.parametrize(("most", "codes"), [(157, []), (158, ["NKI301"])])
def test_what_a_kernel_takes_out_of_its_keywords_is_given_by_its_callers(most: int, codes: list[str]) -> None:
    report = report_on(NKI + CONFIGURED.format(most=most), confirm=False)
    assert [d.code for d in report.findings] == codes
    assert [k.verdict for k in report.kernels] == ["verified" if not codes else "conditional"]


OF_ROWS = """
ROWS = 128
N = 64

@nki.jit
def copy(source):
    \"\"\"source: [ROWS, N]\"\"\"
    out = nl.ndarray((ROWS, source.shape[1]), dtype=source.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(source))
    return out
"""


def test_a_number_of_the_module_in_a_docstring() -> None:
    """`N`, which the kernel does not read, is any size."""
    assert (only_kernel(BETA1 + OF_ROWS).verdict, only_kernel(BETA1 + OF_ROWS).contract) == ("verified", ())
    turned = only_kernel(BETA1 + OF_ROWS.replace("[ROWS, N]", "[N, ROWS]"))
    assert list(map(str, turned.contract)) == ["N == 128 or N == 1"]


OF_PARTS = """
@nki.jit
def copy(source, h, d):
    out = nl.ndarray((4, nl.par_dim(128), h, d), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((nl.par_dim(128), 4, h, d), dtype=nl.float32)
    for i in nl.affine_range(4):
        tile[:, i] = nl.load(source[nl.ds(128 * i, 128)])
    for i in nl.affine_range(4):
        nl.store(out[i], tile[:, i])
    return out
"""


def test_nothing_is_asked_of_others_because_of_a_guess() -> None:
    """One subscript may be of a tensor of three dimensions."""
    kernel = only_kernel(BETA1 + OF_PARTS)
    assert (kernel.verdict, [str(c) for c in kernel.contract]) == ("incomplete", ["source.shape[0] >= 512"])
    assert SUPPOSED in [u.reason for u in kernel.unknown]
    wide = only_kernel(BETA1 + OF_PARTS.replace("par_dim(128), 4", "par_dim(h), 4"))
    assert "h == 128 or h == 1" in [str(c) for c in wide.contract]  # for the store, whatever `source` is


OF_BLOCKS = """
@nki.jit
def copy(source):
    out = nl.ndarray((8, 128, 512), dtype=source.dtype, buffer=nl.shared_hbm)
    tiles = nl.ndarray((8, nl.par_dim(128), 512), dtype=source.dtype, buffer=nl.sbuf)
    for i in range(8):
        tiles[i] = nl.load(source[i])
    for i in range(8):
        nl.store(out[i], tiles[i])
    return out
"""


def test_what_is_asked_of_the_guessed_tensor_itself_stays() -> None:
    kernel = only_kernel(BETA1 + OF_BLOCKS)
    assert (kernel.verdict, kernel.contract) == ("conditional", ("source.shape[0] >= 8",))


OF_CONFIG = """
from dataclasses import dataclass

@dataclass
class Config(nl.NKIObject):
    rows: int
    dtype: type | None = None

def load(x, {}):
    tile = nl.ndarray((128, 512), dtype={}, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile
"""


def test_a_field_without_a_dtype_may_be_given_one() -> None:
    kernel = only_kernel(NKI + OF_CONFIG.format("config: Config", "config.dtype"))
    assert {u.reason for u in kernel.unknown} == {"`config.dtype`, which its class leaves None"}
    (finding,) = report_on(NKI + OF_CONFIG.format("config", "None"), confirm=False).findings
    assert finding.code == "NKI205"
