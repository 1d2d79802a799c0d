"""The verifier and the simulator say the same about generated kernels: what is proved never fails on inputs that meet
the contract, what fails was not proved, and every witness reproduces.

`NKILINT_AGREEMENT` sets the number of kernels, `NKILINT_AGREEMENT_SEED` the first of their seeds.
"""

from __future__ import annotations

import importlib.util
import math
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reference_sim
from nkilint.base.findings import KernelReport, Report
from nkilint.base.options import Options
from nkilint.confirm import confirm
from nkilint.run import engine
from nkilint_rules.rule import Severity

from ..support.random_families import generated_family
from ..support.random_kernels import SIZES, Generated, generated

COUNT = int(os.environ.get("NKILINT_AGREEMENT", "60"))
FIRST = int(os.environ.get("NKILINT_AGREEMENT_SEED", "0"))
SHAPES = 6  # tried for each kernel
GRID = "the launch grid"


def made(seed: int) -> Generated:
    """Every other kernel is of the many families."""
    return generated_family(seed // 2) if seed % 2 else generated(seed)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file for each kernel."""
    folder = tmp_path_factory.mktemp("generated").resolve()
    for seed in range(FIRST, FIRST + COUNT):
        (folder / f"kernel_{seed}.py").write_text(made(seed).source, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def report(folder: Path) -> Report:
    return engine.check([folder], Options())


def test_kernels_are_of_all_kinds(report: Report) -> None:
    verdicts = Counter(k.verdict for k in report.kernels)
    assert report.failures == ()
    assert sum(verdicts.values()) == COUNT
    if COUNT >= 60:
        assert all(verdicts[kind] >= COUNT // 20 for kind in ("verified", "conditional", "violated")), verdicts
        assert verdicts["incomplete"] <= COUNT // 5, verdicts


def test_what_is_proved_does_not_fail(report: Report) -> None:
    runs = 0
    for kernel in report.kernels:
        if kernel.verdict not in ("verified", "conditional") or not closed(kernel):
            continue
        for sizes in shapes(kernel):
            if not meets(kernel, sizes):
                continue
            seen = observed(kernel, sizes)
            if seen.stopped is not None and isinstance(seen.stopped.error, AssertionError):
                continue  # inputs that the kernel itself does not take
            runs += 1
            told = f"{Path(kernel.file).read_text(encoding='utf-8')}\nsizes {sizes}, contract {kernel.contract}"
            assert [str(f) for f in seen.findings if f.severity != "info"] == [], told
            assert seen.stopped is None, f"{seen.stopped}\n{told}"
    assert runs >= min(COUNT, 60) // 2


def test_contracts_leave_out_no_more_than_they_have_to(report: Report) -> None:
    """A kernel with a closed-form contract fails on some inputs outside of it."""
    broken = 0
    for kernel in report.kernels:
        if kernel.verdict != "conditional" or not kernel.contract or not closed(kernel):
            continue
        for sizes in shapes(kernel):
            if meets(kernel, sizes):
                continue
            seen = observed(kernel, sizes)
            broken += bool(seen.findings) or seen.stopped is not None
    assert broken > 0 or COUNT < 60


def test_every_witness_reproduces(report: Report, folder: Path) -> None:
    options = Options()
    seen = confirm(report, options, [folder], {}, jobs=2)
    loud = {id(a): b for a, b in zip(report.diagnostics, seen.diagnostics, strict=True)}
    opinions: Counter[str] = Counter()
    for before, after in zip(report.diagnostics, seen.diagnostics, strict=True):
        if before.trial is None or before.severity not in (Severity.ERROR, Severity.WARNING):
            continue
        opinions[after.confirmation] += 1
        told = f"{Path(after.at.file).read_text(encoding='utf-8')}\nrow {after.at.row}: {after.code} {after.message}"
        assert after.confirmation != "not-reproduced", f"{told}\n{after.witness}"
    assert loud
    assert opinions["confirmed"] >= 0.95 * sum(opinions.values()), opinions


def shapes(kernel: KernelReport) -> list[dict[str, int]]:
    """Sizes by their names: random ones, ones where second matrices fit the first, and round ones."""
    seed = kernel.file.rpartition("_")[2].removesuffix(".py")
    choose = random.Random(seed)
    names = [axis for axes in made(int(seed)).inputs.values() for axis in axes]
    found = [{name: choose.choice(SIZES) for name in names} for _ in range(SHAPES)]
    found += [dict.fromkeys(names, 128), {name: choose.choice((64, 128, 256, 512)) for name in names}]
    found = [sizes | {name: sizes[name[0]] for name in names if choose.random() < 0.9} for sizes in found]
    return [sizes | {GRID: choose.choice((1, 2, 2, 4, sizes["M"] // 64 or 1))} for sizes in found]


def closed(kernel: KernelReport) -> bool:
    """Whether the contract states all conditions."""
    return not any("no closed form" in text for text in kernel.contract)


def meets(kernel: KernelReport, sizes: dict[str, int]) -> bool:
    """Whether sizes meet the contract."""
    names = {**sizes, "min": min, "max": max, "ceil": math.ceil, "num_programs": lambda axis: sizes[GRID]}
    return all(eval(text, {}, names) for text in kernel.contract)


def observed(kernel: KernelReport, sizes: dict[str, int]) -> reference_sim.Observation:
    reference_sim.install()
    spec = importlib.util.spec_from_file_location("generated_kernel", kernel.file)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    numbers = np.random.default_rng(0)
    generated = made(int(kernel.file.rpartition("_")[2].removesuffix(".py")))
    inputs = generated.inputs.values()
    data = [numbers.uniform(0.5, 1.5, [sizes[axis] for axis in axes]).astype(np.float32) for axes in inputs]
    launched = module.kernel[sizes[GRID]] if generated.on_grid else module.kernel
    return reference_sim.observe(launched, data, target="trn2")
