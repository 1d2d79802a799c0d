"""`nkilint run SCRIPT`: a script that uses NKI, on the simulator, on the device that `check` judges it for."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from nkilint.base.config import ConfigError, find, load
from reference_sim import cli
from reference_sim.running.settings import TRUSTED

from .settings import complain

FAILED = 2


def run(arguments: argparse.Namespace) -> int:
    """The exit code of the script, 1 for what it raises; 2 where the configuration makes no sense."""
    if arguments.target is None and not os.environ.get("NEURON_PLATFORM_TARGET_OVERRIDE"):
        try:
            arguments.target = _configured(Path() if arguments.module else Path(arguments.program).parent)
        except ConfigError as error:
            complain(error)
            return FAILED
    if arguments.trust_proofs:
        from nkilint.run.trusting import Trust  # the verifier, which few runs ask for

        TRUSTED.append(Trust())
    try:
        return cli.run(arguments)
    except Exception:  # is the script's, and told as Python would tell it
        sys.excepthook(*sys.exc_info())
        return 1
    finally:
        TRUSTED.clear()


def _configured(start: Path) -> str | None:
    """The target that the configuration for a folder names."""
    file = find(start)
    return (load(file).target if file else "") or None
