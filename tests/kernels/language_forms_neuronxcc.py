"""Python that only the compiler of `nki` rejects: Beta 1 traces Python itself, and takes all of it."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

SEED = 0x9E3779B97F4A7C15


class Layer:
    mask = 1 << 40

    def __init__(self, tile):
        self.tile = tile

    def forward(self):
        return self.tile + float(self.mask % 7)


def scaled_by(factor):
    def scaled(tile):
        return tile * factor

    return scaled


def rotated(tiles):
    tiles[0], tiles[-1] = tiles[-1], tiles[0]
    return tiles


def folded(tiles):
    return tiles[0] if len(tiles) == 1 else tiles[-1] + folded(tiles[:-1])


# nkilint: x: float32[128, 256]
@nki.jit
def inner_function(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)

    def part(i):
        return nl.load(x[:, nl.ds(64 * i, 64)])

    for i in nl.affine_range(4):
        nl.store(out[:, nl.ds(64 * i, 64)], part(i))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def closure_of_a_helper(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, scaled_by(2.0)(nl.load(x)))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def items_that_change_places(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = rotated([nl.load(x[:, 0:128]), nl.load(x[:, 128:256])])
    for i in range(2):
        nl.store(out[:, nl.ds(128 * i, 128)], tiles[i])
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def arithmetic_on_tiles(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nl.store(out, -tile * 2.0 + (tile - 1.0) * tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def arithmetic_in_place(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    tile[:, 0:128] *= 2.0
    tile += 1.0
    nl.store(out, tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def integers_of_64_bits(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    mixed = (SEED ^ (1 << 40)) % 1000
    nl.store(out, nl.add(nl.load(x), float(mixed)))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def constant_of_a_class(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, Layer(nl.load(x)).forward())
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def lists_and_dicts_by_comprehension(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    parts = {i: nl.load(x[:, nl.ds(128 * i, 128)]) for i in range(2)}
    sums = [folded([parts[i], parts[1 - i]]) for i in range(2)]
    for i, part in enumerate(sums):
        nl.store(out[:, nl.ds(128 * i, 128)], part)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def identity_and_names_only(x, *, bias=None, dtype=nl.float32):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    if bias is not None:
        assert bias.shape == (128, 1)
        tile = tile + nl.load(bias)
    if x.dtype is dtype:
        tile = nl.exp(tile)
    nl.store(out, tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def lists_by_default(x, parts=[128, 128]):  # noqa: B006
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    start = 0
    for part in parts:
        nl.store(out[:, nl.ds(start, part)], nisa.tensor_copy(nl.load(x[:, nl.ds(start, part)])))
        start += part
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def generators(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)

    def places():
        for i in range(2):
            yield nl.ds(128 * i, 128)

    for place in places():
        nl.store(out[:, place], nl.load(x[:, place]))
    return out
