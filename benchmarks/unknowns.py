"""How much of what kernels compute is unknown: `python benchmarks/unknowns.py FOLDER... [--places FILE]`.

Every expression that the evaluation of a kernel comes to counts once, by its place, and as unknown where it is unknown
in any call and iteration of any evaluation that a verdict rests on. What attempts leave that are taken back, such as an
iteration that begins with what was there before the loop, does not count. An unknown value tells the reason of the
first one that it follows from, so the reasons tell the causes by what they cost.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from nkilint.base import ir
from nkilint.base.options import Options
from nkilint.evaluator.python import interpreter
from nkilint.evaluator.python.checkpoints import Checkpoint
from nkilint.evaluator.state.machine import Machine
from nkilint.evaluator.state.trace import Trace
from nkilint.evaluator.values.choices import Either
from nkilint.evaluator.values.objects import Environment
from nkilint.run.engine import check
from nkilint.run.verification import Verification
from nkilint_rules.words.conditions import Unknown

Place = tuple[str, int, int, int, int, str]
Seen = list[tuple[ir.Expr, str]]  # what was evaluated, and why its value is unknown, or nothing

evaluations: dict[int, tuple[Trace, Seen]] = {}  # of the kernel at hand, by the id of their trace
found: dict[Place, str] = {}  # by place, why an expression is unknown, or nothing


def seen_by(machine: Machine) -> Seen:
    return evaluations.setdefault(id(machine.trace), (machine.trace, []))[1]


def listen() -> None:
    """Have the evaluator tell of each value, and of the evaluations that count."""
    evaluate, mark, restore, judge = interpreter._value, Checkpoint.__init__, Checkpoint.restore, Verification._judged
    outcome = Verification.outcome

    def evaluated(machine: Machine, node: ir.Expr, env: Environment) -> Any:
        value = evaluate(machine, node, env)
        if machine.in_kernel:
            unknown = isinstance(value, Unknown) and not isinstance(value, Either)
            seen_by(machine).append((node, str(value.reason) or "for no reason" if unknown else ""))
        return value

    def marked(self: Any, machine: Machine) -> None:
        mark(self, machine)
        self.seen = len(seen_by(machine))

    def restored(self: Any, machine: Machine) -> None:
        restore(self, machine)
        del seen_by(machine)[self.seen :]

    def judged(self: Any, run: Any, *args: Any) -> Any:
        for node, reason in evaluations.get(id(run.trace), (None, []))[1]:
            at = node.at
            place = (at.file, at.row, at.column, at.end_row, at.end_column, type(node).__name__)
            found[place] = found.get(place, "") or reason
        return judge(self, run, *args)

    def one_kernel(self: Any, launches: Any) -> Any:
        evaluations.clear()
        return outcome(self, launches)

    interpreter._value = evaluated
    Checkpoint.__init__ = marked  # type: ignore[method-assign]
    Checkpoint.restore = restored  # type: ignore[method-assign]
    Verification._judged = judged  # type: ignore[method-assign]
    Verification.outcome = one_kernel  # type: ignore[method-assign]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--reasons", type=int, default=40, help="how many causes to show")
    parser.add_argument("--places", type=Path, help="a file for each place and its reason, as JSON")
    arguments = parser.parse_args()
    listen()
    check(arguments.folders, Options())
    causes = Counter(reason for reason in found.values() if reason)
    print(f"{len(found)} expressions, {causes.total()} unknown ({100 * causes.total() / max(1, len(found)):.1f}%)")
    for reason, count in causes.most_common(arguments.reasons):
        print(f"{count:6} {reason[:150]}")
    if arguments.places is not None:
        arguments.places.write_text(json.dumps([[*place, reason] for place, reason in sorted(found.items())]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
