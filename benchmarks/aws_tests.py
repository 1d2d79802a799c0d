"""The vendor's own tests and example scripts on the simulator: which pass, and why the others do not.

    python benchmarks/aws_tests.py --sdk CLONE_OF_AWS_NEURON_SDK --samples CLONE_OF_NKI_SAMPLES [NAME ...]

Takes the tests of each version out of the clones with `git archive`, runs them unmodified, and prints the table of
docs/simulator.md. NAME chooses some of the versions. The exit code is 1 where something fails that REASONS does not
explain.
"""

from __future__ import annotations

import argparse
import os
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

ROOT = Path(__file__).parents[1]


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


BETA1 = {"tests": ("general/nki/test",), "scripts": ("general/nki/examples",)}
NKI = {"tests": ("nki/test",), "scripts": ("nki/examples",)}
SAMPLES = {
    "tests": ("test/unit",),
    "scripts": ("src/nki_samples/tutorials",),
    "options": ("--simulation-only",),
    "path": "src",
}

VERSIONS = [
    *(Version(tag, "sdk", tag, **BETA1) for tag in ("v2.20.0", "v2.21.0", "v2.22.0", "v2.24.0", "v2.26.0")),
    Version("v2.28.0", "sdk", "v2.28.0", **NKI),
    Version("newest", "sdk", "HEAD", **NKI),
    Version("samples 5d97201", "samples", "5d97201", **{**SAMPLES, "options": ("-k", "not perf")}),
    Version("samples 0898a77", "samples", "0898a77", **SAMPLES),
    Version("samples newest", "samples", "HEAD", **SAMPLES),
]

REASONS: dict[tuple[str, str], str] = {
    ("*", "layout-violation.py"): "shows a violation: 256 partitions (NKI101)",
    ("*", "layernorm/layernorm_torch.py"): "imports its kernels from `neuronxcc.nki.docs`, which only the vendor has",
    ("*", "prof-kernel.py"): "returns inside of the loop that fills the output: its second tile is unwritten (NKI703)",
    ("newest", "layout-dynamic-loop.py"): "is no Python: a parenthesis is not closed",
    ("v2.20.0", "test_nki_mask.py::test_mask"): (
        "stores elements that its mask leaves out (NKI701); v2.21.0 corrects the kernel; passes with `--no-checks`"
    ),
    ("*", "test_nki_isa_dma_transpose.py::test_dma_transpose_indirect"): "expected to fail by its own mark (PBE-63)",
    ("*", "matrix_multiplication/matrix_multiplication_nki_kernels.py"): (
        "benchmarks products of 4096 x 8192 x 8192, 550 GFLOP each: longer than the time given"
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
        yield Outcome(file, "failed", (done.stderr or done.stdout).strip().splitlines()[-1])
        return
    for case in ET.parse(report).getroot().iter("testcase"):
        module = next(part for part in str(case.get("classname")).split(".") if part.startswith("test_"))
        name = f"{module}.py::{case.get('name')}"
        problem = next((case.find(kind) for kind in ("failure", "error") if case.find(kind) is not None), None)
        if problem is not None:
            yield Outcome(name, "failed", str(problem.get("message")).splitlines()[0])
        elif case.find("skipped") is not None:
            yield Outcome(name, "skipped", str(case.find("skipped").get("message")))  # type: ignore[union-attr]
        else:
            yield Outcome(name, "passed")


def run_script(version: Version, checkout: Path, file: Path, seconds: int) -> Outcome:
    """A script, which also fails where it says that its comparison does."""
    name = str(file.relative_to(checkout / version.scripts[0]))
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
    wrong = [line for line in said.splitlines() if "differ" in line or "matches? False" in line]
    return Outcome(name, "failed", wrong[0]) if wrong else Outcome(name, "passed")


def judge(version: Version, clone: Path, folder: Path, seconds: int, jobs: int) -> tuple[list[Outcome], list[Outcome]]:
    """The outcomes of a version's tests and of its scripts."""
    files = checkout(clone, version, folder)
    with ThreadPoolExecutor(jobs) as pool:
        paths = sorted(p for root in version.scripts for p in (files / root).rglob("*.py") if p.name != "__init__.py")
        scripts = pool.map(lambda path: run_script(version, files, path, seconds), paths)
        return list(run_tests(version, files, seconds)), list(scripts)


def reason(version: Version, outcome: Outcome) -> str | None:
    """Why a failure is none of the simulator's, where that is known."""
    name = outcome.name.partition("[")[0]
    return REASONS.get((version.name, name)) or REASONS.get(("*", name))


def row(version: Version, outcomes: tuple[list[Outcome], list[Outcome]]) -> str:
    counts = [f"{sum(o.state == 'passed' for o in part)} of {len(part)}" if part else "" for part in outcomes]
    return f"| {version.name} | {counts[0]} | {counts[1]} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sdk", type=Path, help="a clone of aws-neuron/aws-neuron-sdk")
    parser.add_argument("--samples", type=Path, help="a clone of aws-neuron/nki-samples")
    parser.add_argument("--seconds", type=int, default=900, help="how long a test file or script may take")
    parser.add_argument("--jobs", type=int, default=1, help="scripts that run at the same time")
    parser.add_argument("names", nargs="*", metavar="NAME", help="versions; all by default")
    options = parser.parse_args()
    clones = {"sdk": options.sdk, "samples": options.samples}
    rows, failures, unexplained = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        for version in VERSIONS:
            clone = clones[version.clone]
            if clone is None or (options.names and version.name not in options.names):
                continue
            outcomes = judge(version, clone, Path(folder), options.seconds, options.jobs)
            rows.append(row(version, outcomes))
            print(rows[-1], file=sys.stderr)
            for outcome in (o for part in outcomes for o in part if o.state != "passed"):
                why = reason(version, outcome)
                unexplained += why is None
                failures.append(f"| {version.name} | `{outcome.name}` | {why or '**' + outcome.text + '**'} |")
                print("  ", failures[-1], file=sys.stderr)
    print("| version | tests that pass | scripts that pass |\n|---|---|---|", *rows, sep="\n")
    print("\n| version | test or script | why it does not pass |\n|---|---|---|", *failures, sep="\n")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
