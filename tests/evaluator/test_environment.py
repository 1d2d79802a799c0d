"""Environment variables: what one file sets says nothing of kernels in another."""

from __future__ import annotations

import pytest

from ..support.checking import report_on

READING = """\
import os
import nki
import nki.isa as nisa
import nki.language as nl
{setting}
WIDTH = int(os.environ.get("WIDTH", "512"))


@nki.jit
def kernel(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, WIDTH), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)
    return output
"""


@pytest.mark.parametrize(
    ("setting", "verdict"),
    [
        ("", "verified"),
        ("assert os.environ is not None", "verified"),
        ("os.environ['WIDTH'] = '256'", "incomplete"),
        ("os.environ.setdefault('WIDTH', '256')", "incomplete"),
        ("os.putenv('WIDTH', '256')", "incomplete"),
        ("NAMES = [name for name in os.environ]", "verified"),
        ("del os.environ['WIDTH']", "incomplete"),
        ("os.environ['WIDTH'], x = '256', 1", "incomplete"),
        ("(os.environ['WIDTH']) = '256'", "incomplete"),
        ("for os.environ['WIDTH'] in ['256']:\n    pass", "incomplete"),
        ("from os import environ as variables\nvariables['WIDTH'] = '256'", "incomplete"),
        ("os.environ['A#B'] = '256'", "incomplete"),
        ("X = {'environ': \"os.environ['WIDTH'] = '256'\"}", "verified"),
        ("os.environ |= {'WIDTH': '256'}", "incomplete"),
        ("variables = os.environ\nvariables['WIDTH'] = '256'", "incomplete"),
        ("from os import environ\nenviron['WIDTH'] = '256'", "incomplete"),
        ("from os import environ\nIS_SET = 'WIDTH' in environ  # os.environ['WIDTH'] = 1", "verified"),
        ("X = dict(A=os.environ['HOME'] == 'x')", "verified"),
        ("def main():\n    os.environ['WIDTH'] = '256'\n    kernel(x)", "verified"),
        ("def choose():\n    os.environ['WIDTH'] = '256'\nchoose()", "incomplete"),
        (
            "def choose():\n    os.environ['WIDTH'] = '256'\ndef both():\n    return [choose()]\nX = both()",
            "incomplete",
        ),
        ("class Choice:\n    def __init__(self):\n        os.environ['WIDTH'] = '256'\nX = Choice()", "incomplete"),
        ("class Choice:\n    def set(self):\n        os.environ['WIDTH'] = '256'", "verified"),
        ("def choose(f):\n    os.environ['WIDTH'] = '256'\n    return f\n@choose\ndef g():\n    pass", "incomplete"),
        ("if os.sep:\n    os.environ['WIDTH'] = '256'", "incomplete"),
    ],
)
def test_variables_that_are_set_are_not_known(setting: str, verdict: str) -> None:
    (kernel,) = report_on(READING.format(setting=setting), confirm=False).kernels
    assert kernel.verdict == verdict, kernel.unknown


def test_only_setting_variables_leaves_a_kernel_as_it_is() -> None:
    source = READING.format(setting="os.environ['FLAGS'] = '-O1'").replace('int(os.environ.get("WIDTH", "512"))', "512")
    (kernel,) = report_on(source, confirm=False).kernels
    assert (kernel.verdict, kernel.assumptions) == ("verified", ())


def test_what_a_kernel_asks_for_itself_may_have_been_set_by_any_function() -> None:
    source = READING.format(setting="def main():\n    os.environ['WIDTH'] = '256'").replace(
        "WIDTH)", "int(os.getenv('W')))"
    )
    (kernel,) = report_on(source, confirm=False).kernels
    assert kernel.verdict == "incomplete"
