"""Puts the template, its styles, its scripts and a report together."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from typing import Any

from nkilint.base.findings import Report

from ..setting import Setting
from .contents import contents

SCRIPTS = ("elements.js", "formulas.js", "memory.js", "source.js", "kernel.js", "page.js")
_OUTSIDE = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}


def render(report: Report, setting: Setting) -> str:
    """The page. It may execute its own script and nothing else, whatever the names and sources in the report say."""
    style, script = resource("page.css"), "".join(map(resource, SCRIPTS))
    policy = (
        f"default-src 'none'; script-src {digest(script)}; style-src {digest(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    page = resource("page.html")
    for name, text in (
        ("policy", policy),
        ("style", style),
        ("script", script),
        ("contents", embedded(contents(report, setting))),
    ):
        before, after = page.split(f"{{{{ {name} }}}}")
        page = before + text + after
    return page


def embedded(value: Any) -> str:
    """JSON that can stand in a page: nothing in it ends the element around it or begins another."""
    return json.dumps(value, separators=(",", ":"), default=str).translate(_OUTSIDE)


def resource(name: str) -> str:
    """A file that pages are put together from."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def digest(text: str) -> str:
    """What a policy allows a style or script by."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
