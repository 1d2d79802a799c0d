"""Tests for one generation of devices."""

from __future__ import annotations

import ast

import pytest

from nkilint.analyses.text.code import Code
from nkilint.analyses.text.generations import exact_generations

GEN3 = "nisa.get_nc_version() == nisa.nc_version.gen3"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (f"if {GEN3}: pass", ["trn3"]),
        ("flag = nisa.nc_version.gen3 == nisa.get_nc_version()", ["trn3"]),
        (f"x = 1 if {GEN3} else 2", ["trn3"]),
        (f"if on and {GEN3}: pass", ["trn3"]),
        ("if get_nc_version() is nc_version.gen3: pass", ["trn3"]),
        ("if nisa.get_nc_version() >= nisa.nc_version.gen3: pass", []),
        ("if nisa.get_nc_version() == nisa.nc_version.gen2: pass", []),
        ("if nisa.get_nc_version() == nisa.nc_version.gen4: pass", []),
        (f"assert {GEN3}", []),
        (f"if {GEN3} or nisa.get_nc_version() == nisa.nc_version.gen4: pass", []),
        (f"if {GEN3}: pass\n    elif version >= nisa.nc_version.gen4: pass", []),
        ("if version == nisa.nc_version.gen3: pass", []),
        ("version = nisa.get_nc_version()\n    if version == nisa.nc_version.gen3: pass", ["trn3"]),
        ("version = nisa.get_nc_version()\n    version = x\n    if version == nisa.nc_version.gen3: pass", []),
        ("if nisa.get_nc_version() != nisa.nc_version.gen3: pass", ["trn3"]),
        ("if nisa.get_nc_version() != nisa.nc_version.gen3: raise ValueError", []),
        ("if nisa.get_nc_version() == 3: pass", ["trn3"]),
        ("if nisa.get_nc_version() == 2: pass", []),
    ],
)
def test_what_leaves_newer_devices_out(body: str, found: list[str]) -> None:
    text = f"def kernel(x):\n    {body}\n"
    assert [test.device for test in exact_generations(Code(ast.parse(text), text.split("\n")))] == found
