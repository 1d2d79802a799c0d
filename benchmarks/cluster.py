"""A sweep over a Dask cluster of two workers, one of which is killed in the middle: what is lost, how long it takes.

    PYTHONPATH=.:rules python benchmarks/cluster.py --kernels 5000

The kernels take different sizes, and each is verified for its launch: half of these fail, so a lost one would show. The
same files are checked in this process first; exits with 1 where the reports differ. `--write` puts the figures into
docs/ci.md.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import tempfile
import threading
import time
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

import distributed
from tables import between

from nkilint.cli import main as nkilint

PAGE = Path(__file__).parents[1] / "docs/ci.md"
BEGIN, END = "<!-- cluster -->\n", "<!-- /cluster -->\n"
IN_A_FILE = 50
HEAD = "import numpy as np\nimport nki\nimport nki.isa as nisa\nimport nki.language as nl\n"
KERNEL = """\


@nki.jit
def kernel{number}(x):
    rows, columns = x.shape
    tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=tile)
    return out


def test_kernel{number}():
    kernel{number}(np.zeros(({rows}, 64), dtype=np.float32))
"""


def written(folder: Path, count: int) -> None:
    """Kernels, each with a launch; every second one has rows that are left over."""
    for first in range(0, count, IN_A_FILE):
        numbers = range(first, min(first + IN_A_FILE, count))
        text = "".join(KERNEL.format(number=n, rows=128 * (1 + n % 7) + n % 2) for n in numbers)
        (folder / f"kernels{first:05}.py").write_text(HEAD + text, encoding="utf-8")


def checked(*options: str) -> tuple[Any, float]:
    """The report on the working folder, and the seconds that it took."""
    began, report = time.monotonic(), Path("report.json")
    with redirect_stderr(io.StringIO()):
        fixed = ["--no-config", "--no-cache", "--no-confirm", "--output-format", "json", "--output-file", str(report)]
        nkilint([*fixed, *options, "."])
    found = json.loads(report.read_text(encoding="utf-8"))
    del found["summary"]["seconds"]
    return found, time.monotonic() - began


def killed_at(client: Any, count: int, killed: list[int]) -> None:
    """Kill the process of one worker as soon as so many tasks are done."""
    while not killed:
        done = client.run_on_scheduler(lambda dask_scheduler: _done(dask_scheduler))
        if done >= count:
            pid = min(client.run(os.getpid).values())
            os.kill(pid, 9)
            killed.append(pid)
        time.sleep(0.05)


def _done(scheduler: Any) -> int:
    return sum(task.state == "memory" for task in scheduler.tasks.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kernels", type=int, default=5000)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        written(Path(folder), options.kernels)
        here, alone = checked("--jobs", "1")
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        )
        with cluster, distributed.Client(cluster) as client:
            address = cluster.scheduler_address.removeprefix("tcp://")
            killed: list[int] = []
            killing = threading.Thread(target=killed_at, args=(client, options.kernels // 2, killed), daemon=True)
            killing.start()
            there, spread = checked("--executor", f"dask://{address}")
        os.chdir("/")
    failed = sum(kernel["verdict"] == "violated" for kernel in there["kernels"])
    said = (
        f"{options.kernels} kernels with a launch each, {failed} of which fail: {alone:.0f} s in one process, "
        f"{spread:.0f} s by two workers, of which one was killed when half was done. "
        f"{'Nothing was lost: the reports are equal.' if here == there else 'THE REPORTS DIFFER.'}"
    )
    print(said)
    for kind in ("diagnostics", "kernels"):
        lost = [entry for entry in here[kind] if entry not in there[kind]]
        more = [entry for entry in there[kind] if entry not in here[kind]]
        for name, entries in (("lost", lost), ("more", more)):
            for entry in entries[:3]:
                print(f"{name} of {len(entries)}: {json.dumps(entry)}", file=sys.stderr)
    if options.write:
        between(PAGE, BEGIN, END, lambda _: f"`python benchmarks/cluster.py --kernels {options.kernels}`: {said}\n")
    return int(here != there or not killed)


if __name__ == "__main__":
    sys.exit(main())
