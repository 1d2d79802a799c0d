"""`nkilint check --fix` for a configured version: what the text alone shows to have changed up to that version."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from nkilint.base.findings import Report
from nkilint.base.options import Options
from nkilint.fixes.mending import Mended
from nkilint.migrate.rewrites import Rewritten, rewrite
from nkilint.migrate.steps import VERSIONS, order

Texts = Mapping[str, bytes]
Check = Callable[[Texts], Report]
_FIRST = VERSIONS[1]  # of `nki`
_VERSIONS = "NKI9"  # the rules about versions


def advanced(paths: Sequence[Path], options: Options, overlay: Texts, check: Check) -> list[Rewritten]:
    """The files of `paths` that class A of the steps to the configured version changes, if fewer findings are left."""
    version = options.nki_version
    if version not in VERSIONS or order(version) <= order(_FIRST):
        return []
    files, _ = rewrite(paths, options, overlay, _FIRST, version, letters=frozenset("A"))
    changed = [f for f in files if f.after != f.before and not f.problem]
    if not changed:
        return []
    before, after = check({}), check({f.path: f.after for f in changed})
    return [f for f in changed if _is_better(f, before, after)]


def _is_better(file: Rewritten, before: Report, after: Report) -> bool:
    """Whether some rules are broken less often, and each other one only where the analysis could not see it before."""
    was, now = (Counter(d.code for d in r.diagnostics if _is_of(d.at.file, file)) for r in (before, after))
    failed = any(_is_of(d.at.file, file) for d in after.failures)
    less, more = was - now, now - was
    return bool(less) and not failed and not any(code.startswith(_VERSIONS) or code in was for code in more)


def _is_of(path: str, file: Rewritten) -> bool:
    return os.path.abspath(path) == os.path.abspath(file.path)


def with_advanced(result: Mended, files: Sequence[Rewritten]) -> Mended:
    """What was repaired after `files` were rewritten, together with that."""
    changed = {**{f.path: f.after for f in files}, **result.files}
    originals = {**result.originals, **{f.path: f.before for f in files}}
    counts = Counter(result.counts) + Counter({f.path: sum(f.used.values()) for f in files})
    return replace(result, files=changed, originals=originals, counts=counts)
