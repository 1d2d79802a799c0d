"""What a run has to say: diagnostics, the verdict and proofs of each kernel, and the report that holds them."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Any, Literal, get_args

from nkilint_rules.rule import Message, Severity
from nkilint_rules.words.dtypes import DTYPES
from nkilint_rules.words.records import dataclass

from .ir import Span

Confirmation = Literal["confirmed", "not-reproduced", "not-run"]
FindingVerdict = Literal["violated", "conditional"]
ObligationVerdict = Literal["proved", "violated", "conditional", "unknown"]
KernelVerdict = Literal["verified", "violated", "conditional", "incomplete"]
Order = tuple[str, int, int, str, str]
"""Path, line, column, code and message of a finding."""
OBLIGATION_VERDICTS: tuple[ObligationVerdict, ...] = get_args(ObligationVerdict)
KERNEL_VERDICTS: tuple[KernelVerdict, ...] = get_args(KernelVerdict)


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that has part in a finding: the second write, the allocation, the conflicting iteration."""

    message: str
    at: Span


@dataclass(frozen=True, slots=True)
class Witness:
    """Concrete values that show a violation; `inputs` in signature order: `{"x": "float32[129, 512]", "n": 3}`."""

    inputs: Mapping[str, Any] = field(default_factory=dict)
    loops: Mapping[str, int] = field(default_factory=dict)
    element: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """A run of a kernel that should show a finding.

    `arguments` has, by parameter, numbers, strings and None as they are, and for the rest a dict of one key:
    `{"array": [dtype, sizes]}` (an empty dtype is not specified), `{"tuple": [...]}`, `{"list": [...]}`,
    `{"dtype": name}`, `{"name": dotted name}`, `{"either": name}` for a truth value that nothing fixes, and
    `{"unknown": reason}`. What has its default is left out. `open` names what else the witness does not fix, and
    `around` holds the parameters of the functions `outer` that make the kernel. `outputs` names parameters that it
    writes and never reads.
    """

    file: str
    function: str
    outer: tuple[str, ...]
    dialect: str
    target: str
    may_write: bool
    grid: tuple[int, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)
    open: tuple[str, ...] = ()
    positional: tuple[Any, ...] = ()
    around: Mapping[str, Any] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding, at the place where the fault stands."""

    code: str
    name: str
    severity: Severity
    message: str
    at: Span
    help: str = ""
    kernel: str | None = None
    verdict: FindingVerdict | None = None
    precondition: str | None = None
    witness: Witness | None = None
    confirmation: Confirmation = "not-run"
    confirmation_reason: str = ""
    related: tuple[Related, ...] = ()
    label: str = ""  # what stands beside the carets
    fix: Mapping[str, Any] | None = None
    trial: Trial | None = None  # how to see it happen
    home: Span | None = None  # where the name of its kernel stands, which tells kernels of one name apart

    @property
    def order(self) -> Order:
        """Findings are sorted by this: path, line, column, code."""
        return (self.at.file, self.at.row, self.at.column, self.code, self.message)


def diagnostic(message: Message, at: Span, kernel: str | None = None) -> Diagnostic:
    """The finding of a rule."""
    rule = message.rule
    return Diagnostic(rule.code, rule.name(), rule.severity, message.text(), at, message.help(), kernel)


def failure(message: Message, at: Span, kernel: str | None = None) -> Diagnostic:
    """A fault of this tool, for which the rule's advice is no help."""
    return replace(diagnostic(message, at, kernel), severity=Severity.ERROR, help="")


@dataclass(frozen=True, slots=True)
class ObligationCount:
    """How many obligations a kernel has, by verdict."""

    proved: int = 0
    violated: int = 0
    conditional: int = 0
    unknown: int = 0

    @property
    def total(self) -> int:
        return self.proved + self.violated + self.conditional + self.unknown

    def __add__(self, other: ObligationCount) -> ObligationCount:
        return ObligationCount(*(getattr(self, v) + getattr(other, v) for v in OBLIGATION_VERDICTS))


@dataclass(frozen=True, slots=True)
class UnknownObligation:
    """An obligation that was neither proved nor refuted, and why; row 0 is the kernel as a whole."""

    code: str
    row: int
    reason: str
    file: str


@dataclass(frozen=True, slots=True)
class Proof:
    """One obligation as `nkilint explain` shows it: what had to hold, its verdict, and the rung that decided."""

    code: str
    row: int
    text: str
    verdict: ObligationVerdict
    rung: str
    file: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A statement of a memory map: its line, the loops around it by name, and its file."""

    row: int
    loops: tuple[str, ...]
    file: str = ""


@dataclass(frozen=True, slots=True)
class Resident:
    """A tensor of a memory map.

    `places` are first byte, end, first partition and end of its physical tiles; there are none where the compiler
    places it. It has `tiles` logical tiles of `bytes` in each partition; 0 means that this is not known. `marks` has a
    character for each step: `W` where it is written, `R` where it is read, `!` where it is read after it was
    overwritten, `-` where it holds data, a blank elsewhere.

    `size` is the formula of the bytes that all its tiles take in a partition, and `spots` are the formulas of `places`;
    None where there is none. `symbolic/formulas.py` says what a formula is.
    """

    name: str
    at: Span
    memory: str
    places: tuple[tuple[int, int, int, int], ...]
    tiles: int
    bytes: int
    marks: str
    size: Any = None
    spots: Any = None


@dataclass(frozen=True, slots=True)
class MemoryMap:
    """What holds data on chip, statement by statement, for certain inputs; `capacity` is in bytes of a partition.

    `sizes` are those of the inputs' sizes that matter and that the kernel leaves open: other ones make another map, and
    so do other `itemsizes`, in bytes. `admitted` are the conditions on them that the map keeps to, with their formulas.
    """

    target: str
    inputs: Mapping[str, Any]
    capacity: Mapping[str, int]
    bank_bytes: int
    steps: tuple[Step, ...]
    residents: tuple[Resident, ...]
    sizes: Mapping[str, int] = field(default_factory=dict)
    itemsizes: Mapping[str, int] = field(default_factory=dict)
    admitted: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class InstanceReport:
    """The verdict for one call of the kernel with concrete inputs; `at` is the call."""

    inputs: Mapping[str, Any]
    verdict: KernelVerdict
    at: Span | None = None


@dataclass(frozen=True, slots=True)
class KernelReport:
    """What is known about one kernel: its verdict for all inputs, its contract, and what was left open."""

    file: str
    name: str
    at: Span
    dialect: str
    verdict: KernelVerdict
    contract: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    obligations: ObligationCount = ObligationCount()
    unknown: tuple[UnknownObligation, ...] = ()
    instances: tuple[InstanceReport, ...] = ()
    proofs: tuple[Proof, ...] = ()
    memory: MemoryMap | None = None


def conditioned(message: str, precondition: str, exact: bool = True) -> str:
    """A message with the precondition under which there is no finding; if not `exact`, there may be none without it
    either. A long one stands elsewhere."""
    if len(precondition) <= LONGEST_SHOWN:
        denied = _denied(precondition) if exact else None
        if denied is not None:
            return f"{message}, where `{denied}`"
        return f"{message}, unless `{precondition}`" if exact else f"{message}; excluded if `{precondition}`"
    names = ", ".join(f"`{name}`" for name in _inputs_in(precondition))
    condition = f"a condition{' on ' if names else ''}{names}"
    if exact:
        return f"{message}, unless {condition} holds that `nkilint explain` shows"
    return f"{message}; excluded under {condition} that `nkilint explain` shows"


LONGEST_SHOWN = 160  # characters of a precondition that a message gives


def _denied(precondition: str) -> str | None:
    """What a condition says is not so, where that is all it says: `mode == 'b'` of `mode != 'b'`."""
    try:
        node = ast.parse(precondition, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return ast.get_source_segment(precondition, node.operand)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (ast.NotEq, ast.NotIn)):
        left, right = (ast.get_source_segment(precondition, side) for side in (node.left, node.comparators[0]))
        return f"{left} {'==' if isinstance(node.ops[0], ast.NotEq) else 'in'} {right}"
    return None


def _inputs_in(precondition: str) -> list[str]:
    """The sizes and dtypes that a condition names, in order of appearance."""
    found = re.findall(r"\b[A-Za-z_]\w*(?:\.\w+|\[\d+\])*(?!\w*\()", precondition)
    return [name for name in dict.fromkeys(found) if name not in DTYPES and not keyword.iskeyword(name)]


def unconditioned(finding: Diagnostic) -> str:
    """The message of a finding without its precondition."""
    message = finding.message
    for exact in (True, False):
        message = message.removesuffix(conditioned("", finding.precondition or "", exact))
    return message


def roots(reasons: Iterable[str]) -> dict[str, str]:
    """Each reason with the one among `reasons` that it goes back to, as in "result of `load`: `f` is not followed"."""
    known = sorted(dict.fromkeys(reasons), key=len)
    return {reason: next(r for r in known if r == reason or reason.endswith(f": {r}")) for reason in known}


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a run.

    `failures` are findings about the input or the tool itself (a file that cannot be read or parsed, a fault of ours):
    they are printed like the others and make the exit code 2. `suppressed` were silenced in the source. `known` are in
    the baseline that the run was compared with; None where there was none. `uncontained` is what runs for confirmation
    were not kept from.
    """

    target: str
    diagnostics: tuple[Diagnostic, ...] = ()
    kernels: tuple[KernelReport, ...] = ()
    files: int = 0
    failures: tuple[Diagnostic, ...] = ()
    suppressed: tuple[Diagnostic, ...] = ()
    known: tuple[Diagnostic, ...] | None = None
    uncontained: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Everything to print, in order."""
        return tuple(sorted(self.failures + self.diagnostics, key=lambda d: d.order))

    @property
    def obligations(self) -> ObligationCount:
        return sum((k.obligations for k in self.kernels), ObligationCount())

    def count(self, severity: Severity) -> int:
        return sum(d.severity is severity for d in self.findings)
