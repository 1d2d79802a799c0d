"""Specifications are read from comments, configuration, annotations and docstrings, and nonsense in them is named."""

from __future__ import annotations

import textwrap

import pytest

from nkilint.base import ir
from nkilint.project.discovery import Kernel, discover
from nkilint.project.docstrings import docstring_shapes, docstring_tuples
from nkilint.project.files import Project
from nkilint.project.imports import Imports
from nkilint.project.specs import ScalarSpec, Specification, TensorSpec, misplaced, specification

KERNEL = "@nki.jit\ndef kernel(a, b, n=1, *, flag=False):\n    pass\n"


def read(text: str, *configured: str) -> tuple[Specification, list[str], Kernel]:
    project = Project([], {"k.py": b"import nki\nimport nki.typing as nt\n" + textwrap.dedent(text).encode()})
    module = project.module("k.py")
    (kernel,) = discover(Imports(project), [module]).kernels
    imports = Imports(project)
    found, errors = specification(kernel, configured, lambda node: imports.qualified(imports.scope(module), node))
    return found, [f"{e.at.row}:{e.at.column}-{e.at.end_column} {e.message}" for e in errors], kernel


def given(text: str, *configured: str) -> Specification:
    found, errors, _ = read(text, *configured)
    assert errors == []
    return found


def shown(node: object) -> object:
    """An expression as text, fully bracketed."""
    if isinstance(node, ir.Binary):
        return f"({shown(node.left)} {node.op} {shown(node.right)})"
    if isinstance(node, ir.BoolOp):
        return f"({shown(node.left)} {node.op} {shown(node.right)})"
    if isinstance(node, ir.Compare):
        return " ".join([str(shown(node.left)), *(f"{op} {shown(right)}" for op, right in node.rest)])
    if isinstance(node, ir.Name):
        return node.id
    return node.value if isinstance(node, ir.Const) else node


def tensors(found: Specification) -> dict[str, tuple[str | None, tuple[object, ...]]]:
    return {
        name: (spec.dtype, tuple(shown(d) for d in spec.dims))
        for name, spec in found.params.items()
        if isinstance(spec, TensorSpec)
    }


def conditions(found: Specification) -> list[object]:
    return [shown(c) for c in found.constraints]


def test_a_comment_above_the_decorators() -> None:
    found = given("# nkilint: a: bf16[M, K], b: [K, 512], n: 4, M % 128 == 0\n" + KERNEL)
    assert tensors(found) == {"a": ("bfloat16", ("M", "K")), "b": (None, ("K", 512))}
    scalar = found.params["n"]
    assert isinstance(scalar, ScalarSpec)
    assert scalar.value == 4
    assert conditions(found) == ["(M % 128) == 0"]
    assert found.sizes == {"M", "K"}


def test_spans_are_those_of_the_source() -> None:
    found = given("# a kernel\n# nkilint: a: bf16[M, K // 2],\n#   M >= 1\n" + KERNEL)
    tensor = found.params["a"]
    assert isinstance(tensor, TensorSpec)
    assert tensor.at == ir.Span("k.py", 4, 1, 4, 31)
    dim = tensor.dims[1]
    assert isinstance(dim, ir.Expr)
    assert (dim.at.row, dim.at.column, dim.at.end_column) == (4, 23, 29)
    assert (found.constraints[0].at.row, found.constraints[0].at.column) == (5, 5)


@pytest.mark.parametrize(
    "text",
    [
        "# nkilint: a: [M, K]\n# nkilint: b: [K]\n# nkilint: M > K\n" + KERNEL,
        "# nkilint: a: [M, K],\n# b: [K],\n# M > K\n" + KERNEL,
        "# nkilint: a: [M,\n#   K], b: [K],\n#   M > K\n" + KERNEL,
        "# nkilint: a: [M, K], b: [K]\n\n# nkilint: a: [M, K], b: [K],\n# M > K\n# a note: not more\n" + KERNEL,
        "@nki.jit\n# nkilint: a: [M, K], b: [K], M > K\ndef kernel(a, b): pass\n",
        "#nkilint:a:[M,K],b:[K],M>K\n@other\n" + KERNEL,
        "class C:\n    # nkilint: a: [M, K], b: [K], M > K,\n" + textwrap.indent(KERNEL, "    "),
    ],
)
def test_several_lines(text: str) -> None:
    found = given(text)
    assert tensors(found) == {"a": (None, ("M", "K")), "b": (None, ("K",))}
    assert conditions(found) == ["M > K"]


@pytest.mark.parametrize("text", ["x = 1  # nkilint: a: [M]\n", "# nkilint: a: [M]\n\n", "# nkilint: ignore[NKI101]\n"])
def test_other_comments_specify_nothing(text: str) -> None:
    assert given(text + KERNEL) == Specification()


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("bf16", "bfloat16"),
        ("fp32", "float32"),
        ("f16", "float16"),
        ("i32", "int32"),
        ("u8", "uint8"),
        ("float8_e4m3", "float8_e4m3"),
        ("fp8_e5m2", "float8_e5m2"),
        ("nl.bfloat16", "bfloat16"),
        ("bool", "bool"),
    ],
)
def test_dtypes(text: str, dtype: str) -> None:
    assert tensors(given(f"# nkilint: a: {text}[2]\n" + KERNEL)) == {"a": (dtype, (2,))}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-1", -1),
        ("0.5", 0.5),
        ("True", True),
        ("None", None),
        ("'gelu'", "gelu"),
        ("(2, (3, -4))", (2, (3, -4))),
    ],
)
def test_values(text: str, value: object) -> None:
    scalar = given(f"# nkilint: n: {text}\n" + KERNEL).params["n"]
    assert isinstance(scalar, ScalarSpec)
    assert scalar.value == value
    assert type(scalar.value) is type(value)


def test_sizes_and_conditions_may_be_expressions() -> None:
    found = given("# nkilint: a: [M * 2 + 1, N - 1], M < N and N // 2 > 3 or M == n\n" + KERNEL)
    assert tensors(found) == {"a": (None, ("((M * 2) + 1)", "(N - 1)"))}
    assert conditions(found) == ["((M < N and (N // 2) > 3) or M == n)"]
    assert conditions(given("# nkilint: a: [M], 1 <= M <= n, not M == 3\n" + KERNEL))[0] == "1 <= M <= n"


def test_the_configuration() -> None:
    found = given("# nkilint: a: [M, 2]\n" + KERNEL, "b: fp32[M, K]", "K > 2, n: 3")
    assert tensors(found) == {"a": (None, ("M", 2)), "b": ("float32", ("M", "K"))}
    assert conditions(found) == ["K > 2"]
    assert "n" in found.params


def test_annotations() -> None:
    text = """
    # nkilint: c: bf16[M]
    @nki.jit
    def kernel(a: nt.tensor[128, P], b: nt.mutable_tensor[2, 3], c: nt.tensor[4], d: nt.tensor, e: list[int]):
        pass
    """
    found = given(text)
    assert tensors(found) == {"a": (None, (128, "P")), "b": (None, (2, 3)), "c": ("bfloat16", ("M",))}
    mutable = {name: spec.mutable for name, spec in found.params.items() if isinstance(spec, TensorSpec)}
    assert mutable == {"a": False, "b": True, "c": False}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("c: [M]", "`kernel` has no parameter `c`"),
        ("flog: [M]", "`kernel` has no parameter `flog`; did you mean `flag`?"),
        ("a: float33[M]", "`float33` is not a dtype; did you mean `float32`?"),
        ("a: f(x)[M]", "a dtype is a name such as `bfloat16`"),
        ("a: [0]", "a size is a positive integer, not `0`"),
        ("a: [2.5]", "a size is a positive integer, not `2.5`"),
        ("a: [True]", "a size is a positive integer, not `True`"),
        ("a: ['M']", "a size is a positive integer, not `M`"),
        ("a: [M / 2]", "sizes are integers, names, and sums, products and quotients (`//`, `%`) of them"),
        ("a: [f(M)]", "sizes are integers, names, and sums, products and quotients (`//`, `%`) of them"),
        ("a: [M], a: [N]", "`a` is specified twice"),
        ("a: bf16", "`a` is given neither `dtype[size, ...]` nor a constant value"),
        ("a: [M], n: M", "`n` is given neither `dtype[size, ...]` nor a constant value"),
        ("a:", "an entry that is not `name: dtype[size, ...]`, `name: value` or a condition"),
        ("a: [M]: 3", "an entry that is not `name: dtype[size, ...]`, `name: value` or a condition"),
        ("a[0]: [M]", "an entry that is not `name: dtype[size, ...]`, `name: value` or a condition"),
        ("a: [M], M", "an entry that is neither `name: dtype[size, ...]` nor a comparison of sizes"),
        ("disable", "an entry that is neither `name: dtype[size, ...]` nor a comparison of sizes"),
        ("a: [M], M in (1, 2)", "an entry that is neither `name: dtype[size, ...]` nor a comparison of sizes"),
        ("a: [M], Q % 2 == 0", "no size is called `Q`"),
        ("a: [M], a > 3", "`a` in a condition is a tensor, not a size"),
        ("a: [M]] + [1", "a specification that cannot be read"),
    ],
)
def test_nonsense(text: str, message: str) -> None:
    found, errors, _ = read(f"# nkilint: {text}\n{KERNEL}")
    assert errors == [f"3:1-{len(text) + 12} {message}"]
    assert found.constraints == ()


def test_what_python_cannot_read() -> None:
    _, errors, _ = read("# nkilint: a: [M, M = 3\n" + KERNEL)
    assert len(errors) == 1
    assert errors[0].startswith("3:1-24 a specification that cannot be read: ")
    _, errors, _ = read("# nkilint:\n" + KERNEL)
    assert errors[0].startswith("3:1-11 a specification that cannot be read: ")


def test_one_bad_comment_leaves_the_others() -> None:
    found, errors, _ = read("# nkilint: a: [M]\n# nkilint: a: [N]\n# nkilint: b: [K],\n#  c: [1]\n" + KERNEL, "n: 2")
    assert errors == ["4:1-18 `a` is specified twice", "6:1-10 `kernel` has no parameter `c`"]
    assert set(found.params) == {"a", "n"}


def test_errors_of_the_configuration_stand_at_the_kernel() -> None:
    _, errors, kernel = read(KERNEL, "c: [M]", "M > 1")
    at = kernel.function.at
    place = f"{at.row}:{at.column}-{at.end_column}"
    assert errors == [f"{place} `kernel` has no parameter `c`", f"{place} no size is called `M`"]


def test_annotations_that_make_no_sense() -> None:
    _, errors, _ = read("@nki.jit\ndef kernel(a: nt.tensor[0, 2]): pass\n")
    assert errors == ["4:25-26 a size is a positive integer, not `0`"]


def test_misplaced_specifications() -> None:
    text = f"# nkilint: a: [M]\n{KERNEL}\n# nkilint: a: [M]\n\nx = 1  # nkilint: ignore\n# nkilint: skip-file\n# noqa\n"
    _, errors, kernel = read(text)
    assert errors == []
    found = list(misplaced(kernel.module, [kernel.function]))
    assert [(e.at.row, e.message) for e in found] == [
        (8, "a specification of inputs stands directly above a kernel or its decorators")
    ]


def shapes(docstring: str, params: str = "a, b, c=None, n=3, *rest") -> dict[str, tuple[int | str, ...]]:
    module = Project([], {"k.py": f'def f({params}):\n    """\n{docstring}\n    """\n'.encode()}).module("k.py")
    (function,) = module.body
    assert isinstance(function, ir.FunctionDef)
    return docstring_shapes(function)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a: (B, S, H)", ("B", "S", "H")),
        ("  - a: shape   (bs, n_heads, d, 128)", ("bs", "n_heads", "d", 128)),
        ("    a: an input tensor of shape [K,M], where K is a multiple of 128", ("K", "M")),
        ("a (nt.tensor): Input HBM tensor of shape (N, C, H_src, W_src).", ("N", "C", "H_src", "W_src")),
        (":param a: (batch, seq)", ("batch", "seq")),
        ("* a: [1, H], the weights", (1, "H")),
        ("a: [num_used, 1] int32", ("num_used", 1)),
        ("a: [B, S] - rows and columns", ("B", "S")),
        ("a: (B, S) in HBM", ("B", "S")),
        ("a: [B, S] -> [B, 1]", ("B", "S")),
        ("a: shape (1,)", (1,)),
        ("a: tensor with shape [N]", ("N",)),
        ("a: of shape: [N*128, (M + 1) * E]", ("N * 128", "(M + 1) * E")),
        (
            "a: shape (bs, nl.tile_size.pmax, seq // nl.tile_size.pmax)",
            ("bs", "nl.tile_size.pmax", "seq // nl.tile_size.pmax"),
        ),
        ("a: tensor of size (T+1, H).", ("T + 1", "H")),
        ("a: [128, b] columns to scale", (128, "b")),
        ("a (nl.tensor): [N * B], the row of each token", ("N * B",)),
        ("a (np.ndarray, optional): [N].", ("N",)),
        ("a (nl.ndarray): Optional [N, B, H] for checkpoints.", ("N", "B", "H")),
        ("a (nt.mutable_tensor): Output logits [T, E] in HBM", ("T", "E")),
        ("a: Affinities [T, E] in HBM or SBUF.", ("T", "E")),
    ],
)
def test_shapes_in_docstrings(line: str, expected: tuple[int | str, ...]) -> None:
    assert shapes(line) == {"a": expected}


def test_one_line_for_several_parameters() -> None:
    assert shapes("a, b: [d // 2, S]") == {"a": ("d // 2", "S"), "b": ("d // 2", "S")}
    assert shapes("a: [M, K], b: [K, N]; c: [M, N].") == {"a": ("M", "K"), "b": ("K", "N"), "c": ("M", "N")}
    assert shapes("a: [M, K]; b, c: f32[K, N]") == {"a": ("M", "K"), "b": ("K", "N"), "c": ("K", "N")}
    assert shapes("a: (d, S)   b: (S, d)   out: (S, d)") == {"a": ("d", "S"), "b": ("S", "d")}
    assert shapes("a: bf16[M, K], b: bf16[K, N] -> f32[M, N]") == {"a": ("M", "K"), "b": ("K", "N")}
    assert shapes("a [M, K], b, c bf16[K, N] -> f32[M, N]") == {"a": ("M", "K"), "b": ("K", "N"), "c": ("K", "N")}
    assert shapes("a  [M, K]; b int8 [K, N].") == {"a": ("M", "K"), "b": ("K", "N")}
    assert shapes("a: (M, K)\nb: (K, N)\nc: (M, N)") == {"a": ("M", "K"), "b": ("K", "N"), "c": ("M", "N")}


@pytest.mark.parametrize(
    "line",
    [
        "a: weights of shape [H] or [1, H]",
        "a: shape (bs, d, s) if transposed else (bs, s, d)",
        "a: [B, d] if x else [d, B]",
        "a: (int, int)",
        "a: [N], the rows",
        "a (list): [N], the rows",
        "a (nl.tensor): (N), the rows",
        "a: (optional)",
        "a: [h, w] specifies the stride",
        "a: [b, w] specifies the stride",
        "a: [h, w]-shaped windows",
        "a: [h, w] international units",
        "a: shape (B, ...)",
        "a: shape (2*f(x), B)",
        "a: shape (0, B)  and",
        "a: (M, K)\na: (K, M)",
        "a: shape (M, K), of shape (K, M)",
        "a is a tensor of shape (M, K)",
        "MHA: a: [b, h], b: [b, h]",
        "z: (M, K)",
        "a, z: (M, K)",
        "n: (M, K)",
        "rest: (M, K)",
        "a: pairs (x, y) of things",
        "a: Optional bias [1, E] or [E] in HBM",
        "a: If in HBM: [H, T] or [T, H] by layout",
        "a: rows of [T, E] in HBM",
        "a: Logits [T, E] in HBM, or flat when small",
        "a: Strides (h, w) in HBM",
        "returns: (M, K)",
        "a [M, K] is multiplied by b [K, N]",
        "a [M, K], b of K rows",
        "a [M, K], b [K, N] or [N, K]",
        "a (M, K), b (K, N)",
        "a [M, K], z [K, N], a [K, M]",
        "a[M, K], b[K, N]",
        "a: (M, K",
    ],
)
def test_what_docstrings_leave_in_doubt(line: str) -> None:
    assert shapes(line) == {}


def test_functions_without_docstrings() -> None:
    module = Project([], {"k.py": b"def f(a): pass\n"}).module("k.py")
    (function,) = module.body
    assert isinstance(function, ir.FunctionDef)
    assert docstring_shapes(function) == {}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a: tuple (F1, F2)", {"a": 2}),
        ("  a (tuple): rows and columns", {"a": None}),
        ("- a: a tuple of sizes (rows, columns, depth)", {"a": 3}),
        (":param a: tuple of ints", {"a": None}),
        ("a: [M, N]", {}),
        ("a: tuples are not taken", {}),
        ("a: output, as in tuple (x, y)", {}),
    ],
)
def test_tuples_in_docstrings(line: str, expected: dict[str, int | None]) -> None:
    module = Project([], {"k.py": f'def f(a):\n    """\n{line}\n    """\n'.encode()}).module("k.py")
    (function,) = module.body
    assert isinstance(function, ir.FunctionDef)
    assert docstring_tuples(function) == expected
