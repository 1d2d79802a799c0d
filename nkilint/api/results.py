"""What programs are told. Fields may be added; none changes its meaning. Lines and columns are counted from 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Literal

from nkilint_rules.words.records import dataclass

Verdict = Literal["verified", "conditional", "incomplete", "violated", "unreadable", "empty"]
Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Place:
    """A piece of a text, its end exclusive; `file` is empty for the text that was given."""

    line: int
    column: int
    end_line: int
    end_column: int
    file: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """Another place that has part in a finding."""

    message: str
    at: Place


@dataclass(frozen=True, slots=True)
class Edit:
    """`text` in place of a piece of the text that was given."""

    at: Place
    text: str


@dataclass(frozen=True, slots=True)
class Repair:
    """What would repair a finding; one that is not `safe` may change what the kernel computes."""

    title: str
    safe: bool
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect. `vendor` are the names that the NKI compiler has for the same error.

    `verdict` is None for advice. A conditional one does not occur where `precondition` holds. `witness` are inputs that
    show it, and `confirmation` is what became of them in the simulator.
    """

    code: str
    name: str
    severity: Severity
    message: str
    line: int
    column: int
    end_line: int
    end_column: int
    file: str
    kernel: str | None
    verdict: Literal["violated", "conditional"] | None
    precondition: str | None
    vendor: tuple[str, ...]
    help: str
    witness: Mapping[str, Any] | None
    confirmation: Literal["confirmed", "not-reproduced", "not-run"]
    confirmation_reason: str
    notes: tuple[Note, ...]
    repair: Repair | None


@dataclass(frozen=True, slots=True)
class Open:
    """An obligation that was neither proved nor refuted, and why; line 0 is the kernel as a whole."""

    code: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel: proved for all inputs that meet `contract`, if its verdict is `verified` or `conditional`."""

    name: str
    line: int
    dialect: Literal["nki", "neuronxcc"]
    verdict: Literal["verified", "conditional", "incomplete", "violated"]
    contract: tuple[str, ...]
    assumptions: tuple[str, ...]
    obligations: Mapping[str, int]
    unknown: tuple[Open, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """What is known about a text.

    `verdict` is that of its worst kernel; `violated` also if an error stands outside of any, `unreadable` if the text
    is not Python, `empty` if it holds no kernel.
    """

    verdict: Verdict
    target: str
    kernels: tuple[Kernel, ...]
    findings: tuple[Finding, ...]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Explained:
    """What is known about a text, and in words how that was decided."""

    text: str
    checked: Checked

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Fixed:
    """A text after `repaired` findings were repaired, and what is left."""

    source: str
    repaired: int
    checked: Checked

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Output:
    """An array that a kernel gave; `digest` is that of its bytes, and `numbers` are its first elements."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    digest: str
    numbers: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a run showed, in the words of the rule."""

    code: str
    message: str
    line: int
    file: str


@dataclass(frozen=True, slots=True)
class Simulated:
    """One run of a kernel on the simulator. `problem` says why there was none, or what ended it."""

    kernel: str
    inputs: Mapping[str, Any]
    problem: str
    findings: tuple[Seen, ...]
    outputs: tuple[Output, ...]
    steps: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
