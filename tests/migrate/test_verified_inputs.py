"""What a verdict says of the inputs that old and new kernel were compared on: their dtypes, and what other ones do."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import Outcome, migrate
from nkilint.migrate.report import shown_by

HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
"""
SCALED = (
    HEAD
    + """\
def scaled(x, w):
    out = nl.ndarray((128, 64), dtype={}, buffer=nl.shared_hbm)
    tile = nl.load(x[0:128, 0:64])
    column = nl.load(w[0:128, 0:1])
    nl.store(out, nl.multiply(tile, column))
    return out
"""
)
RELU = (
    HEAD
    + """\
def rectified(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x[0:128, 0:64])
    nl.store(out, nl.maximum(tile, 0))
    return out
"""
)


def outcome(tmp_path: Path, text: str) -> Outcome:
    file = tmp_path / "k.py"
    file.write_text(text)
    (kernel,) = migrate([file], Options(), "B1", "0.6").kernels
    return kernel


def test_inputs_that_say_no_dtype_are_tried_in_several(tmp_path: Path) -> None:
    found = outcome(tmp_path, SCALED.format("nl.bfloat16"))
    assert (found.state, found.problems) == ("migrated", ())
    assert found.dtypes == ("bfloat16", "bfloat16 with float32", "float32", "int32")
    assert shown_by(found).startswith(
        f"the same results on {found.runs} inputs (bfloat16, bfloat16 with float32, float32, int32)"
    )


def test_what_differs_in_dtypes_that_nothing_says_is_told(tmp_path: Path) -> None:
    found = outcome(tmp_path, SCALED.format("nl.float32"))
    assert found.state == "migrated"
    (told,) = found.advice
    assert told.startswith("with x=bfloat16[128, 64], w=float32[128, 1] element 0 of `result` is ")
    assert told.endswith("; nothing here says that it is called so")


@pytest.mark.parametrize(("dtypes", "state"), [("bfloat16 float32", "failed"), ("float32 float32", "migrated")])
def test_what_differs_in_the_dtypes_of_a_launch_is_not_written(tmp_path: Path, dtypes: str, state: str) -> None:
    launch = "scaled(np.ones((128, 64), nl.{}) / 3, np.ones((128, 1), nl.{}) / 3)\n".format(*dtypes.split())
    assert outcome(tmp_path, SCALED.format("nl.float32") + "\n\n" + launch).state == state


def test_a_difference_in_negative_numbers_alone_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nkilint.migrate import rewriting

    plain = rewriting.Rewriter.render
    assert outcome(tmp_path, RELU).state == "migrated"

    def wrong(self: rewriting.Rewriter, node: object) -> str:
        return plain(self, node).replace("nl.maximum(tile, 0)", "nl.maximum(tile, -1)")  # type: ignore[arg-type]

    monkeypatch.setattr(rewriting.Rewriter, "render", wrong)
    found = outcome(tmp_path, RELU)
    assert found.state == "failed"
    assert "half of them negative" in found.problems[0]


def test_both_values_of_a_flag_are_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nkilint.migrate import rewriting

    plain = rewriting.Rewriter.render
    text = RELU.replace("(x)", "(x, flag)").replace(
        "    nl.store", "    if not flag:\n        tile = nl.minimum(tile, 1)\n    nl.store"
    )
    assert outcome(tmp_path, text).state == "migrated"

    def wrong(self: rewriting.Rewriter, node: object) -> str:
        return plain(self, node).replace("nl.minimum(tile, 1)", "nl.minimum(tile, 2)")  # type: ignore[arg-type]

    monkeypatch.setattr(rewriting.Rewriter, "render", wrong)
    assert outcome(tmp_path, text).state == "failed"


COPIED = (
    HEAD
    + """\
def copied(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:64]
    nl.store(out[i, j], nl.rsqrt(nl.load(x[i, j])))
    return out
"""
)


@pytest.mark.parametrize(
    ("text", "state"),
    [(COPIED, "failed"), (COPIED.replace("nl.rsqrt(nl.load(x[i, j]))", "nl.load(x[i, j]) / 3"), "migrated")],
    ids=["no operation changes", "a division does"],
)
def test_only_operations_that_change_round_otherwise(
    text: str, state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nkilint.migrate import verification

    assert outcome(tmp_path, text).state == "migrated"
    monkeypatch.setattr(verification, "difference", lambda old, new: "~ `result` differs by rounding")
    assert outcome(tmp_path, text).state == state


def test_what_a_function_around_a_kernel_takes_is_a_number(tmp_path: Path) -> None:
    made = (
        HEAD.replace("@nki.jit\n", "def made(scale):\n    @nki.jit\n")
        + """\
    def scaled(x):
        out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.load(x[0:128, 0:64])
        scaled = nisa.activation(nl.exp, tile, scale=scale)
        nl.store(out, scaled)
        return out

    return scaled
"""
    )
    found = outcome(tmp_path, made)
    assert (found.state, found.problems) == ("migrated", ())
    assert found.dtypes == ("bfloat16", "float32", "int32")


def test_what_the_new_kernel_computes_for_nothing_is_told(tmp_path: Path) -> None:
    """`c` is another name for `a`, of which the old kernel makes nothing that could be overwritten."""
    found = outcome(
        tmp_path,
        HEAD
        + """\
def overwritten(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    b = nl.load(x[0:128, 0:64])
    a = nisa.tensor_scalar(b, nl.multiply, 2.0)
    c = a
    a[0:128, 0:64] = nisa.activation(nl.exp, b)
    nl.store(out, nl.add(b, c))
    return out
""",
    )
    assert (found.state, found.problems) == ("migrated", ())
    assert any("NKI708" in told for told in found.advice)


def test_modules_of_packages_without_an_init_are_run(tmp_path: Path) -> None:
    folder = tmp_path / "src/pack/inner"
    folder.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("")
    (folder.parent / "sizes.py").write_text("HALF = 0.5\n")
    (folder / "kernel.py").write_text(
        """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl

from ..sizes import HALF


@nki.jit
def halved(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.multiply(nl.load(x), HALF))
    return out
"""
    )
    result = migrate([folder], Options(), "B1", "0.6")
    assert [(k.state, k.skipped) for k in result.kernels] == [("migrated", ())]


def test_inputs_of_one_dtype_by_an_assertion_are_tried_in_several(tmp_path: Path) -> None:
    """What says which dtypes one of them may have holds for the other."""
    found = outcome(
        tmp_path,
        HEAD
        + """\
def reduced(a, b):
    assert a.dtype == b.dtype
    out = nl.ndarray((128, 1), dtype=a.dtype, buffer=nl.shared_hbm)
    bias = nl.load(b[0:128, 0:1])
    nl.store(out, nisa.activation(nl.exp, nl.load(a[0:128, 0:1]), bias=bias))
    return out
""",
    )
    assert (found.state, found.problems) == ("migrated", ())
    assert {"bfloat16", "float32"} <= set(found.dtypes)
    assert not any("asserts" in why for why in found.skipped)
