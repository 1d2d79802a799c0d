"""Variables of modules that other modules set."""

from __future__ import annotations

import pytest

from ..support.checking import report_on

KERNEL = """\
import importlib
import sys

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
{head}


@nki.jit
def kernel(x):
    tile = nl.zeros(({size}, 4), dtype=nl.float32, buffer=nl.sbuf)
    output = nl.ndarray(({size}, 4), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, tile)
    return output
"""
WAYS = {
    "of a module that nothing has asked for": ("import sizes\nsizes.width = $p", "sizes.width"),
    "by setattr": ("import sizes\nsetattr(sizes, 'width', $p)", "sizes.width"),
    "among all modules": ("import sizes\nsys.modules['sizes'].width = $p", "sizes.width"),
    "by the variables": ("import sizes\nvars(sizes)['width'] = $p", "sizes.width"),
    "by the dict": ("import sizes\nsizes.__dict__.update(width=$p)", "sizes.width"),
    "by an imported name": ("importlib.import_module('sizes').width = $p\nimport sizes", "sizes.width"),
    "of itself": ("width = 2\nimport kernels as here\nhere.width = $p", "width"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("partitions", "verdict"), [(128, "verified"), (129, "violated")])
def test_a_variable_of_a_module_is_set(way: str, partitions: int, verdict: str) -> None:
    head, size = WAYS[way]
    source = KERNEL.format(head=head.replace("$p", str(partitions)), size=size)
    report = report_on(source, "kernels.py", {"sizes.py": "width = 2\n"})
    assert [kernel.verdict for kernel in report.kernels] == [verdict]
