"""Records that stay what they are, and keys that are taken away and not there."""

import dataclasses
from dataclasses import dataclass
from typing import NamedTuple

import nki
import nki.isa as nisa
import nki.language as nl


@dataclass(frozen=True)
class Fixed:
    tile: int = 3

    def made_smaller(self):
        self.tile = 2  # expect: NKI808


@dataclass
class Plain:
    tile: int = 3


class Pair(NamedTuple):
    first: int
    second: int


@dataclass(frozen=True)
class Lazy:
    tile: int

    def __post_init__(self):
        object.__setattr__(self, "half", self.tile // 2)


SIZES = {"rows": 128}


def copied(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def field_set(x):
    assert x.shape == (128, 64)
    config = Fixed()
    config.tile = 2  # expect: NKI808
    return copied(x)


@nki.jit
def field_counted_on(x):
    assert x.shape == (128, 64)
    config = Fixed(5)
    config.tile += 2  # expect: NKI808
    return copied(x)


@nki.jit
def field_set_by_name(x):
    assert x.shape == (128, 64)
    config = Fixed(5)
    setattr(config, "tile", 2)  # expect: NKI808
    return copied(x)


@nki.jit
def field_set_by_a_method(x):
    assert x.shape == (128, 64)
    Fixed(5).made_smaller()
    return copied(x)


@nki.jit
def field_deleted(x):
    assert x.shape == (128, 64)
    config = Fixed(5)
    del config.tile  # expect: NKI808
    return copied(x)


@nki.jit
def new_attribute(x):
    assert x.shape == (128, 64)
    config = Fixed(5)
    config.other = 5  # expect: NKI808
    return copied(x)


@nki.jit
def item_of_a_named_tuple_set(x):
    assert x.shape == (128, 64)
    pair = Pair(1, 2)
    pair.first = 2  # expect: NKI808
    return copied(x)


@nki.jit
def field_set_on_one_path(x, small=False):
    assert x.shape == (128, 64)
    config = Fixed(5)
    if x.shape[0] > 64:
        config.tile = 2  # expect: NKI808
    return copied(x)


@nki.jit
def fields_replaced(x):
    assert x.shape == (128, 64)
    config = dataclasses.replace(Fixed(5), tile=2)
    pair = Pair(1, 2)._replace(first=3)
    assert config.tile + pair.first == 5
    return copied(x)


@nki.jit
def field_of_another_record_set(x):
    assert x.shape == (128, 64)
    config = Plain(5)
    config.tile = 2
    assert config.tile == 2
    return copied(x)


@nki.jit
def field_set_behind_its_back(x):
    assert x.shape == (128, 64)
    assert Lazy(4).half == 2
    return copied(x)


@nki.jit
def field_set_where_it_can_be(x):
    assert x.shape == (128, 64)
    config = Fixed(5)
    try:
        config.tile = 2
    except AttributeError:
        config = Fixed(2)
    assert config.tile == 2
    return copied(x)


@nki.jit
def field_set_of_what_a_caller_gives(x, config: Fixed):  # expect: NKI003
    assert x.shape == (128, 64)
    config.tile = 2
    return copied(x)


@nki.jit
def key_deleted(x):
    assert x.shape == (128, 64)
    sizes = {"rows": 128}
    del sizes["row"]  # expect: NKI808
    return copied(x)


@nki.jit
def key_popped(x):
    assert x.shape == (128, 64)
    sizes = {"rows": 128, "columns": x.shape[1]}
    rows = sizes.pop("row")  # expect: NKI808
    return copied(x)


@nki.jit
def key_popped_twice(x):
    assert x.shape == (128, 64)
    sizes = {"rows": 128}
    sizes.pop("rows")
    sizes.pop("rows")  # expect: NKI808
    return copied(x)


@nki.jit
def number_deleted(x):
    assert x.shape == (128, 64)
    tiles = {0: 1, 1: 2}
    del tiles[2]  # expect: NKI808
    return copied(x)


@nki.jit
def member_removed(x):
    assert x.shape == (128, 64)
    left = {"rows", "columns"}
    left.remove("row")  # expect: NKI808
    return copied(x)


@nki.jit
def keys_that_are_there(x):
    assert x.shape == (128, 64)
    sizes = {"rows": 128, "columns": 64}
    del sizes["rows"]
    assert sizes.pop("columns") == 64 and sizes.pop("rows", 1) == 1
    left = {"rows", "columns"}
    left.discard("row")
    left.remove("rows")
    return copied(x)


@nki.jit
def key_that_may_be_missing(x):
    assert x.shape == (128, 64)
    sizes = {"rows": 128}
    try:
        del sizes["row"]
    except KeyError:
        sizes.pop("rows")
    assert not sizes
    return copied(x)


@nki.jit
def key_put_there_by_the_caller(x, sizes: dict = {}):  # expect: NKI003
    assert x.shape == (128, 64)
    sizes.pop("rows")
    return copied(x)


@nki.jit
def key_put_there_by_something_else(x):  # expect: NKI003
    assert x.shape == (128, 64)
    SIZES.pop("row")
    return copied(x)
