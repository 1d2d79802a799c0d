"""Ends runs at random moments, by each signal, and looks at what stays: processes, folders, files half written.

python benchmarks/kills.py [--runs 100] [--seed 0] [PATH...]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.support.processes import alive, below, wait  # noqa: E402

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGKILL")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100, help="for each signal")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("paths", nargs="*", default=[str(ROOT / "examples" / "findings")])
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / "work"
        work.mkdir()
        for path in arguments.paths:
            copy = shutil.copytree if os.path.isdir(path) else shutil.copy
            copy(path, work / Path(path).name)
        whole, expected = _length(work)
        whole = min(whole, _length(work)[0])  # the first one reads everything from the disk
        print(f"a whole run takes {whole:.1f} s")
        wrong = 0
        for name in SIGNALS:
            slowest, bad = 0.0, 0
            for _ in range(arguments.runs):
                seconds, problems = _killed(work, name, chance.uniform(0, whole), expected)
                slowest, bad = max(slowest, seconds), bad + bool(problems)
                for problem in problems:
                    print(f"  {name}: {problem}")
            wrong += bad
            print(
                f"{name}: {arguments.runs} runs, {bad} of them leave something; the slowest ends after {slowest:.2f} s"
            )
        _, after = _length(work, cache=True)
        if left := _unfinished(work):
            print(f"after the next run there is still {left}")
            wrong += 1
        print(
            f"the cache afterwards gives {'the same' if _findings(after) == _findings(expected) else 'ANOTHER'} report"
        )
    return int(wrong > 0 or _findings(after) != _findings(expected))


def _command(*, cache: bool) -> list[str]:
    options = ["--no-config", "--jobs", "2", "--output-format", "json", "--output-file", "report.json"]
    return [sys.executable, "-m", "nkilint", *options, *([] if cache else ["--no-cache"]), "."]


def _environment(work: Path) -> dict[str, str]:
    paths = os.pathsep.join([str(ROOT), str(ROOT / "rules")])
    return {**os.environ, "PYTHONPATH": paths, "TMPDIR": str(_temporary(work))}


def _temporary(work: Path) -> Path:
    """Where runs put their folders."""
    folder = work.with_name("temporary")
    folder.mkdir(exist_ok=True)
    return folder


def _unfinished(work: Path) -> list[str]:
    """Files that were being written."""
    return sorted(str(path) for path in work.rglob(".nkilint-*"))


def _length(work: Path, *, cache: bool = False) -> tuple[float, str]:
    """The seconds that a run takes which nothing ends, and its report."""
    began = time.monotonic()
    subprocess.run(_command(cache=cache), cwd=work, env=_environment(work), stderr=subprocess.DEVNULL, check=False)
    report = (work / "report.json").read_text(encoding="utf-8")
    (work / "report.json").unlink()
    return time.monotonic() - began, report


def _heeding() -> None:
    """A shell in the background has its processes ignore some signals."""
    for name in SIGNALS[:-1]:
        signal.signal(getattr(signal, name), signal.SIG_DFL)


def _findings(report: str) -> dict[tuple[str, str | None], set[tuple[str, int]]]:
    """By file and kernel, the codes and rows of what is found; of no kernel, by None."""
    data = json.loads(report)
    found: dict[tuple[str, str | None], set[tuple[str, int]]] = {
        (k["filename"], k["name"]): set() for k in data["kernels"]
    }
    for finding in data["diagnostics"]:
        place = finding["filename"], finding["kernel"]
        found.setdefault(place, set()).add((finding["code"], finding["location"]["row"]))
    return found


def _spoilt(report: str, whole: str) -> str:
    """What is wrong with the report of a run that was ended: of each kernel it tells all, or nothing."""
    try:
        found, expected = _findings(report), _findings(whole)
    except ValueError as error:
        return str(error)
    wrong = [place for place in found if found[place] != expected.get(place)]
    return f"of {wrong}" if wrong else ""


def _killed(work: Path, name: str, after: float, expected: str) -> tuple[float, list[str]]:
    """The seconds that a run takes to end when it is told to, and what it leaves."""
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        _command(cache=True), cwd=work, env=_environment(work), stdout=quiet, stderr=quiet, preexec_fn=_heeding
    )
    time.sleep(after)
    started = below(process.pid)
    if process.poll() is not None:  # it was quicker, or knew the answers: the next begins anew
        shutil.rmtree(work / ".nkilint_cache", ignore_errors=True)
        (work / "report.json").unlink(missing_ok=True)
        return _killed(work, name, after / 2, expected)
    process.send_signal(getattr(signal, name))
    told = time.monotonic()
    process.wait()
    seconds = time.monotonic() - told
    problems = []
    if not wait(lambda: not any(map(alive, started)), 3):
        problems.append(f"processes after {after:.2f} s: {sorted(filter(alive, started))}")
    if left := list(_temporary(work).iterdir()):
        problems.append(f"folders after {after:.2f} s: {sorted(map(str, left))}")
    if name != "SIGKILL" and (unfinished := _unfinished(work)):  # the next run removes what that leaves
        problems.append(f"files after {after:.2f} s: {unfinished}")
    number = getattr(signal, name)
    if process.returncode not in (-number, 128 + number, 1):  # it did not listen yet, or had just ended
        problems.append(f"exit code {process.returncode} after {after:.2f} s")
    report = work / "report.json"
    if report.exists():  # else nothing was found by then
        if spoilt := _spoilt(report.read_text(encoding="utf-8"), expected):
            problems.append(f"no whole report after {after:.2f} s: {spoilt}")
        report.unlink()
    return seconds, problems


if __name__ == "__main__":
    sys.exit(main())
