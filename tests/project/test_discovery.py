"""Every way of making a function a kernel is recognised, under any spelling of the imports."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from nkilint.base import ir
from nkilint.project.discovery import Discovered, Kernel, discover
from nkilint.project.files import Project
from nkilint.project.imports import Imports

pytestmark = pytest.mark.usefixtures("in_tmp_path")

BODY = "\n    nl.store(b, nl.load(a))\n"
HEADER = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import neuronxcc.nki.isa as nisa
from neuronxcc.nki import baremetal, benchmark, simulate_kernel, trace
import functools
"""


def discovered(**files: str) -> Discovered:
    project = Project([], {f"{name}.py": textwrap.dedent(text).encode() for name, text in files.items()})
    return discover(Imports(project), [project.module(f"{name}.py") for name in files])


def kernels(text: str) -> list[str]:
    return [f"{k.name} {k.kind} {k.dialect}" for k in discovered(k=HEADER + textwrap.dedent(text)).kernels]


def only(text: str) -> Kernel:
    (kernel,) = discovered(k=HEADER + textwrap.dedent(text)).kernels
    return kernel


@pytest.mark.parametrize(
    ("imports", "decorator", "kind", "dialect"),
    [
        ("from neuronxcc import nki", "nki.jit", "jit", "neuronxcc"),
        ("import neuronxcc.nki as nki", "nki.jit()", "jit", "neuronxcc"),
        ("import neuronxcc.nki", "neuronxcc.nki.jit(mode='trace')", "trace", "neuronxcc"),
        ("import neuronxcc", "neuronxcc.nki.trace", "trace", "neuronxcc"),
        ("from neuronxcc.nki import jit as j", "j", "jit", "neuronxcc"),
        ("from neuronxcc.nki import *", "baremetal(a=1)", "baremetal", "neuronxcc"),
        ("from neuronxcc.nki import benchmark", "benchmark(warmup=5)", "benchmark", "neuronxcc"),
        ("from neuronxcc.nki import profile", "profile(x=1)", "profile", "neuronxcc"),
        ("import nki", "nki.jit", "jit", "nki"),
        ("import nki as n", "n.jit(platform_target='trn2')", "jit", "nki"),
        ("from nki import jit", "jit", "jit", "nki"),
        ("from torch_neuronx import nki_jit", "nki_jit", "jit", "neuronxcc"),
        ("from torch_neuronx.xla_impl.ops import nki_jit", "nki_jit()", "jit", "neuronxcc"),
        ("import torch_neuronx as tx", "tx.nki_jit", "jit", "neuronxcc"),
        ("try:\n    import nki\nexcept ImportError:\n    nki = None", "nki.jit", "jit", "nki"),
        (
            "try:\n    import mine as nki\nexcept ImportError:\n    from neuronxcc import nki",
            "nki.jit",
            "jit",
            "neuronxcc",
        ),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import nki", "nki.jit", "jit", "nki"),
        ("import nki\njit = nki.jit", "jit", "jit", "nki"),
        ("import nki\njit = nki.jit(platform_target='trn2')", "jit", "jit", "nki"),
        ("import nki, functools", "functools.partial(nki.jit, platform_target='trn2')", "jit", "nki"),
        ("import nki", "nki.compiler.something\n@nki.jit", "jit", "nki"),
    ],
)
def test_decorators(imports: str, decorator: str, kind: str, dialect: str) -> None:
    (kernel,) = discovered(k=f"{imports}\n@{decorator}\ndef kernel(a):\n    return a\n").kernels
    assert (kernel.name, kernel.kind, kernel.dialect) == ("kernel", kind, dialect)


@pytest.mark.parametrize(
    "text",
    [
        "import numba as nki\n@nki.jit\ndef f(a): pass\n",
        "from jax import jit\n@jit\ndef f(a): pass\n",
        "import nki\n@nki.language.jit\ndef f(a): pass\n",
        "def g(nki):\n    @nki.jit\n    def f(a): pass\nimport nki\n",
        "import nki\nclass C:\n    @nki.jit\n    class D: pass\n",
        "import nki\nnki.jit(print)\nnki.jit(lambda x: x)\nnki.jit(unknown)\n",
    ],
)
def test_what_is_no_kernel(text: str) -> None:
    assert discovered(k=text).kernels == ()


def test_an_import_in_a_function_counts_there() -> None:
    text = "def make():\n    from neuronxcc import nki\n    @nki.jit\n    def kernel(a): pass\n    return kernel\n"
    (kernel,) = discovered(k=text).kernels
    assert kernel.name == "make.kernel"
    assert [o.name for o in kernel.outer] == ["make"]


def test_kernels_in_classes_and_factories() -> None:
    found = kernels(
        """
        class Config:
            @staticmethod
            @nki.jit
            def run(a): pass
            class Inner:
                @nki.jit
                def deep(a): pass
        def factory(n):
            def kernel(a): nl.store(a, n)
            return nki.jit(kernel)
        """
    )
    assert found == ["Config.run jit neuronxcc", "Config.Inner.deep jit neuronxcc", "factory.kernel jit neuronxcc"]


@pytest.mark.parametrize(
    ("use", "kind"),
    [
        ("nki.jit(f)(x)", "jit"),
        ("nki.jit(f, mode='trace')", "trace"),
        ("nki.trace(f)", "trace"),
        ("nki.baremetal(f)[2, 3](x)", "baremetal"),
        ("nki.baremetal()(f)", "baremetal"),
        ("nki.benchmark(warmup=5, iters=10)(f)(x)", "benchmark"),
        ("nki.jit(func=f)", "jit"),
        ("simulate_kernel(f, x)", "simulate"),
        ("nki.simulate_kernel(f[2], x)", "simulate"),
        ("from jax_neuronx import nki_call\nnki_call(functools.partial(f, n=3), x, out_shape=y)", "nki_call"),
        ("from jax_neuronx import nki_call\nnki_call(f, x)", "nki_call"),
        ("run = nki.benchmark(warmup=5)\nrun(f)", "benchmark"),
        ("def host():\n    g = f\n    def inner():\n        return baremetal(g)", "baremetal"),
        ("for k in [f, g]: nki.baremetal(k)(x)", "baremetal"),
        ("for name, k in {'f': f}.items(): nki.baremetal(k)(x)", "baremetal"),
        ("table = {'f': f}\nk = table[name]\nnki.benchmark(k)(x)", "benchmark"),
        ("def bench(k): nki.benchmark(warmup=1)(k)(x)\nbench(f)", "benchmark"),
        ("def bench(n, *, k): nki.benchmark(warmup=1)(k)(x)\nbench(1, k=f)", "benchmark"),
        (
            "import pytest\n@pytest.mark.parametrize('n, k', [(1, f)])\ndef test(n, k): simulate_kernel(k, x)",
            "simulate",
        ),
        ("nki.jit(f if x else g)", "jit"),
        ("def make(): return f\nbaremetal(make())", "baremetal"),
    ],
)
def test_functions_handed_over(use: str, kind: str) -> None:
    found = kernels("def f(a):\n    return nl.load(a)\n" + use + "\n")
    assert found == [f"f {kind} neuronxcc"]


def test_the_newer_simulate() -> None:
    (kernel,) = discovered(k="import nki\ndef f(a): pass\nnki.simulate(f[2])(x)\n").kernels
    assert (kernel.kind, kernel.dialect) == ("simulate", "nki")


def test_arguments_of_a_decorator_are_kept() -> None:
    kernel = only("@nki.jit(mode='trace', platform_target=T)\ndef k(a): pass\n")
    assert [(name, type(value)) for name, value in kernel.arguments] == [
        ("mode", ir.Const),
        ("platform_target", ir.Name),
    ]
    kernel = only("def k(a): pass\nnki.benchmark(warmup=1)(k, iters=2)\n")
    assert [name for name, _ in kernel.arguments] == ["warmup", "iters"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@nki.jit\ndef k(a): pass", False),
        ("@nki.jit(mode='simulation')\ndef k(a): pass", False),
        ("@nki.jit(mode='trace')\ndef k(a): pass", True),
        ("@nki.jit(kernel_return=False)\ndef k(a): pass", True),
        ("@nki.jit(experimental_flags='enable-mutable-parameter')\ndef k(a): pass", True),
        ("@trace\ndef k(a): pass", True),
        ("@baremetal\ndef k(a): pass", True),
        ("@baremetal\ndef k(a): return a", False),
        ("def k(a): pass\nsimulate_kernel(k, x)", True),
        ("from torch_neuronx import nki_jit\n@nki_jit\ndef k(a): pass", True),
        ("def k(a):\n    nl.store(a, 1)", True),
    ],
)
def test_which_kernels_may_write_to_their_parameters(text: str, expected: bool) -> None:
    assert only(text).may_write is expected


def test_early_kernels_declare_nothing() -> None:
    assert kernels("def k(a, b):" + BODY) == ["k implicit neuronxcc"]
    assert kernels("@nki.compiler.skip_middle_end_transformations\ndef k(a, b):" + BODY) == ["k implicit neuronxcc"]
    (kernel,) = discovered(k="import nki.isa as n\ndef k(a, b): n.dma_copy(dst=b, src=a)\n").kernels
    assert (kernel.kind, kernel.dialect) == ("implicit", "nki")


@pytest.mark.parametrize(
    "text",
    [
        "def helper(a):\n    return nl.load(a)",  # gives nothing to the host
        "def helper(a):\n    return nl.exp(a)",
        "@cached\ndef k(a, b):" + BODY,
        "class C:\n    def method(self, a, b):\n        nl.store(b, nl.load(a))",
        "def host():\n    import numpy as nl\n    nl.store(1, 2)",
        "def host(nl):\n    nl.store(1, 2)",
    ],
)
def test_helpers_are_no_kernels(text: str) -> None:
    assert kernels(text) == []


def test_functions_that_kernels_use_are_helpers() -> None:
    found = kernels(
        """
        def deep(a, b): nl.store(b, a)
        def helper(a, b): deep(a, b)
        class Buffer:
            def flush(self, b): flush(self, b)
        def flush(x, b): nl.store(b, x)
        @nki.jit
        def kernel(a, b):
            helper(a, b)
            Buffer().flush(b)
            def closure(): nl.store(b, a)
            closure()
        def early(a, b):
            def closure(): nl.store(b, a)
            closure()
            nl.store(b, shared(a))
        def shared(a): return nl.load(a)
        """
    )
    assert found == ["kernel jit neuronxcc", "early implicit neuronxcc"]


def test_kernels_that_other_kernels_use_are_marked() -> None:
    found = discovered(
        k=HEADER + "@nki.jit\ndef part(a): pass\n@nki.jit\ndef whole(a): part(a)\ndef host(): whole[2](1)\n"
    )
    assert [(k.name, k.is_called) for k in found.kernels] == [("part", True), ("whole", False)]


def test_names_are_followed_through_modules() -> None:
    found = discovered(
        common="import neuronxcc.nki as nki, neuronxcc.nki.language as nl\nfrom torch_neuronx import nki_jit as jit\n",
        kernels="""
            from common import *
            import common as c
            @c.nki.jit
            def one(a): pass
            @jit
            def two(a): pass
            def three(a, b): nl.store(b, helper(a))
            def four(a, b): nl.store(b, a)
            def helper(a): return nl.load(a)
            """,
        host="""
            from kernels import four as renamed
            import kernels
            from common import nki
            nki.baremetal(renamed)
            nki.benchmark(kernels.one)
            """,
    )
    assert [(k.module.name, k.name, k.kind) for k in found.kernels] == [
        ("kernels", "one", "jit"),
        ("kernels", "two", "jit"),
        ("kernels", "three", "implicit"),
        ("kernels", "four", "baremetal"),
    ]


def test_packages_and_submodules(tmp_path: Path) -> None:
    (tmp_path / "pkg" / "sub").mkdir(parents=True)
    (tmp_path / "pkg/__init__.py").write_text("from .sub import k as renamed\n")
    (tmp_path / "pkg/sub/__init__.py").write_text("")
    (tmp_path / "pkg/sub/k.py").write_text("def f(a): pass\n")
    (tmp_path / "host.py").write_text("import pkg, nki\nnki.jit(pkg.renamed.f)\nnki.trace(pkg.sub.k.f)\n")
    project = Project(["."])
    found = discover(Imports(project), [project.module(path) for path in project.files])
    assert [(k.module.name, k.name, k.kind) for k in found.kernels] == [("pkg.sub.k", "f", "jit")]


def test_only_the_modules_asked_for_give_kernels() -> None:
    files = {"kernels.py": b"import nki\n@nki.jit\ndef k(a): pass\n", "host.py": b"from kernels import k\nk(1)\n"}
    project = Project([], files)
    host = project.module("host.py")
    assert discover(Imports(project), [host]).kernels == ()
    assert len(discover(Imports(project), [host, project.module("kernels.py")]).launches) == 1


def test_cycles_end() -> None:
    found = discovered(
        a="from b import *\nfrom b import x\nimport nki\nx = x\ny = y\nnki.jit(x)\nnki.jit(y)\n@x.jit\ndef f(): f()\n",
        b="from a import *\nfrom a import x\n",
    )
    assert found.kernels == ()


def launches(text: str) -> list[str]:
    found = discovered(k=HEADER + "@nki.jit\ndef k(a): helper(a)\ndef helper(a): k(a)\n" + textwrap.dedent(text))
    lines = (HEADER + "@nki.jit\ndef k(a): helper(a)\ndef helper(a): k(a)\n" + textwrap.dedent(text)).splitlines()
    assert all(site.kernel.name == "k" for site in found.launches)
    return [
        f"{lines[s.call.at.row - 1][s.call.at.column - 1 : s.call.at.end_column - 1]}"
        f" {s.enclosing.name if s.enclosing else '-'} {'grid' if s.grid else '-'}"
        for s in found.launches
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("k(x)", ["k(x) - -"]),
        ("def test(): k[2, 3](x)", ["k[2, 3](x) test grid"]),
        ("g = nki.benchmark(warmup=1)(k)\ng[4](x)", ["g[4](x) - grid"]),
        ("nki.baremetal(k)(x)", ["nki.baremetal(k)(x) - -"]),
        ("simulate_kernel(k[2], x)", ["simulate_kernel(k[2], x) - grid"]),
        ("jitted = nki.jit(k)", []),
        ("for f in (k,): f(x)", ["f(x) - -"]),
    ],
)
def test_launches(text: str, expected: list[str]) -> None:
    assert launches(text) == expected


def test_the_table_of_imports() -> None:
    project = Project(
        [], {"k.py": (HEADER + "import local\nfrom numpy import float32 as f32\n").encode(), "local.py": b""}
    )
    table = Imports(project).table(project.module("k.py"))
    assert table == {
        "nki": "neuronxcc.nki",
        "nl": "neuronxcc.nki.language",
        "nisa": "neuronxcc.nki.isa",
        "baremetal": "neuronxcc.nki.baremetal",
        "benchmark": "neuronxcc.nki.benchmark",
        "simulate_kernel": "neuronxcc.nki.simulate_kernel",
        "trace": "neuronxcc.nki.trace",
        "functools": "functools",
        "f32": "numpy.float32",
    }
