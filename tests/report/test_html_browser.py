"""The page in a real browser: clicks, keys, sliders, search, narrow and dark screens, accessibility.

Needs `playwright` and a Chromium; `AXE_CORE` names the file `axe.min.js` of axe-core.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nkilint.base.findings import MemoryMap, Report, Resident, Step
from nkilint.base.ir import Span
from nkilint.base.source import source_lines
from nkilint.cli import main
from nkilint.report.rendering import render
from nkilint.report.setting import Setting
from nkilint.report.style import Style

from ..support.reports_sample import KERNELS, REPORT, SOURCES
from .test_html import HOSTILE, SIZES

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

FINDINGS = Path(__file__).parents[2] / "examples" / "findings"
EXAMPLES = ("lifetime_neuronxcc.py", "limits_nki.py")
Open = Callable[..., Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as running:
        found = running.chromium.launch(executable_path=CHROMIUM)
        yield found
        found.close()


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on kernels of every verdict."""
    folder = tmp_path_factory.mktemp("report")
    for name in EXAMPLES:
        shutil.copy(FINDINGS / name, folder)
    (folder / "sizes.py").write_text(SIZES)
    page = folder / "report.html"
    main(["check", "--no-cache", "--output-format", "html", "--output-file", str(page), str(folder)])
    return page


@pytest.fixture
def show(browser: Any) -> Iterator[Open]:
    """Opens a page as a file; nothing may go wrong there, and nothing may be asked of a network."""
    problems: list[str] = []
    contexts: list[Any] = []

    def open_page(file: Path, hash: str = "", width: int = 1300, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        tab = context.new_page()
        tab.on("pageerror", lambda error: problems.append(str(error)))
        tab.on("console", lambda said: problems.append(said.text))
        tab.on("dialog", lambda dialog: problems.append(dialog.message))
        tab.on("request", lambda r: problems.append(r.url) if not r.url.startswith("file:") else None)
        tab.goto(file.as_uri() + hash)
        return tab

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


def written(folder: Path, report: Report, sources: dict[str, bytes] = SOURCES) -> Path:
    page = folder / "page.html"
    page.write_text(render(report, "html", Setting(Path("/work"), source_lines(sources), Style(), 0.0)))
    return page


def test_clicks_lead_from_kernels_to_findings_to_lines(show: Open, checked: Path) -> None:
    tab = show(checked)
    tab.click("nav >> text=overlapping")
    tab.wait_for_selector("h2:has-text('overlapping')")
    assert tab.inner_text("main .badge >> nth=0") == "violated"
    assert "seen to happen" in tab.inner_text("article.finding h3")
    assert "mod_alloc(base_addr=2048)" in tab.inner_text(".diff .added")
    tab.click("dd.related a >> nth=0")
    tab.wait_for_selector(".line.target")
    assert tab.inner_text(".line.target .row") == tab.inner_text("dd.related a >> nth=0").removeprefix("line ")
    tab.click(".note.error")
    tab.wait_for_selector("article.finding.target")
    tab.click("summary:has-text('About NKI501')")
    assert tab.is_visible("h4:has-text('Why is this bad?')")
    for _ in range(3):
        tab.go_back()
    tab.wait_for_selector("h2:has-text('Overview')")


def test_search_and_verdicts_narrow_the_list(show: Open, checked: Path) -> None:
    tab = show(checked)
    total = tab.locator("nav li").count()
    tab.fill("#search", "limits NKI101")
    assert tab.locator("nav li:visible").all_inner_texts()[0].startswith("whole_matrix")
    assert tab.inner_text("#found") == f"1 kernel of {total}"
    tab.fill("#search", "")
    tab.click("#filters .violated")
    assert tab.locator("#filters .violated").get_attribute("aria-pressed") == "false"
    assert 0 < tab.locator("nav li:visible").count() < total
    assert tab.locator("nav li:visible .dot.violated").count() == 0


def test_many_kernels_are_told_by_file_and_name(show: Open, tmp_path: Path) -> None:
    """Files are closed until somebody opens them, and say what is in them; kernels of one name say their lines."""
    places = [(f"/work/kernels/deep/file_{n // 25}.py", 10 * n + 1) for n in range(50)]
    kernels = tuple(
        replace(KERNELS[1], name="alike" if n % 25 > 22 else f"kernel_{n}", file=file, at=Span(file, row, 5, row, 11))
        for n, (file, row) in enumerate(places)
    )
    tab = show(written(tmp_path, replace(REPORT, kernels=kernels)))
    assert tab.inner_text("#folder") == "in kernels/deep/"
    assert tab.locator("nav summary h2").all_inner_texts() == ["file_0.py", "file_1.py"]
    assert tab.locator("nav li:visible").count() == 0
    assert tab.locator("nav summary >> nth=0").inner_text().split() == ["file_0.py", "25", kernels[0].verdict]
    tab.click("nav summary >> nth=1")
    assert tab.locator("nav li:visible").count() == 25
    assert tab.locator("nav li:visible .name").all_inner_texts()[-2:] == ["alike line 481", "alike line 491"]
    tab.keyboard.press("j")
    tab.wait_for_selector("nav li:visible >> text=kernel_0")
    tab.click("nav summary >> nth=0")
    tab.fill("#search", "kernel_3")
    assert tab.locator("nav li:visible .name").all_inner_texts() == [f"kernel_{n}" for n in (3, *range(30, 40))]


def test_keys(show: Open, checked: Path) -> None:
    tab = show(checked)
    names = tab.locator("nav .name").all_inner_texts()
    for key, wanted in (("j", 0), ("j", 1), ("k", 0)):
        tab.keyboard.press(key)
        tab.wait_for_selector(f"main h2:has-text('{names[wanted]}')")
    tab.keyboard.press("n")
    tab.wait_for_selector("article.finding.target:focus")
    tab.keyboard.press("m")
    before = tab.inner_text(".readout >> nth=0")
    tab.keyboard.press("ArrowLeft")
    tab.keyboard.press("ArrowLeft")
    assert tab.inner_text(".readout >> nth=0") != before
    assert tab.locator(".line.pointed").count() == 1
    tab.keyboard.press("?")
    assert tab.is_visible("dialog")
    tab.keyboard.press("Escape")
    tab.keyboard.press("/")
    tab.keyboard.type("jk")
    assert tab.input_value("#search") == "jk"


def test_sizes_move_the_memory_map(show: Open, checked: Path) -> None:
    tab = show(checked)
    tab.click("nav >> text=copied")
    tab.wait_for_selector("h2:has-text('copied')")
    peak, number = tab.locator(".peak"), tab.locator("input[type=number]")
    assert "512 B of 224 KiB" in peak.inner_text()
    tab.focus("input[type=range]")
    tab.keyboard.press("ArrowRight")
    columns = int(number.input_value())
    assert columns > 512
    assert f"{columns} B of" in peak.inner_text()
    number.fill("300001")
    assert "too many" in peak.inner_text()
    assert tab.locator(".capacity").count() > 0
    assert tab.inner_text(".conditions .fails") == "✗ columns % 2 == 0 does not hold"
    number.fill("4096")
    assert tab.locator(".conditions .fails").count() == 0
    assert "4 KiB of 224 KiB" in peak.inner_text()
    tab.hover(".band")
    assert "line 1" in tab.inner_text(".readout")
    assert tab.locator(".line.pointed").count() == 1


def test_conflicts_are_marked(show: Open, checked: Path) -> None:
    tab = show(checked)
    tab.click("nav >> text=overlapping")
    tab.wait_for_selector("svg text.conflict")
    assert tab.locator("svg text.conflict").count() == 1
    assert tab.locator("svg .band").count() == 3


def test_what_a_report_says_is_never_executed(show: Open, tmp_path: Path) -> None:
    kernel = replace(KERNELS[1], name=HOSTILE, contract=(HOSTILE,), assumptions=(HOSTILE,))
    finding = replace(REPORT.diagnostics[1], message=HOSTILE, kernel=HOSTILE, help=HOSTILE)
    sources = {**SOURCES, "kernels/mlp.py": SOURCES["kernels/mlp.py"].replace(b"K = x", f"K = '{HOSTILE}' x".encode())}
    tab = show(written(tmp_path, Report("trn2", (finding,), (kernel,), 1), sources))
    assert tab.inner_text("main h2 >> nth=0").startswith("</script><script>alert(1)</script>")
    assert tab.locator("script").count() == 2


def large_map(steps: int, tensors: int) -> MemoryMap:
    at = Span("kernels/mlp.py", 9, 5, 9, 65)
    residents = tuple(
        Resident(f"t{n % 40}", at, "sbuf", (), 1, 64, (" " * (n % steps) + "W" + "-" * 50).ljust(steps)[:steps], 64)
        for n in range(tensors)
    )
    rows = tuple(Step(9 + n % 5, ("i", "j")[: n % 3], "kernels/mlp.py") for n in range(steps))
    return MemoryMap("trn2", {}, {"sbuf": 196608, "psum": 16384}, 2048, rows, residents)


def test_two_hundred_kernels_do_not_lag(show: Open, tmp_path: Path) -> None:
    memory = large_map(400, 400)
    proofs = tuple(replace(KERNELS[1].proofs[2], text=f"condition {n}") for n in range(1000))
    kernels = tuple(replace(KERNELS[1], name=f"kernel_{n}", memory=memory, proofs=proofs) for n in range(200))
    file = written(tmp_path, Report("trn2", (), kernels, 1))
    tab = show(file)
    assert tab.locator("nav li").count() == 200
    took = tab.evaluate(
        """async () => {
            const times = [];
            for (let n = 0; n < 10; n++) {
                const began = performance.now();
                location.hash = `k${n * 7}`;
                await new Promise((done) => addEventListener("hashchange", () => setTimeout(done), { once: true }));
                times.push(performance.now() - began);
            }
            return times.sort((a, b) => a - b)[5];
        }"""
    )
    assert took < 500
    tab.fill("#search", "kernel_199")
    assert tab.locator("nav li:visible").count() == 1


@pytest.mark.parametrize("width", [360, 1300])
def test_nothing_is_wider_than_the_screen(show: Open, checked: Path, width: int) -> None:
    tab = show(checked, "#k0", width)
    for n in range(tab.evaluate("report.kernels.length")):
        tab.evaluate(f"location.hash = 'k{n}'")
        tab.wait_for_selector(f"#k{n}")
        assert tab.evaluate("document.documentElement.scrollWidth") <= width, n


@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark"}, {"width": 360}], ids=["desktop", "dark", "phone"])
@pytest.mark.skipif(not os.path.isfile(os.environ.get("AXE_CORE", "")), reason="AXE_CORE does not name axe.min.js")
def test_accessibility(browser: Any, show: Open, checked: Path, options: dict[str, Any]) -> None:
    script = Path(os.environ["AXE_CORE"]).read_text(encoding="utf-8")
    tab = show(checked, **options)
    kernels = tab.evaluate("report.kernels.length")
    tab.evaluate(script)
    for hash in ("", *(f"k{n}" for n in range(0, kernels, 3))):
        tab.evaluate(f"location.hash = '{hash}'")
        tab.wait_for_timeout(50)
        tab.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
        found = tab.evaluate("axe.run({ resultTypes: ['violations'] }).then((r) => r.violations)")
        assert [(v["id"], v["nodes"][0]["html"], v["nodes"][0]["failureSummary"]) for v in found] == [], hash
