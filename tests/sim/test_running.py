"""Scripts run on the simulator as they would on a machine with the vendor's modules."""

from __future__ import annotations

import dis
import json
import linecache
import os
import pickle
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

import pytest

from reference_sim import CannotSimulate, Finding, NkiError
from reference_sim.report import wording
from reference_sim.report.sites import SourcePlace

from ..support.processes import environment

ROOT = Path(__file__).parents[2]


KERNEL = """
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np

@nki.jit
def double(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.arange(64)[:, None], nl.arange(8)[None, :]
    for k in nl.affine_range(2):
        nl.store(out[i + 64 * k, j], nl.load(x[i + 64 * k, j]) * 2)
    return out
"""


FAULTY = KERNEL.replace("nl.affine_range(2)", "nl.affine_range(1)")


def run(folder: Path, *arguments: str, module: str = "reference_sim", **environment: str) -> Any:
    """The finished process of `python -m reference_sim ARGUMENTS`, in a folder."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "rules")])
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=folder, env={**os.environ, "PYTHONPATH": path, **environment}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def lines(done: Any) -> list[str]:
    assert done.returncode == 0, done.stderr
    return str(done.stdout).splitlines()


@pytest.mark.parametrize("command", [[], ["run"]], ids=["reference_sim", "nkilint run"])
def test_a_script_finds_itself_as_under_python(tmp_path: Path, command: list[str]) -> None:
    folder = tmp_path / "scripts"
    folder.mkdir()
    (folder / "beside.py").write_text("NAME = 'beside'\n")
    (folder / "script.py").write_text(
        "import sys, beside, __main__\n"
        "print(sys.argv, sys.path[0], __name__, __file__, __main__.__file__, beside.NAME)\n"
        "def main(): print(helper())\n"
        "def helper(): return 'called'\n"
        "if __name__ == '__main__': main(); sys.exit(len(sys.argv))\n"
    )
    asked = ["scripts/script.py", "--target", "-h"]
    done = run(tmp_path, *command, *asked, module="nkilint" if command else "reference_sim")
    script = folder / "script.py"
    assert done.stdout.splitlines() == [f"{asked} {folder} __main__ {script} {script} beside", "called"]
    plain = subprocess.run([sys.executable, *asked], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == (plain.stdout, plain.returncode)
    assert done.returncode == 3


def test_a_module_runs_and_the_current_folder_is_importable(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package/__init__.py").write_text("")
    (tmp_path / "package/__main__.py").write_text("import sys, other\nprint(sys.argv[1:], other.NAME)\n")
    (tmp_path / "other.py").write_text("NAME = 'other'\n")
    assert lines(run(tmp_path, "-m", "package", "-x", "1")) == ["['-x', '1'] other"]


TESTS = (
    KERNEL
    + """
def test_double():
    assert double(np.ones((128, 8), np.float32)).sum() == 2 * 128 * 8
"""
)


def test_pytest_runs_as_a_module_and_with_the_plugin(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text(KERNEL)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_it.py").write_text(TESTS + "\ndef test_here():\n    import helper\n")
    arguments = ["-q", "-p", "no:cacheprovider", "tests"]
    assert "2 passed" in lines(run(tmp_path, "-m", "pytest", *arguments))[-1]
    assert "2 passed" in lines(run(tmp_path, "-p", "reference_sim.pytest", *arguments, module="pytest"))[-1]
    assert run(tmp_path, *arguments, module="pytest").returncode != 0


def test_a_conftest_can_name_the_plugin(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("pytest_plugins = ['reference_sim.pytest']\n")
    (tmp_path / "test_it.py").write_text(TESTS)
    done = run(tmp_path, "-q", "-p", "no:cacheprovider", "--sim-target", "trn1", module="pytest")
    assert "1 passed" in lines(done)[-1]


def test_the_plugin_collects_findings_and_fails_the_session(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(FAULTY + "\ndef test_faulty():\n    double(np.ones((128, 8), np.float32))\n")
    arguments = ["-q", "-p", "no:cacheprovider", "-p", "reference_sim.pytest", "--sim-json", "found.json"]
    assert "1 failed" in run(tmp_path, *arguments, module="pytest").stdout
    done = run(tmp_path, *arguments, "--sim-collect", module="pytest")
    assert "1 passed" in done.stdout
    assert "NKI703" in done.stdout
    assert done.returncode == 1
    assert [f["code"] for f in json.loads((tmp_path / "found.json").read_text())["findings"]] == ["NKI703"]


def test_workers_of_pytest_hand_their_findings_over(tmp_path: Path) -> None:
    pytest.importorskip("xdist")
    (tmp_path / "test_it.py").write_text(FAULTY + "\ndef test_faulty():\n    double(np.ones((128, 8), np.float32))\n")
    done = run(tmp_path, "--collect", "--json", "f.json", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "1")
    assert done.stdout.count("NKI703") == 1, done.stdout + done.stderr
    assert done.returncode == 1
    (found,) = json.loads((tmp_path / "f.json").read_text())["findings"]
    assert (found["code"], found["function"]) == ("NKI703", "double")


THREADS = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np
from threadpoolctl import threadpool_info


def threads():
    return max(library["num_threads"] for library in threadpool_info())


@nki.jit
def kernel(x):
    out = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    print(threads())
    return out


kernel(np.ones((128, 128), np.float32))
print(threads())
"""


@pytest.mark.skipif((os.cpu_count() or 1) < 2 or sys.platform == "darwin", reason="there are no threads to limit")
def test_products_of_a_kernel_take_one_thread_and_those_of_the_host_all(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(THREADS)
    assert lines(run(tmp_path, "script.py", OPENBLAS_NUM_THREADS="2")) == ["1", "2"]


def test_a_finding_ends_a_script_with_the_way_to_its_line(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(FAULTY + "double(np.ones((128, 8), np.float32))\nprint('not reached')\n")
    done = run(tmp_path, "script.py")
    assert (done.returncode, done.stdout) == (1, "")
    assert "script.py:12: NKI703 element [64, 0] of `out` is never written" in done.stderr
    assert "reference_sim/" not in done.stderr


def test_collected_findings_do_not_stop_a_script_and_are_written_as_json(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(FAULTY + "double(np.ones((128, 8), np.float32))\nprint('reached')\n")
    done = run(tmp_path, "--collect", "--json", "found.json", "script.py")
    assert (done.returncode, done.stdout) == (1, "reached\n")
    (found,) = json.loads((tmp_path / "found.json").read_text())["findings"]
    assert (found["code"], found["row"], found["filename"], found["severity"]) == ("NKI703", 12, "script.py", "error")
    assert done.stderr.startswith(
        "script.py:12: NKI703 element [64, 0] of `out` is never written: axis 0 is not covered\n"
    )
    assert done.stderr.endswith("reference_sim: 1 error, written to found.json\n")


def test_findings_on_standard_output_are_not_told_twice(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(FAULTY + "double(np.ones((128, 8), np.float32))\n")
    done = run(tmp_path, "--collect", "--json", "-", "script.py")
    assert [f["code"] for f in json.loads(done.stdout)["findings"]] == ["NKI703"]
    assert done.stderr == "reference_sim: 1 error, written to standard output\n"


def test_a_run_that_collects_says_that_it_found_nothing(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(KERNEL + "double(np.ones((128, 8), np.float32))\n")
    done = run(tmp_path, "--collect", "script.py")
    assert (done.returncode, done.stderr) == (0, "reference_sim: no findings\n")


def test_a_report_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(FAULTY + "double(np.ones((128, 8), np.float32))\n")
    done = run(tmp_path, "--collect", "--json", "nosuch/found.json", "script.py")
    assert done.returncode == 2
    assert "NKI703" in done.stderr
    assert done.stderr.endswith("reference_sim: nosuch/found.json cannot be written: No such file or directory\n")


RAISED = {
    "assert False, 'of the kernel'": "AssertionError: of the kernel",
    "nki.compiler.multi_buffer(3)": "reference_sim.CannotSimulate: `compiler.multi_buffer` cannot be "
    "simulated: the documentation does not say where it places a tensor",
    "nl.lood(x)": "AttributeError: module 'neuronxcc.nki.language' has no attribute 'lood'",
    "{}[x.shape]": "KeyError: (128, 8)",
    "x[0:4:0]": "ValueError: slice step cannot be zero",
    "x.reshape((8, -1)).permute('a')": "reference_sim.CannotSimulate: `x.reshape((8, -1)).permute('a')` cannot be "
    "simulated: TypeError: 'str' object cannot be interpreted as an integer",
}


@pytest.mark.parametrize("statement", RAISED)
def test_what_a_kernel_raises_is_told_by_the_scripts_lines(tmp_path: Path, statement: str) -> None:
    head, body = KERNEL.split("def double(x):\n")
    (tmp_path / "script.py").write_text(
        f"{head}def double(x):\n    {statement}\n{body}double(np.ones((128, 8), np.float32))\n"
    )
    done = run(tmp_path, "script.py")
    told = [line for line in done.stderr.splitlines() if set(line) - set(" ~^")]
    assert told[-1].partition(". Did you mean")[0] == RAISED[statement]  # newer Pythons suggest a name
    assert told[:-1] == [
        "Traceback (most recent call last):",
        f'  File "{tmp_path}/script.py", line 14, in <module>',
        "    double(np.ones((128, 8), np.float32))",
        f'  File "{tmp_path}/script.py", line 8, in double',
        f"    {statement}",
    ]


CALLS = {
    "double()": "TypeError: double() missing 1 required positional argument: 'x'",
    "double(np.ones((4, 4), complex))": "TypeError: no tensor of NKI has elements of the type complex128",
    "nki.jit(double, platform_target='trn9')(1)": "ValueError: unknown target 'trn9'; known are trn1, inf2, trn2, trn3",
}


@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_does_not_fit_the_kernel_is_told_by_the_scripts_lines(tmp_path: Path, call: str) -> None:
    (tmp_path / "script.py").write_text(f"{KERNEL}{call}\n")
    done = run(tmp_path, "script.py")
    told = [line for line in done.stderr.splitlines() if set(line) - set(" ~^")]
    assert told == [
        "Traceback (most recent call last):",
        f'  File "{tmp_path}/script.py", line 13, in <module>',
        f"    {call}",
        CALLS[call],
    ]


def test_pytest_shows_the_lines_of_tests_and_kernels(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(FAULTY + "\ndef test_faulty():\n    double(np.ones((128, 9), np.float32))\n")
    done = run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert "test_it.py:12: NKI703" in done.stdout
    assert "launch.py" not in done.stdout


def test_an_error_that_the_script_handles_is_no_failure(tmp_path: Path) -> None:
    handled = "try:\n    double(np.ones((128, 8), np.float32))\nexcept IndexError as e:\n    print(type(e).__name__)\n"
    (tmp_path / "script.py").write_text(FAULTY + handled)
    done = run(tmp_path, "script.py")
    assert (done.returncode, done.stdout, done.stderr) == (0, "NkiError\n", "")


def test_the_target_is_the_chosen_one(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        "import nki, nki.isa as nisa\n@nki.jit\ndef k():\n    return nisa.get_nc_version().name\nprint(k())\n"
    )
    assert lines(run(tmp_path, "--target", "trn1", "script.py")) == ["gen2"]
    assert lines(run(tmp_path, "script.py", NEURON_PLATFORM_TARGET_OVERRIDE="trn2")) == ["gen3"]
    assert lines(run(tmp_path, "script.py")) == ["gen3"]
    done = run(tmp_path, "--target", "trn9", "script.py")
    assert done.returncode == 2
    assert "unknown target 'trn9'; known are trn1, inf2, trn2, trn3" in done.stderr
    done = run(tmp_path, "script.py", NEURON_PLATFORM_TARGET_OVERRIDE="trn9")
    assert (done.returncode, done.stderr) == (
        2, "reference_sim: unknown target 'trn9'; known are trn1, inf2, trn2, trn3\n"
    )  # fmt: skip
    done = run(tmp_path, "-p", "reference_sim.pytest", "--sim-target=trn9", module="pytest")
    assert (done.returncode, done.stdout) == (4, "")
    assert "ERROR: reference_sim: unknown target 'trn9'; known are" in done.stderr
    assert "Traceback" not in done.stderr


def test_narrow_floats_are_as_exact_as_asked_for(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        KERNEL.replace("nl.load(x[i + 64 * k, j])", "nl.load(x[i + 64 * k, j], dtype=nl.bfloat16)")
        + "print(double(np.full((128, 8), 1.001, np.float32))[0, 0])\n"
    )
    assert lines(run(tmp_path, "script.py")) == ["2.002"]
    assert lines(run(tmp_path, "script.py", NKI_PRECISE_FP="1")) == ["2.0"]
    (tmp_path / "early.py").write_text("import os\nos.environ['NKI_PRECISE_FP'] = '1'\nimport script\n")
    assert lines(run(tmp_path, "early.py")) == ["2.0"]


def test_installed_modules_stay_unless_forced(tmp_path: Path) -> None:
    (tmp_path / "nki").mkdir()
    (tmp_path / "nki/__init__.py").write_text("REAL = True\n")
    (tmp_path / "script.py").write_text("import nki\nprint(hasattr(nki, 'REAL'))\n")
    environment = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "rules"), str(tmp_path)])}
    assert lines(run(tmp_path, "script.py", **environment)) == ["True"]
    assert lines(run(tmp_path, "--force", "script.py", **environment)) == ["False"]


def test_a_folder_called_nki_is_not_the_vendors_module_and_stays_importable(tmp_path: Path) -> None:
    (tmp_path / "nki").mkdir()
    (tmp_path / "nki/mine.py").write_text("NAME = 'mine'\n")
    (tmp_path / "script.py").write_text("import nki.language, nki.mine\nprint(nki.mine.NAME)\n")
    assert lines(run(tmp_path, "script.py")) == ["mine"]


def test_install_serves_scripts_that_call_it_and_uninstall_takes_it_back(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        "import importlib.util, sys, reference_sim\n"
        "reference_sim.install()\n"
        "import nki.language as nl, neuronxcc.nki.isa\n"
        "reference_sim.install()\n"
        "assert sys.modules['nki.language'] is nl\n"
        "reference_sim.uninstall()\n"
        "print('nki' in sys.modules, 'neuronxcc.nki.isa' in sys.modules)\n"
    )
    (tmp_path / "python.py").write_text("")
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False,
        env=environment(),
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("False False\n", "")


# One kernel, for tools


@pytest.mark.parametrize(
    "text", ["def fail():\n    raise ValueError('of the script')\n\n\nfail()\n", "def fail(:\n", "open('nothing')\n"]
)
@pytest.mark.parametrize("command", [[], ["run"]], ids=["reference_sim", "nkilint run"])
def test_what_a_script_raises_is_told_as_by_python(tmp_path: Path, text: str, command: list[str]) -> None:
    (tmp_path / "script.py").write_text(text)
    done = run(tmp_path, *command, "script.py", module="nkilint" if command else "reference_sim")
    plain = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (plain.returncode, plain.stderr)
    assert done.returncode == 1


def test_a_script_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = run(tmp_path, "nosuch.py")
    assert (done.returncode, done.stderr) == (2, "reference_sim: there is no file 'nosuch.py'\n")
    done = run(tmp_path, ".")
    assert (done.returncode, done.stderr) == (2, "reference_sim: there is no `__main__.py` in '.'\n")
    for name in ("nosuch", "nosuch.part"):
        done = run(tmp_path, "-m", name)
        assert (done.returncode, done.stderr) == (2, f"reference_sim: there is no module {name!r}\n")


@pytest.mark.skipif(sys.version_info >= (3, 11), reason="this Python keeps the positions")
def test_source_is_found_where_python_keeps_no_positions() -> None:
    text = "def f(x, y):\n    return [x.upper() + y[1:2], max(x,\n        y)][0]\n"
    linecache.cache["positions.py"] = (len(text), None, text.splitlines(True), "positions.py")
    space: dict[str, Any] = {}
    exec(compile(text, "positions.py", "exec"), space)
    code = space["f"].__code__
    found = {i.opname: wording.source_text((code, i.offset)) for i in dis.get_instructions(code)}
    assert found["LOAD_METHOD"] == "x.upper"
    assert found["CALL_METHOD"] == "x.upper()"
    assert found["BINARY_ADD"] == "x.upper() + y[1:2]"
    assert found["CALL_FUNCTION"] == "max(x, y)"


def test_public_exceptions_have_the_name_of_the_package_and_can_be_pickled() -> None:
    finding = Finding("NKI101", "too large", SourcePlace("kernels.py", 3, "kernel"))
    for error in (NkiError(finding), CannotSimulate("`nl.nosuch`", "it is not documented")):
        assert traceback.format_exception_only(error)[0].startswith(f"reference_sim.{type(error).__name__}: ")
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), again.args) == (type(error), error.args)
