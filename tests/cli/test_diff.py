"""`--diff REF`: only kernels that a change touches, in themselves, in what they use, or where they are run."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from nkilint.cli import main
from nkilint.project.changes import ChangesError, Hunk, since

HELPERS = """\
import nki.language as nl

ROWS = 129
OTHER = 130


def wide(x):
    dtype = x.dtype
    return nl.ndarray((ROWS, 4), dtype=dtype, buffer=nl.sbuf)


class Maker:
    def make(self, x):
        return nl.ndarray((OTHER, 4), dtype=x.dtype, buffer=nl.sbuf)
"""
KERNELS = """\
import nki
import nki.language as nl
import tools
from helpers import *
from tools.sizes import wide as renamed


# nkilint: x: float32[4, 4]
@nki.jit
def own(x):
    return nl.ndarray((131, 4), dtype=x.dtype, buffer=nl.sbuf)


@nki.jit
def outer(x):
    return own(x)


@nki.jit
def with_helper(x):
    return renamed(x)


@nki.jit
def with_class(x):
    return Maker().make(x)


def factory(size):
    @nki.jit
    def inner(x):
        return nl.ndarray((size, 4), dtype=x.dtype, buffer=nl.sbuf)

    return inner


def host():
    return own(shape())


def shape():
    return 4
"""
ALL = {"own", "outer", "with_helper", "with_class", "factory.inner"}
LANGUAGE = "import nki.language as nl\n"
Touched = Callable[[], set[str]]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, value in {"NAME": "n", "EMAIL": "n@example.org"}.items():
        monkeypatch.setenv(f"GIT_AUTHOR_{name}", value)
        monkeypatch.setenv(f"GIT_COMMITTER_{name}", value)
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "tools" / "sizes.py").write_text("from helpers import wide\n", encoding="utf-8")
    (tmp_path / "helpers.py").write_text(HELPERS, encoding="utf-8")
    (tmp_path / "kernels.py").write_text(KERNELS, encoding="utf-8")
    git("init", "-q", "-b", "main")
    commit()
    return tmp_path


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)


def commit() -> None:
    git("add", "-A")
    git("commit", "-q", "-m", "change")


@pytest.fixture
def touched(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Touched:
    """The kernels that a run verifies."""
    from nkilint.project import affected as module

    chosen: set[str] = set()
    choose = module.Touched.choose

    def recording(self: module.Touched, *arguments: object) -> list[object]:
        found = choose(self, *arguments)  # type: ignore[arg-type]
        chosen.clear()
        chosen.update(k.name for k in found)
        return []

    monkeypatch.setattr(module.Touched, "choose", recording)

    def run() -> set[str]:
        assert main(["--diff", "HEAD", "."]) == 0
        return set(chosen)

    return run


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new", "kernels"),
    [
        ("kernels.py", "(131, 4)", "(132, 4)", {"own", "outer"}),
        ("kernels.py", "float32[4, 4]", "float32[4, 5]", {"own", "outer"}),
        ("kernels.py", "# nkilint: x: float32[4, 4]\n", "", {"own", "outer"}),
        ("kernels.py", "    return own(x)", "    return  own(x)", {"outer"}),
        ("kernels.py", "(size, 4)", "(size, 5)", {"factory.inner"}),
        ("kernels.py", "def shape():\n    return 4\n", "def shape():\n    return 5\n", {"own"}),
        ("kernels.py", "\n\ndef shape():\n    return 4\n", "", {"own"}),
        ("kernels.py", "import tools\n", "import tools\nimport os\n", set()),
        ("kernels.py", "import tools\n", "import tools\n\n\ndef unused():\n    return 3\n", set()),
        ("kernels.py", "import tools\n", "# a remark\nimport tools\n\n", set()),
        ("kernels.py", LANGUAGE, LANGUAGE + "\n", set()),
        ("kernels.py", LANGUAGE, "from nki import language as nl\n", {"own", "factory.inner", "outer"}),
        ("helpers.py", "ROWS = 129\n", "ROWS = 128\n", {"with_helper"}),
        ("helpers.py", "ROWS = 129\n", "", {"with_helper"}),
        ("helpers.py", "(OTHER, 4)", "(OTHER, 5)", {"with_class"}),
        ("helpers.py", "    def make(self, x):", "    def make(self, y):", {"with_class"}),
        ("helpers.py", "    return nl.ndarray((ROWS, 4), dtype=dtype, buffer=nl.sbuf)\n", "", {"with_helper"}),
        ("tools/sizes.py", "from helpers import wide\n", "from helpers import wide  # noqa\n", {"with_helper"}),
        ("tools/sizes.py", "from helpers import wide\n", "", {"with_helper"}),
    ],
)  # fmt: skip
def test_kernels_touched(repository: Path, touched: Touched, file: str, old: str, new: str, kernels: set[str]) -> None:
    replace(repository / file, old, new)
    assert touched() == kernels


def test_nothing_has_changed(touched: Touched) -> None:
    assert touched() == set()


def test_a_new_file_is_all_new(repository: Path, touched: Touched) -> None:
    (repository / "run.py").write_text("from kernels import outer\n\nouter(3)\n", encoding="utf-8")
    (repository / "more.py").write_text(KERNELS.replace("own", "mine"), encoding="utf-8")
    assert touched() == {"outer", "mine", "with_helper", "with_class", "factory.inner"}


def test_a_change_is_counted_from_where_the_branch_began(repository: Path, touched: Touched) -> None:
    git("checkout", "-q", "-b", "branch")
    replace(repository / "kernels.py", "(size, 4)", "(size, 5)")
    commit()
    git("checkout", "-q", "main")
    replace(repository / "kernels.py", "(131, 4)", "(132, 4)")
    commit()
    git("checkout", "-q", "branch")
    assert list(since("main", repository)) == [str(repository / "kernels.py")]
    assert touched() == set()
    assert since("main", repository)[str(repository / "kernels.py")] == (
        Hunk(32, 1, ("        return nl.ndarray((size, 4), dtype=x.dtype, buffer=nl.sbuf)",)),
    )


def test_only_findings_of_the_change(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replace(repository / "kernels.py", "    return renamed(x)\n", "    return renamed(x)  # noqa: NKI999\n")
    (repository / "kernels.py").open("a", encoding="utf-8").write("\n\nTAIL = 3  # noqa: NKI998\n")
    replace(repository / "helpers.py", "OTHER = 130\n", "OTHER = 130\n\n")
    (repository / "broken.py").write_text("import nki\ndef f(:\n", encoding="utf-8")
    git("add", "broken.py")
    git("commit", "-q", "-m", "break", "broken.py")
    assert (
        main(["--diff", "HEAD", "--select", "NKI0,NKI101", "--ignore", "NKI003", "--output-format", "concise", "."])
        == 1
    )
    found = [line.split(" ")[:2] for line in capsys.readouterr().out.splitlines()]
    assert found == [["helpers.py:10:12:", "NKI101"], ["kernels.py:21:24:", "NKI002"], ["kernels.py:45:11:", "NKI002"]]


def test_diffs_are_read_as_git_writes_them(repository: Path) -> None:
    odd = repository / 'a "b" ä.py'
    odd.write_text("-- a\n++ b\nlast", encoding="utf-8")
    commit()
    odd.write_text("x\n@@ -1 +1 @@\ny\nlast\n", encoding="utf-8")
    (repository / "helpers.py").unlink()
    assert since("HEAD", repository) == {str(odd): (Hunk(1, 4, ("-- a", "++ b", "last")),)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--diff", "nowhere", "."], "--diff: `nowhere` is not a git revision here"),
        (["--diff=--output=x", "."], "--diff: `--output=x` is not a git revision"),
        (
            ["--diff", "HEAD", "--baseline", "b", "--write-baseline", "."],
            "--write-baseline writes what a whole run finds; leave out --diff",
        ),
    ],
)
def test_mistakes(repository: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err == f"command line: NKI004 {message}\n"


def test_outside_of_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert main(["--diff", "HEAD", "."]) == 2
    assert capsys.readouterr().err.startswith("command line: NKI004 --diff: git rev-parse: not a git repository")


def test_nothing_is_run_that_the_repository_names(repository: Path) -> None:
    """Neither its configuration nor its attributes, whatever it is that they offer."""
    mark = repository / "ran"
    program = repository / "program"
    program.write_text(f"#!/bin/sh\necho $0 >> {mark}\ncat\n", encoding="utf-8")
    program.chmod(0o755)
    keys = [
        *("core.fsmonitor", "core.pager", "diff.external", "diff.own.command", "diff.own.textconv", "filter.own.clean"),
        *("filter.own.smudge", "filter.own.process", "core.sshCommand", "core.editor", "pager.diff", "core.askPass"),
        *("filter.a.b.clean", "core.alternateRefsCommand"),
    ]
    for key in keys:
        subprocess.run(["git", "config", key, str(program)], cwd=repository, check=True)
    subprocess.run(["git", "config", "filter.own.required", "true"], cwd=repository, check=True)
    hooks = repository / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "fsmonitor-watchman", "pre-commit"):
        (hooks / name).write_bytes(program.read_bytes())
        (hooks / name).chmod(0o755)
    (repository / ".gitattributes").write_text("*.py filter=own diff=own\nh*.py filter=a.b\n", encoding="utf-8")
    file = repository / "helpers.py"
    file.write_text(HELPERS.replace("129", "133"), encoding="utf-8")
    changes = since("HEAD", repository)
    assert changes[str(file)] == (Hunk(3, 1, ("ROWS = 129",)),)
    assert not mark.exists()
    subprocess.run(["git", "config", "filter.a=b.clean", str(program)], cwd=repository, check=True)
    (repository / ".gitattributes").write_text("*.py filter=a=b\n", encoding="utf-8")
    (repository / "new").mkdir()
    with pytest.raises(ChangesError, match=r"`filter.a=b` of the repository's configuration cannot be left out"):
        since("HEAD", repository / "new")
    assert not mark.exists()
