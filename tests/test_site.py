"""The documentation as a site: it builds without a warning, and what it shows is what the tool prints."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nkilint.cli import main


@pytest.fixture
def quick_start(root: Path) -> str:
    return (root / "docs" / "index.md").read_text(encoding="utf-8")


def test_the_site_builds_without_a_warning(root: Path, tmp_path: Path) -> None:
    pytest.importorskip("material", reason="needs the extra `docs`")
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")],
        cwd=root,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (0, ""), run.stderr
    built = {page.parent.name for page in (tmp_path / "site").rglob("index.html")}
    assert built >= {page.stem for page in (root / "docs").rglob("*.md") if page.stem != "index"}


def test_the_quick_start_shows_what_is_printed(
    quick_start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = re.search(r'```python title="kernels/double.py"\n(.*?)```', quick_start, re.DOTALL)
    shown = re.search(r'```text title="nkilint --output-format concise kernels/"\n(.*?)\n```', quick_start, re.DOTALL)
    assert source is not None
    assert shown is not None
    monkeypatch.chdir(tmp_path)
    Path("kernels").mkdir()
    file = Path("kernels/double.py")
    file.write_text(source[1], encoding="utf-8")
    assert main(["--output-format", "concise", "kernels/"]) == 0
    assert capsys.readouterr().out.splitlines() == [shown[1]]
    for change, verdict in (("assert rows <= 128", None), ("# nkilint: x: bfloat16[M, N], M <= 128", "@nki.jit")):
        assert f"`{change}`" in quick_start
        text = source[1].replace(verdict, f"{change}\n{verdict}") if verdict else source[1]
        file.write_text(text, encoding="utf-8")
        assert main(["--strict", "kernels/", *([] if verdict else ["--fix"])]) == 0
        assert change in file.read_text(encoding="utf-8")


def test_a_simulation_tells_of_the_sizes_it_was_given(root: Path, tmp_path: Path) -> None:
    """What the comparison with other tools says of the first kernel of the tutorial."""
    tutorial = (root / "docs/tutorial.md").read_text(encoding="utf-8")
    assert "is right for 256 rows and leaves out rows for 300" in (root / "docs/comparison.md").read_text(
        encoding="utf-8"
    )
    source = re.search(r'```python title="kernels/double.py"\n(.*?)```', tutorial, re.DOTALL)
    assert source is not None
    run = "import numpy as np\nx = np.ones((ROWS, 8), np.float32)\nassert (nki.simulate(double)(x) == 2 * x).all()\n"
    codes = []
    for rows in (256, 300):
        script = tmp_path / f"script_{rows}.py"
        script.write_text(source[1] + run.replace("ROWS", str(rows)), encoding="utf-8")
        command = [sys.executable, "-m", "nkilint", "run", str(script)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        codes.append((done.returncode, re.findall(r"NKI\d+", done.stderr)))
    assert codes == [(0, []), (1, ["NKI703"])]


def test_the_tutorial_shows_what_is_printed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each step, on the kernel as it is there."""
    text = (root / "docs" / "tutorial.md").read_text(encoding="utf-8")
    blocks = dict(re.findall(r'```\w+ title="(.*?)"\n(.*?)```', text, re.DOTALL))
    monkeypatch.chdir(tmp_path)
    Path("kernels").mkdir()
    file = Path("kernels/double.py")
    first = blocks["kernels/double.py"]
    file.write_text(first, encoding="utf-8")
    assert main(["--output-format", "concise", "kernels/"]) == 0
    assert capsys.readouterr().out == blocks["nkilint --output-format concise kernels/"]
    assert main(["--diff-only", "--no-confirm", "kernels/"]) == 1
    (assertion,) = re.findall(r"`(assert [^`]+)`", text)
    assert f"\n+    {assertion}\n" in capsys.readouterr().out
    begin, end = first.index("    for i"), first.index("    return")
    file.write_text(first[:begin] + blocks["kernels/double.py, the loop"] + first[end:], encoding="utf-8")
    assert main(["--strict", "kernels/"]) == 0
    capsys.readouterr()
    assert main(["explain", "kernels/double.py::double"]) == 0
    assert capsys.readouterr().out.startswith(blocks["nkilint explain kernels/double.py::double"])
    Path("test_double.py").write_text(blocks["test_double.py"], encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "reference_sim.pytest",
        "-p",
        "no:cacheprovider",
        "test_double.py",
    ]
    paths = os.pathsep.join([str(root), str(root / "rules"), str(tmp_path)])
    ran = subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout


def test_a_finding_explained_is_a_finding_printed(
    quick_start: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (root / "docs" / "findings.md").read_text(encoding="utf-8")
    source = re.search(r'```python title="kernels/double.py"\n(.*?)```', quick_start, re.DOTALL)
    shown = re.search(r"```text\n(.*?)```", page, re.DOTALL)
    assert source is not None
    assert shown is not None
    monkeypatch.chdir(tmp_path)
    Path("kernels").mkdir()
    Path("kernels/double.py").write_text(source[1], encoding="utf-8")
    assert main(["kernels/"]) == 0
    assert capsys.readouterr().out == shown[1]


def test_every_rule_that_can_be_repaired_is_named(root: Path) -> None:
    from nkilint.fixes.proposing import PROPOSALS

    page = (root / "docs" / "repairs.md").read_text(encoding="utf-8")
    named = set(re.findall(r"rules/(NKI\d+)\.md", page))
    assert named == {*PROPOSALS, "NKI703"}


def test_make_knows_the_site(root: Path) -> None:
    make = shutil.which("make")
    if make is None:
        pytest.skip("needs make")
    run = subprocess.run([make, "-n", "site"], cwd=root, capture_output=True, text=True, check=False)
    assert "mkdocs build --strict" in run.stdout
