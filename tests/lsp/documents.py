"""Documents that tests open, and where things stand in them."""

from __future__ import annotations

from typing import Any

WIDE = """\
import nki
import nki.language as nl


@nki.jit
def k(x):
    tile = nl.ndarray((129, 4), dtype=x.dtype, buffer=nl.sbuf)
"""

FINE = WIDE.replace("129", "128")

GRIDS = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def grids(x):
    rows, columns = x.shape
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    tile = nl.load(x[i, j], mask=i < rows and j < columns)
    nl.store(output[i, j], value=tile)
    return output
"""

TILES = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def tiles(x):
    rows, columns = x.shape
    output = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[0:rows, 0:512])
    nisa.dma_copy(dst=output[0:rows, 0:512], src=tile)
    return output
"""

TWO_TILES = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def k(x):
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    small = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    tile = nl.ndarray((128, COLUMNS), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(small, 0.0)
    nisa.memset(tile, 0.0)
    nisa.dma_copy(dst=output, src=small)
    nisa.dma_copy(dst=output[:, 0:COLUMNS], src=tile)
    return output
"""

ERROR, WARNING = 1, 2

REFRESHES: dict[str, Any] = {
    "textDocument": {"diagnostic": {"dynamicRegistration": False}},
    "workspace": {"diagnostics": {"refreshSupport": True}, "codeLens": {"refreshSupport": True}},
}


def position(line: int, character: int) -> dict[str, int]:
    return {"line": line, "character": character}


def marked(text: str, diagnostic: Any) -> str:
    """The text under a diagnostic of one line, read as an editor counts."""
    start, end = diagnostic["range"]["start"], diagnostic["range"]["end"]
    assert start["line"] == end["line"]
    units = text.splitlines()[start["line"]].encode("utf-16-le")
    return units[2 * start["character"] : 2 * end["character"]].decode("utf-16-le")


# --- diagnostics ---
