"""nki-library's own integration tests on the simulator: which pass, and why the others do not.

    python benchmarks/library_tests.py CLONE_OF_NKI_LIBRARY [--each N] [--write] [FILE ...]

Runs the tests unmodified in their mode `simulation`, without those that they leave out there as too large, and of each
test function N cases, evenly spread. Each file is a process of its own. `--write` puts the result into
docs/simulator.md. The exit code is 1 where something fails that REASONS does not explain.

The tests need torch, and what `pip install nki-library[test]` brings, but nothing of the vendor's: see
benchmarks/frameworks.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from aws_tests import PAGE, ROOT, Outcome, outcomes_in
from tables import between

BEGIN, END = "<!-- library -->\n", "<!-- /library -->\n"
TESTS = "test/integration"
HUGE = 8 << 30  # bytes of memory that a file's process may take

DEVICES = "takes several devices, or asks for the inputs and results of each"
LARGE = "too large for the limits of time and memory: thousands of tokens, hundreds of experts"
REASONS: list[tuple[str, str, str]] = [
    ("", "'PerRankLazyInputGenerator'|several devices|No output files found for rank", DEVICES),
    ("", "takes more than|Unable to allocate|can't allocate|^MemoryError", LARGE),
    ("test_output_proj_cte_static_fp8_sweep.invalid", "^AssertionError$", LARGE),  # memory ends before the refusal
    ("test_gen_mask_tkg", "KeyError: 'mask_out_hbm'", "looks for an input by a name that it gave none"),
    (
        "test_(mlp_cte|mlp_tkg|transformer_tkg)",
        "collection failure",
        "`core/mlp/mlp.py` is no Python: wrong indentation",
    ),
    ("test_qkv_tkg", "collection failure", "uses `Platforms`, which it does not import"),
    ("test_topk_reduce", "collection failure", "tests a package that this commit does not have"),
    ("test_attn_blk_model", "^RuntimeError: The size of tensor", "its own reference fails in torch"),
    ("", "NKI801 .* `expert_index`", "asks whether a tensor is true where it means whether there is one (NKI801)"),
    (
        "test_moe_",
        "bwmm_shard_on_I.py:(622|1872): NKI603 .* both write element",
        "both cores write to the row that padding goes to, at once (NKI603)",
    ),
    (
        "test_moe_block",
        "cross_partition_copy.py:190: NKI202",
        "fills a tile of integers with the float 0.0, which NKI 0.3 rejects (NKI202)",
    ),
]
"""By patterns of the name and of what was said: why a test does not pass, where that is none of the simulator's."""


def environment(clone: Path) -> dict[str, str]:
    """Where the tests find the library, and what stands in for the vendor's packages."""
    ours = [ROOT, ROOT / "rules", ROOT / "benchmarks/frameworks"]
    paths = [*ours, clone, clone / "src", clone / "src/nkilib_src"]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), "OMP_NUM_THREADS": "1"}


def run_file(clone: Path, file: Path, folder: Path, options: argparse.Namespace) -> list[Outcome]:
    """The tests of one file."""
    report = folder / f"{file.stem}.xml"
    command = [
        sys.executable, "-m", "pytest", "-q", "-c", "test/pytest.ini", "--rootdir=.", "-p", "no:cacheprovider",
        "-p", "nkilib_simulation", "-p", "reference_sim.pytest", "-o", "log_level=ERROR", "-o", "junit_logging=no",
        "-o", f"artifacts_dir={folder / 'artifacts'}", "--output-directory", str(folder / "output"),
        "--test-mode", "simulation", "--force-local-cleanup", "--tb=line", f"--junitxml={report}",
        f"--each={options.each}", f"--seconds={options.seconds}", f"--bytes={HUGE}", str(file.relative_to(clone)),
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=clone, env=environment(clone), capture_output=True, text=True, errors="replace", check=False
    )
    if report.exists():
        return list(outcomes_in(report))
    last = (done.stderr or done.stdout).strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
    return [Outcome(file.name, "failed", last[0])]


def reason(outcome: Outcome) -> str | None:
    """Why a failure is none of the simulator's, where that is known."""
    return next(
        (why for name, said, why in REASONS if re.search(name, outcome.name) and re.search(said, outcome.text)), None
    )


def table(outcomes: list[Outcome]) -> Iterator[str]:
    """The counts, and for each reason how many tests it explains."""
    run = [outcome for outcome in outcomes if outcome.state != "skipped"]
    passed = sum(outcome.state == "passed" for outcome in run)
    failed = [outcome for outcome in run if outcome.state != "passed"]
    large = sum(reason(outcome) == LARGE for outcome in failed)
    judged = sum(reason(outcome) is not None for outcome in failed) - large
    yield "| tests | too large here | of the others pass | fail for a reason judged | fail otherwise |"
    yield "|---|---|---|---|---|"
    yield f"| {len(run)} | {large} | {passed} | {judged} | {len(failed) - large - judged} |"
    yield ""
    yield "| tests | why they do not pass |"
    yield "|---|---|"
    causes = Counter(reason(outcome) or f"**{outcome.text[:120]}**" for outcome in failed)
    for why, count in sorted(causes.items(), key=lambda item: (-item[1], item[0])):
        yield f"| {count} | {why} |"


def main() -> int:
    """Run the files, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=Path, help="a clone of aws-neuron/nki-library")
    parser.add_argument("--each", type=int, default=3, help="cases of each test function")
    parser.add_argument("--seconds", type=int, default=120, help="seconds of the processor that a case may take")
    parser.add_argument("--write", action="store_true", help="put the result into docs/simulator.md")
    parser.add_argument("--save", type=Path, help="a file for each outcome in a line")
    parser.add_argument("--saved", type=Path, help="such a file, of which the tables are made without running anything")
    parser.add_argument("files", nargs="*", metavar="FILE", help="parts of the names of files; all by default")
    options = parser.parse_intermixed_args()
    outcomes = run_files(options) if options.saved is None else list(read_saved(options.saved))
    lines = list(table(outcomes))
    print("\n".join(lines))
    if options.write:
        between(PAGE, BEGIN, END, lambda _: "\n".join(lines) + "\n")
    return int(any(outcome.state == "failed" and not reason(outcome) for outcome in outcomes))


def run_files(options: argparse.Namespace) -> list[Outcome]:
    """The outcomes of the files that are chosen."""
    clone, outcomes = options.clone.resolve(), list[Outcome]()
    with tempfile.TemporaryDirectory() as folder:
        for file in sorted((clone / TESTS).rglob("test_*.py")):
            if options.files and not any(part in str(file.relative_to(clone)) for part in options.files):
                continue
            found = run_file(clone, file, Path(folder), options)
            states = Counter(outcome.state for outcome in found)
            print(f"{file.name}: {', '.join(f'{n} {state}' for state, n in sorted(states.items()))}", file=sys.stderr)
            if options.save is not None:
                with options.save.open("a", encoding="utf-8") as stream:
                    stream.writelines(f"{o.state} | {o.name} | {o.text}\n" for o in found)
            outcomes += found
    return outcomes


def read_saved(file: Path) -> Iterator[Outcome]:
    """The outcomes that an earlier run saved."""
    for line in file.read_text(encoding="utf-8").splitlines():
        state, name, text = line.split(" | ", 2)
        yield Outcome(name, state, text)


if __name__ == "__main__":
    sys.exit(main())
