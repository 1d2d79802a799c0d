"""Migrates the Beta 1 kernels of some folders to the newest version, and makes the table in docs/migration.md.

    python benchmarks/migration.py [--keep DIR] [--write] [--rewritten NAME=PATH] \
        "the documentation, v2.24.0=PATH" "nki-samples, 0898a77=PATH"

What comes of a folder is kept in DIR, and taken from there where it is: runs beside each other share the work, and
one after them makes the table. Start with an empty one when something in nkilint has changed.

Each folder below a path is migrated by itself and whole, so that helpers in other files of it are migrated with them;
paths that are joined by `+` are migrated together, so that kernels are run with what tests elsewhere give them.
Kernels that are too large to run all of them are only `--rewritten`, and rewritten once more.
Nothing is written to these folders.
"""

from __future__ import annotations

import argparse
import pickle
import re
import sys
import time
from collections import Counter
from difflib import SequenceMatcher
from hashlib import sha256
from pathlib import Path

from tables import between

from nkilint.base.options import Options
from nkilint.migrate.outcomes import STATES, Migration, Outcome, migrate
from nkilint.migrate.steps import VERSIONS, steps

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "migration.md"
BEGIN, END = "<!-- outcomes -->\n", "<!-- end of outcomes -->\n"
REASONS = 12
OPEN = re.compile(
    r"`(loop_reduce|atomic_rmw|all_reduce)` is not there|is no instruction|no operation does what"
    r"|no bound of an index|in some calls only|held in a tile"
    r"|selects rows|does not bound one index|no column of a tile|which Beta 1 traced once"
)
"""What only a person can decide: no operation does it, masks that are no bounds, elements that are gathered."""
PRIVATE = re.compile(r"is private to the compiler")
"""Of calls that no page of Beta 1 or of `nki` names, so that nobody who has only these can say what they become."""


def folders(root: Path) -> list[Path]:
    """The folders that hold Python files themselves."""
    return sorted({file.parent for file in root.rglob("*.py")})


def again(result: Migration, group: list[Path]) -> int:
    """How many files another migration of the new files would change."""
    overlay = {f.path: f.after for f in result.files if not f.problem}
    second = migrate(group, Options(), VERSIONS[0], VERSIONS[-1], overlay=overlay, verified=False)
    return sum(f.after != f.before for f in second.files)


def lines_of(result: Migration) -> tuple[int, int]:
    """Lines of the files that change, and how many of them the new ones do not have."""
    total = kept = 0
    for file in result.files:
        if file.after != file.before:
            before, after = file.before.splitlines(), file.after.splitlines()
            total += len(before)
            kept += sum(b.size for b in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks())
    return total, total - kept


def outcome(group: list[Path], keep: Path | None, verified: bool) -> tuple[Migration, int]:
    """What comes of some files together, and how many of them change once more; what is kept of it, where it is."""
    known = keep / sha256("\n".join(map(str, [verified, *group])).encode()).hexdigest() if keep is not None else None
    if known is not None and known.exists():
        found: tuple[Migration, int] = pickle.loads(known.read_bytes())
        return found
    result = migrate(group, Options(), VERSIONS[0], VERSIONS[-1], verified=verified)
    found = result, again(result, group)
    if known is not None:
        known.parent.mkdir(parents=True, exist_ok=True)
        known.write_bytes(pickle.dumps(found))
    return found


def outcomes(path: str, keep: Path | None, verified: bool) -> tuple[list[Migration], int]:
    """What comes of each folder below a path, or of several paths together, and how many files change once more."""
    paths = [Path(p) for p in path.split("+")]
    groups = [paths] if len(paths) > 1 else [sorted(folder.glob("*.py")) for folder in folders(paths[0])]
    found, changed = [], 0
    for group in groups:
        started = time.monotonic()
        result, more = outcome(group, keep, verified)
        found.append(result)
        changed += more
        states = Counter(k.state for k in result.kernels)
        print(f"{time.monotonic() - started:7.1f} s  {group[0].parent}  {dict(states)}", file=sys.stderr)
        for kernel in result.kernels:
            if kernel.state != "migrated":
                said = [*kernel.problems, *(n.text for n in kernel.notes if n.letter == "P"), *kernel.skipped, ""]
                print(f"           {kernel.state} {kernel.kernel}: {said[0]}", file=sys.stderr)
    return found, changed


def reason(text: str) -> str:
    """A reason without what it is about, and without why something is not known."""
    return re.sub(r"`[^`]*`", "`...`", text).partition(": ")[0]


def table(results: dict[str, list[Migration]], changed: Counter[str]) -> str:
    """The outcomes and the reasons, as a page shows them."""
    heads = [*STATES, "inputs compared", "none of class P", "of these migrated", "of these with documented calls"]
    heads += ["lines that change", "files that change again"]
    lines = [f"| kernels of | {' | '.join(heads)} |", "|---|" + "---:|" * len(heads)]
    reasons: Counter[str] = Counter()
    for name, migrations in results.items():
        kernels = [k for m in migrations for k in m.kernels]
        states = Counter(k.state for k in kernels)
        runs = sum(k.runs for k in kernels)
        certain = [k for k in kernels if not _has(k, OPEN)]
        documented = [k for k in certain if not _has(k, PRIVATE)]
        sizes = [lines_of(m) for m in migrations]
        total, lost = sum(s[0] for s in sizes), sum(s[1] for s in sizes)
        counts = [
            *(states[s] for s in STATES),
            runs,
            len(certain),
            _share(certain),
            f"{_share(documented)} of {len(documented)}",
        ]
        counts += [f"{lost} of {total}", changed[name]]
        lines.append(f"| {name} | {' | '.join(map(str, counts))} |")
        reasons.update(text for k in kernels for text in {reason(n.text) for n in k.notes if n.letter == "P"})
    lines += [
        "",
        "What is left to a person most often, by the number of kernels:",
        "",
        "| reason | kernels |",
        "|---|---:|",
    ]
    lines += [f"| {text} | {count} |" for text, count in sorted(reasons.items(), key=lambda x: (-x[1], x[0]))[:REASONS]]
    return "\n".join(lines) + "\n"


def _has(kernel: Outcome, kind: re.Pattern[str]) -> bool:
    """Whether something of a kind is left in a kernel."""
    return any(kind.search(n.text) for n in kernel.notes if n.letter == "P")


def _share(kernels: list[Outcome]) -> str:
    """How many were rewritten whole, in numbers and as a share."""
    done = sum(k.state in ("migrated", "unverified") for k in kernels)
    return f"{done} ({100 * done / len(kernels):.1f}%)" if kernels else "0"


def listing() -> str:
    """All steps."""
    lines = ["| to | step | who decides | what changes |", "|---|---|---|---|"]
    lines += [f"| {s.to} | {s.name} | {s.letter} | {s.title} |" for s in steps()]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="*", metavar="NAME=PATH")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the results of each folder of a corpus here")
    parser.add_argument(
        "--rewritten", action="append", default=[], metavar="NAME=PATH", help="run none of these kernels"
    )
    parser.add_argument("--write", action="store_true", help="write the tables into docs/migration.md")
    arguments = parser.parse_args()
    named = [(*corpus.partition("="), True) for corpus in arguments.corpora]
    named += [(*corpus.partition("="), False) for corpus in arguments.rewritten]
    results: dict[str, list[Migration]] = {}
    changed: Counter[str] = Counter()
    for name, _, path, verified in named:
        found, more = outcomes(path, arguments.keep, verified)
        results.setdefault(name, []).extend(found)
        changed[name] += more
    text = table(results, changed) + "\n" + listing()
    print(text)
    if arguments.write:
        between(PAGE, BEGIN, END, lambda _: text)


if __name__ == "__main__":
    main()
