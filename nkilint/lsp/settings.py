"""The options for a document: its configuration file, and what the client sets on top of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nkilint.base.config import KEYS, ConfigError, find, load, read
from nkilint.base.options import Confirm, Options

_DELAYS = {"onType": True, "onSave": False}


@dataclass
class Settings:
    """What the client has set. `proofs` says whether proofs run while somebody types, or only on saving;
    `inlayHints` whether the shapes of tiles are written beside their names; `trusted` whether kernels may be run: as
    long as nobody says so, only where the system contains them."""

    values: Mapping[str, Any] = field(default_factory=dict)
    proofs_on_type: bool = True
    inlay_hints: bool = False
    trusted: bool | None = None

    def change(self, given: Any) -> list[str]:
        """Take over what the client sends, and say what is wrong with it. Keys are those of the configuration file,
        in its spelling or in the client's (`nkiVersion`), `proofs`, `inlayHints`, and `trusted`, which stays as it is
        where it is not given."""
        problems: list[str] = []
        values: dict[str, Any] = {}
        for name, value in (given if isinstance(given, dict) else {}).items():
            key = _spelling(name)
            if value is None:
                continue
            if name == "proofs":
                if value in _DELAYS:
                    self.proofs_on_type = _DELAYS[value]
                else:
                    problems.append("`proofs` takes " + " or ".join(f'"{v}"' for v in _DELAYS))
            elif name == "inlayHints":
                if isinstance(value, bool):
                    self.inlay_hints = value
                else:
                    problems.append("`inlayHints` takes true or false")
            elif name == "trusted":
                self.trusted = value is True
            elif key in KEYS:
                values[key] = value
        try:
            read(values, Options(), Path("settings"))
        except ConfigError as error:
            problems.append(error.message)
            values = {}
        self.values = values
        return problems

    def options(self, path: str) -> tuple[Options, ConfigError | None]:
        """The options for the file at `path`; the defaults, and what is wrong, if its configuration makes no sense."""
        problem: ConfigError | None = None
        chosen = Options(root=Path(path).parent)
        try:
            file = find(Path(path))
            if file is not None:
                chosen = load(file)
        except ConfigError as error:
            problem = error
        options = read(self.values, chosen, chosen.root / "settings")
        return replace(options, root=chosen.root, confirm=self._confirm(options.confirm)), problem

    def _confirm(self, wanted: Confirm) -> Confirm:
        """How much of what is wanted may be run."""
        if not wanted or self.trusted is False:
            return False
        return wanted if self.trusted else "sandboxed"


def _spelling(name: str) -> str:
    """`perFileIgnores` as `per-file-ignores`."""
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in name)
