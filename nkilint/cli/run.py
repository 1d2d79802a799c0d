"""`nkilint run SCRIPT`: a script that uses NKI, on the simulator."""

from __future__ import annotations

from reference_sim.cli import run

__all__ = ["run"]
