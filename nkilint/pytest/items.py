"""Kernels as items of pytest. Their files are never imported."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from nkilint.base.config import ConfigError, find, load
from nkilint.base.findings import Diagnostic, Report
from nkilint.base.options import Options
from nkilint.base.source import Overlay, may_define_kernels, read_bytes, source_lines
from nkilint.base.store import FOLDER, Store
from nkilint.report.style import Style
from nkilint.report.text import full_text
from nkilint.run.command import run
from nkilint.run.reading import session_of
from nkilint_rules.rule import Severity


class KernelFault(Exception):
    """What is wrong with a kernel, as text."""


def kernels_in(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The collector of a file that may hold kernels."""
    if not may_define_kernels(read_bytes(str(path), Overlay())):
        return None
    node: KernelFile = KernelFile.from_parent(parent, path=path)
    return node


class KernelFile(pytest.File):
    """A file with kernels; it is verified when the first of its items is run."""

    def collect(self) -> Iterator[pytest.Item]:
        if self.options.excludes(self.path):
            return
        session, kernels = session_of([self.path], self.options, {})
        if not kernels and not session.failures:
            return
        yield KernelItem.from_parent(self, name="nkilint", kernel=None, row=1)
        names: dict[str, int] = {}
        for kernel in kernels:
            names[kernel.name] = number = names.get(kernel.name, 0) + 1
            name = f"nkilint:{kernel.name}" + (f"[{number}]" if number > 1 else "")
            yield KernelItem.from_parent(self, name=name, kernel=kernel.name, row=kernel.function.at.row)

    @cached_property
    def options(self) -> Options:
        config = self.config
        try:
            file = find(self.path)
            options = load(file) if file else Options(root=config.rootpath)
        except ConfigError as error:
            raise self.CollectError(f"{error.file}:{error.row}: NKI004 {error.message}") from None
        return replace(options, strict=options.strict or config.option.nkilint_strict)

    @cached_property
    def report(self) -> Report:
        options = self.options
        store = None if os.environ.get("NKILINT_NO_CACHE") else Store(options.root / FOLDER)
        return run([self.path], options, overlay={}, store=store)


class KernelItem(pytest.Item):
    """One kernel, or what is said of the file outside of any."""

    def __init__(self, *, kernel: str | None, row: int, **more: Any) -> None:
        super().__init__(**more)
        self.kernel, self.row = kernel, row

    @property
    def file(self) -> KernelFile:
        assert isinstance(self.parent, KernelFile)
        return self.parent

    def runtest(self) -> None:
        report = self.file.report
        own = tuple(d for d in report.findings if d.kernel == self.kernel)
        if not any(self._fails(d) for d in own) and not self._open(report):
            return
        told = replace(report, diagnostics=tuple(d for d in own if d not in report.failures), failures=())
        told = replace(told, failures=tuple(d for d in report.failures if d in own))
        raise KernelFault(full_text(told, self.config.rootpath, source_lines({}), Style()))

    def _fails(self, finding: Diagnostic) -> bool:
        loud = (Severity.ERROR, Severity.WARNING) if self.file.options.strict else (Severity.ERROR,)
        return finding.severity in loud

    def _open(self, report: Report) -> bool:
        """Whether something about the kernel is unknown, where that counts."""
        own = [k for k in report.kernels if k.name == self.kernel]
        return self.file.options.strict and any(k.verdict == "incomplete" or k.obligations.unknown for k in own)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, KernelFault):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.row - 1, self.name
