"""Configuration files: where they are found, what they set, and how they are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.config import ConfigError, find, load
from nkilint.options import Options

FULL = """
[tool.nkilint]
target = "trn1"
nki-version = "0.4"
select = ["NKI8", "nki3"]
ignore = ["NKI301"]
exclude = ["vendored/*"]
conditional = "info"
confirm = false

[tool.nkilint.kernels]
"ops/norm.py::rmsnorm" = "x: bf16[M, 512], M % 128 == 0"
"ops/norm.py::layernorm" = ["x: bf16[M, K]", "K <= 512"]
"""


def written(folder: Path, text: str, name: str = "pyproject.toml") -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_every_key(tmp_path: Path) -> None:
    options = load(written(tmp_path, FULL))
    norm = (tmp_path.resolve() / "ops/norm.py").as_posix()
    assert options == Options(
        target="trn1",
        nki_version="0.4",
        select=("NKI8", "NKI3"),
        ignore=("NKI301",),
        exclude=("vendored/*",),
        conditional="info",
        confirm=False,
        kernels={
            f"{norm}::rmsnorm": ("x: bf16[M, 512], M % 128 == 0",),
            f"{norm}::layernorm": ("x: bf16[M, K]", "K <= 512"),
        },
        root=tmp_path.resolve(),
    )
    assert options.specifications(tmp_path / "ops/../ops/norm.py", "layernorm") == ("x: bf16[M, K]", "K <= 512")
    assert options.specifications(tmp_path / "ops/norm.py", "other") == ()


def test_own_file_has_the_keys_at_its_top(tmp_path: Path) -> None:
    assert load(written(tmp_path, 'target = "trn3"', "nkilint.toml")).target == "trn3"


def test_nearest_file_is_found(tmp_path: Path) -> None:
    outer = written(tmp_path, "[tool.nkilint]")
    written(tmp_path / "a", "[tool.other]")
    kernel = written(tmp_path / "a/b", "", "kernel.py")
    assert find(kernel) == outer.resolve()
    inner = written(tmp_path / "a", "", "nkilint.toml")
    assert find(kernel) == inner.resolve()
    assert find(tmp_path) == outer.resolve()


@pytest.mark.parametrize(
    ("text", "row", "message"),
    [
        ('\ntagret = "trn1"', 3, "unknown key `tagret`; did you mean `target`?"),
        ('target = "gpu"', 2, "unknown target `gpu`; known are trn1, inf2, trn2, trn3"),
        ("target = 2", 2, "`target` takes a string"),
        ('nki-version = "new"', 2, "`new` is not a version of NKI, such as 0.4"),
        ('select = ["NKJ301"]', 2, "no rule has a code that begins with `NKJ301`; did you mean `NKI301`?"),
        ('select = "NKI3"', 2, "`select` takes a list of strings"),
        ('conditional = "loud"', 2, '`conditional` takes "warning" or "info"'),
        ("confirm = 1", 2, "`confirm` takes true or false"),
        ('kernels = "x"', 2, "`kernels` takes a table of specifications"),
        ('[tool.nkilint.kernels]\n"norm.py" = "x: bf16[M]"', 3, '`norm.py` does not name a kernel as "path::name"'),
        ('[tool.nkilint.kernels]\n"a.py::k" = 1', 3, "`a.py::k` takes a list of strings"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, text: str, row: int, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(written(tmp_path, "[tool.nkilint]\n" + text))
    assert (caught.value.message, caught.value.row) == (message, row)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(written(tmp_path, "[tool.nkilint]\ntarget = = 1"))
    assert caught.value.row == 2
    assert caught.value.message.startswith("is not TOML: ")
    (tmp_path / "nkilint.toml").write_bytes(b"\xff")
    with pytest.raises(ConfigError, match="is not UTF-8"):
        load(tmp_path / "nkilint.toml")
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        load(tmp_path / "absent.toml")


@pytest.mark.parametrize(
    ("select", "ignore", "chosen"),
    [
        (("NKI",), (), True),
        (("NKI",), ("NKI3",), False),
        (("NKI301",), ("NKI3",), True),
        (("NKI3",), ("NKI301",), False),
        (("NKI3",), ("NKI3",), False),
        (("NKI1",), (), False),
    ],
)
def test_the_longer_prefix_wins(select: tuple[str, ...], ignore: tuple[str, ...], chosen: bool) -> None:
    assert Options(select=select, ignore=ignore).selects("NKI301") is chosen


@pytest.mark.parametrize(
    ("pattern", "excluded"),
    [("vendored", True), ("vendored/", True), ("vendored/*", True), ("*.py", True), ("vend", False), ("a.py", False)],
)
def test_excluded_files(tmp_path: Path, pattern: str, excluded: bool) -> None:
    options = Options(root=tmp_path, exclude=(pattern,))
    assert options.excludes(tmp_path / "vendored/deep/a.py") is excluded
    assert not options.excludes(tmp_path.parent / "vendored/a.py")
    assert not Options(root=tmp_path).excludes(tmp_path / "a.py")
