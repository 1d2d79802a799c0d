"""Kernels verified by a Dask cluster: two workers that know nothing of the project."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nkilint.base.findings import InstanceReport, KernelReport
from nkilint.base.ir import Span
from nkilint.cli import main
from nkilint.project.files import Project
from nkilint.run import cluster
from nkilint.run.outcome import Outcome

dask = pytest.importorskip("dask", reason="needs the extra `distributed`")
distributed = pytest.importorskip("distributed", reason="needs the extra `distributed`")
Streams = pytest.CaptureFixture[str]
KERNEL = """\
import nki
import nki.language as nl
from sizes.{name} import ROWS


@nki.jit
def {name}(x):
    return nl.ndarray((ROWS, 4), dtype=x.dtype, buffer=nl.sbuf)
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, root: Path = Path(__file__).parents[2]) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{root}:{root / 'rules'}")
        patch.chdir(tmp_path_factory.mktemp("elsewhere"))
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as made:
            yield made.scheduler_address.removeprefix("tcp://")


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Six kernels with helper modules in a namespace package at the root of the project, and a configuration."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernels").mkdir()
    (tmp_path / "sizes").mkdir()
    for number, name in enumerate("abcdef"):
        (tmp_path / "kernels" / f"{name}.py").write_text(KERNEL.format(name=name), encoding="utf-8")
        (tmp_path / "sizes" / f"{name}.py").write_text(f"ROWS = {126 + number}\n", encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text('[tool.nkilint]\ntarget = "trn1"\n', encoding="utf-8")
    return tmp_path


def document(capsys: Streams, *arguments: str) -> Any:
    main([*arguments, "--output-format", "json", "--jobs", "1", "kernels"])
    found = json.loads(capsys.readouterr().out)
    del found["summary"]["seconds"]
    return found


def test_the_cluster_finds_the_same(
    kernels: Path, address: str, capsys: Streams, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = document(capsys)
    assert [d["filename"] for d in here["diagnostics"] if d["code"] == "NKI101"] == [
        "kernels/d.py", "kernels/e.py", "kernels/f.py"
    ]  # fmt: skip
    assert document(capsys, "--executor", f"dask://{address}") == here
    monkeypatch.delenv("NKILINT_NO_CACHE")
    assert document(capsys, "--executor", f"dask://{address}", "--cache-dir", "cache") == here
    with socket.socket() as taken:  # nobody listens: everything is known
        taken.bind(("127.0.0.1", 0))
        nobody = f"dask://127.0.0.1:{taken.getsockname()[1]}"
        assert document(capsys, "--executor", nobody, "--cache-dir", "cache") == here


def test_repairs_are_verified_there_too(kernels: Path, address: str, capsys: Streams) -> None:
    file = kernels / "kernels" / "a.py"
    source = file.read_text(encoding="utf-8")
    file.write_text(source + "# noqa: NKI301\n", encoding="utf-8")
    main(["--fix", "--executor", f"dask://{address}", "--no-confirm", "kernels/a.py"])
    assert file.read_text(encoding="utf-8") == source
    assert capsys.readouterr().err.endswith("1 finding repaired in 1 file\n")


def test_both_workers_verify(kernels: Path, address: str) -> None:
    with distributed.Client(f"tcp://{address}", set_as_default=False) as client:
        before = _done(client)
        main(["--executor", f"dask://{address}", "--no-confirm", "--output-file", "out.txt", "kernels"])
        after = _done(client)
    assert len(after) == 2
    assert all(after[worker] > before[worker] for worker in after), (before, after)


def _done(client: Any) -> dict[str, int]:
    """By worker, how often something has changed about its tasks."""
    found: dict[str, int] = client.run(lambda dask_worker: dask_worker.state.transition_counter)
    return found


def test_nothing_is_lost_with_a_worker(kernels: Path, capsys: Streams, monkeypatch: pytest.MonkeyPatch) -> None:
    """One is killed when the first answer is there: what it had done and had to do is done again."""
    here, home, killed = document(capsys), cluster._home, list[int]()
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as made, distributed.Client(made, set_as_default=False) as client:  # fmt: skip

        def kill_first(answer: Any, project: Project) -> Outcome:
            if not killed:
                killed.append(min(client.run(os.getpid).values()))
                os.kill(killed[0], signal.SIGKILL)
            return home(answer, project)

        monkeypatch.setattr(cluster, "_home", kill_first)
        assert document(capsys, "--executor", made.scheduler_address.replace("tcp", "dask")) == here
    assert killed


def dies(*arguments: Any) -> None:
    """In place of what verifies a kernel there."""
    os._exit(1)


def test_what_kills_every_worker_is_verified_here(
    kernels: Path, capsys: Streams, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = document(capsys, "--jobs", "1")
    monkeypatch.setattr(cluster, "verify_there", dies)
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as made:  # fmt: skip
        assert document(capsys, "--executor", made.scheduler_address.replace("tcp", "dask")) == here


def test_no_scheduler(kernels: Path, monkeypatch: pytest.MonkeyPatch, capsys: Streams) -> None:
    monkeypatch.setattr(cluster, "_PATIENCE", 1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        assert main(["--executor", f"dask://127.0.0.1:{port}", "kernels"]) == 2
    assert capsys.readouterr().err.startswith(f"command line: NKI004 no Dask scheduler answers at 127.0.0.1:{port}: ")


@pytest.mark.parametrize("given", ["dask://", "dask://host", "ray://host:1", "host:8786", "dask://a b:1"])
def test_addresses_that_are_none(kernels: Path, given: str, capsys: Streams) -> None:
    assert main(["--executor", given, "kernels"]) == 2
    message = f"`{given}` is no executor; they look like `dask://HOST:PORT`"
    assert capsys.readouterr().err == f"command line: NKI004 {message}\n"


def test_another_version_says_so() -> None:
    from nkilint import __version__

    assert cluster.verify_there("0.0.0", ("", {}), [], None, ("k.py", 1, 1)) == __version__


def test_files_get_their_names_back(kernels: Path) -> None:
    at = Span(str(kernels / "kernels" / "a.py"), 7, 5, 7, 6)
    report = KernelReport(at.file, "a", at, "nki", "verified", instances=(InstanceReport({}, "verified", at),))
    moved = cluster._moved(
        Outcome(at, report, called=frozenset({at})), Project(["kernels"]).shown, (Span, KernelReport)
    )
    assert moved.report.file == moved.at.file == moved.report.instances[0].at.file == "kernels/a.py"
    assert {span.file for span in moved.called} == {"kernels/a.py"}
