"""Which versions of NKI kernels work with, and what keeps them from the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from nkilint.base.findings import Diagnostic, KernelReport, Report
from nkilint.base.options import Options
from nkilint_rules.language.unsupported_python import UnsupportedPython
from nkilint_rules.migration.changed_signature import ChangedSignature
from nkilint_rules.migration.deprecated_api import DeprecatedApi
from nkilint_rules.migration.neuronxcc_namespace import NeuronxccNamespace
from nkilint_rules.migration.removed_api import RemovedApi
from nkilint_rules.operands.unknown_api import UnknownApi
from nkilint_rules.rule import Severity
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.records import dataclass
from nkilint_rules.words.versions import RELEASED

from .engine import check

_AGAINST = (NeuronxccNamespace, RemovedApi, ChangedSignature, UnknownApi, UnsupportedPython)
OLD = "B1"  # all versions of the namespace `neuronxcc.nki` that come without `nki`


@dataclass(frozen=True, slots=True)
class Support:
    """One kernel: the versions that it works with, by version what keeps it from the others, and what will go."""

    file: str
    kernel: str
    row: int
    works: tuple[str, ...]
    reasons: dict[str, tuple[Diagnostic, ...]]
    going: tuple[Diagnostic, ...] = ()


def supported(paths: Sequence[Path], options: Options) -> tuple[list[Support], Report]:
    """What is known of each kernel in `paths`, and the last of the reports that it is known from."""
    quick = replace(options, confirm=False)
    reports = {version: check(paths, replace(quick, nki_version=version)) for version in RELEASED[NKI]}
    newest = reports[RELEASED[NKI][-1]]
    return [_support(kernel, reports) for kernel in newest.kernels], newest


def _support(kernel: KernelReport, reports: dict[str, Report]) -> Support:
    reasons: dict[str, tuple[Diagnostic, ...]] = {}
    works = [OLD] if kernel.dialect == BETA1 else []
    going: tuple[Diagnostic, ...] = ()
    for version, report in reports.items():
        found = tuple(_about(kernel, report.diagnostics, _AGAINST))
        going = tuple(_about(kernel, report.diagnostics, (DeprecatedApi,)))
        if found:
            reasons[version] = found
    reasons.update(_changed(kernel, {v: r for v, r in reports.items() if v not in reasons}))
    works += [version for version in reports if version not in reasons]
    return Support(kernel.file, kernel.name, kernel.at.row, tuple(works), reasons, going)


def _changed(kernel: KernelReport, reports: dict[str, Report]) -> dict[str, tuple[Diagnostic, ...]]:
    """By version, the errors that others do not have: what an operation takes may change under the same name."""
    errors = {
        version: {
            (d.code, d.message): d
            for d in reversed(report.diagnostics)
            if d.severity is Severity.ERROR and d.kernel == kernel.name and d.at.file == kernel.file
        }
        for version, report in reports.items()
    }
    shared = set.intersection(*map(set, errors.values())) if errors else set()
    more = {version: tuple(d for key, d in found.items() if key not in shared) for version, found in errors.items()}
    return {version: found for version, found in more.items() if found}


def _about(kernel: KernelReport, found: Iterable[Diagnostic], rules: Iterable[type]) -> Iterable[Diagnostic]:
    """The findings of some rules in a kernel, one for each message."""
    codes = {rule.code for rule in rules}  # type: ignore[attr-defined]
    own = [d for d in found if d.code in codes and d.kernel == kernel.name and d.at.file == kernel.file]
    return {d.message: d for d in reversed(own)}.values()
