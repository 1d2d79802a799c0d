"""Kernels that were migrated by hand, migrated by `nkilint migrate` too, and all three compared.

    python benchmarks/pairs.py "NAME=OLDER,NEWER,FROM,TO" ... [--write]

The kernels of the folder OLDER are migrated from one version to another, and verified. What stands in the folder NEWER
under the same names is run on the same inputs as the older kernels: where it does something else, that is said.
Nothing is written to these folders; `--write` puts the table into docs/migration.md.
"""

from __future__ import annotations

import argparse
import ast
import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tables import between

from nkilint.base.findings import Trial
from nkilint.base.options import Options
from nkilint.confirm.workers import Run, in_parallel
from nkilint.migrate.outcomes import STATES, Migration, migrate
from nkilint.migrate.verification import Verified, compare, of_new
from nkilint.project.discovery import Kernel
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


def pair(text: str) -> Pair:
    name, _, rest = text.partition("=")
    older, newer, before, after = rest.split(",")
    return Pair(name, Path(older), Path(newer), before, after)


def compared(each: Pair) -> list[Verified]:
    """The kernels of the newer folder against those of the older one that have their names."""
    session, kernels = session_of([each.older], QUIET, {})
    others, candidates = session_of([each.newer], QUIET, {})
    inputs = inputs_of(session, kernels, QUIET)
    found: list[Verified] = []
    work = []
    for kernel in kernels:
        same = _same(kernel, candidates)
        given = inputs.get((kernel.module.path, kernel.name))
        if same is None or given is None:
            continue
        told = Verified(kernel.module.path, kernel.name)
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
            accounts.append(run(task(given, where.project.dotted(file)[0], roots, dtype, QUIET, {})))
        admitted = accounts[0].stopped is None and all(s.advice for s in accounts[0].seen)
        faults = [s for s in accounts[1].seen if not s.advice]
        if admitted and faults:
            told.problems.append(f"line {faults[0].row}: {faults[0].code} {faults[0].message}")
        else:
            compare(told, trial, dtype, *accounts)


def _parameters(kernel: Kernel) -> list[str]:
    tree = ast.parse(Path(kernel.module.path).read_text(encoding="utf-8"))
    node = next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == kernel.name)
    return [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]


def row(each: Pair, migration: Migration, own: Sequence[Verified]) -> list[str]:
    """A row of the table, and a line for each kernel that does something else."""
    states = Counter(k.state for k in migration.kernels)
    same, other = sum(v.shown for v in own), [v for v in own if v.problems]
    runs = sum(k.runs for k in migration.kernels)
    counts = [*(states[s] for s in STATES), runs, same, len(other), len(own) - same - len(other)]
    lines = [f"| {each.name}, {each.before} to {each.after} | {' | '.join(map(str, counts))} |"]
    return lines + [f"- `{v.kernel}`: {v.problems[0]}" for v in other]


def table(pairs: Sequence[Pair]) -> str:
    heads = [*STATES, "inputs compared", "by hand: same", "other", "not comparable"]
    rows, notes = [], []
    for each in pairs:
        migration = migrate([each.older], Options(), each.before, each.after)
        for kernel in migration.kernels:
            said = [*kernel.problems, *(n.text for n in kernel.notes if n.letter == "P"), *kernel.skipped]
            print(f"{kernel.state:10} {kernel.kernel} {kernel.runs} {said[:2]}", file=sys.stderr)
        own = compared(each)
        for told in own:
            print(f"by hand: {told.kernel} {told.runs} {told.problems[:1]} {told.skipped[:1]}", file=sys.stderr)
        first, *more = row(each, migration, own)
        rows.append(first)
        notes += more
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
            ]
        )
        + "\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="+", metavar="NAME=OLDER,NEWER,FROM,TO")
    parser.add_argument("--write", action="store_true", help="write the table into docs/migration.md")
    arguments = parser.parse_args()
    text = table([pair(p) for p in arguments.pairs])
    print(text)
    if arguments.write:
        between(PAGE, BEGIN, END, lambda _: text)


if __name__ == "__main__":
    main()
