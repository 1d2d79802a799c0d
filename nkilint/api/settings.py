"""How a text is checked, as a program asks for it."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from nkilint.base.config import ConfigError, checked_target, checked_version
from nkilint.base.options import Options
from nkilint.project.preludes import IMPORTS, prelude
from nkilint_rules.words.records import dataclass
from nkilint_rules.words.suggestions import suggestion

Dialect = Literal["nki", "neuronxcc"]
NOWHERE = os.path.join(os.path.abspath(os.sep), "nkilint:texts", "text.py")  # in a folder that nobody has
_EMPTY = "\n"  # a text is parsed whether or not it mentions NKI
_TYPES = {
    "name": str,
    "dialect": str,
    "prelude": str,
    "target": str,
    "nki_version": str,
    "budget": int,
    "confirm": bool,
}


class BadRequest(ValueError):
    """What was asked for makes no sense; the text says why."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a text is checked.

    `name` is the path that it goes by: helper modules are looked for beside it, nothing else is read. `dialect` has it
    begin with the usual imports of that namespace, `prelude` with these statements. `budget` is the work that
    evaluating a kernel, and deciding it, may take. Findings are run in the simulator if they are to be `confirm`ed.
    `search_paths` are folders that helper modules are looked for in, too.
    """

    name: str = ""
    dialect: Dialect | None = None
    prelude: str = ""
    target: str | None = None
    nki_version: str | None = None
    budget: int | None = None
    confirm: bool = False
    search_paths: Sequence[str] = ()

    @property
    def path(self) -> str:
        """Where the text stands."""
        return os.path.abspath(self.name) if self.name else NOWHERE

    def options(self) -> Options:
        """The same as options of a run; `BadRequest` if there is no such thing."""
        for name, kind in _TYPES.items():
            value = getattr(self, name)
            if value is not None and type(value) is not kind:
                raise BadRequest(f"`{name}` is {value!r} and no {kind.__name__}")
        if isinstance(self.search_paths, str) or not all(isinstance(folder, str) for folder in self.search_paths):
            raise BadRequest(f"`search_paths` is {self.search_paths!r} and no list of folders")
        if self.dialect is not None and self.dialect not in IMPORTS:
            known = ", ".join(sorted(IMPORTS))
            raise BadRequest(
                f"there is no dialect `{self.dialect}`{suggestion(self.dialect, list(IMPORTS))}; known are {known}"
            )
        if self.budget is not None and self.budget < 1:
            raise BadRequest(f"a budget of {self.budget} allows nothing")
        try:
            ast.parse(self.prelude)
            return Options(
                target=checked_target(self.target) if self.target else "",
                nki_version=checked_version(self.nki_version) if self.nki_version else "",
                work_budget=self.budget or Options().work_budget,
                confirm=self.confirm,
                prelude=prelude(self.dialect, self.prelude) or _EMPTY,
                search_paths=tuple(Path(os.path.abspath(folder)) for folder in self.search_paths),
            )
        except ConfigError as error:
            raise BadRequest(error.message) from None
        except (SyntaxError, ValueError) as error:
            raise BadRequest(f"the prelude is not Python: {error}") from None
