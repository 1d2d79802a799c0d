"""The shape of the JSON document, each key with what it says. `docs/json.md` is made from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from nkilint_rules.words.records import dataclass

VERSION = 1


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file; rows and columns count from 1, columns in Unicode code points."""

    row: Annotated[int, "line"]
    column: Annotated[int, "column; for an end, the one after the last character"]


@dataclass(frozen=True, slots=True)
class RelatedEntry:
    """Another place that has part in a finding."""

    message: Annotated[str, "what happens there"]
    filename: Annotated[str, "relative to the working folder where it lies inside"]
    location: Annotated[Position, "where it begins"]
    end_location: Annotated[Position, "where it ends"]


@dataclass(frozen=True, slots=True)
class WitnessEntry:
    """Concrete values that show the violation."""

    inputs: Annotated[Mapping[str, Any], 'arguments of the kernel in their order; tensors as `"float32[129, 512]"`']
    loops: Annotated[Mapping[str, int], "values of the loop variables"]
    element: Annotated[tuple[int, ...] | None, "index of the element at fault, where there is one"]


@dataclass(frozen=True, slots=True)
class DiagnosticEntry:
    """One finding."""

    code: Annotated[str, "the rule, such as `NKI101`"]
    name: Annotated[str, "the rule's name, such as `partition-limit`"]
    severity: Annotated[str, "`error`, `warning` or `info`"]
    message: Annotated[str, "what is wrong, in one sentence"]
    help: Annotated[str, "what to do about it; may be empty"]
    filename: Annotated[str, "relative to the working folder where it lies inside"]
    location: Annotated[Position, "where it begins"]
    end_location: Annotated[Position, "where it ends"]
    kernel: Annotated[str | None, "the kernel it belongs to"]
    verdict: Annotated[
        str | None, "`violated`: fails for every input that gets there; `conditional`: fails for some; null: advice"
    ]
    precondition: Annotated[str | None, "a condition on the inputs, as Python, under which there is no fault"]
    witness: Annotated[WitnessEntry | None, "values that show the violation"]
    confirmation: Annotated[
        str, "what the reference simulator made of the witness: `confirmed`, `not-reproduced`, `not-run`"
    ]
    confirmation_reason: Annotated[str, "why it was not run, or what it saw instead; may be empty"]
    related: Annotated[tuple[RelatedEntry, ...], "other places that have part in it"]
    fix: Annotated[
        Mapping[str, Any] | None,
        "edits that are meant to repair it; `--fix` makes them if analysis then finds it gone and nothing new",
    ]


@dataclass(frozen=True, slots=True)
class ObligationsEntry:
    """How many conditions a kernel has to meet, by verdict."""

    total: Annotated[int, "all of them"]
    proved: Annotated[int, "hold for every input"]
    violated: Annotated[int, "fail for every input that gets there"]
    conditional: Annotated[int, "fail for some inputs"]
    unknown: Annotated[int, "neither proved nor refuted"]


@dataclass(frozen=True, slots=True)
class UnknownEntry:
    """A condition that was neither proved nor refuted."""

    code: Annotated[str, "the rule"]
    filename: Annotated[str, "as in a diagnostic; a helper may stand in another file than the kernel"]
    row: Annotated[int, "line; 0 for the kernel as a whole"]
    reason: Annotated[str, "what the analysis does not know"]


@dataclass(frozen=True, slots=True)
class InstanceEntry:
    """A call of the kernel with concrete inputs."""

    inputs: Annotated[Mapping[str, Any], "arguments of the kernel in their order"]
    verdict: Annotated[str, "as for the kernel, for these inputs"]


@dataclass(frozen=True, slots=True)
class KernelEntry:
    """What is known about one kernel."""

    filename: Annotated[str, "relative to the working folder where it lies inside"]
    name: Annotated[str, "the function's name"]
    location: Annotated[Position, "where the name stands"]
    dialect: Annotated[str, "`neuronxcc` or `nki`: the namespace it is written in"]
    verdict: Annotated[str, "`verified`, `violated`, `conditional` (see `contract`) or `incomplete` (see `unknown`)"]
    contract: Annotated[tuple[str, ...], "conditions on the inputs, as Python, under which everything is proved"]
    assumptions: Annotated[tuple[str, ...], "what the verdict takes for granted"]
    obligations: Annotated[ObligationsEntry, "how many conditions there are, by verdict"]
    unknown: Annotated[tuple[UnknownEntry, ...], "the conditions left open"]
    instances: Annotated[tuple[InstanceEntry, ...], "the calls that were checked one by one"]


@dataclass(frozen=True, slots=True)
class SummaryEntry:
    """The run in numbers."""

    files: Annotated[int, "files read"]
    kernels: Annotated[int, "kernels found"]
    errors: Annotated[int, "findings with severity `error`"]
    warnings: Annotated[int, "findings with severity `warning`"]
    seconds: Annotated[float, "time the run took; the only value that differs between equal runs"]
    codes: Annotated[Mapping[str, int], "findings by rule"]
    obligations: Annotated[ObligationsEntry, "the kernels' obligations taken together"]


@dataclass(frozen=True, slots=True)
class Document:
    """The whole object."""

    version: Annotated[int, "of this format; keys may be added under the same version, not changed"]
    target: Annotated[str, "the device the limits were taken from"]
    diagnostics: Annotated[tuple[DiagnosticEntry, ...], "sorted by file, row, column and code"]
    kernels: Annotated[tuple[KernelEntry, ...], "sorted by file and row"]
    summary: Annotated[SummaryEntry, "the run in numbers"]
