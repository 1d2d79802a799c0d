"""The kernel of a text, evaluated for all its inputs."""

from __future__ import annotations

from nkilint.base.ir import FunctionDef
from nkilint.evaluator.kernels.kernel import evaluate_kernel
from nkilint.evaluator.kernels.requests import Request, Run
from nkilint.evaluator.state.modules import Modules
from nkilint.lowering import lower
from nkilint.prover import Prover
from nkilint.symbolic import start_afresh
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.targets import TARGETS


def evaluated(source: str) -> tuple[Run, Prover]:
    """The first function of a text that is written for Beta 1, and the prover for what is asked of it."""
    start_afresh()
    module = lower(source, "kernel.py", "kernel", "")
    function = next(s for s in module.body if isinstance(s, FunctionDef))
    prover = Prover()
    request = Request(module, function, (), BETA1, False)
    run = evaluate_kernel(request, Modules(lambda *_: None), TARGETS["trn2"], prover.implied, "", 100_000)
    return run, prover
