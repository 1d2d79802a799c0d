"""Python that raises whatever the inputs are, each beside a relative that does not."""

from collections import namedtuple
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


class Config(NamedTuple):
    q_min: int
    q_max: int


@dataclass
class Plan:
    rows: int = 128


class Mode(Enum):
    SILU = "silu"
    GELU = "gelu"


Pair = namedtuple("Pair", "first second")
SIZES = {"narrow": 128, "tall": 256}
FILLED = {"narrow": 128}


def fill(name, size):
    FILLED[name] = size


def doubled(n):
    n * 2


def halves(n):
    return n // 2, n - n // 2


@nki.jit
def key_that_is_not_there(x):
    assert x.shape == (128, 64)
    n = SIZES["wide"]  # expect: NKI808
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def key_that_is_there(x):
    assert x.shape == (128, 64)
    n = SIZES["narrow"]
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def key_of_its_own_dict(x):
    assert x.shape == (128, 64)
    tiles = {0: 64, 1: 64}
    n = tiles[2]  # expect: NKI808
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def key_put_in_before(x):
    assert x.shape == (128, 64)
    tiles = {0: 64, 1: 64}
    tiles[2] = 64
    n = tiles[2]
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def key_that_a_handler_waits_for(x):
    assert x.shape == (128, 64)
    try:
        n = SIZES["wide"]
    except KeyError:
        n = 128
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def key_asked_for(x):
    assert x.shape == (128, 64)
    n = SIZES["wide"] if "wide" in SIZES else SIZES.get("wider", 128)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def text_and_number(x):
    assert x.shape == (128, 64)
    name = "tile_" + x.shape[0]  # expect: NKI809
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def text_and_text(x):
    assert x.shape == (128, 64)
    name = "tile_" + str(x.shape[0])
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def tuple_and_list(x):
    assert x.shape == (128, 64)
    shape = x.shape[:-1] + [64]  # expect: NKI809
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def tuple_and_tuple(x):
    assert x.shape == (128, 64)
    shape = x.shape[:-1] + (64,)
    sizes = list(x.shape[:-1]) + [64]
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def field_that_is_not_there(x):
    assert x.shape == (128, 64)
    config = Config(0, 128)
    n = config.qmax  # expect: NKI808
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def field_that_is_there(x):
    assert x.shape == (128, 64)
    config = Config(0, 128)
    n = config._replace(q_min=1).q_max
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def field_of_a_pair(x):
    assert x.shape == (128, 64)
    n = Pair(1, 2).third  # expect: NKI808
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def field_of_a_plan(x):
    assert x.shape == (128, 64)
    n = Plan().row  # expect: NKI808
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def member_that_is_not_there(x):
    assert x.shape == (128, 64)
    mode = Mode.SILLU  # expect: NKI808
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def member_that_is_there(x):
    assert x.shape == (128, 64)
    mode = Mode.SILU.value, Mode.GELU.name, Mode.__members__
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def number_and_none(x):
    assert x.shape == (128, 64)
    n = doubled(64) + 1  # expect: NKI809
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def item_of_none(x):
    assert x.shape == (128, 64)
    n = doubled(64)[0]  # expect: NKI809
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def attribute_of_none(x):
    assert x.shape == (128, 64)
    n = doubled(64).shape  # expect: NKI808
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def number_and_number(x):
    assert x.shape == (128, 64)
    n = halves(64)[0] + 1
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def length_of_a_number(x):
    assert x.shape == (128, 64)
    n = len(x.shape[0])  # expect: NKI809
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def length_of_a_shape(x):
    assert x.shape == (128, 64)
    n = len(x.shape)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def too_few_names(x):
    assert x.shape == (128, 64)
    first, second = (64, 32, 32)  # expect: NKI204
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def too_many_names(x):
    assert x.shape == (128, 64)
    first, second, third = halves(64)  # expect: NKI204
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def as_many_names(x):
    assert x.shape == (128, 64)
    first, second = halves(64)
    (a, b), *c = halves(64), 3, 4
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def position_behind_the_last(x):
    assert x.shape == (128, 64)
    n = halves(64)[2]  # expect: NKI301
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def dimension_behind_the_last(x):
    assert x.shape == (128, 64)
    sizes = x.shape
    n = sizes[2]  # expect: NKI301
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def last_position(x):
    assert x.shape == (128, 64)
    n = halves(64)[1] + halves(64)[-2] + x.shape[-1]
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def size_called(x):
    assert x.shape == (128, 64)
    n = x.shape[0]()  # expect: NKI809
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def method_that_lists_lack(x):
    assert x.shape == (128, 64)
    tiles = []
    tiles.push(3)  # expect: NKI808
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def method_that_lists_have(x):
    assert x.shape == (128, 64)
    tiles = []
    tiles.append(3)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def method_that_texts_lack(x):
    assert x.shape == (128, 64)
    name = "tile".uppercase()  # expect: NKI808
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def method_that_texts_have(x):
    assert x.shape == (128, 64)
    name = "tile".upper()
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def method_that_dicts_lack(x):
    assert x.shape == (128, 64)
    n = SIZES.iteritems()  # expect: NKI808
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def method_that_tuples_lack(x):
    assert x.shape == (128, 64)
    n = x.shape.append(1)  # expect: NKI808
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def walk_over_a_number(x):
    assert x.shape == (128, 64)
    for i in x.shape[0]:  # expect: NKI809
        pass
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def walk_over_a_range(x):
    assert x.shape == (128, 64)
    for i in range(x.shape[0] // 64):
        pass
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def item_of_a_number(x):
    assert x.shape == (128, 64)
    n = x.shape[0][0]  # expect: NKI809
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def item_of_a_tuple_changed(x):
    assert x.shape == (128, 64)
    shape = x.shape
    shape[0] = 64  # expect: NKI809
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def item_of_a_list_changed(x):
    assert x.shape == (128, 64)
    shape = list(x.shape)
    shape[0] = 64
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def key_that_something_may_have_put_in(x):  # expect: NKI003
    assert x.shape == (128, 64)
    n = FILLED["wide"]
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def key_that_is_a_default(x, size="wide"):  # expect: NKI003
    assert x.shape == (128, 64)
    n = SIZES[size]
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def number_that_is_a_text(x, name):  # expect: NKI003
    assert x.shape == (128, 64)
    for i in range(name):
        pass
    n = "tile_" + name
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def key_in_a_branch(x, wide: bool):
    assert x.shape == (128, 64)
    if wide:
        n = SIZES["wide"]  # expect: NKI808
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def item_of_the_iteration_before(x):
    assert x.shape == (128, 64)
    last = {}
    for i in range(x.shape[0] // 32):
        if i > 0:
            n = last["i"]
        last["i"] = i
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def as_many_names_as_dimensions(x, y):
    assert x.shape == (128, 64)
    if len(y.shape) == 3:
        first, second, third = y.shape
    else:
        first, second = y.shape
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def default_that_callers_may_replace(x, pads=(), stride=1, options={}):  # expect: NKI003
    assert x.shape == (128, 64)
    n = pads[0]
    m = len(stride)
    k = options["rows"]
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def numbers_that_are_tuples(x, pairs):  # expect: NKI003
    assert x.shape == (128, 64)
    first, second = pairs
    for i in first:
        n = i
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out
