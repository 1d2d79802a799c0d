"""`nkilint run SCRIPT`: a script that uses NKI, on the simulator."""

from __future__ import annotations

import argparse

from reference_sim.arguments import DESCRIPTION, add_arguments

HELP = "run a script that uses NKI on the simulator"


def run(arguments: argparse.Namespace) -> int:
    from reference_sim import cli

    return cli.run(arguments)


__all__ = ["DESCRIPTION", "HELP", "add_arguments", "run"]
