"""`nkilint rule`: print what a rule says, or the list of all rules."""

from __future__ import annotations

import argparse
import json
import sys

from nkilint.report import pages
from nkilint_rules import catalogue


def run(arguments: argparse.Namespace) -> int:
    as_json = arguments.output_format == "json"
    if arguments.all:
        rules = list(catalogue.rules().values())
        sys.stdout.write(_json([pages.entry(r) for r in rules]) if as_json else pages.listing(rules))
        return 0
    try:
        rule = catalogue.rule(arguments.code)
    except catalogue.UnknownCode as error:
        print(f"nkilint: {error}", file=sys.stderr)
        return 2
    sys.stdout.write(_json(pages.entry(rule)) if as_json else pages.page(rule))
    return 0


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
