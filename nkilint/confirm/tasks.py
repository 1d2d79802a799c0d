"""What is asked of a process that runs kernels, and what it answers; both travel as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..findings import Trial


@dataclass(frozen=True, slots=True)
class Task:
    """One run. `row` is the finding's, in `file`; `roots` are the folders that the kernel's imports look into."""

    trial: Trial
    module: str
    roots: tuple[str, ...]
    file: str
    row: int
    dtype: str
    truth: bool
    seconds: float
    memory: int
    overlay: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Seen:
    """A finding of the simulator. `here` says that it stands in the same statement as the finding asked about."""

    code: str
    file: str
    row: int
    message: str
    iterations: Mapping[str, int] = field(default_factory=dict)
    program: tuple[int, ...] = ()
    here: bool = False


@dataclass(frozen=True, slots=True)
class Stopped:
    """The exception that ended a run."""

    kind: str
    message: str
    file: str
    row: int
    here: bool = False


@dataclass(frozen=True, slots=True)
class Account:
    """What a run was like. `problem` says why it did not come about, `reached` whether the statement was come to.

    `files` holds the digest of each file that parts of were executed.
    """

    seen: tuple[Seen, ...] = ()
    stopped: Stopped | None = None
    reached: bool = False
    refused: tuple[str, ...] = ()
    problem: str = ""
    too_large: bool = False
    files: Mapping[str, str] = field(default_factory=dict)
