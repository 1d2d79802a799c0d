"""The wheel holds the whole rulebook, and what the repository promises to pip and pre-commit is there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import numpy
import pytest

from nkilint import __version__
from nkilint_rules.catalogue import rules

LIST_RULES = "from nkilint_rules.catalogue import rules; print(*rules())"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    root = Path(__file__).parents[1]
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(folder), str(root)]
    subprocess.run(command, check=True, capture_output=True)
    (file,) = folder.glob("*.whl")
    return file


def test_wheel_has_the_same_rules(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    command = [sys.executable, "-c", LIST_RULES]
    run = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}
    )
    assert run.stdout.split() == list(rules())


def test_wheel_has_every_module_and_nothing_else(wheel: Path, root: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
        names = archive.namelist()
    wanted = {
        str(file.relative_to(base))
        for base, package in ((root, "nkilint"), (root / "rules", "nkilint_rules"), (root, "reference_sim"))
        for file in (base / package).rglob("*")
        if file.suffix in (".py", ".typed", ".html", ".css", ".js")
    }
    assert packed == wanted
    assert any(name.endswith("/entry_points.txt") for name in names)
    assert any(name.endswith("/licenses/LICENSE") for name in names)


FRAMEWORKS = """
import torch_neuronx, torch_xla, torch_xla.core.xla_model as xm
from jax_neuronx import nki_call
from torch_neuronx.xla_impl.ops import nki_jit
import neuronxcc.nki.language as nl, numpy as np, reference_sim

@torch_neuronx.nki_jit
def double(x, out):
    nl.store(out, nl.load(x) * 2)

out = np.zeros((4, 8), np.float32)
double(np.ones((4, 8), np.float32), out)
xm.mark_step()
print(xm.xla_device(), out.max(), nki_jit is torch_neuronx.nki_jit, reference_sim.__file__)
"""


def test_installed_scripts_find_what_joins_nki_to_frameworks(wheel: Path, tmp_path: Path) -> None:
    """PyTorch and JAX are large: here are modules of their names in their place."""
    venv.create(tmp_path / "venv", with_pip=False)
    (packages,) = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    (packages / "dependencies.pth").write_text(str(Path(numpy.__file__).parents[1]) + "\n")
    (tmp_path / "torch.py").write_text("device = str\n")
    (tmp_path / "jax.py").write_text("")
    (tmp_path / "script.py").write_text(FRAMEWORKS)
    command = [str(tmp_path / "venv" / "bin" / "python"), "-m", "nkilint", "run", "script.py"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)
    place = packages / "reference_sim" / "__init__.py"
    assert (done.stderr, done.stdout) == ("", f"cpu 2.0 True {place}\n")


def test_hooks_file_is_regular_and_the_other_name_points_to_it(root: Path) -> None:
    hooks, link = root / ".pre-commit-hooks.yaml", root / "pre-commit-hooks.yaml"
    assert hooks.is_file()
    assert not hooks.is_symlink()
    assert link.is_symlink()
    assert str(link.readlink()) == ".pre-commit-hooks.yaml"
    assert "require_serial: true" in hooks.read_text(encoding="utf-8")


def test_every_package_is_typed_for_those_who_import_it(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        typed = {name for name in archive.namelist() if name.endswith("py.typed")}
    assert typed == {"nkilint/py.typed", "nkilint_rules/py.typed", "reference_sim/py.typed"}


def test_the_version_is_one(root: Path) -> None:
    settings = (root / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{__version__}"' in settings
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## {__version__} " in changes
    assert f"v{__version__}" in (root / "README.md").read_text(encoding="utf-8")


def test_readme_and_ci_run_the_same_tests(root: Path) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", (root / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    start, *_, test = blocks
    assert start.strip().endswith("nkilint examples/")
    assert len(start.strip().splitlines()) == len(test.strip().splitlines()) == 1
    steps = [step.strip().replace(".venv/bin/", "") for step in test.split("&&")]
    script = (root / ".ci/run").read_text(encoding="utf-8").replace('"$venv/bin/', "").replace('"', "")
    assert steps[0] == "python3 -m venv .venv"
    for step in steps[1:]:
        assert step in script.splitlines()
