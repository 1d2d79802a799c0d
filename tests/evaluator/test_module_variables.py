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


STARS = {
    "what is listed": ("width = 2\nfrom sizes import *", "__all__ = ['width']\nwidth = $p\n"),
    "what is not listed": ("width = $p\nfrom sizes import *", "__all__ = ['height']\nheight = 1\nwidth = 2\n"),
    "what is private and listed": ("from sizes import *\nwidth = _width", "__all__ = ('_width',)\n_width = $p\n"),
    "what is added to the list": ("width = 2\nfrom sizes import *", "__all__ = []\n__all__ += ['width']\nwidth = $p\n"),
    "what has an underscore": ("_width = $p\nfrom sizes import *\nwidth = _width", "_width = 2\n"),
}  # fmt: skip


@pytest.mark.parametrize("what", STARS)
@pytest.mark.parametrize(("partitions", "verdict"), [(128, "verified"), (129, "violated")])
def test_what_a_star_imports(what: str, partitions: int, verdict: str) -> None:
    head, sizes = (text.replace("$p", str(partitions)) for text in STARS[what])
    report = report_on(KERNEL.format(head=head, size="width"), "kernels.py", {"sizes.py": sizes})
    assert [kernel.verdict for kernel in report.kernels] == [verdict]


def test_a_star_that_is_not_known_may_bind_anything() -> None:
    sizes = "from settings import names\n__all__ = names()\nwidth = 128\n"
    report = report_on(
        KERNEL.format(head="width = 129\nfrom sizes import *", size="width"), "kernels.py", {"sizes.py": sizes}
    )
    assert [kernel.verdict for kernel in report.kernels] == ["incomplete"]


@pytest.mark.parametrize(("size", "verdict"), [("width", "incomplete"), ("nl.tile_size.pmax", "verified")])
def test_a_module_that_is_not_there_may_bind_what_was_a_constant(size: str, verdict: str) -> None:
    source = KERNEL.format(head="width = 129\nfrom settings import *", size=f"({size})")
    assert [kernel.verdict for kernel in report_on(source, "kernels.py").kernels] == [verdict]


@pytest.mark.parametrize(("partitions", "verdict"), [(128, "verified"), (129, "violated")])
def test_a_constant_after_a_star_is_what_it_is(partitions: int, verdict: str) -> None:
    source = KERNEL.format(head=f"from settings import *\nwidth = {partitions}", size="width")
    assert [kernel.verdict for kernel in report_on(source, "kernels.py").kernels] == [verdict]


CONSTANTS = """\
width = 128
registry = {}
"""
REGISTER = """

def register(function):
    registry[function.__name__] = function
    return function
"""
SETUP = """

def setup(value):
    global width
    width = value
"""
REACHING = {
    "an attribute": "import constants\nconstants.width = $p\n",
    "an item": "from constants import registry\nregistry['wide'] = lambda: $p\n",
    "a call": "from constants import setup\nif True:\n    setup($p)\n",
    "a decorator": "from constants import register\n\n\n@register\ndef wide():\n    return $p\n",
}


@pytest.mark.parametrize("what", REACHING)
@pytest.mark.parametrize("head", ["import other", "import other as unused", "from package import other"])
@pytest.mark.parametrize(("partitions", "verdict"), [(127, "verified"), (129, "violated")])
def test_what_a_module_does_to_others_when_it_is_imported(what: str, head: str, partitions: int, verdict: str) -> None:
    folder = "package/" if "package" in head else ""
    files = {
        "constants.py": CONSTANTS + {"a call": SETUP, "a decorator": REGISTER}.get(what, ""),
        f"{folder}other.py": REACHING[what].replace("$p", str(partitions)),
        **({"package/__init__.py": ""} if folder else {}),
    }
    size = "constants.registry.get('wide', lambda: constants.width)()"
    source = KERNEL.format(head=f"import constants\n{head}", size=size)
    assert [kernel.verdict for kernel in report_on(source, "kernels.py", files).kernels] == [verdict]


@pytest.mark.parametrize(
    ("also", "verdict"),
    [("", "violated"), ("\n\ndef again():\n    setup(3)\n", "incomplete"), ("\nhooks = [setup]\n", "incomplete")],
)
def test_what_is_called_again_may_change_more(also: str, verdict: str) -> None:
    constants = CONSTANTS + SETUP + "\n\nsetup(129)\n" + also
    source = KERNEL.format(head="import constants", size="constants.width")
    assert [kernel.verdict for kernel in report_on(source, "kernels.py", {"constants.py": constants}).kernels] == [
        verdict
    ]


def test_a_module_that_only_defines_waits_until_it_is_used() -> None:
    other = "import constants\n\n\ndef wide():\n    constants.width = 129\n"
    source = KERNEL.format(head="import constants\nimport other", size="constants.width")
    report = report_on(source, "kernels.py", {"constants.py": CONSTANTS, "other.py": other})
    assert [kernel.verdict for kernel in report.kernels] == ["verified"]


PACKAGES = {
    "what a star brought": (
        "import constants\nimport other",
        {"other.py": "from constants import *\nregistry['wide'] = lambda: $p\n"},
    ),
    "a package around": (
        "import constants\nimport package.other",
        {"package/__init__.py": "import constants\nconstants.width = $p\n", "package/other.py": ""},
    ),
    "a package around what is imported from": (
        "import constants\nfrom package.other import height",
        {"package/__init__.py": "import constants\nconstants.width = $p\n", "package/other.py": "height = 1\n"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", PACKAGES)
@pytest.mark.parametrize(("partitions", "verdict"), [(127, "verified"), (129, "violated")])
def test_what_packages_and_stars_do_to_other_modules(what: str, partitions: int, verdict: str) -> None:
    head, files = PACKAGES[what]
    texts = {name: text.replace("$p", str(partitions)) for name, text in files.items()}
    size = "constants.registry.get('wide', lambda: constants.width)()"
    report = report_on(KERNEL.format(head=head, size=size), "kernels.py", {"constants.py": CONSTANTS, **texts})
    assert [kernel.verdict for kernel in report.kernels] == [verdict]
