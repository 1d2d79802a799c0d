"""The options of `python -m reference_sim`, which `nkilint run` shares."""

from __future__ import annotations

import argparse

DESCRIPTION = "Run a Python script or module that uses NKI on the simulator, unchanged."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--target", help="device to simulate: trn1, inf2, trn2 or trn3")
    parser.add_argument("--no-checks", action="store_true", help="do not check kernels, for speed")
    parser.add_argument("--collect", action="store_true", help="record all findings instead of stopping at the first")
    parser.add_argument("--shuffle", type=int, metavar="SEED", help="run affine_range loops in another order too")
    parser.add_argument("--force", action="store_true", help="replace the vendor's modules even where installed")
    parser.add_argument("--json", metavar="FILE", help="write the findings as JSON (`-`: standard output)")
    parser.add_argument("--trace", metavar="FILE", help="write each operation as it begins (`-`: standard error)")
    parser.add_argument(
        "--progress", action="store_true", help="tell how far long launches are, not on terminals alone"
    )
    parser.add_argument("-m", dest="module", action="store_true", help="PROGRAM is a module, as for python")
    parser.add_argument("program", metavar="PROGRAM", help="a script, or a module with -m")
    rest = parser.add_argument("arguments", metavar="ARGS", nargs=argparse.REMAINDER, help="its arguments")
    rest.required = False  # argparse would name it beside a PROGRAM that is missing
