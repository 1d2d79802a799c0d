"""The form of a rule: one class, whose docstring is its page and whose examples are its tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar

from .operations.form import Call
from .words.dialects import BETA1, NKI


class Severity(str, Enum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Need:
    """A condition that a call has to meet. `operand` names the argument at fault; `values` fill the message.

    `operand` is a name as `Call.tiles` gives it, an element of a list included (`data[2]`); without it the whole call
    is at fault. `message` replaces the rule's own template.
    """

    condition: Any
    operand: str | None = None
    values: dict[str, Any] = field(default_factory=dict)
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """A piece of a kernel. `⟦` and `⟧` mark the span reported; `message` is the whole expected message.

    The precondition of a conditional finding stands in `precondition`, not in `message`. `version` is the version of
    NKI that it is checked for, empty for the newest.

    Code without `def` is put into a kernel whose parameters are HBM tensors `a`, `b`, `c` of shape [512, 512], whose
    result is the HBM tensor `output` of the same shape, and whose SBUF tiles `x`, `y` have shape [128, 512], `w`
    [128, 128] and PSUM tile `p` [128, 512], all fp32 and written.
    """

    code: str
    message: str | None = None
    dialect: str = BETA1
    target: str = "trn2"
    precondition: str | None = None
    version: str = ""


class Rule:
    """Base of all rules. Subclasses set `code`, `message`, `help`, `valid`, `invalid` and, where the rule judges single
    operations, `check`; rules over indexing, control flow or a whole trace are stated by the verifier and the
    simulator, which use the message here.

    `message` is a template over named values; `variants` are its other wordings by case, and the variant
    "conditional", where there is one, words a finding that only some inputs meet. `before` names the rules that keep
    silent where this one speaks about the same call. `style` says that it is about how a kernel is written and not
    about what it does, so that no verdict counts it. `dynamic` says that the simulator detects it too, but for the
    variants in `unseen`.
    """

    code: ClassVar[str]
    ops: ClassVar[tuple[str, ...]] = ()
    dialects: ClassVar[tuple[str, ...]] = (BETA1, NKI)
    severity: ClassVar[Severity] = Severity.ERROR
    message: ClassVar[str]
    variants: ClassVar[Mapping[str, str]] = {}
    before: ClassVar[tuple[str, ...]] = ()
    help: ClassVar[str] = ""
    aws: ClassVar[tuple[str, ...]] = ()
    style: ClassVar[bool] = False
    dynamic: ClassVar[bool] = False
    unseen: ClassVar[tuple[str, ...]] = ()
    judges_calls: ClassVar[bool] = False
    valid: ClassVar[list[Example]] = []
    invalid: ClassVar[list[Example]] = []

    @classmethod
    def name(cls) -> str:
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()

    def check(self, call: Call) -> Iterator[Need]:
        """The conditions that `call` has to meet under this rule."""
        return iter(())

    def text(self, need_values: dict[str, Any], template: str | None = None) -> str:
        return (template or self.message).format(**need_values)
