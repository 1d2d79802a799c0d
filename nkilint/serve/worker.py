"""A process that answers requests about texts; it remembers the kernels that it has seen."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from nkilint.api.checking import Text
from nkilint.api.settings import BadRequest, Settings
from nkilint.api.simulating import Call, simulated
from nkilint.base.store import Memory
from nkilint.warm.loop import answer_lines, freeze_imports

_MEMORY = Memory()
_FIRST = "def first(a):\n    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)\n    return out\n"


def _text(request: Mapping[str, Any]) -> Text:
    return Text(request["source"], Settings(**request["settings"]), _MEMORY)


def _check(request: Mapping[str, Any]) -> Any:
    return _text(request).checked().as_dict()


def _explain(request: Mapping[str, Any]) -> Any:
    return _text(request).explained(request.get("kernel")).as_dict()


def _fix(request: Mapping[str, Any]) -> Any:
    return _text(request).fixed(unsafe=request.get("unsafe", False)).as_dict()


def _simulate(request: Mapping[str, Any]) -> Any:
    call = Call(request["inputs"], request.get("grid", ()))
    return simulated(_text(request), request.get("kernel"), call).as_dict()


TASKS = {"check": _check, "explain": _explain, "fix": _fix, "simulate": _simulate}


def _asked(request: Mapping[str, Any]) -> Any:
    """What comes of a request, or why it makes no sense."""
    try:
        return {"result": TASKS[request["what"]](request)}
    except BadRequest as refused:
        return {"refused": str(refused)}


def _warm(request: Mapping[str, Any]) -> None:
    """Import what a kernel of either namespace needs, before somebody waits for it."""
    for dialect in ("nki", "neuronxcc"):
        Text(f"@nki.jit\n{_FIRST}", Settings(dialect=dialect)).checked()
    freeze_imports()


if __name__ == "__main__":
    sys.exit(answer_lines({"ask": _asked, "warm": _warm}))
