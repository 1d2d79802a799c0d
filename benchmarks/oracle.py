"""Puts Python as the evaluator understands it to CPython: `python benchmarks/oracle.py --programs N [--resume]`.

`--programs` writes N random host programs, `--templates` a few about each template that they are made of, `--kernels`
so many kernels whose sizes such programs compute, and the simulator runs the verified ones; `--stdlib` takes the
standard library's own tests, `--trust` the cases of tests/data/trust. An answer of the evaluator is right, unknown or
wrong. Failing programs are made small and shown. `--write` puts the figures into docs/soundness.md; with
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
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.support import stdlib_oracle, trust, usage
from tests.support.host_kernels import Trial, host_kernel, tried
from tests.support.host_programs import (
    KERNELS,
    KNOWN_WRONG,
    PROGRAMS,
    VARIANTS,
    kinds,
    known_wrong,
    program,
    program_about,
    templates,
)
from tests.support.library_calls import library_calls
from tests.support.oracle import Answer, ask
from tests.support.shrinking import shrunk

STATE = Path("build/oracle")
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
    name = "usual" if args.usual else "programs"
    state = STATE / f"{name}.json"
    if args.resume and state.exists():
        tally = Tally(**json.loads(state.read_text(encoding="utf-8")))
    without = known_wrong() if args.without_known else ()
    shown = 0
    while tally.next < tally.first + args.programs:
        seed, started = tally.next, time.process_time()
        source = program(seed, without, args.usual)
        answer = ask(source)
        tally.next += 1
        if answer is not None:
            tally.add(seed, answer, time.process_time() - started)
            if answer.failed and shown < args.show:
                shown += 1
                show(f"seed {seed}", source, answer)
        if tally.next % 100 == 0 or tally.next == tally.first + args.programs:
            save(state, tally)
    print(tally.told())
    print("failing seeds:", *tally.failing[:50])
    for reason, count in sorted(tally.reasons.items(), key=lambda item: -item[1])[: args.reasons]:
        print(f"{count:6} {reason[:140]}")
    if args.write:
        write(name, f"{tally.told()}.")
    return bool(tally.failing)


@dataclass
class Trials:
    """What came of the kernels so far; `next` is the seed to go on with."""

    first: int = 0
    next: int = 0
    verdicts: dict[str, int] = field(default_factory=dict)
    ran: int = 0  # verified ones that some input was found for
    runs: int = 0
    wrong: list[int] = field(default_factory=list)  # seeds of verified ones in which a rule was broken
    raised: list[int] = field(default_factory=list)  # of those that ended with an exception of Python
    crashes: list[int] = field(default_factory=list)

    def add(self, seed: int, trial: Trial) -> None:
        self.verdicts[trial.verdict] = self.verdicts.get(trial.verdict, 0) + 1
        self.ran += trial.runs > 0
        self.runs += trial.runs
        if trial.problem:
            (self.crashes if not trial.verdict else self.raised if trial.by_python else self.wrong).append(seed)

    def told(self) -> str:
        verified = self.verdicts.get("verified", 0)
        return (
            f"{sum(self.verdicts.values())} kernels (seeds {self.first} to {self.next - 1}), of which {verified} are "
            f"verified; in {self.runs} runs of {self.ran} of these, {len(self.wrong)} break a rule and "
            f"{len(self.raised)} end with an exception of Python; {len(self.crashes)} crashes"
        )


def kernels(args: argparse.Namespace) -> int:
    """Random kernels whose sizes host programs compute, on the simulator where they are verified."""
    trials = Trials(first=args.seed, next=args.seed)
    state = STATE / "kernels.json"
    if args.resume and state.exists():
        trials = Trials(**json.loads(state.read_text(encoding="utf-8")))
    with tempfile.TemporaryDirectory() as folder:
        while trials.next < trials.first + args.kernels:
            trial = tried(host_kernel(trials.next), Path(folder).resolve())
            if trial.problem:
                print(f"seed {trials.next}: {trial.verdict or 'crash'}: {trial.problem[:200]}", flush=True)
            trials.add(trials.next, trial)
            trials.next += 1
            if trials.next % 20 == 0 or trials.next == trials.first + args.kernels:
                save(state, trials)
    print(trials.told())
    if args.write:
        write("kernels", f"{trials.told()}.")
    return bool(trials.wrong or trials.raised or trials.crashes)


def save(file: Path, state: Tally | Trials) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(asdict(state)), encoding="utf-8")


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
    if args.write:
        KNOWN_WRONG.write_text("".join(f"{name}\n" for name in failing()), encoding="utf-8")
        return 0
    total: Counter[str] = Counter()
    for template in templates():
        answers = [ask(program_about(template, seed)) for seed in range(args.variants)]
        kinds = [_kind(a) for a in answers]
        kind = min(kinds, key=("failed", "unknown", "right", "no program").index)
        total[kind] += 1
        name = f"{kinds.count(kind)} of {len(kinds)} {kind}, {template}"
        if kind == "failed" and total[kind] <= args.show:
            seed = kinds.index(kind)
            show(name, program_about(template, seed), answers[seed] or Answer())
        elif kind != "right":
            reasons = Counter(r for a in answers if a is not None for r in [*a.wrong.values(), *a.unknown.values()])
            print(f"--- {name}: {', '.join(dict(reasons.most_common(1)))[:120]}")
    print(dict(total))
    return bool(total["failed"])


def failing() -> Iterator[str]:
    """The names of what the tests come to that is wrong."""
    for template in templates():
        if any(_kind(ask(program_about(template, seed))) == "failed" for seed in range(VARIANTS)):
            yield str(template)
    for call in library_calls():
        if _kind(ask(call.source)) == "failed":
            yield call.name
    for seed in range(PROGRAMS):
        if _kind(ask(program(seed))) == "failed":
            yield f"program {seed}"
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(KERNELS):
            if tried(host_kernel(seed), Path(folder).resolve()).problem:
                yield f"kernel {seed}"
    for suite in stdlib_oracle.TESTED:
        with tempfile.TemporaryDirectory() as folder:
            for outcome in stdlib_oracle.outcomes(suite, Path(folder).resolve()):
                if outcome.wrong or outcome.fault:
                    yield outcome.test


def _kind(answer: Answer | None) -> str:
    if answer is None:
        return "no program"
    return "failed" if answer.failed else "unknown" if answer.unknown else "right"


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
        write("stdlib", told)
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
    told = f"{len(problems)} cases, of which {len(failing)} come out wrong"
    print(told)
    if args.write:
        write("trust", f"{told}.")
        trust.KNOWN_WRONG.write_text("".join(f"{name}\n" for name in failing), encoding="utf-8")
    return bool(failing)


def write(name: str, text: str) -> None:
    """Put figures between their marks on the page."""
    page = PAGE.read_text(encoding="utf-8")
    start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    before, _, rest = page.partition(start)
    PAGE.write_text(f"{before}{start}{text}\n{end}{rest.partition(end)[2]}", encoding="utf-8")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, help="how many random programs")
    parser.add_argument("--kernels", type=int, help="how many random kernels")
    parser.add_argument("--usual", action="store_true", help="programs that have constructs as often as kernels do")
    parser.add_argument("--usage", nargs="+", type=Path, help="folders of kernels to count constructs in")
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
    if args.kernels is not None:
        return kernels(args)
    if args.usage:
        files = [file for folder in args.usage for file in sorted(folder.rglob("*.py"))]
        usage.write(files, [*(t.text for t in templates()), *(kind.module for kind in kinds().values())])
        return 0
    if args.templates:
        return about_templates(args)
    if args.programs is None:
        parser.error("one of --programs, --kernels, --templates, --stdlib and --trust")
    return programs(args)


if __name__ == "__main__":
    sys.exit(main())
