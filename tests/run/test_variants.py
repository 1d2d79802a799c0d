"""Defaults that decide between paths: what only another value reaches is judged, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nkilint.base.options import Options
from nkilint.evaluator.kernels import kernel
from nkilint.run import engine

HEAD = "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n\n\n"
KERNEL = """\
@nki.jit
def softplus(x, FLAG):
    assert x.shape == (64, 256)
    out = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    if TEST:
        spare = nl.ndarray((ROWS, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(dst=spare, value=0.0)
        print(spare.shape)
    nisa.dma_copy(dst=out, src=t)
    return out
"""


def judged(folder: Path, flag: str, test: str, rows: int) -> tuple[str, tuple[str, ...], list[tuple[str, str]]]:
    source = KERNEL.replace("FLAG", flag).replace("TEST", test).replace("ROWS", str(rows))
    (folder / "k.py").write_text(HEAD + source, encoding="utf-8")
    report = engine.check([folder / "k.py"], Options(confirm=False))
    (kernel,) = report.kernels
    found = [(d.code, d.severity.value) for d in report.diagnostics if d.code.startswith("NKI1")]
    return kernel.verdict, kernel.contract, found


CASES = [
    ("wide=False", "wide", "not wide"),
    ("narrow=True", "not narrow", "narrow"),
    ("bias=None", "bias is not None", "bias is None"),
]


@pytest.mark.parametrize(("flag", "test", "kept"), CASES)
def test_what_another_value_breaks_is_a_condition(tmp_path: Path, flag: str, test: str, kept: str) -> None:
    assert judged(tmp_path, flag, test, 256) == ("conditional", (kept,), [("NKI101", "warning")])


@pytest.mark.parametrize(("flag", "test", "kept"), CASES)
def test_what_holds_with_any_value_is_verified(tmp_path: Path, flag: str, test: str, kept: str) -> None:
    assert judged(tmp_path, flag, test, 128) == ("verified", (), [])


@pytest.mark.parametrize(
    ("flag", "test", "kept"),
    [
        ("mode='a'", "mode == 'b'", "mode == 'a'"),
        ("mode='a'", "mode in ('b', 'c')", "mode == 'a'"),
        ("stages=2", "stages > 2", "stages == 2"),
        ("scale=1.0", "scale != 1.0", "scale == 1.0"),
    ],
)
def test_of_other_values_yet_nothing_is_promised(tmp_path: Path, flag: str, test: str, kept: str) -> None:
    """One that fails shows nothing of those that were not tried."""
    assert judged(tmp_path, flag, test, 256)[:2] == ("conditional", (kept,))
    assert judged(tmp_path, flag, test, 128)[:2] == ("verified", ())


def test_what_no_test_hangs_on_is_not_varied(tmp_path: Path) -> None:
    assert judged(tmp_path, "wide=False", "x.shape[0] > 64", 256) == ("verified", (), [])


CLASS = """\
class Params(nl.NKIObject):
    scale: Optional[nl.ndarray]
    doubled: int

    def __init__(self, scale: Optional[nl.ndarray] = None, width: int = 4):
        self.scale = scale
        self.doubled = 2 * width


"""


def test_nothing_is_said_of_the_making_of_a_supposed_object(tmp_path: Path) -> None:
    """Nobody wrote the call that makes what an annotation describes; with another value its field is judged."""
    source = KERNEL.replace("FLAG", "params: Params").replace("TEST", "params.scale != None")
    for rows, codes in ((64, []), (129, ["NKI101"])):
        text = "from typing import Optional\n" + HEAD + CLASS + source.replace("ROWS", str(rows))
        (tmp_path / "k.py").write_text(text, encoding="utf-8")
        report = engine.check([tmp_path / "k.py"], Options(confirm=False, ignore=("NKI803",)))
        assert [d.code for d in report.diagnostics] == codes


def test_other_values_are_tried_where_what_defaults_were_rejected_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What had to be made an input for the defaults is one from the first on."""
    seen: list[tuple[bool, frozenset[str]]] = []
    evaluate = kernel._evaluate

    def counted(*arguments: Any) -> Any:
        request, free = arguments[0], arguments[6]
        if not request.opened:
            seen.append((bool(request.varied), free))
        return evaluate(*arguments)

    monkeypatch.setattr(kernel, "_evaluate", counted)
    names = ("low=None", "high=None", "scale=None")
    rejected = "".join(f"    assert {name.partition('=')[0]} is not None\n" for name in names)
    source = KERNEL.replace("FLAG", ", ".join((*names, "wide=False"))).replace("TEST", "wide").replace("ROWS", "256")
    source = source.replace("    out =", rejected + "    out =", 1)
    (tmp_path / "k.py").write_text(HEAD + source, encoding="utf-8")
    report = engine.check([tmp_path / "k.py"], Options(confirm=False))
    assert [d.code for d in report.diagnostics if d.code.startswith("NKI1")] == ["NKI101"]
    assert [free for varied, free in seen if varied] == [{"low", "high", "scale"}]
