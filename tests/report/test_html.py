"""The report as a page: what it holds, and that nothing in it is read as HTML."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from nkilint.base.findings import Diagnostic, KernelReport, Report
from nkilint.base.ir import Span
from nkilint.base.source import source_lines
from nkilint.cli import main
from nkilint.report.html.differences import difference
from nkilint.report.html.excerpts import Excerpts
from nkilint.report.html.residents import runs
from nkilint.report.rendering import render
from nkilint.report.setting import Setting
from nkilint.report.style import Style
from nkilint_rules.rule import Severity

from ..support.reports_sample import REPORT, SOURCES

HOSTILE = "</script><script>alert(1)</script><!-- \u2028 & ]]> {{ script }}"


class Page(HTMLParser):
    """The elements of a page, and the texts of its scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {"script": [], "style": []}
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        if tag in self.texts:
            self._inside = tag
            self.texts[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.texts[self._inside][-1] += data

    @property
    def contents(self) -> Any:
        return json.loads(self.texts["script"][0])


def page(report: Report, sources: dict[str, bytes] = SOURCES) -> Page:
    return Page(render(report, "html", Setting(Path("/work"), source_lines(sources), Style(), 1.25)))


def test_it_needs_nothing_else() -> None:
    shown = page(REPORT)
    assert not [a for _, a in shown.tags if "src" in a or (a.get("href") or "").startswith(("http", "//"))]
    assert [tag for tag, _ in shown.tags].count("script") == 2


def test_only_its_own_script_and_styles_may_run() -> None:
    shown = page(REPORT)
    policy = next(a["content"] or "" for tag, a in shown.tags if tag == "meta" and "http-equiv" in a)
    allowed = re.findall(r"(script|style)-src 'sha256-([^']*)'", policy)
    texts = {"script": shown.texts["script"][1], "style": shown.texts["style"][0]}
    for kind, digest in allowed:
        assert base64.b64encode(hashlib.sha256(texts[kind].encode()).digest()).decode() == digest
    assert len(allowed) == 2
    assert policy.startswith("default-src 'none'")


def test_nothing_of_a_report_is_read_as_html() -> None:
    at = Span("a.py", 1, 1, 1, 5)
    finding = Diagnostic("NKI101", HOSTILE, Severity.ERROR, HOSTILE, at, HOSTILE, HOSTILE)
    kernel = KernelReport("a.py", HOSTILE, at, "nki", "violated", (HOSTILE,))
    hostile = Report("trn2", (finding,), (kernel,), 1)
    sources = {"a.py": f"x = '{HOSTILE}'\n".encode()}
    shown = page(hostile, sources)
    assert [tag for tag, _ in shown.tags] == [tag for tag, _ in page(REPORT).tags]
    assert shown.contents["findings"][0]["message"] == HOSTILE
    assert shown.contents["kernels"][0]["contract"] == [HOSTILE]


def test_contents() -> None:
    found = page(REPORT).contents
    assert [(k["name"], k["verdict"], k["counts"]) for k in found["kernels"]] == [
        ("mlp", "violated", [1, 1, 0, 8]),
        ("wide", "incomplete", [0, 0, 2, 1]),
    ]
    mlp = found["kernels"][0]
    assert mlp["rows"] == [6, 14]
    assert mlp["proofs"][0] == ["violated", "NKI103", mlp["file"], 11, "moving columns 640 <= 512", "constant", 1]
    assert [found["findings"][n]["code"] for n in mlp["findings"]] == ["NKI709", "NKI103"]
    assert [found["findings"][n]["code"] for n in found["others"]] == ["NKI001"]
    assert found["kernels"][1]["unknown"] == [
        [1, 3, "`f` comes from a module that is not among the files given", [["NKI301", 2]]]
    ]
    assert found["sources"][0]["name"] == "kernels/mlp.py"
    assert found["rules"]["NKI103"]["name"] == "matmul-tile-limit"


def test_kernels_of_one_name_have_their_own_findings() -> None:
    here, there = Span("a.py", 1, 5, 1, 6), Span("b.py", 1, 5, 1, 6)
    helper = Span("c.py", 1, 1, 1, 2)
    kernels = tuple(KernelReport(at.file, "k", at, "nki", "violated") for at in (here, there))
    findings = tuple(Diagnostic("NKI101", "n", Severity.ERROR, "m", at, kernel="k") for at in (here, there, helper))
    shown = page(Report("trn2", findings, kernels, 2), {}).contents
    files = [[shown["sources"][shown["findings"][n]["at"][0]]["name"] for n in k["findings"]] for k in shown["kernels"]]
    assert files == [["a.py", "c.py"], ["b.py", "c.py"]]


def test_the_same_report_makes_the_same_page() -> None:
    setting = Setting(Path("/work"), source_lines(SOURCES), Style(), 1.25)
    assert render(REPORT, "html", setting) == render(REPORT, "html", replace(setting, seconds=9.0))


@pytest.mark.parametrize("text", ["```python\n{}```\n", "{}"])
def test_functions_are_shown_whole(text: str) -> None:
    code = "@jit\n@other\ndef f(\n    a,\n):\n    b = 1\n\n    return b\n"
    lines = text.format(code).split("\n")
    first = lines.index("@jit") + 1
    assert Excerpts(lambda file: lines).function("a", first + 2) == (first, first + 7)


def test_repairs_are_patches() -> None:
    edits = [{"location": {"row": 2, "column": 1}, "end_location": {"row": 2, "column": 1}, "content": "    new\n"}]
    assert difference(edits, ["def f():", "    pass", ""], "a.py").split("\n")[2:] == [
        "@@ -1,3 +1,4 @@", " def f():", "+    new", "     pass", " ",
    ]  # fmt: skip


def test_marks_are_told_in_runs() -> None:
    assert runs("  WRR-!") == [[" ", 2], ["W", 1], ["R", 2], ["-", 1], ["!", 1]]


SIZES = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def copied(a):
    rows, columns = a.shape
    assert rows % 128 == 0
    assert columns % 2 == 0
    output = nl.ndarray((rows, columns), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        tile = nl.ndarray((128, columns // 2), dtype=nl.bfloat16, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=a[i * 128 : (i + 1) * 128, 0 : columns // 2])
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, 0 : columns // 2], src=tile)
    return output
"""


@pytest.mark.parametrize("command", [["check", "--no-cache", "--output-format", "html"], ["explain", "--html"]])
def test_memory_in_free_sizes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.py").write_text(SIZES)
    main([*command, "k.py"])
    memory = Page(capsysbinary.readouterr().out.decode()).contents["kernels"][0]["memory"]
    (group,) = memory["groups"]
    assert group["size"] == ["*", 2, ["//", "columns", 2]]
    assert [m[0] for m in group["members"]] == [[["W", 1], ["R", 1]]]
    assert memory["sizes"] == {"columns": 512}
    assert memory["admitted"] == [["columns % 2 == 0", ["==", ["+", "columns", ["*", -2, ["//", "columns", 2]]]]]]
    assert memory["steps"] == [[14, ["i"], 0], [15, ["i"], 0]]
