"""Kernels that were migrated by hand, migrated by `nkilint migrate` too, and all three compared.

    python benchmarks/pairs.py "NAME=OLDER,NEWER,FROM,TO" ... [--seconds N] [--keep DIR] [--write]

The kernels of the folder OLDER are migrated from one version to another, and verified. What stands in the folder NEWER
under the same names is run on the same inputs as the older kernels: where it does something else, that is said.
With `--seconds` each file of kernels is taken by itself, with what it imports, in a process of its own that may take so
long; what came of each is kept in DIR, and taken from there where it is.
Nothing is written to these folders; `--write` puts the table into docs/migration.md.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from tables import between

from nkilint.base.findings import Trial
from nkilint.base.options import Options
from nkilint.confirm.workers import Run, in_parallel
from nkilint.migrate.outcomes import STATES, migrate
from nkilint.migrate.steps import hops, steps
from nkilint.migrate.verification import Verified, compare, of_new
from nkilint.migrate.writing import imported
from nkilint.project.discovery import Kernel
from nkilint.project.files import Project
from nkilint.run.alike import dtypes_of, task, too_large
from nkilint.run.inputs import inputs_of
from nkilint.run.reading import session_of
from nkilint.run.session import Session

PAGE = Path(__file__).resolve().parents[1] / "docs" / "migration.md"
BEGIN, END = "<!-- pairs -->\n", "<!-- end of pairs -->\n"
QUIET = Options(confirm=False)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two folders with the same kernels for two versions."""

    name: str
    older: Path
    newer: Path
    before: str
    after: str


@dataclass(slots=True)
class Outcome:
    """The numbers of a row, what is told below the table, and what did not end."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(STATES) + 4))
    notes: list[str] = field(default_factory=list)
    endless: list[str] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        self.counts = [a + b for a, b in zip(self.counts, other.counts, strict=True)]
        self.notes += other.notes
        self.endless += other.endless


def pair(text: str) -> Pair:
    name, _, rest = text.partition("=")
    older, newer, before, after = rest.split(",")
    return Pair(name, Path(older), Path(newer), before, after)


def compared(each: Pair, paths: Sequence[Path], file: str) -> list[Verified]:
    """The kernels of the newer folder against those of the older one that have their names: of one file, if any."""
    session, kernels = session_of(paths, QUIET, {})
    kernels = [k for k in kernels if _is_in(k.module.path, file)]
    others, candidates = session_of([each.newer], QUIET, {})
    inputs = inputs_of(session, kernels, QUIET)
    mended = frozenset(code for s in steps() if s.to in hops(each.before, each.after) for code in s.mends)
    found: list[Verified] = []
    work = []
    for kernel in kernels:
        same = _same(kernel, candidates)
        given = inputs.get((kernel.module.path, kernel.name))
        if same is None or given is None:
            continue
        told = Verified(kernel.module.path, kernel.name, mended=mended)
        found.append(told)
        for trial in given.trials:
            work.append(lambda run, a=(told, trial, kernel, same): _compare(run, *a, session, others))
    in_parallel(work, 1)
    return found


def _same(kernel: Kernel, candidates: Sequence[Kernel]) -> Kernel | None:
    """The one kernel of that name, in the file of that name if there are several."""
    named = [c for c in candidates if c.name == kernel.name]
    here = [c for c in named if Path(c.module.path).name == Path(kernel.module.path).name]
    chosen = here or named
    return chosen[0] if len(chosen) == 1 else None


def _compare(
    run: Run, told: Verified, trial: Trial, old: Kernel, new: Kernel, session: Session, others: Session
) -> None:
    if too_large(trial):
        told.skipped.append("its inputs are too large to run")
        return
    names = [_parameters(k) for k in (old, new)]
    if len(names[0]) != len(names[1]):
        told.skipped.append(f"it takes {len(names[1])} arguments instead of {len(names[0])}")
        return
    for dtype in dtypes_of(trial):
        renamed = dict(zip(*names, strict=True))
        arguments = {renamed.get(name, name): value for name, value in trial.arguments.items()}
        later = replace(of_new(trial, told), file=new.module.path, arguments=arguments)
        accounts = []
        for kernel, where, given in ((old, session, trial), (new, others, later)):
            file = kernel.module.path
            roots = where.project.search_path(os.path.dirname(file))
            accounts.append(run(task(given, where.project.run_as(file), roots, dtype, QUIET, {})))
        admitted = accounts[0].stopped is None and all(s.advice or s.code in told.mended for s in accounts[0].seen)
        faults = [s for s in accounts[1].seen if not s.advice]
        if admitted and faults:
            told.problems.append(f"line {faults[0].row}: {faults[0].code} {faults[0].message}")
        else:
            compare(told, trial, dtype, *accounts)


def _parameters(kernel: Kernel) -> list[str]:
    tree = ast.parse(Path(kernel.module.path).read_text(encoding="utf-8"))
    node = next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == kernel.name)
    return [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]


def _is_in(path: str, file: str) -> bool:
    return not file or os.path.abspath(path) == file


def outcome(each: Pair, file: str = "") -> Outcome:
    """What comes of the kernels of one file, with all that it imports, or of the whole folder."""
    paths = [Path(p) for p in closure(each, file)] if file else [each.older]
    migration = migrate(paths, Options(), each.before, each.after)
    kernels = [k for k in migration.kernels if _is_in(k.file, file)]
    for kernel in kernels:
        said = [*kernel.problems, *(n.text for n in kernel.notes if n.letter == "P"), *kernel.skipped]
        print(f"{kernel.state:10} {kernel.kernel} {kernel.runs} {said[:2]}", file=sys.stderr)
    own = compared(each, paths, file)
    for told in own:
        print(f"by hand: {told.kernel} {told.runs} {told.problems[:1]} {told.skipped[:1]}", file=sys.stderr)
    states = Counter(k.state for k in kernels)
    same, other = sum(v.shown for v in own), [v for v in own if v.problems]
    counts = [*(states[s] for s in STATES), sum(k.runs for k in kernels)]
    counts += [same, len(other), len(own) - same - len(other)]
    return Outcome(counts, [f"- `{v.kernel}`: {v.problems[0]}" for v in other])


def closure(each: Pair, file: str) -> list[str]:
    """A file with those of its folder that it imports, and that these import."""
    project = Project([str(each.older)])
    found, stack = {file}, [file]
    while stack:
        path = stack.pop()
        for other in imported(project, path, ast.parse(Path(path).read_text(encoding="utf-8"))):
            if other not in found:
                found.add(other)
                stack.append(other)
    return sorted(found)


def in_pieces(each: Pair, text: str, seconds: int, keep: Path | None) -> Outcome:
    """A pair file by file, each with an end."""
    files = [os.path.abspath(p) for p in each.older.rglob("*.py") if b"nki.jit" in p.read_bytes()]
    whole = Outcome()
    for file in sorted(files, key=lambda f: (len(closure(each, f)), f)):
        known = keep / sha256(f"{text} {file}".encode()).hexdigest() if keep is not None else None
        if known is not None and known.exists():
            whole.add(Outcome(**json.loads(known.read_text())))
            continue
        print(f"-- {file}", file=sys.stderr, flush=True)
        try:
            command = [sys.executable, __file__, text, "--piece", file]
            done = subprocess.run(command, stdout=subprocess.PIPE, timeout=seconds, check=True)
            found = Outcome(**json.loads(done.stdout))
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
            print(f"{type(error).__name__} {file}", file=sys.stderr, flush=True)
            found = Outcome(endless=[Path(file).name])
        whole.add(found)
        if known is not None:
            known.parent.mkdir(parents=True, exist_ok=True)
            known.write_text(json.dumps(asdict(found)))
    return whole


def table(texts: Sequence[str], seconds: int, keep: Path | None) -> str:
    heads = [*STATES, "inputs compared", "by hand: same", "other", "not comparable"]
    rows, notes, endless = [], [], []
    for text in texts:
        each = pair(text)
        found = in_pieces(each, text, seconds, keep) if seconds else outcome(each)
        rows.append(f"| {each.name}, {each.before} to {each.after} | {' | '.join(map(str, found.counts))} |")
        notes += found.notes
        endless += found.endless
    lines = [f"| pair | {' | '.join(heads)} |", "|---|" + "---:|" * len(heads), *rows]
    return (
        "\n".join(
            [
                *lines,
                *(
                    ["", "Kernels that do something else on some input since they were migrated by hand:", "", *notes]
                    if notes
                    else []
                ),
                *(["", f"Not ended in {seconds} s: {', '.join(f'`{f}`' for f in endless)}."] if endless else []),
            ]
        )
        + "\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="+", metavar="NAME=OLDER,NEWER,FROM,TO")
    parser.add_argument("--seconds", type=int, default=0, help="how long one file may take; all together by default")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep what came of each file here")
    parser.add_argument("--piece", default="", metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help="write the table into docs/migration.md")
    arguments = parser.parse_args()
    if arguments.piece:
        print(json.dumps(asdict(outcome(pair(arguments.pairs[0]), arguments.piece))))
        return
    text = table(arguments.pairs, arguments.seconds, arguments.keep)
    print(text)
    if arguments.write:
        between(PAGE, BEGIN, END, lambda _: text)


if __name__ == "__main__":
    main()
