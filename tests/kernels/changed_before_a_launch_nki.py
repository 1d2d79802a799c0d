"""Errors that hang on what functions change between the import and a launch are open; those that do not, are errors."""

import functools
import heapq

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np

MODE = "narrow"
WIDTHS = {"wide": 512}
WIDTH = 4096
FIXED_WIDTH = 4096
POSITION = 1
READY = False
FIXED_READY = False
WIDE = [128, 256]
ALIAS = WIDE
TABLE = {"a": [4096]}
HANDED = {"a": [4096]}
FIXED = {"a": [4096]}
HEAP = [4096]
COPIED = [4096]
ARRAY = np.array([128, 4096])
FIXED_ARRAY = np.array([128, 4096])
COUNT = [4096]
SCRIPTED = 4096


class Settings:
    width = 4096
    depth = 4096


class Options:
    def __init__(self):
        self.columns = 4096
        self.rows = 4096
        self.steps = [4096]

    def grow(self, columns):
        self.columns += columns
        self.steps.append(columns)


OPTIONS = [Options()]


def configure(mode, width):
    global MODE, WIDTH, POSITION, READY
    MODE, WIDTH, POSITION, READY = mode, width, 0, True
    Settings.width = width


def widen(columns):
    ALIAS.append(columns)


def row(name):
    return TABLE[name]


def shorten(columns):
    for each in (row("a"),):
        each[0] = columns


def put(held, columns):
    held.insert(0, columns)


def put_elsewhere():
    put(HANDED["a"], 128)


def push(columns):
    heapq.heappush(HEAP, columns)


def copied():
    mine = list(COPIED)
    mine.insert(0, 128)
    return mine


def change():
    ARRAY[1] = 512


def step():
    COUNT[0] -= 1


def counter():
    count = 4096

    def down():
        nonlocal count
        count -= 1

    def get():
        return count

    return down, get


down, get = counter()


@functools.lru_cache
def sizes():
    return [4096]


@functools.lru_cache
def fixed_sizes():
    return [4096]


def narrow():
    sizes()[0] = 512


def tile_of(columns):
    return nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)


@nki.jit
def variable(x):  # expect: NKI003
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : WIDTH], value=0.0)  # expect: NKI812


@nki.jit
def key_with_a_variable(x):  # expect: NKI003
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : WIDTHS["k" + MODE]], value=0.0)  # expect: NKI812


@nki.jit
def position(x):  # expect: NKI003
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : (512, 4096)[POSITION]], value=0.0)  # expect: NKI812


@nki.jit
def alias_of_a_list(x):  # expect: NKI003
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : WIDE[2]], value=0.0)


@nki.jit
def item_of_a_list_that_a_function_gives(x):  # expect: NKI003
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : TABLE["a"][0]], value=0.0)


@nki.jit
def list_that_is_handed_on(x):  # expect: NKI003
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : HANDED["a"][0]], value=0.0)


@nki.jit
def heap(x):  # expect: NKI003
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : HEAP[0]], value=0.0)


@nki.jit
def array(x):  # expect: NKI003
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : ARRAY[1]], value=0.0)


@nki.jit
def counted(x):  # expect: NKI003
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : COUNT[0]], value=0.0)  # expect: NKI812


@nki.jit
def variable_of_a_closure(x):  # expect: NKI003
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : get()], value=0.0)


@nki.jit
def cached_list(x):  # expect: NKI003
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : sizes()[0]], value=0.0)


@nki.jit
def attribute_of_a_class(x):  # expect: NKI003
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : Settings.width], value=0.0)


@nki.jit
def attribute_of_an_object_in_a_list(x):  # expect: NKI003
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : OPTIONS[0].columns], value=0.0)


@nki.jit
def list_of_an_object(x):  # expect: NKI003
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : OPTIONS[0].steps[0]], value=0.0)


@nki.jit
def variable_that_stays(x):
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : FIXED_WIDTH], value=0.0)  # expect: NKI301


@nki.jit
def item_that_stays(x):
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : FIXED["a"][0]], value=0.0)  # expect: NKI301


@nki.jit
def list_that_is_copied(x):
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : COPIED[0]], value=0.0)  # expect: NKI301


@nki.jit
def array_that_stays(x):
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : FIXED_ARRAY[1]], value=0.0)  # expect: NKI301


@nki.jit
def cached_list_that_stays(x):
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : fixed_sizes()[0]], value=0.0)  # expect: NKI301


@nki.jit
def attribute_of_a_class_that_stays(x):
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : Settings.depth], value=0.0)  # expect: NKI301


@nki.jit
def attribute_of_an_object_that_stays(x):
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : OPTIONS[0].rows], value=0.0)  # expect: NKI301


@nki.jit
def object_of_its_own(x):
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0 : Options().columns], value=0.0)  # expect: NKI301


@nki.jit
def asserted(x):
    assert MODE == "wide"  # expect: NKI812
    nisa.memset(dst=tile_of(512), value=0.0)


@nki.jit
def asserted_and_wrong(x):
    assert MODE == "wide"  # expect: NKI812
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0:513], value=0.0)  # expect: NKI301


@nki.jit
def asserted_of_what_stays(x):
    assert FIXED_READY  # expect: NKI807
    nisa.memset(dst=tile_of(512), value=0.0)


@nki.jit
def raised_unless_ready(x):
    if not READY:  # expect: NKI812
        raise ValueError("configure first")
    nisa.memset(dst=tile_of(512), value=0.0)


@nki.jit
def raised_unless_ready_and_wrong(x):  # expect: NKI003
    if not READY:  # expect: NKI812
        raise ValueError("configure first")
    tile = tile_of(512)
    nisa.memset(dst=tile[:, 0:513], value=0.0)


@nki.jit
def divided_unless_ready(x):  # expect: NKI003
    _ = 1 / 0 if not READY else 0  # expect: NKI812
    nisa.memset(dst=tile_of(512), value=0.0)


@nki.jit
def divided_unless_what_stays(x):
    _ = 1 / 0 if not FIXED_READY else 0  # expect: NKI806
    nisa.memset(dst=tile_of(512), value=0.0)


@nki.jit
def wrong_in_one_mode(x):  # expect: NKI003
    tile = tile_of(512)
    if MODE == "narrow":  # expect: NKI812
        nisa.memset(dst=tile[:, 0:513], value=0.0)


@nki.jit
def wrong_in_each_mode(x):
    tile = tile_of(512)
    value = 0.0 if MODE == "narrow" else 1.0  # expect: NKI812
    nisa.memset(dst=tile[:, 0:513], value=value)  # expect: NKI301
