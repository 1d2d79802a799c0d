"""Small kernels about what Python means (tests/data/trust), and what nkilint and the simulator say of them."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from typing import Any

import numpy as np

import reference_sim
from nkilint.base.findings import Report
from nkilint.base.options import Options
from nkilint.confirm import confirm
from nkilint_rules.rule import Severity

from .checking import report_on, shown
from .oracle import TooSlow, limited

FOLDER = Path(__file__).parents[1] / "data/trust"
KNOWN_WRONG = FOLDER / "known_wrong.txt"
SECONDS = 5
SIZES = ((1, 4), (6, 4), (9, 4))  # of the inputs of host programs
FITS, TOO_MANY = 128, 129  # partitions
LIBRARIES = (
    "bisect", "collections", "contextlib", "dataclasses", "enum", "functools", "heapq", "itertools", "math",
)  # fmt: skip
HEAD = "".join(f"import {name}\n" for name in LIBRARIES) + "import numpy as np\n"
DIALECTS = {
    "neuronxcc": "import neuronxcc.nki as nki\nimport neuronxcc.nki.isa as nisa\nimport neuronxcc.nki.language as nl\n",
    "nki": "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n",
}
END = """\
tile = nl.zeros((p, 4), dtype=nl.float32, buffer=nl.sbuf)
output = nl.ndarray((p, 4), dtype=nl.float32, buffer=nl.shared_hbm)
nl.store(output, tile)
return output
"""
LOUD = (Severity.ERROR, Severity.WARNING)


def known_wrong() -> list[str]:
    """The names of the cases that fail."""
    return KNOWN_WRONG.read_text(encoding="utf-8").splitlines()


def _sections(file: str) -> dict[str, str]:
    texts = (FOLDER / file).read_text(encoding="utf-8").split("\n=== ")[1:]
    return {text.partition("\n")[0]: text.partition("\n")[2] for text in texts}


def judged(source: str, path: str = "example.py") -> Report | str:
    """The report on a kernel, or how it came to none."""
    try:
        with limited(SECONDS):
            report = report_on(source, path)
    except TooSlow:
        return f"no end in {SECONDS} seconds"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return report.failures[0].message if report.failures else report


# --- host programs ---


@dataclass(frozen=True)
class HostProgram:
    """A kernel whose host code computes the partitions of a tile: as many as there are, or one too many."""

    title: str
    partitions: int
    source: str

    @property
    def name(self) -> str:
        return f"{self.title}: {self.partitions}"

    def problem(self) -> str:
        """What nkilint says that is not so."""
        report = judged(self.source)
        if isinstance(report, str):
            return report
        if self.partitions == FITS:
            return "\n".join(shown(d) for d in report.findings if d.severity in LOUD)
        return "verified" if [k.verdict for k in report.kernels] == ["verified"] else ""


def host_programs() -> list[HostProgram]:
    found = []
    for title, text in _sections("host.txt").items():
        body, _, module = text.partition("\n---\n")
        kernel = indent(f"M, N = x.shape\n{body.strip()}\n{END}", "    ")
        source = f"{HEAD}{DIALECTS['neuronxcc']}\n{module.strip()}\n\n\n@nki.jit\ndef kernel(x):\n{kernel}"
        found += [HostProgram(title, p, source.replace("$p", str(p))) for p in (FITS, TOO_MANY)]
    return found


def simulated(source: str, folder: Path) -> list[str]:
    """The codes that the simulator finds in a kernel, for several sizes of its input, and what stopped it."""
    (folder / "simulated.py").write_text(source, encoding="utf-8")
    reference_sim.install()
    spec = importlib.util.spec_from_file_location("simulated", folder / "simulated.py")
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # programs look for themselves there
    try:
        spec.loader.exec_module(module)
        found = []
        for size in SIZES:
            seen = reference_sim.observe(module.kernel, [np.ones(size, np.float32)], target="trn2")
            found += [f.code for f in seen.findings if f.severity != "info"]
            found += [] if seen.stopped is None else [str(seen.stopped)]
        return found
    finally:
        del sys.modules[spec.name]


# --- whole kernels ---


@dataclass(frozen=True)
class WholeKernel:
    """A file with what must never be said of it, and what must be."""

    name: str
    never: tuple[str, ...]
    expected: tuple[str, ...]
    source: str

    def problem(self, folder: Path) -> str:
        """What nkilint says that is not so, or does not say that is."""
        path = folder / "example.py"
        path.write_text(self.source, encoding="utf-8")
        report = judged(self.source, str(path))
        if isinstance(report, str):
            return report
        verdicts = [k.verdict for k in report.kernels]
        wrong = [w for w in self.never if w in verdicts or w in [d.severity.value for d in report.findings]]
        missing = [w for w in self.expected if not self._is_there(w, report, folder)]
        told = "\n".join([f"verdicts {verdicts}", *map(shown, report.findings)])
        return f"said {wrong}, not said {missing}\n{told}" if wrong or missing else ""

    def _is_there(self, what: str, report: Report, folder: Path) -> bool:
        if what == "confirmed":
            after = confirm(report, Options(), [folder], {}, jobs=1)
            return [d.severity for d in after.diagnostics] == [d.severity for d in report.diagnostics]
        if what.startswith("contract "):
            return [k.contract for k in report.kernels] == [(what.removeprefix("contract "),)]
        return what in [d.severity.value for d in report.findings] or what in [d.code for d in report.findings]


def whole_kernels() -> list[WholeKernel]:
    found = []
    for name, text in _sections("kernels.txt").items():
        first, _, source = text.partition("\n")
        dialect, *claims = first.split("; ")
        never = [w for c in claims if c.startswith("never ") for w in c.removeprefix("never ").split(", ")]
        expected = [w for c in claims if c.startswith("expect ") for w in c.removeprefix("expect ").split(", ")]
        file = f"{HEAD}{DIALECTS[dialect]}\n{source.strip()}\n"
        found.append(WholeKernel(name, tuple(never), tuple(expected), file))
    return found
