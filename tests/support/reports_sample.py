"""A report made by hand that has every kind of entry, and the sources that it speaks of."""

from __future__ import annotations

from nkilint.base.findings import (
    Diagnostic,
    InstanceReport,
    KernelReport,
    ObligationCount,
    Proof,
    Related,
    Report,
    UnknownObligation,
    Witness,
)
from nkilint.base.ir import Span
from nkilint_rules.rule import Severity

MLP = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def mlp(x, w):
    K = x.shape[0]
    acc = nl.zeros((128, 640), dtype=nl.float32, buffer=nl.psum)
    for k in nl.affine_range(K // 128):
        acc += nisa.nc_matmul(w[k, :, 0:128], x[k, :, 0:640])
    out = nl.ndarray((128, 640), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=acc)
    return out
"""
WIDE = """\
def wide(x):
\t# 名前 🙂
\ty = f("🙂", x,
\t      z)

\treturn y
"""
SOURCES = {"kernels/mlp.py": MLP.encode(), "kernels/wide.py": WIDE.encode()}

TOO_WIDE = Diagnostic(
    code="NKI103",
    name="matmul-tile-limit",
    severity=Severity.ERROR,
    message="moving operand has 640 columns; trn2 takes at most 512",
    help="split the free dimension into tiles of at most 512",
    at=Span("kernels/mlp.py", 11, 47, 11, 61),
    label="640 columns",
    kernel="mlp",
    verdict="violated",
    witness=Witness({"x": "float32[1, 128, 640]", "w": "float32[1, 128, 128]"}, {"k": 0}, None),
    confirmation="confirmed",
    related=(Related("`acc` is made here", Span("kernels/mlp.py", 9, 5, 9, 65)),),
)
TAIL = Diagnostic(
    code="NKI709",
    name="unread-input",
    severity=Severity.WARNING,
    message="some elements of `x` are never read",
    help="assert `K % 128 == 0`, or read the rest with a mask",
    at=Span("kernels/mlp.py", 10, 30, 10, 38),
    kernel="mlp",
    verdict="conditional",
    precondition="K % 128 == 0",
    witness=Witness({"x": "float32[129, 128, 640]"}, {}, (128, 0)),
    confirmation="not-run",
    confirmation_reason="the module needs `torch`",
)
OPEN = Diagnostic(
    code="NKI003",
    name="incomplete-analysis",
    severity=Severity.INFO,
    message="2 of 3 conditions in `wide` are neither proved nor refuted",
    at=Span("kernels/wide.py", 3, 6, 4, 9),
    kernel="wide",
    confirmation="not-reproduced",
    confirmation_reason="the run ended without a fault",
)
UNREADABLE = Diagnostic(
    code="NKI001",
    name="syntax-error",
    severity=Severity.ERROR,
    message="cannot be read: no such file or directory",
    at=Span("kernels/absent.py", 1, 1, 1, 1),
)
KERNELS = (
    KernelReport(
        file="kernels/wide.py",
        name="wide",
        at=Span("kernels/wide.py", 1, 5, 1, 9),
        dialect="nki",
        verdict="incomplete",
        obligations=ObligationCount(proved=1, unknown=2),
        unknown=(
            UnknownObligation("NKI301", 3, "`f` comes from a module that is not among the files given", ""),
            UnknownObligation("NKI301", 3, "`f` comes from a module that is not among the files given", ""),
        ),
        proofs=(
            Proof("NKI101", 3, "partitions of `y` <= 128", "proved", "constant"),
            Proof("NKI301", 3, "index `z` within `x`", "unknown", "none"),
            Proof("NKI301", 3, "index `z` within `x`", "unknown", "none"),
        ),
    ),
    KernelReport(
        file="kernels/mlp.py",
        name="mlp",
        at=Span("kernels/mlp.py", 7, 5, 7, 8),
        dialect="neuronxcc",
        verdict="violated",
        contract=("K % 128 == 0",),
        assumptions=("every dimension is at least 1",),
        obligations=ObligationCount(proved=8, violated=1, conditional=1),
        instances=(
            InstanceReport({"x": "float32[256, 128, 640]", "n": 3}, "violated", Span("kernels/mlp.py", 20, 1, 20, 9)),
        ),
        proofs=(
            Proof("NKI103", 11, "moving columns 640 <= 512", "violated", "constant"),
            Proof("NKI709", 10, "every element of `x` is read", "conditional", "z3"),
            Proof("NKI101", 9, "partitions 128 <= 128", "proved", "constant"),
        ),
    ),
)
REPORT = Report(
    target="trn2",
    diagnostics=(OPEN, TOO_WIDE, TAIL),
    kernels=KERNELS,
    files=2,
    failures=(UNREADABLE,),
    suppressed=(TAIL,),
)
