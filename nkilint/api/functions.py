"""The functions that `nkilint` offers to Python: `nkilint.check_source(...)` and its kin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .checking import Text
from .results import Checked, Explained, Fixed, Simulated
from .settings import Dialect, Settings
from .simulating import Call, simulated


def check_source(
    source: str,
    *,
    name: str = "",
    dialect: Dialect | None = None,
    prelude: str = "",
    target: str | None = None,
    nki_version: str | None = None,
    budget: int | None = None,
    confirm: bool = False,
) -> Checked:
    """Verify the kernels in a text: the verdict and the contract of each, and what is wrong, with repairs.

    `name` is the path that the text goes by; helper modules are looked for beside it. `dialect`, "nki" or "neuronxcc",
    has the text begin with the usual imports of that namespace, and `prelude` with these statements. `budget` limits
    the work for a kernel. Nothing is executed, unless findings are to be `confirm`ed in the simulator.
    `BadRequest`, a ValueError, is raised for settings that make no sense.
    """
    return Text(source, Settings(name, dialect, prelude, target, nki_version, budget, confirm)).checked()


def explain_source(
    source: str,
    kernel: str | None = None,
    *,
    name: str = "",
    dialect: Dialect | None = None,
    prelude: str = "",
    target: str | None = None,
    nki_version: str | None = None,
    budget: int | None = None,
    confirm: bool = False,
) -> Explained:
    """The same, and in words how each obligation of a kernel was decided, or of all."""
    return Text(source, Settings(name, dialect, prelude, target, nki_version, budget, confirm)).explained(kernel)


def fix_source(
    source: str,
    *,
    unsafe: bool = False,
    name: str = "",
    dialect: Dialect | None = None,
    prelude: str = "",
    target: str | None = None,
    nki_version: str | None = None,
    budget: int | None = None,
    confirm: bool = False,
) -> Fixed:
    """The text after what can be repaired was, and what is known of it then. Repairs that are `unsafe` may change what
    a kernel computes, or rest on what was assumed of its inputs."""
    return Text(source, Settings(name, dialect, prelude, target, nki_version, budget, confirm)).fixed(unsafe=unsafe)


def simulate_source(
    source: str,
    inputs: Mapping[str, Any],
    kernel: str | None = None,
    *,
    grid: Sequence[int] = (),
    around: Mapping[str, Any] | None = None,
    outputs: Sequence[str] = (),
    name: str = "",
    dialect: Dialect | None = None,
    prelude: str = "",
    target: str | None = None,
    nki_version: str | None = None,
    search_paths: Sequence[str] = (),
) -> Simulated:
    """Run a kernel on the simulator, in a process of its own that is confined as far as the system can.

    `inputs` are by parameter: plain values, and arrays as `"float32[128, 512]"`, whose data are distinct numbers.
    `around` has the parameters of the functions that make the kernel; `outputs` names parameters that it only writes.
    Helper modules are looked for beside `name`, and in `search_paths`.
    """
    text = Text(source, Settings(name, dialect, prelude, target, nki_version, search_paths=search_paths))
    return simulated(text, kernel, Call(inputs, grid, around or {}, outputs))
