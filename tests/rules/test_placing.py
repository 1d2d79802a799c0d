"""Where tiles are placed: one statement of each fact, for numbers and for symbolic integers."""

from __future__ import annotations

from itertools import product as indices

import pytest

from nkilint.symbolic.evaluation import evaluate
from nkilint.symbolic.integers import sym
from nkilint_rules.catalogue import rules_of_places
from nkilint_rules.placement.capacity import Capacity
from nkilint_rules.placement.placement_signature import PlacementSignature
from nkilint_rules.placing.allocators import Modulo, is_place, place_words, turn
from nkilint_rules.placing.located import Located, PlacedTiles, at_address, by_allocator
from nkilint_rules.placing.shares import Held, bytes_of_each, quarters
from nkilint_rules.words.dialects import BETA1, NKI
from nkilint_rules.words.memory import PSUM, SBUF
from nkilint_rules.words.targets import TARGETS

TRN2 = TARGETS["trn2"]


def broken(
    at: Located, partitions: int = 128, size: int = 2048, memory: str = SBUF, dialect: str = BETA1, target: str = "trn2"
) -> list[str]:
    """What the rules about places say of tiles."""
    tiles = PlacedTiles(at, partitions, size, memory, TARGETS[target], dialect)
    needs = [(rule, need) for rule in rules_of_places() for need in rule.check_place(tiles)]
    return [f"{rule.code} {need.message.text()}" for rule, need in needs if not need.condition]


def test_tiles_take_turns_in_row_major_order() -> None:
    assert [turn((i, j), (2, 3)) for i in range(3) for j in range(4)] == [0, 1, 2, 0, 3, 4, 5, 3, 0, 1, 2, 0]
    assert [turn((i,), ()) for i in range(3)] == [0, 0, 0]


def test_as_many_tiles_as_blocks_need_no_remainder() -> None:
    i, j = sym("i", "loop", 0, 3), sym("j", "loop", 0, 5)
    place = turn((i, j), (2, 6), (4, 6))
    for at in indices(range(4), range(6)):
        assert evaluate(place, {i.variable: at[0], j.variable: at[1]}) == turn(at, (2, 6), (4, 6)) == turn(at, (2, 6))


def test_modulo_allocation_scales_by_partitions_bytes_and_banks() -> None:
    sbuf = Modulo((32, 1024), ((2,), (3,)))
    assert [sbuf.place(16, 512, lambda tiles, b=b: turn((b,), tiles)) for b in range(4)] == [
        (32, 1024), (48, 1536), (32, 2048), (48, 1024),
    ]  # fmt: skip
    psum = Modulo((1, 0, 0), ((4,), (), ()))
    assert [psum.place(128, 2048, lambda tiles, b=b: turn((b,), tiles))[0] for b in range(6)] == [1, 2, 3, 4, 1, 2]


def test_banks_of_psum_follow_one_another() -> None:
    found = by_allocator(PSUM, TRN2, (3, 0, 0), ((2, 0, 0), (5, 0, 0)))
    assert (found.partition, found.byte, found.first, found.last) == (0, 6144, 4096, 10240)
    assert (found.bank.first, found.bank.last, found.bank.byte) == (2, 5, 0)


@pytest.mark.parametrize(
    ("at", "partitions", "said"),
    [
        (0, 128, []),
        (64, 64, []),
        (96, 32, []),
        (32, 64, ["NKI401 a tile of 64 partitions starts at partition 32; that many start at 0 or 64"]),
        (128, 32, ["NKI401 a tile of 32 partitions starts at partition 128; that many start at 0, 32, 64 or 96"]),
    ],
)
def test_first_partitions(at: int, partitions: int, said: list[str]) -> None:
    assert broken(at_address(at, 0), partitions) == said


@pytest.mark.parametrize(("dialect", "last"), [(BETA1, 210944), (NKI, 227328)])
def test_bytes_that_kernels_can_use(dialect: str, last: int) -> None:
    assert broken(at_address(0, last), dialect=dialect) == []
    (said,) = broken(at_address(0, last + 4), dialect=dialect)
    takes = f"a tile takes bytes {last + 4} to {last + 2052} of a partition"
    assert said == f"NKI402 {takes}; SBUF of trn2 has {last + 2048} for kernels"


def test_places_in_psum() -> None:
    def place(bank: int, partition: int, byte: int) -> list[str]:
        return broken(by_allocator(PSUM, TRN2, (bank, partition, byte)), 32, memory=PSUM)

    assert place(7, 0, 0) == []
    assert place(8, 0, 0) == ["NKI404 PSUM bank 8 does not exist; trn2 has 8"]
    assert place(0, 32, 0) == ["NKI404 a PSUM tile starts at partition 32; tiles start at partition 0"]
    assert place(0, 0, 4) == ["NKI404 a PSUM tile starts at byte 4 of its bank; tiles start at byte 0"]
    assert place(0, 0, 2) == ["NKI403 a tile starts at byte 2 of PSUM, which is not a multiple of 4"]
    within = "NKI404 a PSUM tensor starts at byte 1024, within a bank; tensors start at multiples of 2048"
    assert broken(at_address(0, 1024), memory=PSUM, dialect=NKI) == [within]


def test_a_tile_that_lies_farthest_on_decides_about_the_range() -> None:
    found = by_allocator(SBUF, TRN2, (0, 0), ((0, 0), (0, 212992)))
    assert [text[:6] for text in broken(found)] == ["NKI402"]


def test_what_allocation_functions_give() -> None:
    assert is_place((0, 0), SBUF)
    assert is_place((sym("b", "loop", 0, 7), 0, 0), PSUM)
    assert not is_place((0, 0), PSUM)
    assert not is_place((0, True), SBUF)
    assert [place_words(r) for r in ((0, 0, 0), (0, 1.5), 7, None, "x")] == [
        "3 values", "values that are no integers", "a number", "nothing", "no tuple",
    ]  # fmt: skip


def test_counts_fit_the_block_dimensions() -> None:
    rule = PlacementSignature()
    assert rule.check_counts("num_par_tiles", (), 2).condition
    assert rule.check_counts("num_par_tiles", (1, 2), 2).condition
    assert rule.check_counts("num_par_tiles", (4,), 0).condition
    need = rule.check_counts("num_par_tiles", (4,), 2)
    assert not need.condition
    assert need.message.text() == "`num_par_tiles` has 1 entries for 2 block dimensions"


@pytest.mark.parametrize(("partitions", "share"), [(1, 1), (32, 1), (33, 2), (64, 2), (65, 3), (96, 3), (128, 4)])
def test_tiles_of_few_partitions_lie_below_one_another(partitions: int, share: int) -> None:
    assert quarters([Held(partitions, 512)]) == share * 512
    assert bytes_of_each([Held(partitions, 512)] * 4) == share * 512


def test_what_fits_into_sbuf() -> None:
    rule, half = Capacity(), TRN2.sbuf_bytes // 2
    assert rule.check_tile(Held(1, TRN2.sbuf_bytes), SBUF, TRN2).condition
    assert not rule.check_tile(Held(1, TRN2.sbuf_bytes + 1), SBUF, TRN2).condition
    assert rule.check_instruction("add", [Held(128, half), Held(128, half)], SBUF, TRN2).condition
    assert not rule.check_instruction("add", [Held(128, half), Held(128, half), Held(1, 4)], SBUF, TRN2).condition
    width = sym("N", "input", 1, None)
    assert str(rule.check_tile(Held(128, width * 4), SBUF, TRN2).condition) == "N <= 57344"
