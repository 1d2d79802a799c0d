"""What a run remembers of earlier ones: never anything that would come out otherwise, and nothing is done twice."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from nkilint import lowering
from nkilint.base.findings import Report
from nkilint.base.options import Options
from nkilint.base.store import Store
from nkilint.base.walk import walk
from nkilint.cli import main
from nkilint.run import command as running
from nkilint.run import processes as parallel
from nkilint.run import remembered as recall
from nkilint.run.engine import check
from nkilint.run.incremental import Incremental
from nkilint.run.outcome import Outcome, Setting

HELPERS = """\
import nki.language as nl

ROWS = 129


def wide(x):
    return nl.ndarray((ROWS, 4), dtype=x.dtype, buffer=nl.sbuf)
"""
KERNELS = """\
import nki
import nki.language as nl
import numpy as np
from helpers import wide

SIZES = {"a": 130}


@nki.jit
def own(x):
    return nl.ndarray((SIZES["a"], 4), dtype=x.dtype, buffer=nl.sbuf)


@nki.jit
def helped(x):
    return wide(x)


@nki.jit
def outer(x):
    return own(x)


@nki.jit
def launched(x):
    n, m = x.shape
    return nl.ndarray((n, m), dtype=x.dtype, buffer=nl.sbuf)


def host(rows=100):
    launched(np.zeros((rows, 2), dtype=np.float32))


host()
"""
OPTIONS = Options(select=("NKI0", "NKI1"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    (project / "helpers.py").write_text(HELPERS, encoding="utf-8")
    (project / "kernels.py").write_text(KERNELS, encoding="utf-8")
    return project


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache")


@pytest.fixture
def verified(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kernels that the last run had to verify; "recalled" where the whole report was known."""
    names: list[str] = []
    ask, remembered = Incremental.__call__, recall.recall

    def asking(self: Incremental, *arguments: object) -> list[Outcome]:
        found = ask(self, *arguments)  # type: ignore[arg-type]
        if self.store is not None:
            names[:] = self.verified
        return found

    def recalling(*arguments: object) -> Report | None:
        found = remembered(*arguments)  # type: ignore[arg-type]
        names[:] = ["recalled"]
        return found

    monkeypatch.setattr(Incremental, "__call__", asking)
    monkeypatch.setattr(recall, "recall", recalling)
    return names


def report(store: Store | None, options: Options = OPTIONS, jobs: int = 1) -> Report:
    return running.run([Path(".")], options, overlay={}, store=store, jobs=jobs)


ALL = ["own", "helped", "outer", "launched"]
EDITS: list[tuple[str, str, str, list[str]]] = [
    ("helpers.py", "ROWS = 129", "ROWS = 128", ["helped"]),
    ("helpers.py", "(ROWS, 4)", "(ROWS, 5)", ["helped"]),
    ("helpers.py", "import nki.language as nl\n", "import neuronxcc.nki.language as nl\n", ["helped"]),
    ("helpers.py", "\n\ndef wide", "\n\ndef unused():\n    return 1\n\n\ndef wide", ["helped"]),
    ("kernels.py", "host()\n", "host(129)\n", ["launched"]),
    ("kernels.py", "rows=100", "rows=200", ["launched"]),
    ("kernels.py", "    return own(x)", "    return  own(x)", ["outer"]),
    ("kernels.py", '{"a": 130}', '{"a": 128}', ALL),
    ("kernels.py", "\n\n\n@nki.jit\ndef own", '\nSIZES["a"] = 3\n\n\n@nki.jit\ndef own', ALL),
    ("kernels.py", "\n\nhost()\n", '\n\ndef resize():\n    SIZES["a"] = 3\n\n\nhost()\n', ALL),
    ("helpers.py", "\n\ndef wide", "\n\ndef widen():\n    global ROWS\n    ROWS = 3\n\n\ndef wide", ALL),
    ("kernels.py", "@nki.jit\ndef outer", "# nkilint: x: float32[4, 4]\n@nki.jit\ndef outer", ["outer", "launched"]),
    ("kernels.py", "def launched(x):", "def launched(x):  # noqa: NKI101", ["launched"]),
]


@pytest.mark.parametrize(("file", "old", "new", "kernels"), EDITS)
def test_only_what_depends_on_a_change_is_verified_again(
    folder: Path, store: Store, verified: list[str], file: str, old: str, new: str, kernels: list[str]
) -> None:
    before = report(store)
    assert verified == ALL
    text = (folder / file).read_text(encoding="utf-8")
    assert text.count(old) == 1
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")
    assert report(store) == report(None)
    assert verified == kernels
    (folder / file).write_text(text, encoding="utf-8")
    assert report(store) == before
    assert verified == []


def test_nothing_has_changed(folder: Path, store: Store, verified: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    found = report(store)
    assert found == report(None)
    monkeypatch.setattr("nkilint.run.engine.check", None)
    assert report(store) == found
    assert verified == ["recalled"]


def test_another_configuration_is_another_run(folder: Path, store: Store, verified: list[str]) -> None:
    report(store)
    for options in (
        replace(OPTIONS, target="trn1"),
        replace(OPTIONS, kernels={f"{folder}/kernels.py::own": ("x: f",)}),
    ):
        assert report(store, options) == report(None, options)
        assert verified == ALL


def test_another_version_of_this_program_knows_nothing(folder: Path, store: Store, verified: list[str]) -> None:
    report(store)
    store.tool = "another"
    report(store)
    assert verified == ALL


def test_a_module_that_was_missing(folder: Path, store: Store, verified: list[str]) -> None:
    (folder / "helpers.py").unlink()
    missing = report(store)
    assert {d.code for d in missing.diagnostics if d.kernel == "helped"} == {"NKI003"}
    (folder / "helpers.py").write_text(HELPERS, encoding="utf-8")
    assert report(store) == report(None)
    assert verified == ALL
    (folder / "helpers").mkdir()
    (folder / "helpers/__init__.py").write_text(HELPERS.replace("129", "128"), encoding="utf-8")
    assert report(store) == report(None)
    assert verified == ALL


def test_files_come_and_go(folder: Path, store: Store, verified: list[str]) -> None:
    report(store)
    (folder / "test_kernels.py").write_text(
        "import nki\nimport numpy as np\nfrom kernels import launched\n\n\n"
        "def test():\n    launched(np.zeros((129, 2)))\n\n\ntest()\n",
        encoding="utf-8",
    )
    assert report(store) == report(None)
    assert verified == ["launched"]
    (folder / "test_kernels.py").unlink()
    assert report(store) == report(None)
    assert verified == []
    (folder / "broken.py").write_bytes(b"import nki\n\xff\n")
    assert [f.code for f in report(store).failures] == ["NKI001"]
    assert [f.code for f in report(store).failures] == ["NKI001"]
    assert verified == ["recalled"]


def test_a_change_that_leaves_size_and_time(folder: Path, store: Store) -> None:
    file = folder / "helpers.py"
    before = file.stat()
    report(store)
    file.write_text(HELPERS.replace("129", "128"), encoding="utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert report(store) == report(None)


def test_unsaved_buffers_are_no_whole_runs(folder: Path, store: Store, verified: list[str]) -> None:
    overlay = {"kernels.py": KERNELS.replace("130", "128").encode()}
    first = running.run([Path("kernels.py")], OPTIONS, overlay=overlay, store=store)
    assert running.run([Path("kernels.py")], OPTIONS, overlay=overlay, store=store) == first
    assert verified == []
    assert running.run([Path("kernels.py")], OPTIONS, overlay={}, store=store) != first


@pytest.mark.parametrize("spoil", [lambda d: b"", lambda d: b"[]", lambda d: b"[" * 99999, lambda d: d[:-9] + b"}"])
def test_damaged_entries_are_as_good_as_none(folder: Path, store: Store, spoil: Callable[[bytes], bytes]) -> None:
    found = report(store)
    for file in store.folder.glob("*/*/*.json"):
        file.write_bytes(spoil(file.read_bytes()))
    assert report(store) == found


def test_a_folder_that_cannot_be_written(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert report(Store(tmp_path / "file" / "cache")) == report(None)


def test_old_entries_are_removed(folder: Path, store: Store) -> None:
    report(store)
    kept, old, *_ = sorted(store.folder.glob("*/*/*.json"))
    for file in (old, store.folder / "CACHEDIR.TAG"):
        os.utime(file, (0, 0))
    store.prune()
    assert (kept.exists(), old.exists()) == (True, False)


def test_the_command_line_keeps_and_uses_results(
    folder: Path, verified: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("NKILINT_NO_CACHE")
    (folder / "nkilint.toml").write_text("", encoding="utf-8")
    outputs = []
    for arguments in (["."], ["."], ["--no-cache", "."], ["--cache-dir", "../elsewhere", "."]):
        assert main(["--output-format", "concise", *arguments]) == 1
        outputs.append(capsys.readouterr().out)
        if arguments == ["."]:
            assert (folder / ".nkilint_cache/.gitignore").read_text(encoding="utf-8") == "*\n"
    assert len(set(outputs)) == 1
    assert (folder / "../elsewhere/runs").is_dir()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied here")
def test_several_processes_find_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "broken.py").write_text("import nki\n\nx = (\n", encoding="utf-8")
    (folder / "deep.py").write_text("import nki\n" + "x" + "[0]" * 299 + "\n", encoding="utf-8")
    monkeypatch.setattr(parallel, "_WORTH_IT", 0)
    assert report(None, jobs=2) == report(None)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied here")
def test_files_are_lowered_in_processes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = {name: ((folder / name).read_text(encoding="utf-8"), name, name[:-3], "") for name in os.listdir(folder)}
    lower = parallel.lowered_in_processes(2)
    assert lower(work) == {}  # not worth it
    monkeypatch.setattr(parallel, "_WORTH_IT", 0)
    faulty = {"broken.py": ("x = (", "broken.py", "broken", "")}
    found = lower({**work, **faulty})
    for path, source in work.items():
        module, expected = found.pop(path), lowering.lower(*source)
        assert (module.path, module.name, module.lines) == (expected.path, expected.name, expected.lines)
        assert [type(node) for node in walk(module.body)] == [type(node) for node in walk(expected.body)]
    assert found == {}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied here")
def test_a_process_that_dies_takes_one_kernel_with_it(folder: Path) -> None:
    whole = report(None)

    def runner(setting: Setting, kernels: object, verify: Callable[[object], Outcome]) -> object:
        def deadly(kernel: object) -> Outcome:
            if getattr(kernel, "name", "") == "helped":
                os._exit(9)
            return verify(kernel)

        return parallel.in_processes(2)(setting, kernels, deadly)  # type: ignore[arg-type]

    found = check([Path(".")], OPTIONS, runner=runner)  # type: ignore[arg-type]
    assert [f.message for f in found.failures] == [
        "nkilint failed on `helped`: its process died; please report it together with the kernel"
    ]
    assert [k for k in whole.kernels if k.name != "helped"] == list(found.kernels)


def test_an_altered_entry_is_not_believed(folder: Path, store: Store) -> None:
    """Neither one that was changed, nor what is no file."""
    store.put("kind", "key", {"a": 1})
    (file,) = (store.folder / "kind").rglob("*.json")
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b"1}", b"2}"))
    assert store.get("kind", "key") is None
    file.write_bytes(whole)
    assert store.get("kind", "key") == {"a": 1}
    file.unlink()
    file.mkdir()
    assert store.get("kind", "key") is None
    store.put("kind", "key", {"a": 1})
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert not list((store.folder / "new").iterdir())


def test_an_entry_of_somebody_else_is_not_believed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of entries may come with the files that are checked; they lack what this user's are sealed with."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(store.folder.parent / "somebody"))
    other = Store(store.folder)
    other.put("kind", "key", {"a": 1})
    assert other.get("kind", "key") == {"a": 1}
    assert Store(store.folder).get("kind", "key") == {"a": 1}
    assert store.get("kind", "key") is None


def test_an_entry_is_not_taken_for_another(store: Store) -> None:
    for key in ("good", "bad"):
        store.put("kind", key, {"is": key})
    good, bad = (store._file("kind", key) for key in ("good", "bad"))
    bad.write_bytes(good.read_bytes())
    assert store.get("kind", "bad") is None


def test_only_entries_are_removed(store: Store) -> None:
    """Not what links lead to, and not what is called otherwise."""
    store.put("kind", "key", {"a": 1})
    (entry,) = (store.folder / "kind").rglob("*.json")
    theirs = store.folder.parent / "theirs"
    (theirs / "kind").mkdir(parents=True)
    other, linked = store.folder / "kind" / "ab" / "notes.json", theirs / "kind" / entry.name
    other.parent.mkdir(exist_ok=True)
    other.touch()
    linked.touch()
    (store.folder / "link").symlink_to(theirs)
    for file in (entry, other, linked, store.folder / "CACHEDIR.TAG"):
        os.utime(file, (1, 1))
    store.prune()
    assert [file.exists() for file in (entry, other, linked)] == [False, True, True]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no FIFOs")
def test_a_fifo_in_place_of_an_entry(store: Store) -> None:
    store.put("kind", "key", {"a": 1})
    (file,) = (store.folder / "kind").rglob("*.json")
    file.unlink()
    os.mkfifo(file)
    assert store.get("kind", "key") is None
    store.put("kind", "key", {"a": 2})
    assert store.get("kind", "key") == {"a": 2}


def test_a_folder_that_can_be_read_again(folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be looked into before is no part of the report that is remembered."""
    closed = [Path(folder, "closed")]
    found = running.run(closed, OPTIONS, overlay={}, store=store)
    assert [f.message for f in found.failures] == ["no such file or folder"]
    assert recall.recall(store, closed, OPTIONS) == found
    closed[0].mkdir()
    assert recall.recall(store, closed, OPTIONS) is None


def test_a_change_that_sets_an_old_time(folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of the same size whose time was set back is another one all the same."""
    monkeypatch.setattr(recall, "_SETTLED", -(10**12))
    file = folder / "helpers.py"
    os.utime(file, (1, 1))
    report = running.run([folder], Options(), overlay={}, store=store)
    assert recall.recall(store, [folder], Options()) == report
    file.write_bytes(file.read_bytes().replace(b"1", b"2"))
    os.utime(file, (1, 1))
    assert recall.recall(store, [folder], Options()) is None


@pytest.mark.parametrize("part", [".", "kind", "new", "kind/*"])
def test_links_in_place_of_folders(folder: Path, tmp_path_factory: pytest.TempPathFactory, part: str) -> None:
    """A branch may come with links; nothing is written where they lead, nor removed."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    left = elsewhere / ".nkilint-999999999-00000000"
    left.write_text("", encoding="utf-8")
    store = Store(folder / "cache")
    store.put("kind", "key", {"a": 1})
    for place in [store.folder] if part == "." else list(store.folder.glob(part)):
        shutil.rmtree(place)
        place.symlink_to(elsewhere)
    store = Store(folder / "cache")
    store.put("kind", "key", {"a": 2})
    store.prune()
    assert list(elsewhere.iterdir()) == [left]
