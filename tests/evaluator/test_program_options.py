"""What `argparse` gives a program that is run without arguments: numbers by default, and the rest open."""

from __future__ import annotations

import pytest

from .test_guessed_inputs import only_kernel

SOURCE = """\
import argparse
import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl
{before}

@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


def run(columns):
    kernel(np.zeros((128, columns), dtype=np.float32))


def main():
    parser = argparse.ArgumentParser(description="a program")
    {options}


if __name__ == "__main__":
    main()
"""


EITHER = "\n        run(8)\n    else:\n        run(16)"


@pytest.mark.parametrize(
    ("added", "used", "columns"),
    [
        ("parser.add_argument('-n', '--in-columns', type=int, default=256)", "run(args.in_columns)", [256]),
        ("parser.add_argument('--n', type=int, default='64')", "run(args.n)", [64]),
        ("parser.add_argument('-n', default=32)", "run(args.n)", [32]),
        ("parser.add_argument('-n', dest='size', default=32)", "run(args.size)", [32]),
        ("group = parser.add_argument_group('sizes'); group.add_argument('--n', default=8)", "run(args.n)", [8]),
        ("parser.add_argument('--n', default=8)", "run(parser.parse_known_args()[0].n)", [8]),
        ("parser.add_argument('--n', default=8); parser.set_defaults(n=16)", "run(args.n)", [16]),
        ("parser.add_argument('--n', nargs='+', type=int, default=[8, 16])", "for n in args.n: run(n)", [8, 16]),
        ("parser.add_argument('--flag', action='store_true')", f"if args.flag:{EITHER}", [8, 16]),
        ("parser.add_argument('--mode', default='a')", f"if args.mode == 'a':{EITHER}", [8, 16]),
        ("parser.add_argument('n', type=int, default=8)", "run(args.n)", []),
        ("parser.add_argument('--n', type=int, required=True, default=8)", "run(args.n)", []),
        ("parser.add_argument('--n', type=int)", "run(args.n)", []),
        ("parser.add_argument('--n', default=8)", "run(parser.parse_args(['--n', '16']).n)", []),
        ("parser.add_argument('--n', default=8); others(parser)", "run(args.n)", []),
        ("parser.add_subparsers().add_parser('b').add_argument('--n', default=8)", "run(args.n)", []),
    ],
)
def test_numbers_are_those_by_default(added: str, used: str, columns: list[int]) -> None:
    before = "from elsewhere import others\n" if "others" in added else ""
    options = f"{added}\n    args = parser.parse_args()\n    {used}"
    found = only_kernel(SOURCE.format(before=before, options=options)).instances
    assert [instance.inputs["x"] for instance in found] == [f"float32[128, {n}]" for n in columns]


def test_options_that_a_module_reads_when_it_is_imported_are_open() -> None:
    before = "parser = argparse.ArgumentParser()\nparser.add_argument('--n', default=8)\nN = parser.parse_args().n\n"
    assert only_kernel(SOURCE.format(before=before, options="run(N)")).instances == ()
