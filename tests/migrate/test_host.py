"""Host code around kernels: imports, and what launched them."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import migrate

OLD = """\
import numpy as np
from neuronxcc.nki import baremetal, benchmark, simulate_kernel
import neuronxcc.nki.language as nl


def copied(x):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    return out


def test():
    simulate_kernel(baremetal(copied), np.ones((128, 256), np.float32))
"""


def test_what_goes_by_name_is_named_by_its_module(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(OLD)
    result = migrate([file], Options(), "B1", "0.6", verified=False)
    after = result.files[0].after.decode()
    assert after == OLD.replace(
        "from neuronxcc.nki import baremetal, benchmark, simulate_kernel", "import nki"
    ).replace("neuronxcc.nki.language", "nki.language").replace(
        "simulate_kernel(baremetal(copied), ", "nki.simulate(nki.jit(copied))("
    )


MEASURED = """\
import numpy as np
from neuronxcc.nki import benchmark
import neuronxcc.nki.language as nl


def copied(x):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    return out


measured = benchmark(warmup=5, iters=10)(copied)
measured(np.ones((128, 256), np.float32))
"""
READ = "assert measured.benchmark_result.nc_latency.get_latency_percentile(50) < 25\n"


def test_a_kernel_that_was_measured_runs_and_what_is_read_of_it_is_left(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(MEASURED + READ)
    result = migrate([file], Options(), "B1", "0.6")
    after = result.files[0].after.decode()
    gone = "`nki.benchmark` is gone: measure the kernel with the Neuron Profiler"
    assert "measured = nki.jit(copied)\n" in after
    assert after.endswith(f"# nkilint: migrate: {gone}\n{READ}")
    assert [n.text for n in result.files[0].notes if n.letter == "P"] == [gone]
    assert [k.state for k in result.kernels] == ["migrated"]


@pytest.mark.parametrize(
    ("call", "written"),
    [
        ("nki.baremetal(kernel)(x)", "kernel(x)"),
        ("nki.baremetal()(kernel)(x)", "kernel(x)"),
        ("nki.benchmark(warmup=5, iters=10)(kernel)(x)", "kernel(x)"),
        ("nki.baremetal(function)(x)", "nki.jit(function)(x)"),
        ("nki.baremetal()(function)(x)", "nki.jit(function)(x)"),
        ("nki.simulate_kernel(kernel, x)", "nki.simulate(kernel)(x)"),
        ("run = nki.simulate_kernel\nrun(kernel, x)", "nki.simulate(kernel)(x)"),
        (
            "list(map(nki.simulate_kernel, [kernel], [x]))",
            "list(map((lambda kernel, *args, **kwargs: nki.simulate(kernel)(*args, **kwargs)), [kernel], [x]))",
        ),
        ("list(map(nki.baremetal, [function]))[0](x)", "list(map(nki.jit, [function]))[0](x)"),
    ],
)
def test_a_kernel_that_has_its_decorator_needs_no_other(call: str, written: str, tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    body = OLD[OLD.index("(x):") : OLD.index("def test")]
    head = "import numpy as np\nimport neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\n\n\n"
    functions = f"@nki.jit\ndef kernel{body}def function{body}x = np.ones((128, 256), np.float32)\n"
    file.write_text(f"{head}{functions}{call}\n")
    result = migrate([file], Options(), "B1", "0.6", verified=False)
    assert result.files[0].after.decode().endswith(f"\n{written}\n")
