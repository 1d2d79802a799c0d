"""What is asked of a process that runs kernels, and what it answers; both travel as JSON."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from nkilint.base.findings import Trial
from nkilint.base.options import Options
from nkilint_rules.words.records import dataclass

OVER = {
    "steps": "it takes more than {steps} steps",
    "memory": "it needs more than {megabytes} MiB of memory",
    "seconds": "it ran longer than {seconds:g} s, without taking that many steps",
}


@dataclass(frozen=True, slots=True)
class Held:
    """An array that a kernel gave: a digest of its bytes, and every `step`-th of its elements as double precision."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    digest: str
    step: int
    numbers: str

    def values(self) -> memoryview[float]:
        """The numbers that are told."""
        return memoryview(b64decode(self.numbers)).cast("d")


@dataclass(frozen=True, slots=True)
class Task:
    """One run. `marks` are the files, rows and codes of the findings that it is made for; `roots` are the folders that
    the kernel's imports look into.

    `steps` and `memory` limit what the run may do, the same on every machine; `seconds` ends what escapes them.
    `contained` says that it may only be run where the system keeps it from everything else;
    `texts` that what exceptions say is told, which may be anything that the kernel can read, and `results` that what
    the kernel gives is. Floats among the inputs are positive, unless they are `signed`.
    """

    trial: Trial
    module: str
    roots: tuple[str, ...]
    marks: tuple[tuple[str, int, tuple[str, ...]], ...]
    dtype: str
    truth: bool
    steps: int
    memory: int
    seconds: float
    contained: bool = False
    texts: bool = False
    results: bool = False
    signed: bool = False
    overlay: Mapping[str, str] = field(default_factory=dict)
    prelude: str = ""


def as_asked(options: Options) -> dict[str, Any]:
    """What the options say of a run: its limits, what of it may be told, and the text before every file's own."""
    return {
        "steps": options.confirm_steps,
        "memory": options.confirm_memory << 20,
        "seconds": float(options.confirm_seconds),
        "contained": options.confirm == "sandboxed",
        "texts": options.exception_texts,
        "prelude": options.prelude,
    }


@dataclass(frozen=True, slots=True)
class Seen:
    """A finding of the simulator. `here` has the numbers of the marks in whose statements it stands; advice is about
    no fault."""

    code: str
    file: str
    row: int
    message: str
    iterations: Mapping[str, int] = field(default_factory=dict)
    program: tuple[int, ...] = ()
    here: tuple[int, ...] = ()
    advice: bool = False


@dataclass(frozen=True, slots=True)
class Stopped:
    """The exception that ended a run."""

    kind: str
    message: str
    file: str
    row: int


@dataclass(frozen=True, slots=True)
class Account:
    """What a run was like. `problem` says why it did not come about, or not to an end.

    `reached` has the marks that were come to, and `files` the digest of each file that parts of were executed. `open`
    is what the run was not kept from, and `left_out` a statement of its modules that was not executed and may matter.
    `results` is what the kernel gave, where that was asked for.
    """

    seen: tuple[Seen, ...] = ()
    stopped: Stopped | None = None
    reached: tuple[int, ...] = ()
    refused: tuple[str, ...] = ()
    problem: str = ""
    too_large: bool = False
    left_out: str = ""
    steps: int = 0
    open: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    results: tuple[Held, ...] = ()
