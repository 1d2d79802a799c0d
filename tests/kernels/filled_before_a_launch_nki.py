"""What a module holds is not yet what a kernel finds there, where functions bind it anew or put more into it."""

from dataclasses import dataclass

import nki
import nki.isa as nisa
import nki.language as nl

MODE = "narrow"
WIDTHS = {"wide": 512}
SIZES = (128,)
TILES = []
FIXED = [128, 256]


class Settings:
    mode = "narrow"
    kind = "tight"


@dataclass
class Blocks:
    sizes: tuple = (128,)


BLOCKS = Blocks()
ACTIVATION = None


class Plan:
    def prepare(self, columns):
        self.columns = columns


class Bare:
    def __init__(self):
        self.rows = 128


PLAN = Plan()
BARE = Bare()


def configure(mode, sizes):
    Settings.mode = mode
    BLOCKS.sizes = sizes


def choose(mode, sizes):
    global MODE, SIZES
    MODE, SIZES = mode, sizes


def use(columns):
    TILES.append(columns)


def prepare(columns, activation):
    global WIDTH, ACTIVATION
    WIDTH, ACTIVATION = columns, activation


def made(columns):
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=tile[:, 0:columns], value=0.0)


@nki.jit
def key_of_a_variable(x):  # expect: NKI003
    made(WIDTHS[MODE])  # expect: NKI812


@nki.jit
def position_in_a_variable(x):  # expect: NKI003
    made(SIZES[1])  # expect: NKI812


@nki.jit
def position_in_a_list_that_is_filled(x):  # expect: NKI003
    made(TILES[0])


@nki.jit
def any_position_in_a_list_that_is_filled(x):  # expect: NKI003
    made(TILES[x.shape[0] // 128])


@nki.jit
def position_in_a_list_that_stays(x):
    made(FIXED[2])  # expect: NKI301


@nki.jit
def key_of_an_attribute(x):  # expect: NKI003
    made(WIDTHS[Settings.mode])


@nki.jit
def key_of_an_attribute_that_stays(x):
    made({"wide": 512}[Settings.kind])  # expect: NKI808


@nki.jit
def position_in_a_field(x):  # expect: NKI003
    made(BLOCKS.sizes[1])


@nki.jit
def names_of_a_field(x):  # expect: NKI003
    _, columns = BLOCKS.sizes
    made(columns)


@nki.jit
def attribute_that_a_method_sets(x):  # expect: NKI003
    made(PLAN.columns)


@nki.jit
def attribute_that_nothing_sets(x):
    made(BARE.depth)  # expect: NKI808


@nki.jit
def attribute_of_an_object_of_its_own(x):
    made(Plan().columns)  # expect: NKI808


@nki.jit
def variable_that_a_function_binds(x):  # expect: NKI003
    made(WIDTH)  # expect: NKI812


@nki.jit
def variable_that_nothing_binds(x):
    made(DEPTH)  # expect: NKI808


@nki.jit
def function_that_is_set(x):  # expect: NKI003
    made(ACTIVATION(128))  # expect: NKI812
