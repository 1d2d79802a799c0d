"""The vendor's own tests and example scripts on the simulator: which pass, and why the others do not.

    python benchmarks/aws_tests.py --sdk CLONE_OF_AWS_NEURON_SDK --samples CLONE_OF_NKI_SAMPLES [NAME ...]

Takes the tests of each version out of the clones with `git archive`, runs them unmodified, and prints the tables of
docs/simulator.md. NAME chooses some of the versions; `--write` puts what they give into the page, in place of what it
said of them. The exit code is 1 where something fails that REASONS does not explain.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from tables import between

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "simulator.md"
BEGIN, END = "<!-- vendor -->\n", "<!-- /vendor -->\n"


@dataclass(frozen=True)
class Version:
    """A commit of one of the clones, and where its tests and scripts are."""

    name: str
    clone: str
    commit: str
    tests: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    path: str = ""


DENIAL = re.compile(r"(matches|close|pass)[?:] +False")
"""How scripts say that their comparison fails."""

BETA1 = {"tests": ("general/nki/test",), "scripts": ("general/nki/examples",)}
NKI = {"tests": ("nki/test",), "scripts": ("nki/examples",)}
SAMPLES = {
    "tests": ("test/unit",),
    "scripts": ("src/nki_samples/tutorials", "contributed"),
    "options": ("--simulation-only",),
    "path": "src",
}
EARLY_SAMPLES = {
    "tests": ("test/unit",),
    "scripts": ("src/tutorials",),
    "options": ("-k", "not perf", "-p", "nki_kernels"),
    "path": "src",
}

VERSIONS = [
    *(Version(tag, "sdk", tag, **BETA1) for tag in ("v2.20.0", "v2.21.0", "v2.22.0", "v2.24.0", "v2.26.0")),
    Version("v2.28.0", "sdk", "v2.28.0", **NKI),
    Version("newest", "sdk", "HEAD", **NKI),
    Version("samples 5d97201", "samples", "5d97201", **EARLY_SAMPLES),
    Version("samples 0898a77", "samples", "0898a77", **SAMPLES),
    Version("samples newest", "samples", "HEAD", **SAMPLES),
]

REASONS: dict[tuple[str, str], str] = {
    ("*", "layout-violation.py"): "shows a violation: 256 partitions (NKI101)",
    ("*", "layernorm/layernorm_torch.py"): "imports its kernels from `neuronxcc.nki.docs`, which only the vendor has",
    ("*", "prof-kernel.py"): "returns inside of the loop that fills the output: its second tile is unwritten (NKI703)",
    **{(name, "layout-dynamic-loop.py"): "is no Python: a parenthesis is not closed" for name in ("v2.28.0", "newest")},
    ("v2.28.0", "layout-pass.py"): "is no Python: a bracket is not closed",
    ("v2.28.0", "matrix_multiplication/matrix_multiplication_torch.py"): (
        "passes `dtype` to `nki.isa.tensor_copy`, which has no such parameter by the page of v2.28.0 (NKI208)"
    ),
    ("v2.20.0", "test_nki_mask.py::test_mask"): (
        "stores elements that its mask leaves out (NKI701); v2.21.0 corrects the kernel; passes with `--no-checks`"
    ),
    ("*", "test_nki_isa_dma_transpose.py::test_dma_transpose_indirect"): "expected to fail by its own mark (PBE-63)",
    **{
        ("samples newest", name): "passes `dtype` to `nki.isa.tensor_copy`, which has no such parameter (NKI208)"
        for name in ("mxfp-matmul/mx_toplevel.py", "matrix_multiplication/matrix_multiplication_torch.py")
    },
    ("samples 5d97201", "test_flash_attn_bwd.py::test_flash_attn_bwd_numerical"): (
        "passes a whole tile to `nki.isa.tensor_scalar`, which takes one element for each partition by the page of "
        "v2.20.0 (NKI205); 0898a77 calls another instruction"
    ),
    ("samples 5d97201", "test_select_and_scatter.py::test_select_and_scatter_for_numeric"): (
        "expected to fail by its own mark, in bfloat16"
    ),
    ("*", "test_resize_nearest.py::test_resize_nearest_for_numberic"): (
        "every program of the grid writes all images (NKI603); one image passes, ten pass with `--no-checks`"
    ),
    ("*", "test_double_row_matmul.py::test_double_row_matmul_numerical"): (
        "asks the machine for its type, and where there is none uses `warnings`, which it does not import"
    ),
    **{
        ("samples newest", f"test_{name}.py"): "tests `nki_samples.reference`, which this commit does not have"
        for name in (
            "SD_attention_small_head", "adaptive_avg_pool2d", "allocated_SD_attention_small_head", "double_row_matmul",
            "flash_attn_bwd", "flash_attn_fwd", "resize_nearest", "rmsnorm_qkv",
        )
    },
}  # fmt: skip
"""Why a test or script does not pass, by version (`*`: all) and name, parameters left out."""


@dataclass(frozen=True)
class Outcome:
    """One test or script: `passed`, `failed` or `skipped`, and the last line it said."""

    name: str
    state: str
    text: str = ""


def checkout(clone: Path, version: Version, folder: Path) -> Path:
    """The files of a version."""
    wanted = (*version.tests, *version.scripts, *([version.path] if version.path else []))
    command = ["git", "-C", str(clone), "archive", version.commit, *_existing(clone, version.commit, wanted)]
    archive = subprocess.run(command, capture_output=True, check=True)
    target = folder / version.name.replace(" ", "-")
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as files:
        files.extractall(target, [m for m in files.getmembers() if m.isfile() or m.isdir()])
    return target


def _existing(clone: Path, commit: str, paths: Iterable[str]) -> list[str]:
    """The paths that a commit has: `git archive` wants no others."""
    command = ["git", "-C", str(clone), "ls-tree", "--name-only", commit, *paths]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def environment(version: Version, checkout: Path) -> Mapping[str, str]:
    paths = [ROOT, ROOT / "rules", ROOT / "benchmarks/frameworks", *([checkout / version.path] if version.path else [])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), "OMP_NUM_THREADS": "1"}


def run_tests(version: Version, checkout: Path, seconds: int) -> Iterator[Outcome]:
    """Each test of a version; those of the samples take long, so each of their files is a process of its own."""
    for folder in version.tests:
        if version.clone == "sdk":
            yield from _run_test(version, checkout, checkout / folder, ".", seconds)
            continue
        for file in sorted((checkout / folder).glob("test_*.py")):
            yield from _run_test(version, checkout, file.parent, file.name, seconds)


def _run_test(version: Version, checkout: Path, folder: Path, file: str, seconds: int) -> Iterator[Outcome]:
    report = checkout / "report.xml"
    report.unlink(missing_ok=True)
    command = [
        sys.executable, "-m", "reference_sim", "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}",
        file, *version.options,
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment(version, checkout), capture_output=True, text=True,
            timeout=seconds, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        yield Outcome(file, "failed", f"takes more than {seconds} s")
        return
    if not report.exists():
        said = (done.stderr or done.stdout).strip() or f"it ended with {done.returncode}"
        yield Outcome(file, "failed", said.splitlines()[-1])
        return
    yield from outcomes_in(report)


def outcomes_in(report: Path) -> Iterator[Outcome]:
    """What pytest wrote of each test."""
    for case in ET.parse(report).getroot().iter("testcase"):
        module = next((part for part in str(case.get("classname")).split(".") if part.startswith("test_")), None)
        name = f"{module}.py::{case.get('name')}" if module else f"{case.get('name')}.py"  # what cannot be imported
        problem = next((case.find(kind) for kind in ("failure", "error") if case.find(kind) is not None), None)
        if problem is not None:
            yield Outcome(name, "failed", str(problem.get("message")).splitlines()[0])
        elif case.find("skipped") is not None:
            yield Outcome(name, "skipped", str(case.find("skipped").get("message")))  # type: ignore[union-attr]
        else:
            yield Outcome(name, "passed")


def run_script(version: Version, checkout: Path, file: Path, seconds: int) -> Outcome:
    """A script, which also fails where it says that its comparison does."""
    root = next(checkout / root for root in version.scripts if file.is_relative_to(checkout / root))
    name = str(file.relative_to(root))
    command = [sys.executable, "-m", "reference_sim", file.name]
    try:
        done = subprocess.run(
            command, cwd=file.parent, env=environment(version, checkout), capture_output=True, text=True,
            timeout=seconds, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Outcome(name, "failed", f"takes more than {seconds} s")
    said = done.stdout + done.stderr
    if done.returncode:
        last = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("  ")]
        return Outcome(name, "failed", last[-1] if last else f"exit code {done.returncode}")
    wrong = [line for line in said.splitlines() if "differ" in line or DENIAL.search(line)]
    return Outcome(name, "failed", wrong[0]) if wrong else Outcome(name, "passed")


def judge(version: Version, clone: Path, folder: Path, seconds: int, jobs: int) -> tuple[list[Outcome], list[Outcome]]:
    """The outcomes of a version's tests and of its scripts."""
    files = checkout(clone, version, folder)
    with ThreadPoolExecutor(jobs) as pool:
        paths = sorted(p for root in version.scripts for p in (files / root).rglob("*.py") if _runs(version, p))
        scripts = pool.map(lambda path: run_script(version, files, path, seconds), paths)
        return list(run_tests(version, files, seconds)), list(scripts)


def _runs(version: Version, file: Path) -> bool:
    """Whether a file is a script: of the samples, whose kernels are used from elsewhere too, those that say so."""
    if version.clone == "samples":
        return "__main__" in file.read_text(encoding="utf-8")
    return file.name != "__init__.py"


def reason(version: Version, outcome: Outcome) -> str | None:
    """Why a failure is none of the simulator's, where that is known."""
    name = _unparametrised(outcome)
    return REASONS.get((version.name, name)) or REASONS.get(("*", name))


@dataclass
class Tables:
    """The two tables of the page: counts by version, and for each failure the versions and the reason."""

    counts: dict[str, str]
    failures: dict[tuple[str, str], list[str]]

    @classmethod
    def of(cls, text: str) -> Tables:
        """The tables as they were printed."""
        found = cls({}, {})
        for line in text.splitlines():
            cells = line.strip("| ").split(" | ")
            names = [version.name for version in VERSIONS]
            if cells[0] in names and "`" not in line:
                found.counts[cells[0]] = line
            elif "`" in line and cells[0].split(", ")[0] in names:
                for test in cells[1].split(", "):
                    found.failures[test, cells[2]] = cells[0].split(", ")
        return found

    def note(self, version: Version, outcomes: tuple[list[Outcome], list[Outcome]]) -> int:
        """Put in what a version gave, in place of what stands there; how many failures have no reason."""
        name, unexplained = version.name, 0
        counts = [f"{sum(o.state == 'passed' for o in part)} of {len(part)}" if part else "none" for part in outcomes]
        self.counts[name] = f"| {name} | {counts[0]} | {counts[1]} |"
        self.failures = {key: [n for n in names if n != name] for key, names in self.failures.items()}
        for outcome in (o for part in outcomes for o in part if o.state != "passed"):
            why = reason(version, outcome)
            unexplained += why is None
            names = self.failures.setdefault((f"`{_unparametrised(outcome)}`", why or f"**{outcome.text}**"), [])
            if name not in names:
                names.append(name)
        self.failures = {key: names for key, names in self.failures.items() if names}
        return unexplained

    def __str__(self) -> str:
        order = [version.name for version in VERSIONS]
        rows = ["| version | tests that pass | scripts that pass |", "|---|---|---|"]
        rows += [self.counts[name] for name in order if name in self.counts]
        rows += ["", "| version | test or script | why it does not pass |", "|---|---|---|"]
        alike: dict[tuple[tuple[str, ...], str], list[str]] = {}
        for (test, why), names in self.failures.items():
            alike.setdefault((tuple(sorted(names, key=order.index)), why), []).append(test)
        for (names, why), tests in sorted(alike.items(), key=lambda item: (order.index(item[0][0][0]), min(item[1]))):
            rows.append(f"| {', '.join(names)} | {', '.join(sorted(tests))} | {why} |")
        return "\n".join(rows) + "\n"


def _unparametrised(outcome: Outcome) -> str:
    return outcome.name.partition("[")[0]


def write(version: Version, outcomes: tuple[list[Outcome], list[Outcome]]) -> None:
    """Put what a version gave into the page, as it stands by then."""

    def noted(told: str) -> str:
        tables = Tables.of(told)
        tables.note(version, outcomes)
        return str(tables)

    between(PAGE, BEGIN, END, noted)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sdk", type=Path, help="a clone of aws-neuron/aws-neuron-sdk")
    parser.add_argument("--samples", type=Path, help="a clone of aws-neuron/nki-samples")
    parser.add_argument("--seconds", type=int, default=900, help="how long a test file or script may take")
    parser.add_argument("--jobs", type=int, default=1, help="scripts that run at the same time")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/simulator.md")
    parser.add_argument("names", nargs="*", metavar="NAME", help="versions; all by default")
    options = parser.parse_args()
    clones = {"sdk": options.sdk, "samples": options.samples}
    tables, unexplained = Tables({}, {}), 0
    with tempfile.TemporaryDirectory() as folder:
        for version in VERSIONS:
            clone = clones[version.clone]
            if clone is None or (options.names and version.name not in options.names):
                continue
            outcomes = judge(version, clone, Path(folder), options.seconds, options.jobs)
            unexplained += tables.note(version, outcomes)
            print(tables.counts[version.name], file=sys.stderr)
            if options.write:
                write(version, outcomes)
    print(tables)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
