"""Configuration files: where they are found, what they set, and how they are wrong."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from nkilint.base import toml
from nkilint.base.config import KEYS, ConfigError, find, load, schema
from nkilint.base.options import Options
from nkilint.cli import main
from nkilint_rules.rule import Severity

FULL = """
[tool.nkilint]
target = "trn1"
nki-version = "0.4"
select = ["NKI8", "nki3"]
ignore = ["NKI301"]
exclude = ["vendored/*"]
conditional = "info"
confirm = false
strict = true
search-paths = ["."]
baseline = "ci/known.json"
rule-pages = "https://example.org/{code}/"
solver-budget = 1000
step-budget = 2000

[tool.nkilint.per-file-ignores]
"tests/*" = ["NKI003", "nki8"]

[tool.nkilint.severity]
NKI3 = "warning"
nki301 = "error"

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
        strict=True,
        search_paths=(tmp_path.resolve(),),
        baseline=tmp_path.resolve() / "ci/known.json",
        rule_pages="https://example.org/{code}/",
        solver_budget=1000,
        step_budget=2000,
        per_file_ignores={"tests/*": ("NKI003", "NKI8")},
        severity={"NKI3": Severity.WARNING, "NKI301": Severity.ERROR},
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
        ("confirm = 1", 2, '`confirm` takes true, false or "sandboxed"'),
        ('kernels = "x"', 2, "`kernels` takes a table"),
        ("strict = 1", 2, "`strict` takes true or false"),
        ("step-budget = 0", 2, "`step-budget` takes a positive integer"),
        ("step-budget = true", 2, "`step-budget` takes a positive integer"),
        ("search-paths = 1", 2, "`search-paths` takes a list of strings"),
        ('search-paths = ["lost"]', 2, "`search-paths` names `lost`, which is no folder"),
        ("baseline = 1", 2, "`baseline` takes a string"),
        (
            'rule-pages = "https://a/b"',
            2,
            "`https://a/b` is no address with `{code}` in it, such as https://example.org/{code}.md",
        ),
        ('severity = "error"', 2, "`severity` takes a table"),
        ('[tool.nkilint.severity]\nNKI3 = "off"', 3, '`NKI3` takes "error" or "warning" or "info"'),
        ('[tool.nkilint.severity]\nX3 = "error"', 3, "no rule has a code that begins with `X3`"),
        ('[tool.nkilint.per-file-ignores]\n"a/*" = "NKI3"', 3, "`a/*` takes a list of strings"),
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


def test_files_can_be_left_out_by_code(tmp_path: Path) -> None:
    options = load(written(tmp_path, FULL))
    assert not options.selects("NKI801", tmp_path / "tests/a/test.py")
    assert not options.selects("NKI801", tmp_path / "tests/test.py")
    assert options.selects("NKI302", tmp_path / "tests/test.py")
    assert options.selects("NKI801", tmp_path / "test.py")
    assert options.selects("NKI801")


def test_the_longer_prefix_says_how_loud(tmp_path: Path) -> None:
    options = load(written(tmp_path, FULL))
    loudness = [options.severity_of(code, Severity.INFO) for code in ("NKI301", "NKI302", "NKI401")]
    assert loudness == [Severity.ERROR, Severity.WARNING, Severity.INFO]


def test_schema() -> None:
    Draft7Validator.check_schema(schema())
    validator = Draft7Validator(schema())
    validator.validate(toml.loads(FULL)["tool"]["nkilint"])
    for text in ("tagret = 1", 'target = "gpu"', "confirm = 1", 'severity = {NKI1 = "off"}', 'kernels = {"a" = "b"}'):
        assert not validator.is_valid(toml.loads(text)), text


def test_every_key_is_an_option_of_its_own() -> None:
    known = {f.name for f in fields(Options)}
    named = [key.field for key in KEYS.values()]
    assert set(named) == known - {"root", "configuration", "prelude", "proofs", "whole_traces"}
    assert len(set(named)) == len(named)


KERNEL = """\
import nki
import nki.language as nl


@nki.jit
def k(x):
    return nl.ndarray((129, 4), dtype=x.dtype, buffer=nl.sbuf)  # noqa: NKI301
"""


def test_findings_are_adjusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, KERNEL, "k.py")
    written(tmp_path, KERNEL, "tests/k.py")
    written(
        tmp_path,
        'select = ["NKI101", "NKI002", "NKI301"]\nseverity = {NKI1 = "info", NKI002 = "error"}\n'
        'per-file-ignores = {"tests" = ["NKI101", "NKI301"]}\n',
        "nkilint.toml",
    )
    assert main(["--output-format", "concise", "."]) == 1
    assert [line.split(" ")[:3] for line in capsys.readouterr().out.splitlines()] == [
        ["k.py:7:12:", "NKI101", "info:"],
        ["k.py:7:65:", "NKI002", "`noqa:"],
    ]


def test_config_shows_what_is_in_force(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, FULL)
    (tmp_path / "ops").mkdir()
    assert main(["config", str(tmp_path / "ops")]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    assert first == f"# {file.resolve().as_posix()}"
    shown = load(written(tmp_path, "\n".join(rest), "nkilint.toml"))
    assert shown == load(file)
    assert main(["config", "--no-config", "--output-format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert main(["config", "--no-config"]) == 0
    assert "# target is not set" in capsys.readouterr().out.splitlines()
    assert (document["file"], document["configuration"]["select"]) == (None, ["NKI"])
    assert main(["config", "--schema"]) == 0
    assert json.loads(capsys.readouterr().out) == schema()
    assert main(["config", "--target", "gpu"]) == 2
    assert capsys.readouterr().err.startswith("command line: NKI004 unknown target `gpu`")
