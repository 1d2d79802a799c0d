"""Requests as they come in: what is asked, checked before anybody works on it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from nkilint.api.settings import BadRequest, Settings
from nkilint_rules.words.suggestions import suggestion

Id = str | int | float | None
_SETTINGS = tuple(field.name for field in fields(Settings))
_MORE: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
    "check": {},
    "explain": {"kernel": str},
    "fix": {"unsafe": bool},
    "simulate": {"kernel": str, "inputs": dict, "grid": list},
}
"""By what can be asked, the keys that only that takes."""
_NEEDED = {"simulate": ("inputs",)}


def parsed(line: bytes) -> Mapping[str, Any]:
    """The object on a line."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"the line is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise BadRequest("the line holds no JSON object")
    return found


def id_of(request: Mapping[str, Any]) -> Id:
    """The id of a request, which may make no sense otherwise."""
    found = request.get("id")
    return found if isinstance(found, (str, int, float)) else None


def work_of(request: Mapping[str, Any], defaults: Settings) -> dict[str, Any]:
    """What a worker is asked; `defaults` holds for what the request leaves out."""
    what = request.get("task", "check")
    if not isinstance(what, str) or what not in _MORE:
        raise BadRequest(f"there is no task {what!r}; known are {', '.join(_MORE)}")
    known = ("id", "task", "source", *_SETTINGS, *_MORE[what])
    for key in request:
        if key not in known:
            raise BadRequest(f"`{what}` takes no `{key}`{suggestion(key, list(known))}")
    for key in ("source", *_NEEDED.get(what, ())):
        if key not in request:
            raise BadRequest(f"`{what}` needs `{key}`")
    if not isinstance(request["source"], str):
        raise BadRequest("`source` is no text")
    more = {key: request[key] for key in _MORE[what] if request.get(key) is not None}
    for key, value in more.items():
        if not isinstance(value, _MORE[what][key]):
            raise BadRequest(f"`{key}` is {value!r}")
    given = {key: request[key] for key in _SETTINGS if request.get(key) is not None}
    settings = Settings(**{**asdict(defaults), **given})
    settings.options()  # refuses what makes no sense
    folders = [os.path.abspath(folder) for folder in settings.search_paths]
    name = os.path.abspath(settings.name) if settings.name else ""
    placed = {**asdict(settings), "name": name, "search_paths": folders}
    return {"what": what, "source": request["source"], "settings": placed, **more}
