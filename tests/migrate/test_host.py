"""Host code around kernels: imports, and what launched them."""

from __future__ import annotations

from pathlib import Path

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
