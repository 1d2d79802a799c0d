"""What facts show, more of them show as well: an answer is looked for under fewer facts before it is worked out."""

from __future__ import annotations

from typing import Any

MOST = 6  # sets of facts that are remembered for one question


class Answers:
    """Certain answers, by what was asked and the facts under which they hold."""

    def __init__(self) -> None:
        self._known: dict[Any, list[tuple[frozenset[Any], Any]]] = {}

    def find(self, asked: Any, facts: frozenset[Any]) -> Any:
        """The answer under some of these facts, or None."""
        return next((answer for fewer, answer in self._known.get(asked, ()) if fewer <= facts), None)

    def keep(self, asked: Any, facts: frozenset[Any], answer: Any) -> None:
        """Remember an answer, which holds as long as these facts do."""
        known = self._known.setdefault(asked, [])
        if len(known) < MOST:
            known.append((facts, answer))
