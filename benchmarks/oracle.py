"""Puts Python as the evaluator understands it to CPython: `python benchmarks/oracle.py --programs N [--resume]`.

`--programs` writes N random host programs, `--templates` a few about each template that they are made of, `--stdlib`
takes the standard library's own tests, `--trust` the cases of tests/data/trust. An answer of the evaluator is right,
unknown or wrong. Failing programs are made small and shown. `--write` puts the figures into docs/soundness.md; with
`--templates` and `--trust` it writes anew what is known to be wrong (known_wrong.txt beside the programs).
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.support import stdlib_oracle, trust
from tests.support.host_programs import (
    KNOWN_WRONG,
    PROGRAMS,
    VARIANTS,
    known_wrong,
    program,
    program_about,
    templates,
)
from tests.support.oracle import Answer, ask
from tests.support.shrinking import shrunk

STATE = Path("build/oracle.json")
PAGE = Path(__file__).parents[1] / "docs/soundness.md"
SLOW = 20.0  # seconds
LARGE = 400  # MB


@dataclass
class Tally:
    """What came of the programs so far; `next` is the seed to go on with."""

    first: int = 0
    next: int = 0
    programs: int = 0
    right: int = 0
    unknown: int = 0
    wrong: int = 0
    with_unknown: int = 0
    faults: int = 0
    verified_raises: int = 0
    slowest: float = 0.0
    peak: int = 0
    failing: list[int] = field(default_factory=list)  # seeds
    reasons: dict[str, int] = field(default_factory=dict)
    verdicts: dict[str, int] = field(default_factory=dict)

    def add(self, seed: int, answer: Answer, seconds: float) -> None:
        self.programs += 1
        self.right += len(answer.right)
        self.unknown += len(answer.unknown)
        self.wrong += len(answer.wrong)
        self.with_unknown += bool(answer.unknown)
        self.faults += bool(answer.fault)
        self.verified_raises += answer.verdict == "verified" and answer.raised > 0
        self.slowest = max(self.slowest, round(seconds, 2))
        self.peak = max(self.peak, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
        if answer.failed:
            self.failing.append(seed)
        for reason in dict.fromkeys(answer.unknown.values()):
            self.reasons[reason] = self.reasons.get(reason, 0) + 1
        self.verdicts[answer.verdict] = self.verdicts.get(answer.verdict, 0) + 1

    def told(self) -> str:
        rows = max(1, self.right + self.unknown + self.wrong)
        return (
            f"{self.programs} programs (seeds {self.first} to {self.next - 1}), {rows} values: {self.right} right, "
            f"{self.unknown} unknown ({100 * self.unknown / rows:.1f}%), {self.wrong} wrong, {self.faults} crashes; "
            f"slowest {self.slowest:.1f} s, at most {self.peak} MB; {self.with_unknown} programs with something unknown"
        )


def programs(args: argparse.Namespace) -> int:
    """Random programs; the state is saved, so that a run can go on where it ended."""
    tally = Tally(first=args.seed, next=args.seed)
    if args.resume and STATE.exists():
        tally = Tally(**json.loads(STATE.read_text(encoding="utf-8")))
    without = known_wrong() if args.without_known else ()
    shown = 0
    while tally.next < tally.first + args.programs:
        seed, started = tally.next, time.perf_counter()
        source = program(seed, without)
        answer = ask(source)
        tally.next += 1
        if answer is not None:
            tally.add(seed, answer, time.perf_counter() - started)
            if answer.failed and shown < args.show:
                shown += 1
                show(f"seed {seed}", source, answer)
        if tally.next % 100 == 0 or tally.next == tally.first + args.programs:
            STATE.parent.mkdir(exist_ok=True)
            STATE.write_text(json.dumps(asdict(tally)), encoding="utf-8")
    print(tally.told())
    print("failing seeds:", *tally.failing[:50])
    for reason, count in sorted(tally.reasons.items(), key=lambda item: -item[1])[: args.reasons]:
        print(f"{count:6} {reason[:140]}")
    if args.write:
        write("programs", f"{tally.told()}.")
    return bool(tally.failing)


def show(name: str, source: str, answer: Answer) -> None:
    """A failing program, made small."""

    def fails(text: str) -> bool:
        again = ask(text)
        if again is None or again.raised > answer.raised:
            return False
        return again.fault[:40] == answer.fault[:40] if answer.fault else bool(again.wrong)

    small = shrunk(source, fails)
    again = ask(small)
    lines = [line for line in small.split("\n") if line.strip() and not line.startswith("import ")]
    print(f"--- {name}", *lines, f"    => {again and (again.fault or again.wrong)}", sep="\n", flush=True)


def about_templates(args: argparse.Namespace) -> int:
    """A few programs about each template."""
    total: Counter[str] = Counter()
    for template in templates():
        answers = [ask(program_about(template, seed)) for seed in range(args.variants)]
        kinds = [_kind(a) for a in answers]
        kind = min(kinds, key=("failed", "unknown", "right", "no program").index)
        total[kind] += 1
        name = f"{kinds.count(kind)} of {len(kinds)} {kind}, {template}"
        if kind == "failed":
            seed = kinds.index(kind)
            show(name, program_about(template, seed), answers[seed] or Answer())
        elif kind != "right":
            reasons = Counter(r for a in answers if a is not None for r in a.unknown.values())
            print(f"--- {name}: {', '.join(dict(reasons.most_common(1)))[:120]}")
    print(dict(total))
    if args.write:
        failing = [str(t) for t in templates() if any(_fails(program_about(t, seed)) for seed in range(VARIANTS))]
        failing += [f"program {seed}" for seed in range(PROGRAMS) if _fails(program(seed))]
        KNOWN_WRONG.write_text("".join(f"{name}\n" for name in failing), encoding="utf-8")
    return bool(total["failed"])


def _kind(answer: Answer | None) -> str:
    if answer is None:
        return "no program"
    return "failed" if answer.failed else "unknown" if answer.unknown else "right"


def _fails(source: str) -> bool:
    return _kind(ask(source)) == "failed"


def stdlib(args: argparse.Namespace) -> int:
    """The standard library's tests."""
    total: Counter[str] = Counter()
    for suite in args.suites or stdlib_oracle.suites():
        here: Counter[str] = Counter()
        with tempfile.TemporaryDirectory() as folder:
            for outcome in stdlib_oracle.outcomes(suite, Path(folder).resolve()):
                here.update(right=len(outcome.right), unknown=len(outcome.unknown), wrong=len(outcome.wrong))
                here["faults"] += bool(outcome.fault)
                if outcome.fault:
                    print(f"fault {outcome.test}: {outcome.fault}")
                for file, row in sorted(outcome.wrong):
                    print(f"wrong {outcome.test} {file}:{row}: {stdlib_oracle.line(file, row)}")
        print(f"{suite}: {dict(here)}", flush=True)
        total += here
    decided = total["right"] + total["unknown"] + total["wrong"]
    told = (
        f"{decided} assertions of the tests of Python {sys.version.split()[0]}: {total['right']} right, "
        f"{total['unknown']} unknown, {total['wrong']} wrong, {total['faults']} crashes."
    )
    print(told)
    if args.write:
        write("library", told)
    return bool(total["wrong"] or total["faults"])


def trusted(args: argparse.Namespace) -> int:
    """The cases of tests/data/trust."""
    problems: dict[str, str] = {}
    for case in trust.host_programs():
        problems[case.name] = case.problem()
    for kernel in trust.whole_kernels():
        with tempfile.TemporaryDirectory() as folder:
            problems[kernel.name] = kernel.problem(Path(folder).resolve())
    failing = [name for name, problem in problems.items() if problem]
    for name in failing:
        print(f"--- {name}\n{problems[name]}")
    print(f"{len(problems)} cases, {len(failing)} fail")
    if args.write:
        trust.KNOWN_WRONG.write_text("".join(f"{name}\n" for name in failing), encoding="utf-8")
    return bool(failing)


def write(name: str, text: str) -> None:
    """Put figures between their marks on the page."""
    page = PAGE.read_text(encoding="utf-8")
    start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    before, _, rest = page.partition(start)
    PAGE.write_text(f"{before}{start}{text}\n{end}{rest.partition(end)[2]}", encoding="utf-8")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, help="how many random programs")
    parser.add_argument("--seed", type=int, default=0, help="the first of their seeds")
    parser.add_argument("--resume", action="store_true", help=f"go on with the run that {STATE} is the state of")
    parser.add_argument("--without-known", action="store_true", help="programs without templates known to be wrong")
    parser.add_argument("--show", type=int, default=5, help="failing programs to make small and show")
    parser.add_argument("--reasons", type=int, default=20, help="reasons for unknown values to show")
    parser.add_argument("--templates", action="store_true", help="programs about each template")
    parser.add_argument("--variants", type=int, default=6, help="how many about each")
    parser.add_argument("--stdlib", action="store_true", help="the standard library's tests")
    parser.add_argument("suites", nargs="*", help="suites of these, such as `list`")
    parser.add_argument("--trust", action="store_true", help="the cases of tests/data/trust")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args(argv)
    if args.stdlib:
        return stdlib(args)
    if args.trust:
        return trusted(args)
    if args.templates:
        return about_templates(args)
    if args.programs is None:
        parser.error("one of --programs, --templates, --stdlib and --trust")
    return programs(args)


if __name__ == "__main__":
    sys.exit(main())
