"""Helper modules are found by the usual import rules, without importing anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nkilint.base import ir
from nkilint.base.source import SourceError
from nkilint.project.files import External, Project

from ..support.folders import empty_files

pytestmark = pytest.mark.usefixtures("in_tmp_path")


def resolved(project: Project, importer: Path, module: str, level: int = 0) -> str | External | None:
    found = project.resolve(project.module(str(importer)), module, level)
    return Path(found.path).as_posix() if isinstance(found, ir.Module) else found


def test_modules_are_lowered_once_and_carry_paths_relative_to_the_working_folder(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text("x = 1\n")
    project = Project(["."])
    module = project.module("k.py")
    assert project.module(str(tmp_path / "k.py")) is module
    assert (module.path, module.name, module.package) == ("k.py", "k", "")
    assert module.body[0].at == ir.Span("k.py", 1, 1, 1, 6)
    assert list(project.modules()) == [module]


def test_modules_outside_the_working_folder_have_absolute_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty_files(tmp_path, "a/k.py", "b/x")
    monkeypatch.chdir(tmp_path / "b")
    project = Project(["../a"])
    assert project.module(project.files[0]).path == str(tmp_path / "a" / "k.py")


def test_names_come_from_the_packages_around(tmp_path: Path) -> None:
    empty_files(tmp_path, "pkg/__init__.py", "pkg/sub/__init__.py", "pkg/sub/m.py", "script.py")
    project = Project(["."])
    named = {m.path: (m.name, m.package) for m in map(project.module, project.files)}
    assert {Path(path).as_posix(): names for path, names in named.items()} == {
        "pkg/__init__.py": ("pkg", "pkg"),
        "pkg/sub/__init__.py": ("pkg.sub", "pkg.sub"),
        "pkg/sub/m.py": ("pkg.sub.m", "pkg.sub"),
        "script.py": ("script", ""),
    }


def test_relative_imports(tmp_path: Path) -> None:
    empty_files(
        tmp_path, "pkg/__init__.py", "pkg/a.py", "pkg/sub/__init__.py", "pkg/sub/b.py", "loose/c.py", "loose/d.py"
    )
    project = Project(["."])
    b = tmp_path / "pkg/sub/b.py"
    assert resolved(project, b, "a", 2) == "pkg/a.py"
    assert resolved(project, b, "", 1) == "pkg/sub/__init__.py"
    assert resolved(project, b, "", 2) == "pkg/__init__.py"
    assert resolved(project, tmp_path / "pkg/__init__.py", "sub.b", 1) == "pkg/sub/b.py"
    assert resolved(project, tmp_path / "loose/c.py", "d", 1) == "loose/d.py"
    assert resolved(project, b, "missing", 1) is None


def test_a_script_sees_its_neighbours(tmp_path: Path) -> None:
    empty_files(tmp_path, "t/script.py", "t/helper.py", "p/__init__.py", "p/script.py", "p/helper.py")
    project = Project(["t", "p/script.py"])
    assert resolved(project, tmp_path / "t/script.py", "helper") == "t/helper.py"
    assert resolved(project, tmp_path / "p/script.py", "helper") == "p/helper.py"
    assert resolved(project, tmp_path / "p/script.py", "p.helper") == "p/helper.py"


def test_project_folder_src_and_given_folders_are_searched(tmp_path: Path) -> None:
    empty_files(tmp_path, "repo/pyproject.toml", "repo/tests/t.py", "repo/src/lib/__init__.py", "repo/src/lib/k.py")
    empty_files(tmp_path, "repo/tools/x.py", "other/src/far/y.py")
    project = Project(["repo/tests/t.py", "other"])
    t = tmp_path / "repo/tests/t.py"
    assert resolved(project, t, "lib.k") == "repo/src/lib/k.py"
    assert resolved(project, t, "tools.x") == "repo/tools/x.py"
    assert resolved(project, t, "far.y") == "other/src/far/y.py"
    assert resolved(project, t, "lib.missing") == External("lib.missing")


def test_namespace_packages(tmp_path: Path) -> None:
    empty_files(tmp_path, "t.py", "src/space/part/k.py", "data/readme.txt", "space/other.txt")
    project = Project(["."])
    assert resolved(project, tmp_path / "t.py", "space.part.k") == "src/space/part/k.py"
    found = project.resolve(project.module("t.py"), "space", 0)
    assert isinstance(found, ir.Module)
    assert (found.name, found.body) == ("space", ())
    part = project.resolve(found, "part", 1)
    assert isinstance(part, ir.Module)
    assert Path(part.path).as_posix() == "src/space/part/__init__.py"
    assert resolved(project, tmp_path / "t.py", "data") == External("data")


def test_a_module_hides_a_namespace_package(tmp_path: Path) -> None:
    empty_files(tmp_path, "t/script.py", "t/common/x.py", "common.py")
    project = Project(["."])
    assert resolved(project, tmp_path / "t/script.py", "common") == "common.py"


@pytest.mark.parametrize("name", ["math", "os.path", "numpy", "torch.nn", "neuronxcc.nki.language", "nki", "pytest"])
def test_known_packages_are_outside_even_if_a_file_has_their_name(tmp_path: Path, name: str) -> None:
    top = name.partition(".")[0]
    empty_files(tmp_path, "t.py", f"{top}.py", f"{top}/__init__.py")
    assert resolved(Project(["."]), tmp_path / "t.py", name) == External(name)


def test_cyclic_imports_are_harmless(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import b\n")
    (tmp_path / "b.py").write_text("import a\n")
    project = Project(["a.py"])
    assert resolved(project, tmp_path / "a.py", "b") == "b.py"
    assert resolved(project, tmp_path / "b.py", "a") == "a.py"


def test_helpers_that_do_not_parse_are_their_error(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import b\n")
    (tmp_path / "b.py").write_text("x = (\n")
    project = Project(["a.py"])
    lost = project.resolve(project.module("a.py"), "b", 0)
    assert str(lost) == "b.py:1:5: NKI001 '(' was never closed"
    with pytest.raises(SourceError):
        project.module("b.py")


def test_the_overlay_hides_the_disk(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = (\n")
    overlay = {str(tmp_path / "a.py"): b"import nki\n", str(tmp_path / "new.py"): b"y = 1\n", "-": b"import new\n"}
    project = Project([".", "-"], overlay)
    assert [Path(f).name for f in project.files] == ["a.py", "new.py", "-"]
    assert len(project.module("a.py").body) == 1
    assert list(project.targets()) == ["a.py"]
    standard_input = project.module("-")
    assert standard_input.path == "-"
    found = project.resolve(standard_input, "new", 0)
    assert isinstance(found, ir.Module)
    assert found.path == "new.py"


def test_files_without_kernels_need_no_parser(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 'nki'\n")
    code = (
        "import sys; from nkilint.project.files import Project; "
        "assert not list(Project(['.']).targets()); assert 'libcst' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)}, cwd=tmp_path)


@pytest.mark.parametrize(
    "declared",
    [
        '[tool.setuptools.packages.find]\nwhere = ["python"]',
        '[tool.setuptools.package-dir]\n"" = "python"',
        '[tool.setuptools.package-dir]\nours = "python/ours"',
        '[tool.hatch.build.targets.wheel]\npackages = ["python/ours"]',
        '[[tool.poetry.packages]]\ninclude = "ours"\nfrom = "python"',
    ],
)
def test_packages_are_found_where_the_project_declares_them(tmp_path: Path, declared: str) -> None:
    empty_files(tmp_path, "kernels/k.py", "python/ours/__init__.py", "python/ours/tiles.py")
    (tmp_path / "pyproject.toml").write_text(declared)
    assert resolved(Project(["kernels"]), tmp_path / "kernels/k.py", "ours.tiles") == "python/ours/tiles.py"


@pytest.mark.parametrize(
    "text",
    ["", "tool = 3", "[tool]\nsetuptools = 1", "[tool.hatch]\nbuild = []", "[tool.poetry]\npackages = [3]", "not TOML"],
)
def test_a_project_that_declares_nothing(tmp_path: Path, text: str) -> None:
    empty_files(tmp_path, "kernels/k.py", "python/ours/__init__.py")
    (tmp_path / "pyproject.toml").write_text(text)
    assert resolved(Project(["kernels"]), tmp_path / "kernels/k.py", "ours") == External("ours")


def test_packages_are_found_on_search_paths(tmp_path: Path) -> None:
    empty_files(tmp_path, "kernels/k.py", "site/ours/__init__.py", "site/ours/tiles.py")
    project = Project(["kernels"], search=[tmp_path / "site"])
    assert resolved(project, tmp_path / "kernels/k.py", "ours.tiles") == "site/ours/tiles.py"


def test_an_inner_package_is_found_by_its_own_name(tmp_path: Path) -> None:
    empty_files(
        tmp_path, *(f"src/all/{name}" for name in ("__init__.py", "lib/__init__.py", "lib/k.py", "lib/sub/__init__.py"))
    )
    empty_files(tmp_path, "src/all/lib/sub/k.py", "src/all/tiles.py")
    for importer in ("src/all/lib/k.py", "src/all/lib/sub/k.py"):
        project = Project(["src"])
        assert resolved(project, tmp_path / importer, "lib.sub") == "src/all/lib/sub/__init__.py"
        assert resolved(project, tmp_path / importer, "tiles") == External("tiles")
