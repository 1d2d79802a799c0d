"""The pytest plugin: `pytest --nkilint kernels/` has an item for each kernel, which fails where `nkilint` would.

It comes with the package, so whoever does not use it pays for this module alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("nkilint")
    group.addoption("--nkilint", action="store_true", help="verify the NKI kernels in the files given, each as an item")
    group.addoption("--nkilint-strict", action="store_true", help="fail for warnings and unknown obligations, too")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    return None if _instead(file_path, parent) else _kernels(file_path, parent)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    return _kernels(module_path, parent) if _instead(module_path, parent) else None


def _instead(path: Path, parent: pytest.Collector) -> bool:
    """Whether a file would be imported only because it is named on the command line, and holds no tests."""
    patterns = parent.config.getini("python_files")
    return parent.session.isinitpath(path) and not any(path.match(pattern) for pattern in patterns)


def _kernels(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if not parent.config.option.nkilint or path.suffix != ".py":
        return None
    from .items import kernels_in  # only where it is asked for: the analysis takes long to import

    return kernels_in(path, parent)
