"""Names of the module that kernels hang on (NKI812), generations that they ask for (NKI813), and allocations whose name is
bound anew (NKI411)."""

import functools

import nki
import nki.isa as nisa
import nki.language as nl

TILE = 128
MODE = "exp"
OPTIONS = {"scale": 1.0, "bias": 0.0}
DEFAULTS = {"scale": 1.0}
STACK = [1.0]
LIMITS = [1.0, 2.0]
TABLE = {}
COUNTER = 0


class Settings:
    wide = False


def set_mode(mode):
    global MODE
    MODE = mode


def use(**options):
    OPTIONS.update(options)


def push(value):
    STACK.append(value)


@functools.cache
def looked_up(name):
    TABLE[name] = len(TABLE)
    return TABLE[name]


def next_name():
    global COUNTER
    COUNTER += 1
    return COUNTER


def scaled(tile):
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=OPTIONS["scale"])  # expect: NKI812 @ OPTIONS


def tile_of(source, shape):
    tile = nl.ndarray(shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def stored(tile, shape):
    out = nl.ndarray(shape, dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


class Activation(nl.NKIObject):
    def apply(self, tile):
        if MODE == "exp":  # expect: NKI812 @ MODE
            nisa.activation(dst=tile, op=nl.exp, data=tile)

    def twice(self, tile):
        for _ in range(2):
            self.apply(tile)


# --- names that change ---


# nkilint: x: float32[128, 64]
@nki.jit
def mode_of_the_module(x):
    tile = tile_of(x, (128, 64))
    Activation().twice(tile)
    return stored(tile, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def options_of_the_module(x):
    tile = tile_of(x, (128, 64))
    scaled(tile)
    return stored(tile, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def last_of_a_stack(x):
    tile = tile_of(x, (128, 64))
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=STACK[-1])  # expect: NKI812 @ STACK
    return stored(tile, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def how_many_there_were(x):
    tile = tile_of(x, (128, 64))
    if COUNTER > 3:  # expect: NKI812 @ COUNTER
        nisa.activation(dst=tile, op=nl.exp, data=tile)
    return stored(tile, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def constants_of_the_module(x):
    tile = tile_of(x, (TILE, 64))
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=DEFAULTS["scale"], op1=nl.add, operand1=LIMITS[1])
    return stored(tile, (TILE, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def mode_of_the_caller(x, MODE="exp", OPTIONS=None):
    tile = tile_of(x, (128, 64))
    if MODE == "exp":
        nisa.activation(dst=tile, op=nl.exp, data=tile)
    return stored(tile, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def name_of_its_own(x):
    STACK = [2.0]
    STACK.append(3.0)
    tile = tile_of(x, (128, 64))
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=STACK[-1])
    return stored(tile, (128, 64))


# --- generations ---


# nkilint: x: float32[128, 64]
@nki.jit
def generation_held_in_a_name(x):
    tile = tile_of(x, (128, 64))
    version = nisa.get_nc_version()
    if version == nisa.nc_version.gen3:  # expect: NKI813
        nisa.activation(dst=tile, op=nl.exp, data=tile)
    return stored(tile, (128, 64))


def is_third():
    return nisa.get_nc_version() == nisa.nc_version.gen3  # expect: NKI813


# nkilint: x: float32[128, 64]
@nki.jit
def generation_asked_in_a_helper(x):
    tile = tile_of(x, (128, 64))
    if is_third():
        nisa.activation(dst=tile, op=nl.exp, data=tile)
    return stored(tile, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def all_but_one_generation(x):
    tile = tile_of(x, (128, 64))
    if nisa.get_nc_version() != nisa.nc_version.gen3:  # expect: NKI813
        nisa.activation(dst=tile, op=nl.exp, data=tile)
    return stored(tile, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def one_of_a_tuple(x):
    tile = tile_of(x, (128, 64))
    if nisa.get_nc_version() in (nisa.nc_version.gen2, nisa.nc_version.gen3):
        nisa.activation(dst=tile, op=nl.exp, data=tile)
    return stored(tile, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def both_newer_generations(x):
    tile = tile_of(x, (128, 64))
    version = nisa.get_nc_version()
    if version == nisa.nc_version.gen3 or version == nisa.nc_version.gen4:
        nisa.activation(dst=tile, op=nl.exp, data=tile)
    return stored(tile, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def up_to_a_generation(x):
    tile = tile_of(x, (128, 64))
    version = nisa.get_nc_version()
    if version <= nisa.nc_version.gen3:
        nisa.activation(dst=tile, op=nl.exp, data=tile)
    return stored(tile, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def generation_by_its_number(x):
    tile = tile_of(x, (128, 64))
    nisa.activation(dst=tile, op=nl.exp if nisa.get_nc_version() == 3 else nl.tanh, data=tile)  # expect: NKI813
    return stored(tile, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def raises_on_other_generations(x):
    if nisa.get_nc_version() != nisa.nc_version.gen3:
        raise NotImplementedError("written for this one")
    return stored(tile_of(x, (128, 64)), (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def refuses_other_generations(x):
    version = nisa.get_nc_version()
    assert version == nisa.nc_version.gen3, "written for this one"
    return stored(tile_of(x, (128, 64)), (128, 64))


# --- names bound anew ---


# nkilint: x: float32[128, 64], y: float32[128, 64]
@nki.jit
def result_of_a_helper_for_a_tile(x, y):
    total = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI411
    left, right = tile_of(x, (128, 64)), tile_of(y, (128, 64))
    total = nl.add(left, right)
    return stored(total, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def made_anew_in_each_branch(x, exponential=True):
    tile = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI411
    if exponential:
        tile = nl.exp(tile_of(x, (128, 64)))
    else:
        tile = tile_of(x, (128, 64))
    return stored(tile, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def made_anew_in_one_branch(x, exponential=True):
    tile = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    if exponential:
        tile = nl.exp(tile_of(x, (128, 64)))
    return stored(tile, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def made_twice_before_it_is_used(x):
    tile = nl.ndarray((128, 32), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI411
    name = "tile"
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf, name=name)
    nisa.dma_copy(dst=tile, src=x)
    return stored(tile, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def bound_anew_where_it_was_not_made(x, narrow=False):
    if narrow:
        tile = nl.ndarray((128, 32), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, 0:32])
    else:
        tile = tile_of(x, (128, 64))
    return stored(tile, (128, 32 if narrow else 64))


# nkilint: x: float32[128, 64]
@nki.jit
def kept_in_a_list_before(x):
    tiles = []
    for i in range(2):
        tile = nl.ndarray((128, 32), dtype=nl.float32, buffer=nl.sbuf)
        tiles.append(tile)
        nisa.dma_copy(dst=tiles[i], src=x[:, 32 * i : 32 * i + 32])
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(2):
        nisa.dma_copy(dst=out[:, 32 * i : 32 * i + 32], src=tiles[i])
    return out
