"""Measures what share of defects is found: `python benchmarks/detection.py [--write]`.

Correct kernels (benchmarks/kernels) are changed in one place each (benchmarks/mutations). The simulator says whether
the change is a defect: on the sizes given with the kernels, a check fires, the run fails, or the results differ. Then
nkilint checks the changed kernel for all inputs, and what it reports is confirmed by the simulator.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import importlib.util
import multiprocessing
import os
import pickle
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import reference_sim
from nkilint.base.findings import Diagnostic, Report
from nkilint.base.options import Options
from nkilint.confirm import confirm
from nkilint.run import engine
from nkilint_rules.catalogue import rules
from nkilint_rules.language.api_outside_kernel import ApiOutsideKernel
from nkilint_rules.language.failed_assertion import FailedAssertion
from nkilint_rules.rule import Severity

sys.path.insert(0, str(Path(__file__).parent))
from mutations import ABSENT, MISSED, OPERATORS, UNSEEN, Change

KERNELS = Path(__file__).parent / "kernels"
PAGE = Path(__file__).parents[1] / "docs" / "detection.md"
LOUD = (Severity.ERROR, Severity.WARNING)
STYLE = {code for code, rule in rules().items() if rule.style} - {code for code, _ in UNSEEN.values()}


@dataclass(frozen=True)
class Subject:
    """A correct kernel with the inputs that it is run with."""

    file: Path
    name: str
    grid: tuple[int, ...]
    cases: tuple[Any, ...]
    source: str  # its file without the other kernels

    @property
    def label(self) -> str:
        return f"{self.file.parent.name}/{self.file.stem}::{self.name}"


@dataclass(frozen=True)
class Mutant:
    subject: Subject
    operator: str
    number: int
    change: Change

    @property
    def source(self) -> str:
        return self.change.applied(self.subject.source)

    @property
    def file_name(self) -> str:
        """Of the operator and the text, so that what is remembered outlives other kernels and operators."""
        text = f"{self.operator}\n{self.source}"
        return f"mutant_{hashlib.sha256(text.encode()).hexdigest()[:24]}.py"

    @property
    def rows(self) -> range:
        return range(self.change.row, self.change.end_row + 1)


@dataclass
class Result:
    """What the simulator (`effect`, the codes it reports, the rows they stand in) and nkilint say about a mutant."""

    effect: str  # "none", "check", "failure", "values", or "unseen" by any run
    codes: tuple[str, ...] = ()
    rows: frozenset[int] = frozenset()
    findings: list[Diagnostic] = field(default_factory=list)
    fault: str = ""


def subjects() -> Iterator[Subject]:
    for file in sorted(KERNELS.glob("*/*.py")):
        source = file.read_text(encoding="utf-8")
        tree = ast.parse(source)
        cases = next(s.value for s in tree.body if isinstance(s, ast.Assign) and ast.unparse(s.targets[0]) == "CASES")
        for key, inputs in ast.literal_eval(cases).items():
            name, _, grid = key.partition("[")
            sizes = tuple(int(n) for n in grid.rstrip("]").split(",")) if grid else ()
            yield Subject(file, name, sizes, tuple(inputs), _only(source, tree, name))


def _only(source: str, tree: ast.Module, name: str) -> str:
    """The file with blank rows in place of what the kernel does not use."""
    lines = source.splitlines()
    kernel = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name)
    used = {n.id for n in ast.walk(kernel) if isinstance(n, ast.Name)} | {name}
    for node in tree.body:
        other = isinstance(node, ast.FunctionDef) and node.name not in used
        if other or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CASES"):
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
            for row in range(first, (node.end_lineno or first) + 1):
                lines[row - 1] = ""
    return "\n".join(lines) + "\n"


def mutants(subject: Subject, most: int, operators: Iterable[str] = tuple(OPERATORS)) -> Iterator[Mutant]:
    """At most `most` changes by each operator, chosen by a seed."""
    tree = ast.parse(subject.source)
    function = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == subject.name)
    imports = (n for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom)))
    function.type_comment = " ".join(a.asname or a.name for n in imports for a in n.names)
    for argument, spec in zip(function.args.args, subject.cases[0], strict=False):
        argument.type_comment = repr(spec)  # for operators that call the kernel
    for name in operators:
        places = list(OPERATORS[name](function))
        chosen = sorted(random.Random(subject.label + name).sample(range(len(places)), min(most, len(places))))
        for number in chosen:
            yield Mutant(subject, name, number, places[number])


# --- the simulator's view ---


def _argument(spec: Any, seed: int) -> Any:
    if not isinstance(spec, tuple):
        return spec
    random_ = np.random.default_rng(seed)
    if isinstance(spec[0], str):
        return random_.integers(0, 100, spec[1:]).astype(spec[0])
    return random_.uniform(0.5, 1.5, spec).astype(np.float32)


def observed(file: Path, subject: Subject) -> list[reference_sim.Observation]:
    """One run for each of the kernel's cases."""
    spec = importlib.util.spec_from_file_location("subject", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel = getattr(module, subject.name)
    found = []
    for case in subject.cases:
        arguments = [_argument(a, 7 * n) for n, a in enumerate(case)]
        found.append(reference_sim.observe(kernel, arguments, grid=subject.grid, target="trn2"))
    return found


def _compared(original: Sequence[Any], changed: Sequence[Any]) -> Result:
    checks = [f for o in changed for f in o.findings if f.severity != "info"]
    if {f.code for f in checks} == {FailedAssertion.code}:
        return Result("none")  # it asks for something else now, which is no defect without a caller
    if checks:
        places = [(f.at, *(p for _, p in f.related)) for f in checks]
        rows = frozenset(p.row for group in places for p in group)
        return Result("check", tuple(sorted({f.code for f in checks})), rows)
    stops = [o.stopped for o in changed if o.stopped is not None]
    if stops:
        return Result("failure", (type(stops[0].error).__name__,), frozenset(s.at.row for s in stops))
    same = all(_same(a.results, b.results) for a, b in zip(original, changed, strict=True))
    return Result("none" if same else "values")


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(_same, a, b))
    x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
    return x.shape == y.shape and np.allclose(x, y, rtol=1e-4, atol=1e-5, equal_nan=True)


# --- both ---


def remembered(work: tuple[Mutant, Path]) -> Result:
    """What is judged of a mutant: once, as long as its folder is kept."""
    mutant, file = work
    kept = file.with_suffix(".pickle")
    if kept.exists():
        source, result = pickle.loads(kept.read_bytes())
        if source == mutant.source:
            assert isinstance(result, Result)
            return result
    result = judged(mutant, file)
    kept.write_bytes(pickle.dumps((mutant.source, result)))
    return result


def judged(mutant: Mutant, file: Path) -> Result:
    """The truth about one mutant, and what nkilint reports of it."""
    try:
        compile(mutant.source, str(file), "exec")
    except SyntaxError:
        return Result("none")
    file.write_text(mutant.source, encoding="utf-8")
    try:
        changed = observed(file, mutant.subject)
    except Exception as error:  # what the module of a mutant raises belongs to it
        return Result("failure", (type(error).__name__,))
    result = _compared(_original(mutant.subject), changed)
    code, dialect = UNSEEN.get(mutant.operator, ("", ""))
    if result.effect == "none" and code and dialect in ("", mutant.subject.file.parent.name):
        result = Result("unseen", (code,))
    if result.effect != "none":
        report = engine.check([file], Options())
        result.findings = [d for d in report.findings if d.severity in LOUD and d.code not in STYLE]
        result.fault = "; ".join(d.message for d in report.failures)
    return result


_ORIGINALS: dict[str, list[reference_sim.Observation]] = {}


def _original(subject: Subject) -> list[reference_sim.Observation]:
    if subject.label not in _ORIGINALS:
        _ORIGINALS[subject.label] = observed(subject.file, subject)
    return _ORIGINALS[subject.label]


def right_line(mutant: Mutant, result: Result) -> bool:
    """Whether a finding stands, or has a note, at what was changed or in the statement that the simulator names."""
    wanted = {*mutant.rows, *result.rows}
    for node in ast.walk(ast.parse(mutant.source)):
        rows = range(node.lineno, (node.end_lineno or node.lineno) + 1) if isinstance(node, ast.stmt) else range(0)
        if not hasattr(node, "body") and result.rows & set(rows):
            wanted |= set(rows)
    for finding in result.findings:
        for at in (finding.at, *(r.at for r in finding.related)):
            if wanted & set(range(at.row, at.end_row + 1)):
                return True
    return False


def originals(jobs: int) -> tuple[int, list[str]]:
    """How many kernels there are, and what is wrong with them: false alarms, or runs that do not end well."""
    wrong = []
    everything = list(subjects())
    report = engine.check([KERNELS], Options(), runner=_runner(jobs))
    wrong += [f"{d.at.file}:{d.at.row}: {d.code} {d.message}" for d in report.findings if d.verdict is not None]
    wrong += [f"{k.file}::{k.name}: {k.verdict}" for k in report.kernels if k.verdict in ("violated", "incomplete")]
    for subject in everything:
        for seen in _original(subject):
            wrong += [f"{subject.label}: {f.code} {f.message}" for f in seen.findings if f.severity != "info"]
            wrong += [f"{subject.label}: {seen.stopped.error}"] if seen.stopped is not None else []
    return len(everything), wrong


def _runner(jobs: int) -> Any:
    from nkilint.run.processes import in_processes

    return in_processes(jobs)


# --- the table ---

ENOUGH = 0.95


def measured(changed: Iterable[Mutant], folder: Path, jobs: int) -> tuple[list[tuple[Mutant, Result]], Counter[str]]:
    """All mutants that are defects with what was found, and how the errors among it were confirmed."""
    every = {folder / mutant.file_name: mutant for mutant in changed}
    work = [(mutant, file) for file, mutant in every.items()]
    context = multiprocessing.get_context("fork")
    with context.Pool(jobs) as pool:
        results = pool.map(remembered, work, chunksize=4)
    found = [(m, r) for (m, _), r in zip(work, results, strict=True) if r.effect != "none"]
    errors = [
        d for _, r in found for d in r.findings if d.severity is Severity.ERROR and d.code != ApiOutsideKernel.code
    ]
    report = Report("trn2", tuple(errors))
    options = Options(confirm_budget=10**12)
    seen = confirm(report, options, [folder], {}, jobs=jobs)
    opinions = Counter(d.confirmation for d in seen.diagnostics)
    for d in seen.diagnostics:
        if d.confirmation != "confirmed":
            mutant = every[folder / Path(d.at.file).name]
            where = f"{mutant.subject.label} ({mutant.operator}, row {mutant.change.row})"
            print(f"{d.confirmation}: {where}: row {d.at.row} {d.code}: {d.confirmation_reason}", file=sys.stderr)
    return found, opinions


def page(found: list[tuple[Mutant, Result]], opinions: Counter[str], count: int, wrong: list[str], most: int) -> str:
    reported = [(m, r) for m, r in found if r.findings]
    right = [(m, r) for m, r in reported if right_line(m, r)]
    silent = [(m, r) for m, r in found if r.effect == "values"]
    confirmed, errors = opinions["confirmed"], sum(opinions.values())
    lines = [
        "# What is found", "",
        "Made by `python benchmarks/detection.py --write`. Correct kernels of both dialects are changed in one place",
        "each; the simulator says on concrete sizes whether that is a defect: a check fires, the run fails, or the",
        "results differ. Python that runs and that the compiler of `nki` rejects counts, too, as do checks that say",
        "nothing, results that are overwritten unread, types of 64 bits, reads of a name that changes, and kernels",
        "without a decorator that host code calls; other changes without effect are left out, and so are those that",
        "only change what a kernel asserts.",
        "Reported is a mutant with an error or a warning at the place changed or where the simulator sees the effect.",
        "What differs in its results alone, no check sees.", "",
        "| measured on mutants | |", "|---|---|",
        f"| correct kernels | {count} |",
        f"| false alarms on them | {len(wrong)} |",
        f"| changes with an effect (at most {most} by operator and kernel) | {len(found)} |",
        f"| of these reported | {_share(len(right), len(found))} |",
        f"| reported at another place only | {len(reported) - len(right)} |",
        f"| changes whose results differ while no check fires | {len(silent)} |",
        f"| of these reported | {_share(sum(right_line(m, r) for m, r in silent), len(silent))} |",
        f"| errors reported in kernels | {errors} |",
        f"| of these confirmed | {_share(confirmed, errors)} |",
        f"| not reproduced | {opinions['not-reproduced']} |",
        "", "## By operator", "",
        "| operator | defects | reported | missed | of these in results alone |", "|---|--:|--:|--:|--:|",
    ]  # fmt: skip
    by_operator = defaultdict(list)
    for mutant, result in found:
        by_operator[mutant.operator].append((right_line(mutant, result), result.effect))
    for name in OPERATORS:
        effects = by_operator[name]
        missed = [effect for hit, effect in effects if not hit]
        row = (len(effects), len(effects) - len(missed), len(missed), missed.count("values"))
        lines.append(f"| {name} | {' | '.join(map(str, row))} |")
    lines += ["", ABSENT, "", "What is missed where less than 95% are reported:", ""]
    for name, reason in MISSED.items():
        hits = [hit for hit, _ in by_operator[name]]
        if sum(hits) < ENOUGH * len(hits):
            lines.append(f"- {name}: {reason}")
    lines += ["", "## By rule of the simulator", "", "What it reports first of each defect, in order of code.", "",
              "| rule | defects | reported |", "|---|--:|--:|"]  # fmt: skip
    by_rule = defaultdict(list)
    for mutant, result in found:
        by_rule[result.codes[0] if result.codes else "results differ"].append(right_line(mutant, result))
    lines += [f"| {code} | {len(hits)} | {sum(hits)} |" for code, hits in sorted(by_rule.items())]
    lines += ["", "## Rules that report", "", "| rule | defects |", "|---|--:|"]
    codes = Counter(code for _, r in reported for code in {d.code for d in r.findings})
    lines += [f"| {code} | {number} |" for code, number in sorted(codes.items())]
    return "\n".join(lines) + "\n"


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.1f}%)" if whole else "0 of 0"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write docs/detection.md")
    parser.add_argument("--most", type=int, default=2, help="changes by each operator in each kernel")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="part of the names of the kernels to change")
    parser.add_argument("--operator", action="append", choices=OPERATORS, metavar="NAME", help="only these operators")
    parser.add_argument("--folder", type=Path, help="keep the mutants and what is judged of them; go on from there")
    arguments = parser.parse_args()
    reference_sim.install(force=True)
    count, wrong = originals(arguments.jobs)
    chosen = [subject for subject in subjects() if arguments.only in subject.label]
    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments.folder or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        changed = [m for s in chosen for m in mutants(s, arguments.most, arguments.operator or OPERATORS)]
        found, opinions = measured(changed, folder, arguments.jobs)
    for line in wrong:
        print(f"original: {line}", file=sys.stderr)
    for mutant, result in found:
        if not right_line(mutant, result):
            change = mutant.change
            told = ", ".join(f"{d.code} on row {d.at.row}" for d in result.findings) or result.fault or "nothing"
            where = f"{mutant.subject.label} row {change.row}: {change.text!r}"
            seen = f"{result.effect} {' '.join(result.codes)} {sorted(result.rows)}"
            print(f"missed ({mutant.operator}): {where}: simulator: {seen}; reported: {told}", file=sys.stderr)
    text = page(found, opinions, count, wrong, arguments.most)
    if arguments.write:
        PAGE.write_text(text, encoding="utf-8")
    print(text)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
