"""Attributes that an object of the project does not have (NKI808)."""

from dataclasses import dataclass

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@dataclass(frozen=True)
class Tiles:
    rows: int = 128
    columns: int = 512

    @property
    def shape(self):
        return self.rows, self.columns


@nki.jit
def misspelt(x, tiles=Tiles()):
    assert x.shape == (128, 512)
    output = nl.ndarray(tiles.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=nl.load(x[0 : tiles.row, 0:512]))  # expect: NKI808
    return output


@nki.jit
def spelt(x, tiles=Tiles()):
    assert x.shape == (128, 512)
    output = nl.ndarray(tiles.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=nl.load(x[0 : tiles.rows, 0 : getattr(tiles, "columns", 1)]))
    return output
