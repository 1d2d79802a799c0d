"""Options and fixtures that all tests share."""

from __future__ import annotations

import gc
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from nkilint.base import garbage
from nkilint.cli import COLLECTING

from .support import known
from .support.kept_crews import kept_crews

os.environ["NKILINT_NO_CACHE"] = "1"  # a test that wants a cache says so
# Before numpy is imported: tests run beside each other, and threads that wait for a core spin.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
GOLDEN = Path(__file__).parent / "golden"
ROOT = Path(__file__).parents[1]

# No test hangs on how busy the machine is, and each run tries the same; `--hypothesis-profile=exploring` tries others.
settings.register_profile("exploring", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("unhurried", settings.get_profile("exploring"), derandomize=True)
settings.load_profile("unhurried")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the expected outputs anew")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more process than there are cores, since many tests wait for processes of their own."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Whoever has no test left takes some of those that others have: they take from milliseconds to half a minute."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


def pytest_collection_finish() -> None:
    """Thousands of tests are there now, and stay: no check need look through them for garbage."""
    gc.set_threshold(*COLLECTING)
    garbage.keep()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Count what was skipped, by its reason."""
    found = _skipped(terminalreporter)
    if found:
        terminalreporter.section("skipped")
        for reason, count in sorted(found.items()):
            terminalreporter.line(f"{count:4} {'' if _is_known(reason) else 'NOT IN tests/skips.txt: '}{reason}")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A skip for a reason that nobody wrote down is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == 0 and reporter is not None and not all(map(_is_known, _skipped(reporter))):
        session.exitstatus = 1


def _skipped(reporter: Any) -> Counter[str]:
    """How often something was skipped, by the reason."""
    reports = reporter.stats.get("skipped", [])
    return Counter(str(r.longrepr[2]).removeprefix("Skipped: ") for r in reports if isinstance(r.longrepr, tuple))


def _is_known(reason: str) -> bool:
    lines = (ROOT / "tests" / "skips.txt").read_text(encoding="utf-8").splitlines()
    return any(re.fullmatch(line, reason) for line in lines if not line.startswith("#"))


@pytest.fixture(scope="session", autouse=True)
def caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing of the user's is used or written."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("caches")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Processes that share a session share what they find out."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "known"
    folder.mkdir(exist_ok=True)
    known.FOLDERS.append(folder)
    yield
    known.FOLDERS.remove(folder)


@pytest.fixture(scope="session", autouse=True)
def _kept_crews() -> Iterator[None]:
    with kept_crews():
        yield


@pytest.fixture
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test works in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a whole text with the file of that name under tests/golden, or writes the file."""

    def compare(name: str, text: str) -> None:
        file = GOLDEN / name
        if request.config.getoption("--update-golden"):
            file.write_text(text, encoding="utf-8")
        assert text == file.read_text(encoding="utf-8")

    return compare


@pytest.fixture
def root() -> Path:
    """The repository."""
    return ROOT
