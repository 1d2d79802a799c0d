"""The folders import each other in one direction only, and each is checked for types."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from nkilint.base import toml

from .support.floor_plan import Import, Module, circles, modules

ROOTS = ("rules/nkilint_rules", "reference_sim", "nkilint")
OUTSIDE = {
    "nkilint_rules": frozenset({"libcst", "z3", "numpy", "islpy", "nkilint", "reference_sim"}),
    "reference_sim": frozenset({"nkilint"}),
    "nkilint": frozenset(),
}
"""What no module of a root imports."""

PLAN: dict[str, tuple[tuple[str, ...], ...]] = {
    "nkilint_rules": (
        ("vendor",),
        ("catalogue", "misfits"),
        ("dataflow", "indexing", "language", "lifetime", "limits", "migration", "operands", "parallel", "placement",
         "tool"),
        ("needs",),
        ("rule",),
        ("operations", "placing"),
        ("words",),
    ),
    "reference_sim": (
        ("__main__", "arguments", "cli", "frameworks", "pytest", "standin"),
        ("running",),
        ("observers",),
        ("operations",),
        ("tensors",),
        ("machine",),
        ("report",),
    ),
    "nkilint": (
        ("__main__",),
        ("cli", "lsp", "pytest", "serve"),
        ("api",),
        ("migrate",),
        ("run",),
        ("verdicts", "confirm", "fixes", "report"),
        ("analyses",),
        ("evaluator",),
        ("prover", "project", "lowering", "warm"),
        ("symbolic", "base"),
    ),
}  # fmt: skip
"""The packages of each root, in layers: one imports from its own layer, without circles, and from those below."""

SIMULATORS_USERS = frozenset({"confirm", "cli", "run"})
"""The packages of the verifier that import the simulator."""

MOST_LINES, MOST_LINES_OF_A_FUNCTION, MOST_LOOSE, MOST_HIDDEN = 400, 50, 5, 40

UPWARDS: set[tuple[str, str]] = set()
"""Arrows that still point the other way."""

LONG_FILES: set[str] = set()
"""Files that still are too long."""

CIRCLES: dict[str, str] = {
    "nkilint.symbolic.conditions": "`a < b`, `a // b` of integers make conditions and quotients, which hold integers",
}
"""Modules that import each other, by one of each circle, with the reason."""


def every_module(root: Path) -> list[Module]:
    return [module for folder in ROOTS for module in modules(root / folder)]


@pytest.mark.parametrize("folder", ROOTS)
def test_roots_import_one_way(root: Path, folder: str) -> None:
    forbidden = OUTSIDE[Path(folder).name]
    found = [i for module in modules(root / folder) for i in module.imports()]
    assert [str(i) for i in found if i.name.partition(".")[0] in forbidden] == []
    assert [str(i) for i in found if i.name.partition(".")[0] in ("tests", "benchmarks", "examples")] == []


def test_only_clients_of_the_simulator_import_it(root: Path) -> None:
    found = [i for module in modules(root / "nkilint") for i in module.imports() if i.name.startswith("reference_sim")]
    assert [str(i) for i in found if i.module.part not in SIMULATORS_USERS] == []


@pytest.mark.parametrize("folder", ROOTS)
def test_every_package_is_in_the_plan(root: Path, folder: str) -> None:
    planned = {part for layer in PLAN[Path(folder).name] for part in layer}
    assert {module.part for module in modules(root / folder)} - {"__init__"} == planned


def arrows(root: Path, folder: str) -> dict[tuple[str, str], Import]:
    """The arrows between the packages of a root, each with an import that makes it."""
    name, found = Path(folder).name, {}
    for module in modules(root / folder):
        for i in module.imports():
            there, _, rest = i.name.partition(".")
            part = rest.partition(".")[0]
            if there == name and part not in ("", module.part) and module.part != "__init__":
                found[module.part, part] = i
    return found


@pytest.mark.parametrize("folder", ROOTS)
def test_packages_import_downwards(root: Path, folder: str) -> None:
    name = Path(folder).name
    layer = {part: number for number, parts in enumerate(PLAN[name]) for part in parts}
    upwards = {(a, b): i for (a, b), i in arrows(root, folder).items() if layer.get(b, 99) < layer[a]}
    known = {(a.partition(".")[2], b.partition(".")[2]) for a, b in UPWARDS if a.partition(".")[0] == name}
    assert [str(i) for arrow, i in upwards.items() if arrow not in known] == []
    assert known - set(upwards) == set(), "these are mended: take them from UPWARDS"


@pytest.mark.parametrize("folder", ROOTS)
def test_packages_form_no_circle(root: Path, folder: str) -> None:
    name, edges = Path(folder).name, {}
    for a, b in arrows(root, folder):
        if (f"{name}.{a}", f"{name}.{b}") not in UPWARDS:
            edges.setdefault(a, []).append(b)
    assert circles(edges) == []


@pytest.mark.parametrize("folder", ROOTS)
def test_modules_form_no_circle(root: Path, folder: str) -> None:
    names = {module.name for module in modules(root / folder)}
    edges: dict[str, list[str]] = {}
    for module in modules(root / folder):
        for i in module.imports():
            if not i.hidden and not i.typing:
                there = i.name if i.name in names else i.name.rpartition(".")[0]
                if there in names and there != module.name:
                    edges.setdefault(module.name, []).append(there)
    found = circles(edges)
    known = {name for name in CIRCLES if name.startswith(f"{Path(folder).name}.")}
    assert [circle for circle in found if not known & set(circle)] == []
    assert {name for name in known if not any(name in circle for circle in found)} == set()


def test_files_are_short(root: Path) -> None:
    found = {str(m.path.relative_to(m.root.parent)) for m in every_module(root) if m.is_long(MOST_LINES)}
    assert found - LONG_FILES == set()
    assert LONG_FILES - found == set(), "these are short: take them from LONG_FILES"


def test_functions_are_short(root: Path) -> None:
    found = {f for m in every_module(root) for f in m.long_functions(MOST_LINES_OF_A_FUNCTION)}
    assert found == set()


def test_imports_stand_at_the_top_of_files(root: Path) -> None:
    hidden = {(i.module.path, i.row): i for m in every_module(root) for i in m.imports() if i.hidden}
    assert len(hidden) <= MOST_HIDDEN, sorted(map(str, hidden.values()))
    assert [str(i) for i in hidden.values() if not i.module.reason(i.row)] == []


@pytest.mark.parametrize("folder", ["nkilint", "reference_sim"])
def test_the_readers_name_rules_by_their_classes(root: Path, folder: str) -> None:
    found = [
        f"{module.path}:{node.lineno}"
        for module in modules(root / folder)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and re.fullmatch(r"NKI\d{3}", str(node.value))
    ]
    assert found == []


NAMED = re.compile(r"`([\w/]+/(?:\w+\.py)?)`|(?:pytest -q|look at) (tests/\S+)")


def test_contributing_names_what_is_there(root: Path) -> None:
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = {name for found in NAMED.findall(text) for name in found if name}
    assert len(named) > 10
    below = (root, root / "rules", root / "rules/nkilint_rules")
    assert [name for name in sorted(named) if not any((folder / name).exists() for folder in below)] == []


BY_KIND = {"lowering", "evaluator", "base", "migrate"}
"""Who makes, runs, defines and rewrites statements, each kind by itself."""


def test_statements_that_hold_others_are_known_to_lowering_and_evaluator_alone(root: Path) -> None:
    """Whoever looks for names or blocks walks all nodes alike: no table of statements to add a construct to."""
    found = [
        f"{module.path}:{node.lineno} {node.attr}"
        for module in modules(root / "nkilint")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ir"
        if node.attr in ("While", "With", "Try", "Match", "ValuePattern", "MappingPattern")
        if module.part not in BY_KIND
    ]
    assert found == []


@pytest.mark.parametrize("folder", ROOTS)
def test_few_modules_are_loose(root: Path, folder: str) -> None:
    loose = [m for m in modules(root / folder) if m.path.parent == m.root and not m.path.name.startswith("__")]
    assert len(loose) <= MOST_LOOSE


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


def test_the_evaluator_imports_one_way(root: Path) -> None:
    layers = ["values", "state", "device", "python", "kernels"]
    found = []
    for file in sorted((root / "nkilint/evaluator").rglob("*.py")):
        parts = file.relative_to(root / "nkilint/evaluator").parts
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == len(parts) and node.module and len(parts) > 1:
                there = node.module.partition(".")[0]
                if there in layers and layers.index(there) > layers.index(parts[0]):
                    found.append(f"{'/'.join(parts)} imports {node.module}")
    assert found == []
