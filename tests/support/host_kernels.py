"""Random kernels whose sizes and places host programs compute, for the simulator to say whether `verified` is true."""

from __future__ import annotations

import importlib.util
import random
import re
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import reference_sim

from .checking import report_on
from .host_programs import program
from .oracle import TooSlow, limited

SIZES = (1, 2, 3, 5, 8, 16, 31, 40, 41, 64, 65, 100, 127, 128, 129)
ADMITTED = ("n > 0", "n == 64 and m == 64", "n >= 40 and m >= 40", "n == 100 and m > 8", "n == m == 16")
RUNS = 20  # inputs that a verified kernel is run on
SECONDS = 20
FILE = "kernel.py"
_REVEALED = re.compile(r"^( *)reveal\((.*)\)$", re.MULTILINE)
_NUMBER = re.compile(r"[xyz]|len\(\w+\)|\w+\.(pos|left|area|count|width|total\(\)|describe\(\))")
STEPS = {
    "neuronxcc": {
        "row": ("{t} = nl.load(a[{e} : {e} + 1, 0:1])", "nl.store({o}, {t})"),
        "column": ("{t} = nl.load(a[0:1, {e} : {e} + 1])", "nl.store({o}, {t})"),
        "rows": ("{t} = nl.zeros(({e}, 4), dtype=nl.float32, buffer=nl.sbuf)", "nl.store({o}, {t})"),
    },
    "nki": {
        "row": ("nisa.dma_copy(dst={o}, src=a[{e} : {e} + 1, 0:1])",),
        "column": ("nisa.dma_copy(dst={o}, src=a[0:1, {e} : {e} + 1])",),
        "rows": (
            "{t} = nl.ndarray(({e}, 4), dtype=nl.float32, buffer=nl.sbuf)",
            "nisa.memset(dst={t}, value=0.0)",
            "nisa.dma_copy(dst={o}, src={t})",
        ),
    },
}


@dataclass(frozen=True)
class HostKernel:
    """A kernel of an `n` by `m` matrix, and the sizes that it asserts."""

    source: str
    admitted: str

    def sizes(self, count: int) -> list[tuple[int, int]]:
        """Random ones that it admits."""
        every = [(n, m) for n in SIZES for m in SIZES if eval(self.admitted, {"n": n, "m": m})]
        return random.Random(len(self.source)).choices(every, k=count)


def host_kernel(seed: int) -> HostKernel:
    """The kernel for a seed."""
    choose = random.Random(seed)
    source = program(seed)
    dialect = "neuronxcc" if "neuronxcc" in source else "nki"
    numbers = ["x", "y", "z", *(text for _, text in _REVEALED.findall(source) if _NUMBER.fullmatch(text))]
    lines, outputs = [], []
    for i in range(choose.choice((1, 1, 2))):
        what = choose.choice(tuple(STEPS[dialect]))
        names = {"e": choose.choice(numbers), "t": f"tile{i}", "o": f"output{i}"}
        shape = f"({names['e']}, 4)" if what == "rows" else "(1, 1)"
        dtype = "nl.float32" if what == "rows" else "a.dtype"
        lines.append(f"{names['o']} = nl.ndarray({shape}, dtype={dtype}, buffer=nl.shared_hbm)")
        lines += [step.format(**names) for step in STEPS[dialect][what]]
        outputs.append(names["o"])
    device = "".join(f"    {line}\n" for line in [*lines, f"return {', '.join(outputs)}"])
    source = _REVEALED.sub(r"\1_ = (\2)", source).replace("    return a\n", device)
    admitted = choose.choice(ADMITTED)
    source = source.replace("    n, m = a.shape\n", f"    n, m = a.shape\n    assert {admitted}\n", 1)
    source = source.replace("import nki.language as nl\n", "import nki.isa as nisa\nimport nki.language as nl\n")
    return HostKernel(source, admitted)


@dataclass
class Trial:
    """What nkilint says of a kernel, and what its runs show where it says `verified`."""

    verdict: str = ""
    problem: str = ""  # a crash of nkilint, or what a run of a verified kernel ended with
    by_python: bool = False  # it ended with an exception of Python itself
    runs: int = 0


def tried(kernel: HostKernel, folder: Path, runs: int = RUNS) -> Trial:
    """The verdict on a kernel, and if it is `verified`, what the simulator says on random inputs that it admits."""
    try:
        with limited(SECONDS):
            report = report_on(kernel.source, FILE)
    except TooSlow:
        return Trial(problem=f"no end in {SECONDS} seconds")
    except Exception as error:
        return Trial(problem=f"{type(error).__name__}: {error}")
    if report.failures:
        return Trial("refused") if _is_refused(kernel.source) else Trial(problem=report.failures[0].message)
    trial = Trial(report.kernels[0].verdict)
    if trial.verdict == "verified":
        try:
            with limited(SECONDS):
                _run(trial, kernel.source, folder, kernel.sizes(runs))
        except TooSlow:
            trial.runs = 0
    return trial


def _is_refused(source: str) -> bool:
    """Whether Python does not compile it."""
    try:
        compile(source, FILE, "exec")
    except SyntaxError:
        return True
    return False


def _run(trial: Trial, source: str, folder: Path, sizes: list[tuple[int, int]]) -> None:
    """Each run finds the module as its import leaves it."""
    for size in sizes:
        module = _module(source, folder)
        seen = reference_sim.observe(module.kernel, [np.ones(size, np.float32)], target="trn2")
        error = seen.stopped.error if seen.stopped is not None else None
        if error is not None and _raises(error):
            continue
        trial.runs += 1
        found = [str(f) for f in seen.findings if f.severity != "info"]
        if found or error is not None:
            trial.problem = f"n, m = {size}: {found[0] if found else f'{type(error).__name__}: {error}'}"
            trial.by_python = not found and type(error).__module__ == "builtins"
            return


def _raises(error: BaseException) -> bool:
    """Whether a statement of the kernel itself raises it, which says that the kernel does not take such inputs."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    return bool(last) and (last[0].line or "").startswith(("raise ", "assert "))


def _module(source: str, folder: Path) -> Any:
    path = folder / FILE
    path.write_text(source, encoding="utf-8")
    reference_sim.install()
    spec = importlib.util.spec_from_file_location("generated_kernel", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    vars(module)["print"] = lambda *_: None
    spec.loader.exec_module(module)
    return module
