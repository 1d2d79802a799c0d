"""What stands around the server: the extension for Visual Studio Code, and the settings that docs/editors.md shows."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from nkilint.base import toml
from nkilint.lsp.settings import Settings

KERNEL = """\
import nki
import nki.language as nl


@nki.jit
def k(x):
    return '🙂', nl.ndarray((129, 4), dtype=x.dtype, buffer=nl.sbuf)
"""
WATCH = """\
vim.api.nvim_create_autocmd("DiagnosticChanged", { callback = function()
  for _, d in ipairs(vim.diagnostic.get(0)) do
    local line = vim.api.nvim_buf_get_lines(0, d.lnum, d.lnum + 1, true)[1]
    local found = { code = d.code, message = d.message, row = d.lnum + 1, text = line:sub(d.col + 1, d.end_col) }
    vim.fn.writefile({ vim.fn.json_encode(found) }, "found.json")
    vim.cmd("qall!")
  end
end })
vim.defer_fn(function() vim.cmd("cquit!") end, 60000)
"""
COUNT = """\
local function look()
  local roots = {}
  for _, client in ipairs(vim.lsp.get_active_clients()) do
    table.insert(roots, client.config.root_dir)
  end
  if #roots >= 3 then
    vim.fn.writefile({ vim.fn.json_encode(roots) }, "servers.json")
    vim.cmd("qall!")
  end
  vim.defer_fn(look, 200)
end
vim.api.nvim_create_autocmd("VimEnter", { nested = true, callback = function()
  vim.cmd("silent argdo edit")
  vim.defer_fn(look, 1000)
end })
vim.defer_fn(function() vim.cmd("cquit!") end, 60000)
"""


@pytest.fixture
def extension(root: Path) -> Path:
    return root / "editors" / "vscode"


@pytest.fixture
def manifest(extension: Path) -> Any:
    return json.loads((extension / "package.json").read_text(encoding="utf-8"))


def blocks(root: Path, language: str) -> list[str]:
    text = (root / "docs" / "editors.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_server_understands_every_setting_of_the_extension(manifest: Any) -> None:
    examples = {"nkiVersion": "0.3", "select": ["NKI1"], "ignore": ["NKI2"], "inlayHints": True, "confirm": False}
    own = {"nkilint.command", "nkilint.trace.server"}
    for name, setting in manifest["contributes"]["configuration"]["properties"].items():
        if name not in own:
            key = name.removeprefix("nkilint.")
            for value in setting.get("enum", [examples.get(key)]):
                settings = Settings()
                assert settings.change({key: value}) == []
                default = Settings()
                assert value in (None, setting["default"]) or vars(settings) != vars(default), (key, value)


def test_versions_agree(root: Path, manifest: Any) -> None:
    project = toml.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert manifest["version"] == project["version"]


def test_the_lock_file_fits_and_names_no_registry(extension: Path, manifest: Any) -> None:
    lock = json.loads((extension / "package-lock.json").read_text(encoding="utf-8"))
    own = lock["packages"][""]
    assert (own["dependencies"], own["devDependencies"]) == (manifest["dependencies"], manifest["devDependencies"])
    assert not any("resolved" in package for package in lock["packages"].values())


UNREACHED = re.compile(r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|E404|E403|network")


def test_the_extension_passes_its_own_tests_and_is_packed(root: Path, extension: Path, tmp_path: Path) -> None:
    """As in a clean clone."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs npm")
    clone = tmp_path / "editors" / "vscode"
    shutil.copytree(extension, clone, ignore=shutil.ignore_patterns("node_modules", "out", "*.vsix"))
    for name in ("LICENSE", "CHANGELOG.md"):
        shutil.copy(root / name, tmp_path)
    fetched = subprocess.run([npm, "ci"], cwd=clone, capture_output=True, text=True, check=False)
    if fetched.returncode and UNREACHED.search(fetched.stderr):
        pytest.skip("npm does not reach its registry")
    assert fetched.returncode == 0, fetched.stderr
    done = subprocess.run([npm, "run", "package"], cwd=clone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with zipfile.ZipFile(clone / "nkilint.vsix") as packed:
        names = {name.removeprefix("extension/").lower() for name in packed.namelist()}
        page = packed.read("extension.vsixmanifest").decode()
    assert {"package.json", "out/extension.js", "readme.md", "changelog.md", "license.txt", "icon.png"} <= names
    assert "<Icon>extension/icon.png</Icon>" in page


def test_settings_in_the_documentation_are_understood(root: Path) -> None:
    helix = toml.loads(blocks(root, "toml")[0])
    assert Settings().change(helix["language-server"]["nkilint"]["config"]) == []
    assert helix["language"][0]["language-servers"][-1] in helix["language-server"]


def neovim(root: Path, folder: Path, more: str, *files: str) -> None:
    """Open files in an editor without a screen, with the settings of the documentation and more."""
    (folder / "bin").mkdir()
    command = folder / "bin" / "nkilint"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m nkilint "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    modern, early = blocks(root, "lua")
    assert 'cmd = { "nkilint", "lsp" }' in modern
    (folder / "init.lua").write_text(early + more, encoding="utf-8")
    environment = {
        **os.environ,
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "PYTHONPATH": f"{root}:{root / 'rules'}",
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder / "config"),
    }
    run = subprocess.run(
        ["nvim", "--headless", "-n", "-u", "init.lua", *files],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.skipif(shutil.which("nvim") is None, reason="needs Neovim")
def test_neovim_shows_findings(root: Path, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(KERNEL, encoding="utf-8")
    neovim(root, tmp_path, WATCH, "k.py")
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert (found["code"], found["row"]) == ("NKI101", 7)
    assert found["text"].startswith("nl.ndarray((129, 4)")


@pytest.mark.skipif(shutil.which("nvim") is None, reason="needs Neovim")
def test_neovim_starts_one_server_for_each_project(root: Path, tmp_path: Path) -> None:
    files = ["one/a.py", "one/inner/b.py", "two/c.py", "d.py"]
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(KERNEL, encoding="utf-8")
    for name in ("one/pyproject.toml", "two/nkilint.toml"):
        (tmp_path / name).write_text("", encoding="utf-8")
    neovim(root, tmp_path, COUNT, *files)
    told = json.loads((tmp_path / "servers.json").read_text(encoding="utf-8"))
    assert sorted(told) == sorted(str(path) for path in (tmp_path, tmp_path / "one", tmp_path / "two"))
