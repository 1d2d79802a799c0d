"""What the compiler of `nki` rejects (NKI803) where helpers are reached by tables, defaults, objects and recursion."""

import nki
import nki.isa as nisa
import nki.language as nl


def fetched(x):
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile


def shown(tile):
    out = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


def squared(tile):
    return tile**2  # expect: NKI803


def absolute(tile):
    nisa.activation(dst=tile, op=nl.abs, data=tile)
    return tile


def shifted(tile):
    def bias():  # expect: NKI803
        return 1.0

    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=bias())
    return tile


EPILOGUES = {"square": squared, "abs": absolute, "shift": shifted}


class Layer(nl.NKIObject):
    mask = 1 << 40

    def __init__(self, x):
        self.tile = fetched(x)

    def forward(self):
        return self.finished()

    def finished(self):
        return self.tile


class Gated(Layer):
    def finished(self):
        return 1.0 - self.tile  # expect: NKI803


class Masked(Layer):
    def finished(self):
        nisa.memset(dst=self.tile[:, 0:1], value=float(self.mask % 7))  # expect: NKI803
        return self.tile


def folded(tiles, count):
    """The sum of the first tiles."""
    if count == 1:
        return tiles[0]
    return folded(tiles, count - 1) + tiles[count - 1]  # expect: NKI803


def reversed_in_place(tiles):
    low, high = 0, len(tiles) - 1
    while low < high:
        tiles[low], tiles[high] = tiles[high], tiles[low]  # expect: NKI803
        low, high = low + 1, high - 1


def seeded(tile, seed=0x1_0000_0001):  # expect: NKI803
    if seed % 2 == 1:
        nisa.memset(dst=tile, value=1.0)
    return tile


# --- found ---


# nkilint: x: float32[128, 64]
@nki.jit
def from_a_table(x, kind="square"):
    return shown(EPILOGUES[kind](fetched(x)))


# nkilint: x: float32[128, 64]
@nki.jit
def each_of_a_tuple(x):
    tile = fetched(x)
    for epilogue in (absolute, shifted):
        tile = epilogue(tile)
    return shown(tile)


# nkilint: x: float32[128, 64]
@nki.jit
def of_a_class_below(x):
    return shown(Gated(x).forward())


# nkilint: x: float32[128, 64]
@nki.jit
def by_recursion(x):
    tiles = []
    for _ in range(3):
        tiles.append(fetched(x))
    return shown(folded(tiles, 3))


# nkilint: x: float32[128, 64]
@nki.jit
def exchanged_in_a_while(x):
    tiles = [fetched(x), fetched(x), fetched(x)]
    reversed_in_place(tiles)
    return shown(tiles[0])


# nkilint: x: float32[128, 64]
@nki.jit
def constant_of_a_class(x):
    return shown(Masked(x).forward())


# nkilint: x: float32[128, 64]
@nki.jit
def default_of_a_helper(x):
    return shown(seeded(fetched(x)))


# nkilint: x: float32[128, 64]
@nki.jit
def on_a_view(x):
    tile = fetched(x)
    nisa.tensor_copy(dst=tile[:, 0:32], src=tile[:, 0:32] - tile[:, 32:64])  # expect: NKI803
    return shown(tile)


# nkilint: x: float32[128, 64]
@nki.jit
def in_an_expression_of_branches(x, scaled=True):
    tile = fetched(x)
    return shown(tile * 0.5 if scaled else tile)  # expect: NKI803


# nkilint: x: float32[128, 64]
@nki.jit
def product_of_constants(x):
    tile = fetched(x)
    period = 65_536 * 65_537  # expect: NKI803
    nisa.memset(dst=tile[:, 0:1], value=float(period % 3))
    return shown(tile)


# nkilint: x: float32[128, 64]
@nki.jit
def into_a_dict(x):
    held = {}
    held["tile"], held["rows"] = fetched(x), 128  # expect: NKI803
    return shown(held["tile"])


# nkilint: x: float32[128, 64]
@nki.jit
def inner_with_a_decorator(x):
    tile = fetched(x)

    @nki.jit
    def scaled(t):  # expect: NKI803
        nisa.activation(dst=t, op=nl.exp, data=t)

    scaled(tile)
    return shown(tile)


# nkilint: x: float32[128, 64]
@nki.jit
def negated_in_place(x):
    parts = [fetched(x)]
    parts[0] -= 1.0  # expect: NKI803
    return shown(parts[0])


# --- silent ---


def added(left, right):
    nisa.tensor_tensor(dst=left, data1=left, data2=right, op=nl.add)
    return left


def folded_well(tiles, count):
    if count == 1:
        return tiles[0]
    return added(folded_well(tiles, count - 1), tiles[count - 1])


class Clipped(Layer):
    def finished(self):
        nisa.tensor_scalar(dst=self.tile, data=self.tile, op0=nl.maximum, operand0=0.0)
        return self.tile


# nkilint: x: float32[128, 64]
@nki.jit
def from_a_table_well(x, kind="abs"):
    return shown({"abs": absolute}[kind](fetched(x)))


# nkilint: x: float32[128, 64]
@nki.jit
def each_of_a_tuple_well(x):
    tile = fetched(x)
    for epilogue in (absolute, absolute):
        tile = epilogue(tile)
    return shown(tile)


# nkilint: x: float32[128, 64]
@nki.jit
def of_a_class_below_well(x):
    return shown(Clipped(x).forward())


# nkilint: x: float32[128, 64]
@nki.jit
def by_recursion_well(x):
    tiles = []
    for _ in range(3):
        tiles.append(fetched(x))
    return shown(folded_well(tiles, 3))


# nkilint: x: float32[128, 64]
@nki.jit
def backwards(x):
    tiles = [fetched(x), fetched(x), fetched(x)]
    out = nl.ndarray((3, 128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(3):
        nisa.dma_copy(dst=out[i], src=tiles[2 - i])
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def sizes_with_operators(x):
    tile = fetched(x)
    rows, columns = tile.shape
    half, last = columns // 2, -1 + columns
    nisa.memset(dst=tile[:, half : last + 1], value=float(rows**2 % 7) - 2.0)
    return shown(tile)


class Counted(Layer):
    limit = 1 << 40

    def __init__(self, x, limit):
        self.tile = fetched(x)
        self.limit = limit

    def finished(self):
        nisa.memset(dst=self.tile[:, 0:1], value=float(self.limit))
        return self.tile


# nkilint: x: float32[128, 64]
@nki.jit
def constant_that_objects_replace(x):
    return shown(Counted(x, 3).forward())


# nkilint: x: float32[128, 64]
@nki.jit
def parts_of_attributes(x):
    layer = Layer(x)
    first, second = layer.tile[:, 0:32], layer.tile[:, 32:64]
    nisa.tensor_tensor(dst=first, data1=first, data2=second, op=nl.subtract)
    return shown(layer.tile)


# nkilint: x: float32[128, 64]
@nki.jit
def held_in_a_dict(x):
    held = {"tile": fetched(x)}
    held["rows"] = 128
    held["half"] = held["rows"] // 2
    nisa.memset(dst=held["tile"][0 : held["half"], :], value=0.0)
    return shown(held["tile"])


# nkilint: x: float32[128, 64]
@nki.jit
def truths_of_sizes(x, wide=False):
    tile = fetched(x)
    narrow = tile.shape[1] > 32 and not wide
    if narrow:
        nisa.memset(dst=tile[:, 0:1], value=0.0)
    return shown(tile)


# nkilint: x: float32[128, 64]
@nki.jit
def constants_of_32_bits(x):
    tile = fetched(x)
    mask = 0xFFFF_FFFF - (1 << 31)
    nisa.memset(dst=tile[:, 0:1], value=float(mask % 3))
    return shown(tile)
