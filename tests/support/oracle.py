"""Puts one program to CPython and to the evaluator, and says for each `reveal` in it who is right.

CPython runs the program for several sizes of its input. The evaluator runs it once for all of them; its answers are put
to these sizes.
"""

from __future__ import annotations

import signal
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType, FrameType, SimpleNamespace
from typing import Any

from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.state.trace import links

from . import differential
from .checking import evaluations, report_on, reveal_events

SIZES = ((1, 1), (2, 3), (3, 2), (5, 4), (4, 7), (8, 6))
SECONDS = 20  # that nkilint may take for a program
PATIENCE = 2  # seconds that CPython may take
LARGEST = 2**50  # beyond it CPython divides floats, and the evaluator integers
FILE = "program.py"


@dataclass
class Answer:
    """What came of one program: the rows of `reveal` by outcome, and what went wrong."""

    right: set[int] = field(default_factory=set)
    unknown: dict[int, str] = field(default_factory=dict)  # with the reason
    wrong: dict[int, str] = field(default_factory=dict)  # with both values
    fault: str = ""  # a crash, or no end
    raised: int = 0  # sizes for which CPython raised
    verdict: str = ""

    @property
    def failed(self) -> bool:
        return bool(self.wrong or self.fault)


def ask(source: str, sizes: Sequence[tuple[int, ...]] = SIZES) -> Answer | None:
    """The comparison of both; None if CPython itself does not take the program."""
    expected = _expected(source, sizes)
    if not expected:
        return None
    answer = Answer(raised=sum(seen.raised is not None for seen in expected.values()))
    try:
        with limited(SECONDS), evaluations() as found:
            report = report_on(source, FILE)
    except TooSlow:
        answer.fault = f"no end in {SECONDS} seconds"
        return answer
    except Exception as error:
        answer.fault = f"{type(error).__name__}: {error}"
        return answer
    if report.failures:
        answer.fault = report.failures[0].message
        return answer
    for kernel in report.kernels:
        answer.verdict = kernel.verdict
        run = [run for request, run in found if request.launch is None][-1]
        left_out = "; ".join(u.reason for u in kernel.unknown)
        for size, seen in expected.items():
            _compare(answer, run, size, seen, left_out)
    return answer


# --- CPython ---


class TooSlow(BaseException):
    """A run took more than its time."""


@dataclass
class Seen:
    """What `reveal` was given, by row, and what the program ended with."""

    values: dict[int, list[Any]] = field(default_factory=dict)
    raised: BaseException | None = None


def _expected(source: str, sizes: Sequence[tuple[int, ...]]) -> dict[tuple[int, ...], Seen]:
    """What CPython sees for each size that the program takes; nothing if it is no program to compare."""
    found = {}
    for size in sizes:
        try:
            with limited(PATIENCE):
                seen = in_python(source, size)
        except (SyntaxError, TooSlow):
            return {}
        if any(abs(n) > LARGEST for values in seen.values.values() for value in values for n in _numbers(value)):
            return {}
        if seen.values or not isinstance(seen.raised, AssertionError):
            found[size] = seen
    return found


def in_python(source: str, size: tuple[int, ...]) -> Seen:
    """The program's kernel on an input of this size."""
    seen = Seen()

    def reveal(value: Any) -> Any:
        row = sys._getframe(1).f_lineno
        seen.values.setdefault(row, []).append(differential.plain(value))
        return value

    names: dict[str, Any] = {
        "nl": SimpleNamespace(affine_range=range, sequential_range=range, static_range=range),
        "nki": SimpleNamespace(jit=lambda f: f),
        "reveal": reveal,
        "print": lambda *_: None,
        "__name__": "program",
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = _compiled(source)
        exec(code, names)
        names["kernel"](SimpleNamespace(shape=size))
    except SyntaxError:
        raise
    except Exception as error:
        seen.raised = error
    return seen


@lru_cache(maxsize=1)  # one program after the other, each for all sizes
def _compiled(source: str) -> CodeType:
    lines = ("" if line.startswith("import n") and "nki" in line else line for line in source.split("\n"))
    return compile("\n".join(lines), FILE, "exec", dont_inherit=True)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Ends what takes more time of the processor."""

    def end(number: int, frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 1)  # again, for in a finalizer an exception is lost
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, (int, float)):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _numbers(item)


# --- the comparison ---


def _compare(answer: Answer, run: Run, size: tuple[int, ...], seen: Seen, left_out: str) -> None:
    """Both for one size. `left_out` says why statements may be missing in the evaluator's account."""
    told: dict[int, list[Any]] = {}
    unknown: dict[int, str] = {}
    for row, value in _told(run, size):
        if isinstance(value, differential.Open):
            unknown.setdefault(row, str(value))
        else:
            told.setdefault(row, []).append(value)
    for row in sorted({*seen.values, *told, *unknown}):
        values = seen.values.get(row, [])
        if not all(map(_comparable, values)) or row in answer.wrong:
            continue
        wanted, found = Counter(map(repr, values)), Counter(map(repr, told.get(row, [])))
        missing, extra = sorted((wanted - found).elements()), sorted((found - wanted).elements())
        if seen.raised is not None and (not missing or row in unknown):
            extra = []  # what would come after the exception
            if not wanted:
                continue
        if row in unknown and len(missing) >= len(extra):
            answer.unknown.setdefault(row, unknown[row])
        elif missing and not extra and left_out:
            answer.unknown.setdefault(row, f"left out: {left_out}")
        elif missing or extra:
            sides = (", ".join(side[:3]) or "nothing" for side in (missing, extra))
            answer.wrong[row] = "n, m = {}: CPython {}, nkilint {}".format(size, *sides)
            answer.unknown.pop(row, None)
        elif row not in answer.unknown:
            answer.right.add(row)
            continue
        answer.right.discard(row)


def _told(run: Run, size: tuple[int, ...]) -> Iterator[tuple[int, Any]]:
    """The row and the value of each `reveal` that the evaluator sees for this size, or why it does not know.

    What it cannot see without dividing by zero, CPython must not see either.
    """
    numbers = differential.inputs(run, size)
    for event in reveal_events(run):
        row = event.site.at.row
        conditions = [link.condition for link in links(event.site.facts) if link.origin != "known"][::-1]
        try:
            for here in differential.iterations(event, numbers):
                try:
                    if all(differential.truth(c, here) for c in conditions):
                        yield row, differential.concrete(event.arguments["value"], here)
                except differential.Open as reason:
                    yield row, reason
                except ZeroDivisionError:
                    yield row, ("a division by zero",)
        except differential.Open as reason:
            yield row, reason
        except ZeroDivisionError:
            yield row, ("a division by zero",)


def _comparable(value: Any) -> bool:
    """Whether a value of CPython says all of itself."""
    if isinstance(value, tuple):
        return all(map(_comparable, value))
    return value is None or isinstance(value, (bool, int, str))
