"""The folders import each other in one direction only, and each is checked for types."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from nkilint.base import toml

OURS = {"nkilint", "nkilint_rules", "reference_sim", "tests", "benchmarks", "examples"}
MAY_IMPORT = {
    "rules/nkilint_rules": {"nkilint_rules"},
    "reference_sim": {"nkilint_rules", "reference_sim"},
    "nkilint": {"nkilint", "nkilint_rules", "reference_sim"},
}
FORBIDDEN_IN_RULES = {"libcst", "z3", "numpy", "islpy"}


def imported(file: Path, package: str) -> Iterator[str]:
    """Top-level names of the modules that `file` imports, anywhere in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield package if node.level else (node.module or "").partition(".")[0]


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_imports_point_one_way(root: Path, folder: str) -> None:
    package = Path(folder).name
    wrong = [
        f"{file.relative_to(root)} imports {name}"
        for file in sorted((root / folder).rglob("*.py"))
        for name in imported(file, package)
        if name in OURS - MAY_IMPORT[folder] or (package == "nkilint_rules" and name in FORBIDDEN_IN_RULES)
    ]
    assert wrong == []


def test_packages_of_the_wheel_are_type_checked(root: Path) -> None:
    settings = toml.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    packages = settings["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert packages == ["nkilint", "rules/nkilint_rules", "reference_sim"]
    with_code = [p for p in packages if any((root / p).rglob("*.py"))]
    assert settings["mypy"]["files"] == with_code


@pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"], ["rule", "NKI301"], ["rule", "--all"]])
def test_light_commands_import_nothing_heavy(root: Path, arguments: list[str]) -> None:
    script = (
        "import sys\n"
        "from nkilint.cli import main\n"
        f"code = main({arguments!r})\n"
        "heavy = {'libcst', 'numpy', 'z3', 'islpy', 'ml_dtypes', 'reference_sim.running.launch'}\n"
        "heavy = sorted(heavy & set(sys.modules))\n"
        "print(code, heavy, file=sys.stderr)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": f"{root}:{root / 'rules'}", "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert run.stderr == "0 []\n"
    assert run.stdout
