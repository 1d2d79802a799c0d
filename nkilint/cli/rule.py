"""`nkilint rule`: print what a rule says, or the list of all rules."""

from __future__ import annotations

import argparse
import sys

from nkilint.base.serial import json_text
from nkilint.report import pages
from nkilint_rules import catalogue, vendor


def run(arguments: argparse.Namespace) -> int:
    as_json = arguments.output_format == "json"
    if arguments.all:
        rules = list(catalogue.rules().values())
        sys.stdout.write(json_text([pages.entry(r) for r in rules]) if as_json else pages.listing(rules))
        return 0
    if arguments.vendor:
        names = vendor.names().values()
        sys.stdout.write(json_text([_entry(n) for n in names]) if as_json else pages.vendor_listing(names))
        return 0
    try:
        rule = catalogue.rule(arguments.code)
    except catalogue.UnknownCode as error:
        return _of_vendor(arguments.code, str(error), as_json=as_json)
    sys.stdout.write(json_text(pages.entry(rule)) if as_json else pages.page(rule))
    return 0


def _of_vendor(text: str, unknown: str, *, as_json: bool) -> int:
    """What a name of the compiler's leads to."""
    name = vendor.meant(text)
    if name is None:
        print(f"nkilint: {_undocumented(text) if vendor.is_code(text) else unknown}", file=sys.stderr)
        return 2
    sys.stdout.write(json_text(_entry(name)) if as_json else pages.vendor_page(name))
    return 0


def _undocumented(text: str) -> str:
    near = vendor.nearest(text)
    told = f"`{text}` is not explained on the vendor's public pages, so no rule is known to be about the same"
    if near:
        told += f"; the nearest name that is explained there is {' or '.join(f'`{n}`' for n in near)}"
    return f"{told}. `nkilint rule` takes the words of a message, too, and `nkilint rule --vendor` lists all names"


def _entry(name: vendor.Name) -> dict[str, object]:
    return {
        "vendor": name.name,
        "rules": [pages.entry(rule) for rule in name.rules],
        "cause": name.cause or None,
        "source": name.page or None,
    }
