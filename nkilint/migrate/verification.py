"""Shows that a migrated kernel does what the old one did, or on which input it does not."""

from __future__ import annotations

import ast
import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from nkilint.base.findings import Diagnostic, Report, Trial
from nkilint.base.options import Options
from nkilint.base.source import decode
from nkilint.confirm.sizes import lacks_dtype, mentions
from nkilint.confirm.tasks import Account
from nkilint.confirm.workers import Run, in_parallel
from nkilint.run.alike import difference, dtypes_of, guesses, kinds, shown_trial, task, too_large
from nkilint.run.engine import check
from nkilint.run.inputs import Inputs, inputs_of
from nkilint.run.reading import session_of
from nkilint.verdicts.trials import PREFERRED, assumed_dtypes, usual_of
from nkilint_rules.dataflow.lost_write import LostWrite
from nkilint_rules.operands.unsupported_dtype import UnsupportedDtype
from nkilint_rules.parallel.grid_degree import GridDegree
from nkilint_rules.rule import Severity
from nkilint_rules.words.dialects import NKI

from .contracts import Contracts
from .rewriting import MARK
from .source import Source

_MIGRATION = "NKI9"
_VARIANTS = 4  # choices of other values than defaults that kernels are run with


@dataclass(slots=True)
class Verified:
    """What is known of one migrated kernel: on how many inputs both ran alike, bit for bit or closely, and what speaks
    against it."""

    file: str
    kernel: str
    runs: int = 0
    close: int = 0  # of these, runs whose results differ by rounding
    skipped: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    advice: list[str] = field(default_factory=list)  # what runs of the new kernel are told beyond those of the old one
    dtypes: set[str] = field(default_factory=set)  # of the inputs that both ran alike on, as they are told
    broken: set[str] = field(default_factory=set)  # rules that runs of the old kernel broke
    grid: str = ""  # the argument that takes what was the launch grid
    exact: bool = False  # no operation in it changed, so that nothing is rounded otherwise
    mended: frozenset[str] = frozenset()  # rules that only later versions have, and the migration meets

    @property
    def shown(self) -> bool:
        return self.runs > 0 and not self.problems


def verify(
    paths: Sequence[Path],
    options: Options,
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
    *,
    mended: frozenset[str] = frozenset(),
    restated: Collection[tuple[str, str]] = (),
    exact: Collection[tuple[str, str]] = (),
    only: Collection[tuple[str, str]] | None = None,
    jobs: int = 1,
) -> list[Verified]:
    """Old and new kernels compared: their findings, and their results on inputs that the old ones admit. What the
    rules `mended` say of the old ones speaks against no run; kernels that are `restated` are not run, as what stands in
    them means something else today; those that are `exact` round nothing otherwise, as no operation in them changed."""
    quiet = replace(options, confirm=False, nki_version="")
    session, kernels = session_of(paths, quiet, before)
    chosen = [k for k in kernels if only is None or (os.path.abspath(k.module.path), k.name) in only]
    known = inputs_of(session, chosen, quiet, variants=_VARIANTS)
    inputs = {(os.path.abspath(file), kernel): given for (file, kernel), given in known.items()}
    old = check(paths, quiet, overlay=before)
    new = check(paths, replace(quiet, confirm=options.confirm), overlay=after)  # with the inputs that show findings
    found = [Verified(file, kernel, mended=mended) for file, kernel in inputs]
    texts = [_texts(overlay) for overlay in (before, after)]
    roots = {file: session.project.search_path(os.path.dirname(file)) for file, _ in inputs}
    names = {file: session.project.run_as(file) for file, _ in inputs}

    for each in found:
        each.exact, each.grid = (each.file, each.kernel) in exact, _taken(_sources(each.file, texts), each.kernel)

    def piece(run: Run, each: Verified, given: Inputs) -> None:
        if (each.file, each.kernel) in restated:
            each.skipped.append("an argument in it meant something else before, which no run of today shows")
            return
        both = _Both(run, options, roots[each.file], names[each.file], texts)
        _compare_on(each, _in_dtypes(given, _assumed(new, each)), both)
        for d in _suspects(each, *zip((old, new), _sources(each.file, texts), strict=True)):
            both.note_broken(each, d, given.trials)

    work = [lambda run, e=each: piece(run, e, inputs[e.file, e.kernel]) for each in found]
    in_parallel(work, jobs)
    contracts = Contracts(paths, options, before, after)
    for each in found:
        sources = _sources(each.file, texts)
        each.problems[:0] = _new_findings(each, (old, sources[0]), (new, sources[1]), contracts)
    return found


def _compare_on(each: Verified, given: Inputs, both: _Both) -> None:
    """A kernel on its inputs, and on others that the old one need not run with."""
    for trial in given.trials:
        both.compare(each, trial, dtypes_of(trial))
    skipped = len(each.skipped)
    for trial in given.others:
        both.compare(each, trial, dtypes_of(trial))
    _compare_otherwise(each, given.trials, both)
    del each.skipped[skipped:]


def _assumed(report: Report, each: Verified) -> Sequence[str]:
    """What is taken for granted of the inputs of a kernel."""
    own = (k for k in report.kernels if k.name == each.kernel and os.path.abspath(k.file) == each.file)
    return next((k.assumptions for k in own), ())


def _in_dtypes(given: Inputs, assumptions: Sequence[str]) -> Inputs:
    """Inputs of which nothing says the dtype, and that cannot be floats, in the first dtype that is admitted."""
    _, allowed = assumed_dtypes(assumptions)
    chosen = {}
    for source, admitted in allowed.items():
        left = usual_of(admitted)
        if left and not set(left) & set(PREFERRED[:2]):
            chosen[source.removesuffix(".dtype")] = left[0]

    def typed(trial: Trial) -> Trial:
        said = {name: value for name, value in trial.arguments.items() if name in chosen and lacks_dtype([value])}
        arrays = {
            name: {"array": [chosen[name], value["array"][1]]} for name, value in said.items() if "array" in value
        }
        return replace(trial, arguments={**trial.arguments, **arrays})

    return replace(given, trials=tuple(map(typed, given.trials)), others=tuple(map(typed, given.others)))


def _texts(overlay: Mapping[str, bytes]) -> dict[str, str]:
    """Files by their absolute paths, as texts that keep all bytes."""
    return {os.path.abspath(f): data.decode("utf-8", "surrogateescape") for f, data in overlay.items()}


def _sources(file: str, texts: Sequence[Mapping[str, str]]) -> list[Source]:
    """A file as it was and as it is to be, in the encoding that it says."""
    held = (text.get(file, "").encode("utf-8", "surrogateescape") for text in texts)
    return [Source(file, decode(data, file)) for data in held]


Checked = tuple[Report, Source]
"""A report with the text that it is about."""


def _new_findings(each: Verified, before: Checked, after: Checked, contracts: Contracts) -> list[str]:
    """Errors that the old kernel did not have, neither told nor met in a run, and warnings about inputs that its
    contract does not exclude."""
    new, _ = after
    suspects = [d for d in _suspects(each, before, after) if not (each.runs and d.code == LostWrite.code)]
    implied = contracts.implied(each.file, each.kernel) if suspects else frozenset()
    told: dict[str, str] = {}
    for d in suspects:
        follows = d.verdict == "conditional" and d.code in implied
        if not follows and d.code not in each.broken:
            told.setdefault(d.code, f"line {d.at.row}: {d.code} {d.message}")
    missing = not any(k.name == each.kernel and os.path.abspath(k.file) == each.file for k in new.kernels)
    faults = [f"line {d.at.row}: {d.message}" for d in new.failures if os.path.abspath(d.at.file) == each.file]
    return [*told.values(), *faults, *(["it is no kernel any more"] if missing and not faults else [])]


def _suspects(each: Verified, before: Checked, after: Checked) -> list[Diagnostic]:
    """What is told of the new kernel more often than of the old one."""
    was, now = (Counter(d.code for d in r.diagnostics if _counts(d, each, s)) for r, s in (before, after))
    return [d for d in after[0].diagnostics if _counts(d, each, after[1]) and now[d.code] > was[d.code]]


def _counts(d: Diagnostic, each: Verified, source: Source) -> bool:
    """Whether it is an error or a warning about the kernel, by its name or by its place."""
    named = d.kernel == each.kernel or (d.kernel is None and source.owner(d.at.row) in (each.kernel, ""))
    own = os.path.abspath(d.at.file) == each.file and named and not _is_left(source, d.at.row)
    return own and d.severity in (Severity.ERROR, Severity.WARNING) and not d.code.startswith(_MIGRATION)


def _is_left(source: Source, row: int) -> bool:
    """Whether a row is of a statement that is left to a person, who is told of it already."""
    return any(
        isinstance(s, ast.stmt) and s.lineno <= row <= (s.end_lineno or 0) and not hasattr(s, "body")
        for s in ast.walk(source.tree)
        if isinstance(s, ast.stmt) and s.lineno > 1 and source.lines[s.lineno - 2].strip().startswith(MARK)
    )


@dataclass(frozen=True, slots=True)
class _Both:
    """What runs the kernels of a file, as they were and as they are to be."""

    run: Run
    options: Options
    roots: tuple[str, ...]
    module: str
    texts: Sequence[Mapping[str, str]]

    def compare(
        self, each: Verified, trial: Trial, dtypes: Sequence[str], *, truth: bool = True, signed: bool = False
    ) -> None:
        """One input, in these dtypes where it leaves them open."""
        if too_large(trial):
            each.skipped.append("its inputs are too large to run")
            return
        for dtype in dtypes:
            old, new = (
                self.run(task(given, self.module, self.roots, dtype, self.options, text, truth=truth, signed=signed))
                for given, text in zip((trial, of_new(trial, each)), self.texts, strict=True)
            )
            shown = shown_trial(trial, dtype) + (" (half of them negative)" if signed else "")
            compare(each, trial, dtype, old, new, shown)

    def note_broken(self, each: Verified, d: Diagnostic, like: Sequence[Trial]) -> None:
        """Whether the old kernel breaks that rule, too, on the input that shows it of the new one: nothing was said of
        it where the analysis of the old one could not tell."""
        if d.trial is None or not like or d.code in each.broken or too_large(d.trial) or each.grid:
            return
        trial = replace(like[0], arguments=d.trial.arguments, open=d.trial.open, positional=d.trial.positional)
        trial = replace(trial, grid=d.trial.grid, around=d.trial.around, outputs=())
        for dtype in dtypes_of(trial)[:1]:
            account = self.run(task(trial, self.module, self.roots, dtype, self.options, self.texts[0]))
            each.broken.update(s.code for s in account.seen)


def _compare_otherwise(each: Verified, trials: Sequence[Trial], both: _Both) -> None:
    """One of the inputs once more: with negative numbers, with the other value of a flag, and in dtypes that nothing
    says it has. What differs in these is told; it speaks against no kernel, as nobody may mean them."""
    small = [t for t in trials if not too_large(t)]
    chosen = next((t for t in small if lacks_dtype(t.arguments)), small[0] if small else None)
    if chosen is None or not each.runs:
        return
    first = dtypes_of(chosen)[:1]
    both.compare(each, chosen, first, signed=True)
    if mentions(chosen.arguments, "either"):
        both.compare(each, chosen, first, truth=False)
    guess = replace(each, runs=0, close=0, skipped=[], problems=[], advice=[])
    for trial, dtype in guesses(chosen):
        both.compare(guess, trial, (dtype,))
    each.runs, each.close = each.runs + guess.runs, each.close + guess.close
    each.advice += [f"{problem}; nothing here says that it is called so" for problem in guess.problems]
    each.advice += guess.advice


def of_new(trial: Trial, each: Verified) -> Trial:
    """The same run of the new kernel."""
    new = replace(trial, dialect=NKI, outputs=())
    if not each.grid or not trial.grid:
        return new
    return replace(new, grid=(), arguments={**trial.arguments, each.grid: {"tuple": list(trial.grid)}})


def _taken(sources: Sequence[Source], kernel: str) -> str:
    """The argument that the new kernel has and the old one has not; empty for none."""
    names = []
    for source in sources:
        found = [n for n in ast.walk(source.tree) if isinstance(n, ast.FunctionDef) and n.name == kernel]
        names.append({a.arg for n in found for a in n.args.args})
    more = names[1] - names[0]
    return more.pop() if len(more) == 1 else ""


def _stopped(account: Account) -> str:
    """What ended a run; empty for one that came to its end."""
    stopped = account.stopped
    return ": ".join(part for part in (stopped.kind, stopped.message) if part) if stopped is not None else ""


def compare(each: Verified, trial: Trial, dtype: str, old: Account, new: Account, shown: str = "") -> None:
    """Two runs on one input, which `shown` tells."""
    why = old.problem or _stopped(old)
    each.broken.update(s.code for s in old.seen)
    harmless = {*each.mended, LostWrite.code}  # what is done for nothing leaves the results what they are, in both
    faults = [f"{s.code} {s.message}" for s in old.seen if not s.advice and s.code not in harmless]
    if why or faults:
        silent = old.stopped is not None and not old.stopped.message  # what it stops for has been told
        each.skipped.append(faults[0] if faults and (silent or not why) else why)
        return
    if grids := [s for s in new.seen if s.code == GridDegree.code]:  # the kernel is right, its launch is not
        each.skipped.append(grids[0].message)
        return
    if new.too_large:  # the budget is this tool's, and what it cuts off says nothing of the kernel
        each.skipped.append(f"once migrated, {new.problem}")
        return
    shown = shown or shown_trial(trial, dtype)
    if new.problem or new.stopped is not None:
        reason = new.problem or f"line {new.stopped.row}: {_stopped(new)}"  # type: ignore[union-attr]
        each.problems.append(f"with {shown} the new kernel does not run: {reason}")
        return
    differs = difference(old.results, new.results)
    if differs and (each.exact or not differs.startswith("~")):
        each.problems.append(f"with {shown} {differs.removeprefix('~ ')}")
        return
    more = [s for s in new.seen if not s.code.startswith(_MIGRATION) and s.code not in each.broken]
    faulty = [s for s in more if not s.advice and s.code != LostWrite.code]
    told = [f"{s.code} {s.message}" for s in faulty]
    if told and lacks_dtype(trial.arguments) and all(s.code == UnsupportedDtype.code for s in faulty):
        each.advice.append(f"it does not take {dtype} any more: {told[0]}")  # a guess, which nobody may mean
        return
    if told:
        each.problems.append(f"with {shown} the new kernel breaks a rule: {told[0]}")
        return
    each.advice += [f"line {s.row}: {s.code} {s.message}" for s in more]
    each.runs += 1
    each.close += bool(differs)
    if found := kinds(trial, dtype):
        each.dtypes.add(" with ".join(sorted(found)))
