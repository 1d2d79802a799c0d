"""The pages that are made from code: one for each rule, their index, and the JSON format.

`python -m nkilint.report.pages FOLDER` writes them below FOLDER.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from inspect import cleandoc
from pathlib import Path
from textwrap import dedent
from typing import Any, get_args, get_type_hints

from nkilint.base.source import indentation
from nkilint_rules import vendor
from nkilint_rules.catalogue import rules
from nkilint_rules.rule import Example, Rule
from nkilint_rules.vendor import Name

from . import schema

FAMILIES = {
    "0": "The tool",
    "1": "Tile and instruction limits",
    "2": "Operands",
    "3": "Indexing and bounds",
    "4": "Placement",
    "5": "Lifetime",
    "6": "Parallel execution",
    "7": "Dataflow",
    "8": "The kernel language and host arithmetic",
    "9": "Versions and migration",
}
DIALECTS = {"neuronxcc": "`neuronxcc.nki`", "nki": "`nki`"}
SURROUNDINGS = (
    "Code without a function stands in a kernel with HBM tensors `a`, `b`, `c` of shape [512, 512], SBUF tiles `x` and "
    "`y` [128, 512] and `w` [128, 128], and a PSUM tile `p` [128, 512], all float32."
)
SETTINGS = """\
[tool.nkilint]
target = "trn2"
exclude = ["vendored"]
ignore = ["NKI904"]
strict = true

[tool.nkilint.per-file-ignores]
"tests/*" = ["NKI4", "NKI709"]

[tool.nkilint.severity]
NKI410 = "warning"

[tool.nkilint.kernels]
"kernels/norm.py::rms_norm" = "x: bfloat16[M, 4096], M % 128 == 0"
"""


def _made(source: str) -> str:
    """What stands, unseen on the site, above a page that nobody should edit."""
    return f"<!-- Made from {source} by `make docs`. -->\n\n"


def summary(rule: type[Rule]) -> str:
    """The first line of a rule's page."""
    return cleandoc(rule.__doc__ or "").splitlines()[0]


def page(rule: type[Rule]) -> str:
    """A rule's page, in Markdown."""
    body = cleandoc(rule.__doc__ or "").split("\n", 1)
    parts = [
        f"# {rule.code} {rule.name()}",
        body[0],
        "\n".join(f"- {fact}" for fact in _facts(rule)),
        *_examples(rule, "## Example", slice(0, 1)),
        *(part.strip() for part in body[1:]),
        *_examples(rule, "## More examples", slice(1, None)),
    ]
    return "\n\n".join(parts) + "\n"


def _facts(rule: type[Rule]) -> Iterator[str]:
    """What there is to know of a rule at a glance."""
    yield f"Severity: {rule.severity}"
    yield f"Namespace: {' and '.join(DIALECTS[d] for d in rule.dialects)}"
    yield f"Since: nkilint {rule.since}"
    repairs = [rule.repair, "a condition under which all is well becomes an assertion" if _is_stated(rule) else ""]
    yield f"Repair by `--fix`: {'; '.join(filter(None, repairs)) or 'none'}"
    if rule.aws:
        yield f"The compiler's own name: {', '.join(f'`{name}`' for name in rule.aws)}"


def _is_stated(rule: type[Rule]) -> bool:
    """Whether there are inputs for which all is well, so that this can be asserted."""
    return any(example.precondition for example in rule.invalid)


def _fixable(rule: type[Rule]) -> str:
    """Whether there is a repair, in a table."""
    return "repairs" if rule.repair else "asserts" if _is_stated(rule) else ""


def _examples(rule: type[Rule], heading: str, which: slice) -> Iterator[str]:
    """Some of what is reported, and of what is not."""
    shown = [*rule.invalid[which], *rule.valid[which]]
    if not shown:
        return
    yield heading
    if not all("def " in example.code for example in shown):
        yield SURROUNDINGS
    for title, examples in (("Reported:", rule.invalid[which]), ("Accepted:", rule.valid[which])):
        if examples:
            yield title
            yield from (_example(rule, example) for example in examples)


def _example(rule: type[Rule], example: Example) -> str:
    """A block of code; the marked line is followed by a comment with what is reported."""
    code, remark = dedent(example.code).strip("\n"), _remark(rule, example)
    lines = []
    for line in code.splitlines():
        lines.append(line.replace("⟦", "").replace("⟧", ""))
        if "⟦" in line and remark:
            indent = indentation(line)
            lines.append(f"{indent}# {remark}")
    return "\n".join([f'```python title="{example.dialect}, {example.target}"', *lines, "```"])


def _remark(rule: type[Rule], example: Example) -> str:
    parts = [example.message or "", f"unless {example.precondition}" if example.precondition else ""]
    text = ", ".join(part for part in parts if part)
    return f"{rule.code} {text}" if text else ""


def listing(all_rules: Iterable[type[Rule]]) -> str:
    """One line for each rule."""
    known = list(all_rules)
    size = max((len(r.name()) for r in known), default=0)
    return "".join(f"{r.code}  {r.name():{size}}  {r.severity!s:7}  {summary(r)}\n" for r in known)


def entry(rule: type[Rule]) -> dict[str, Any]:
    """A rule for tools."""
    return {
        "code": rule.code,
        "name": rule.name(),
        "severity": str(rule.severity),
        "summary": summary(rule),
        "dialects": list(rule.dialects),
        "aws": list(rule.aws),
        "since": rule.since,
        "repair": rule.repair,
        "dynamic": rule.dynamic,
        "page": page(rule),
    }


def index(all_rules: Sequence[type[Rule]]) -> str:
    """The list of all rules by family, in Markdown."""
    parts = [
        _made("the rulebook") + "# Rules",
        "`nkilint rule CODE` prints a page in the terminal. "
        "[The compiler's names](vendor.md) for errors lead to the same pages. Where a rule *repairs*, `--fix` changes "
        "what is wrong; where it *asserts*, `--fix` states the condition under which all is well: "
        "[repairs](../repairs.md).",
    ]
    for digit, family in FAMILIES.items():
        rows = [r for r in all_rules if r.code[3] == digit]
        if rows:
            table = ["| code | name | severity | `--fix` | what |", "|---|---|---|---|---|"]
            table += [
                f"| [{r.code}]({r.code}.md) | {r.name()} | {r.severity} | {_fixable(r)} | {summary(r)} |" for r in rows
            ]
            parts += [f"## {family}", "\n".join(table)]
    return "\n\n".join(parts) + "\n"


def vendor_listing(names: Iterable[Name]) -> str:
    """One line for each name of the compiler's."""
    known = list(names)
    size = max((len(n.name) for n in known), default=0)
    return "".join(f"{n.name:{size}}  {', '.join(r.code for r in n.rules) or '-':15}  {_cause(n)}\n" for n in known)


def vendor_page(name: Name) -> str:
    """What a name of the compiler's leads to, in Markdown."""
    if len(name.rules) == 1:
        return f"`{name.name}` of the NKI compiler is this:\n\n{page(name.rules[0])}"
    if not name.rules:
        return f"`{name.name}`: {name.cause}. No rule is about it. Source: `{name.page}`.\n"
    rows = "".join(f"- `nkilint rule {r.code}`, {r.name()}: {summary(r)}\n" for r in name.rules)
    return f"`{name.name}` of the NKI compiler is one of these:\n\n{rows}"


def _cause(name: Name) -> str:
    return " ".join(summary(r) for r in name.rules) or name.cause[0].upper() + name.cause[1:] + "."


def vendor_index(names: Iterable[Name]) -> str:
    """The names of the compiler's, with what they lead to, in Markdown."""
    rows = [f"| `{n.name}` | {', '.join(f'[{r.code}]({r.code}.md)' for r in n.rules)} | {_cause(n)} |" for n in names]
    parts = [
        _made("the rulebook") + "# The compiler's names",
        "What the NKI compiler calls an error, and the rule that finds it before the compiler does. "
        "`nkilint rule NAME` prints the rule's page; it takes names with and without `NCC_` or `err_`, and "
        "whole messages. Names that the vendor's public pages do not explain are not here.",
        "\n".join(["| name | rule | cause |", "|---|---|---|", *rows]),
    ]
    return "\n\n".join(parts) + "\n"


def json_format() -> str:
    """The documentation of `--output-format json`, in Markdown."""
    parts = [
        _made("nkilint/report/schema.py") + "# The JSON format",
        "`nkilint check --output-format json` prints one object; "
        "keys may be added under the same `version`, and none is taken away or changes its meaning.",
    ]
    for shape in _shapes(schema.Document):
        rows = ["| key | type | what it says |", "|---|---|---|"]
        hints = get_type_hints(shape, include_extras=True)
        for item in fields(shape):
            kind, doc = get_args(hints[item.name])
            rows.append(f"| `{item.name}` | {_kind(kind)} | {doc} |")
        parts += [f"## {shape.__name__.removesuffix('Entry')}", cleandoc(shape.__doc__ or ""), "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def _shapes(shape: type[Any]) -> list[type[Any]]:
    """The dataclass and those it holds, each once, outer ones first."""
    found = [shape]
    for current in found:
        for hint in get_type_hints(current).values():
            for part in (hint, *get_args(hint)):
                if is_dataclass(part) and isinstance(part, type) and part not in found:
                    found.append(part)
    return found


def _kind(hint: Any) -> str:
    """A type as JSON names it, with links to the tables."""
    parts = get_args(hint)
    if type(None) in parts:
        return f"{_kind(next(p for p in parts if p is not type(None)))} or null"
    if is_dataclass(hint) and isinstance(hint, type):
        name = hint.__name__.removesuffix("Entry")
        return f"[{name}](#{name.lower()})"
    if parts and getattr(hint, "__origin__", None) is tuple:
        return f"array of {_kind(parts[0])}"
    return {int: "integer", float: "number", str: "string"}.get(hint, "object")


def configuration() -> str:
    """The documentation of `[tool.nkilint]`, in Markdown."""
    # only the site's page needs it: `nkilint rule` starts faster without
    from nkilint.base.config import KEYS
    from nkilint.base.options import Options

    rows = ["| key | type | default | what it says |", "|---|---|---|---|"]
    for name, key in KEYS.items():
        default = getattr(Options(), key.field)
        shown = "" if default in (None, "", (), {}) else f"`{_toml(default)}`"
        rows.append(f"| `{name}` | {_form(key.form)} | {shown} | {key.doc} |")
    parts = [
        _made("nkilint/base/config.py") + "# Configuration",
        "nkilint reads `[tool.nkilint]` in a `pyproject.toml`, or a "
        "`nkilint.toml` with the same keys at its top, whichever is nearest at or above the first path. `nkilint "
        "config` shows what is in force, `nkilint config --schema` prints the JSON schema for editors. An unknown "
        "key is an error.",
        f'```toml title="pyproject.toml"\n{SETTINGS}```',
        "\n".join(rows),
        "Where several prefixes of codes fit, the longest counts; `ignore` wins over an equally long `select`.",
    ]
    return "\n\n".join(parts) + "\n"


def _toml(value: Any) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value)


def _form(form: Mapping[str, Any]) -> str:
    """A JSON schema in a few words."""
    if "enum" in form:
        return ", ".join(f"`{json.dumps(value)}`" for value in form["enum"])
    if form["type"] == "array":
        return f"list of {_form(form['items'])}s"
    return {"object": "table"}.get(form["type"], str(form["type"]))


def files() -> dict[str, str]:
    """Every generated page by its path below the documentation folder."""
    known = list(rules().values())
    return {
        "configuration.md": configuration(),
        "json.md": json_format(),
        "rules/index.md": index(known),
        "rules/vendor.md": vendor_index(vendor.names().values()),
        **{f"rules/{r.code}.md": page(r) for r in known},
    }


def main(arguments: Sequence[str]) -> int:
    """Write the pages below the folder given, and remove pages of rules that are gone."""
    folder = Path(arguments[0])
    wanted = files()
    for old in (folder / "rules").glob("NKI*.md"):
        if f"rules/{old.name}" not in wanted:
            old.unlink()
    for name, text in wanted.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
