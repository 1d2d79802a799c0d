"""Each line of the release notes and of the migration guide that asks for a change has a rule that tells of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from nkilint_rules.rule import Example
from nkilint_rules.words.dialects import BETA1, NKI

from ..support.checking import report_on
from ..support.example_source import source_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "migration.md"
BEGIN, END = "<!-- changes -->\n", "<!-- end of changes -->\n"


@dataclass(frozen=True)
class Change:
    """What a version asks for, the rule that tells of it, code that does it no justice, and the version before."""

    version: str
    line: str
    code: str
    source: str
    before: str = ""
    """A version for which the rule says nothing; empty where it is about all of `nki`."""
    dialect: str = NKI


JIT = (
    "# nkilint: source: float32[128, 512]\n@nki.jit{}\ndef kernel(source{}):\n"
    "    output = nl.ndarray((128, 512), dtype=nl.float32, buffer={})\n{}"
    "    nisa.dma_copy(dst=output, src=source)\n    return output\n"
)


def jit(options: str = "", parameters: str = "", buffer: str = "nl.shared_hbm", body: str = "") -> str:
    return JIT.format(options, parameters, buffer, body)


OLD = "for i in nl.affine_range(2):\n    nl.store(output[0:128], nl.load(a[0:128]))"
PSUM = "p = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)\nnisa.tensor_copy(dst=p, src=y)\n"
REGISTER = "r = nisa.register_alloc(4)\n"
CHANGES = (
    Change("0.2", "`nl.arange`, `nl.mgrid` are gone", "NKI208", "i = nl.arange(128)"),
    Change("0.2", "operations of `nki.isa` take `dst`", "NKI210", "z = nisa.reciprocal(data=x)"),
    Change("0.2", "no `mask=`", "NKI208", "nisa.reciprocal(dst=x, data=y, mask=True)"),
    Change(
        "0.2", "no `dtype=` on operations of `nki.isa`", "NKI208", "nisa.reciprocal(dst=x, data=y, dtype=nl.float32)"
    ),
    Change("0.2", "`memset` takes no shape", "NKI208", "z = nisa.memset((128, 512), value=0.0, dtype=nl.float32)"),
    Change(
        "0.2",
        "`affine_select` takes no predicate",
        "NKI208",
        "nisa.affine_select(pred=x, on_true_tile=y, on_false_value=0.0)",
    ),
    Change("0.2", "`iota` takes no expression", "NKI809", "nisa.iota(expr=x, dtype=nl.int32)"),
    Change(
        "0.2",
        "`is_moving_zero` is `is_moving_onezero`",
        "NKI208",
        f"{PSUM}nisa.nc_matmul(dst=p, stationary=x, moving=y, is_moving_zero=True)",
    ),
    Change("0.2", "no operators on tiles", "NKI803", "z = x + y"),
    Change(
        "0.3", "`tensor_copy_dynamic_src` is deprecated", "NKI904", "nisa.tensor_copy_dynamic_src(dst=x, src=y)", "0.2"
    ),
    Change("0.3", "`nki.jit(platform_target=)` is gone", "NKI902", jit('(platform_target="trn2")'), "0.2"),
    Change("0.3", "`nki.jit(mode=)` is ignored", "NKI904", jit('(mode="jax")'), "0.2"),
    Change("0.3", "`dma_copy` does not read PSUM", "NKI201", f"{PSUM}nisa.dma_copy(dst=output[0:128], src=p)"),
    Change(
        "0.3",
        "`dma_copy` by `hwdge` takes one dtype",
        "NKI202",
        "b = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.sbuf)\n"
        "nisa.dma_copy(dst=b, src=a[0:128], dge_mode=nisa.dge_mode.hwdge)",
    ),
    Change(
        "0.3",
        "`dma_copy` takes no `dst_rmw_op`",
        "NKI902",
        "nisa.dma_copy(dst=output, src=x, dst_rmw_op=nl.add)",
        "0.2",
    ),
    Change(
        "0.3",
        "`dma_copy` takes no `unique_indices`",
        "NKI902",
        "nisa.dma_copy(dst=output, src=x, unique_indices=True)",
        "0.2",
    ),
    Change(
        "0.3",
        "`dma_compute` has another order",
        "NKI903",
        "nisa.dma_compute(output, [x, y], [1.0, 1.0], nl.add)",
        "0.2",
    ),
    Change(
        "0.3",
        "`memset` of integers takes integers",
        "NKI202",
        "i = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.sbuf)\nnisa.memset(dst=i, value=2.5)",
    ),
    Change(
        "0.3",
        "`memset` of x4 dtypes takes 0",
        "NKI202",
        "i = nl.ndarray((128, 512), dtype=nl.float8_e4m3fn_x4, buffer=nl.sbuf)\nnisa.memset(dst=i, value=1)",
    ),
    Change(
        "0.3",
        "`sendrecv` takes `dma_engine`",
        "NKI902",
        "nisa.sendrecv(src=x, dst=y, send_to_rank=1, recv_from_rank=1, pipe_id=0, use_gpsimd_dma=True)",
        "0.2",
    ),
    Change(
        "0.3",
        "`affine_select` takes `offset` by name",
        "NKI903",
        "nisa.affine_select(x, [[1, 512]], 0, 1, y, 0.0)",
        "0.2",
    ),
    Change("0.3", "`register_move` takes `src`", "NKI902", f"{REGISTER}nisa.register_move(r, imm=1)", "0.2"),
    Change(
        "0.3",
        "`collective_permute_implicit_current_processing_rank_id` takes no `num_channels`",
        "NKI208",
        "nki.collectives.collective_permute_implicit_current_processing_rank_id(iteration_id=0, "
        "channel_id=0, num_channels=1, replica_group=[[0, 1]])",
        "0.2",
    ),
    Change("0.3", "outputs are in `nl.shared_hbm`", "NKI707", jit(buffer="nl.hbm")),
    Change("0.3", "members of enums are no numbers", "NKI903", "nisa.tensor_copy(dst=x, src=y, engine=1)", "0.2"),
    Change(
        "0.3",
        "buffers are no strings",
        "NKI903",
        't = nl.ndarray((128, 512), dtype=nl.float32, buffer="sbuf")\nnisa.memset(dst=t, value=0.0)',
        "0.2",
    ),
    Change("0.3", "no keyword-only parameters", "NKI803", jit(parameters=", *, flag=True"), "0.2"),
    Change(
        "0.3",
        "no `is` and `is not`",
        "NKI803",
        "flag = None\nif flag is None:\n    nisa.reciprocal(dst=x, data=y)",
        "0.2",
    ),
    Change("0.3", "no lists as arguments", "NKI803", jit(parameters=", sizes=[1, 2]"), "0.2"),
    Change(
        "0.3",
        "`affine_range` and its like are `range`",
        "NKI904",
        "for i in nl.affine_range(4):\n    nisa.reciprocal(dst=x, data=y)",
        "0.2",
    ),
    Change(
        "0.3",
        "`range_select` takes the smallest fp32 as `on_false_value`",
        "NKI205",
        "nisa.range_select(dst=x, on_true_tile=y, comp_op0=nl.less, comp_op1=nl.greater, "
        "bound0=y[:, 0:1], bound1=y[:, 1:2], on_false_value=0.0)",
    ),
    Change("0.3", "`nki.tensor` is `nki.meta.tensor`", "NKI902", "c = nki.tensor.identity(128, nl.int8)", "0.2"),
    Change("0.4", "`neuronxcc.nki` does not compile", "NKI901", OLD, "0.3", BETA1),
    Change("0.4", "`tensor_copy_dynamic_src` is gone", "NKI902", "nisa.tensor_copy_dynamic_src(dst=x, src=y)", "0.3"),
    Change(
        "0.4",
        "`dma_transpose` writes to the rank of its source",
        "NKI204",
        "t = nl.ndarray((128, 128, 4), dtype=nl.float32, buffer=nl.sbuf)\n"
        "s = nl.ndarray((4, 1, 128, 128), dtype=nl.float32, buffer=nl.shared_hbm)\n"
        "nisa.dma_transpose(dst=t, src=s, axes=(3, 1, 2, 0))",
    ),
    Change(
        "0.4",
        "`tile_size.total_available_sbuf_size` is `sbuf_fmax_bytes`",
        "NKI904",
        "assert nl.tile_size.total_available_sbuf_size > 0",
        "0.3",
    ),
    Change("0.5", "`nl.rsqrt` does not read PSUM", "NKI201", f"{PSUM}z = nl.rsqrt(p)"),
    Change("0.5", "`reshape` keeps the number of elements", "NKI204", "z = a.reshape((128, 513))"),
    Change(
        "0.6",
        "`nl.dynamic_range` is deprecated",
        "NKI904",
        f"{REGISTER}for i in nl.dynamic_range(0, r):\n    nisa.reciprocal(dst=x, data=y)",
        "0.5",
    ),
    Change(
        "0.6",
        "`while` on a register is deprecated",
        "NKI904",
        f"{REGISTER}while r:\n    nisa.reciprocal(dst=x, data=y)",
        "0.5",
    ),
)


def codes(change: Change, version: str) -> set[str]:
    source, _ = source_of(Example(change.source, dialect=change.dialect))
    return {d.code for d in report_on(source, target="trn3", nki_version=version).findings}


@pytest.mark.parametrize("change", CHANGES, ids=[f"{c.version}-{c.line.replace('`', '')}" for c in CHANGES])
def test_what_a_version_asks_for_is_told(change: Change) -> None:
    assert change.code in codes(change, change.version)
    if change.before:
        assert change.code not in codes(change, change.before)


def table() -> str:
    lines = ["| since | what changes | rule |", "|---|---|---|"]
    lines += [f"| {c.version} | {c.line} | [{c.code}](rules/{c.code}.md) |" for c in CHANGES]
    return "\n".join(lines) + "\n"


def test_the_page_lists_all_of_them() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page[page.index(BEGIN) + len(BEGIN) : page.index(END)] == table()
