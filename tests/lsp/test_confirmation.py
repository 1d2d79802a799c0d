"""What is saved is run in the simulator, unless it is old, switched off or not trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nkilint.lsp.settings import Settings

from ..support.lsp_client import PUBLISH, Editor
from .documents import ERROR, FINE, REFRESHES, WIDE

GARBAGE = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def k(x):
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    return output
"""


def said(found: list[Any]) -> bool:
    return any("confirmed by the reference simulator" in d["message"] for d in found)


def test_what_is_saved_is_run_in_the_simulator(tmp_path: Path) -> None:
    with Editor(tmp_path) as editor:
        uri = editor.open("k.py", GARBAGE)
        (found,) = editor.codes(uri, "NKI702")
        assert not said([found])
        editor.save(uri)
        (found,) = editor.diagnostics(uri, said, version=1)
        assert (found["code"], found["severity"]) == ("NKI702", ERROR)
        assert found["message"].splitlines()[-1].startswith("witness: x=")
        editor.change(uri, 2, GARBAGE.replace("128", "64"))
        editor.diagnostics(uri, lambda items: bool(items) and not said(items), version=2)
        editor.save(uri)
        editor.diagnostics(uri, said, version=2)


def test_confirmations_of_an_old_text_are_dropped(tmp_path: Path) -> None:
    with Editor(tmp_path) as editor:
        uri = editor.open("k.py", GARBAGE)
        editor.codes(uri, "NKI702")
        editor.save(uri)
        editor.change(uri, 2, FINE)
        editor.codes(uri, version=2)
        editor.change(uri, 3, GARBAGE)
        editor.codes(uri, "NKI702", version=3)
        editor.save(uri)
        editor.diagnostics(uri, said, version=3)
        published = [m["params"] for m in editor.heard if m.get("method") == PUBLISH]
        assert all(params["version"] == 3 or not said(params["diagnostics"]) for params in published)


def test_confirmation_can_be_switched_off(tmp_path: Path) -> None:
    with Editor(tmp_path, options={"confirm": False}) as editor:
        uri = editor.open("k.py", GARBAGE)
        editor.codes(uri, "NKI702")
        editor.save(uri)
        editor.notify("workspace/didChangeConfiguration", {"settings": {"confirm": False, "ignore": ["NKI702"]}})
        editor.codes(uri)
        assert not any(said(m["params"]["diagnostics"]) for m in editor.heard if m.get("method") == PUBLISH)
        editor.notify("workspace/didChangeConfiguration", {"settings": {}})
        editor.diagnostics(uri, said)


def test_nothing_is_run_in_a_folder_that_is_not_trusted(tmp_path: Path) -> None:
    settings = Settings()
    assert settings.options(str(tmp_path / "k.py"))[0].confirm == "sandboxed"
    assert settings.change({"trusted": False}) == []
    assert settings.change({"confirm": True}) == []
    assert not settings.options(str(tmp_path / "k.py"))[0].confirm
    assert settings.change({"trusted": True}) == []
    assert settings.options(str(tmp_path / "k.py"))[0].confirm is True


# --- clients and configurations ---


def test_a_client_that_asks_is_not_told(tmp_path: Path) -> None:
    with Editor(tmp_path, REFRESHES) as editor:
        assert editor.capabilities["diagnosticProvider"]["interFileDependencies"]
        uri = editor.open("k.py", WIDE)
        ask = {"textDocument": {"uri": uri}}
        first = editor.request("textDocument/diagnostic", ask)
        assert (first["kind"], [d["code"] for d in first["items"]]) == ("full", ["NKI101"])
        editor.wait("workspace/diagnostic/refresh")
        second = editor.request("textDocument/diagnostic", {**ask, "previousResultId": first["resultId"]})
        assert (second["kind"], second["resultId"]) == ("unchanged", first["resultId"])
        editor.change(uri, 2, FINE)
        third = editor.request("textDocument/diagnostic", {**ask, "previousResultId": first["resultId"]})
        assert (third["kind"], third["items"]) == ("full", [])
        assert all(m.get("method") != PUBLISH for m in editor.heard)
