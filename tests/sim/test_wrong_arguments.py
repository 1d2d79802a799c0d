"""What a user gets wrong is told in the words of a rule or of the call, not in those of numpy or the simulator."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import neuronxcc.nki as nki1
import neuronxcc.nki.isa as nisa1
import neuronxcc.nki.language as nl1
import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest

from reference_sim import CannotSimulate, NkiError
from reference_sim.machine.program import Program
from reference_sim.running import progress

from .doubling import ones


def launched(body: Callable[[Any], Any], value: Any = None) -> Any:
    """What a kernel of Beta 1 with this body gives."""
    return nki1.jit(body)(ones(4, 8) if value is None else value)


def of_tile(compute: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A kernel that stores what is computed of a tile."""

    def kernel(x: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=nl1.float32, buffer=nl1.shared_hbm)
        nl1.store(out, compute(nl1.load(x)))
        return out

    return kernel


@pytest.mark.parametrize(
    ("compute", "said"),
    [
        (lambda t: nl1.add(t, None), "NKI205 `y` is None; `add` takes a tensor or a number"),
        (lambda t: t * "2", "NKI205 `y` is '2'; `multiply` takes a tensor or a number"),
        (lambda t: nisa1.nc_matmul(t, None), "NKI205 `moving` is None; `nc_matmul` takes a tensor"),
        (lambda t: nisa1.nc_matmul(t, 3), "NKI205 `moving` is 3; `nc_matmul` takes a tensor"),
        (lambda t: nisa1.tensor_tensor(t, None, np.add), "NKI205 `data2` is None; `tensor_tensor` takes a tensor"),
        (lambda t: nl1.exp(None), "NKI205 `x` is None; `exp` takes a tensor"),
        (lambda t: nl1.load(3.0), "NKI205 `src` is 3.0; `load` takes a tensor"),
        (lambda t: None, "NKI205 `value` is None; `store` takes a tensor"),
        (lambda t: nl1.sum(t, axis=2), "NKI213 `axis` is 2 of 2 dimensions; `sum` takes free ones"),
        (lambda t: nl1.max(t, axis=[1, 5]), "NKI213 `axis` is (1, 5) of 2 dimensions; `max` takes free ones"),
        (lambda t: nl1.zeros((4, 8), 3), "NKI205 `dtype` is a number; `zeros` takes a dtype there"),
        (lambda t: nl1.zeros((4, 8), None), "NKI205 `dtype` is None; `zeros` takes a dtype there"),
        (
            lambda t: nl1.full((4, 8), "1", nl1.float32),
            "NKI205 `fill_value` is the text '1'; `full` takes a number there",
        ),
        (lambda t: t[0.5], "NKI811 `0.5` is the float 0.5, used as an index"),
        (lambda t: t["x"], "NKI811 `\"x\"` is the str 'x', used as an index"),
        (lambda t: t[0:"4"], "is the str '4', used as an index, which takes an integer"),
        (lambda t: nl1.arange(4.5), "NKI811 `4.5` is the float 4.5, used as a trip count"),
        (lambda t: list(nl1.affine_range("4")), "NKI811 `\"4\"` is the str '4', used as a trip count"),
        (lambda t: list(nl1.static_range(None, None, "1")), "is the str '1', used as a trip count"),
        (lambda t: nl1.ndarray(None, nl1.float32), "is the NoneType None, used as a size, which takes an integer"),
        (lambda t: nl1.ndarray((4, "8"), nl1.float32), "NKI811 `\"8\"` is the str '8', used as a size"),
        (lambda t: t.reshape("a"), "is the str 'a', used as a size, which takes an integer"),
        (lambda t: nl1.arange(4)[:, None] // 0, "NKI806 `nl1.arange(4)[:, None] // 0` divides by 0"),
        (lambda t: nl1.arange(4)[None, :] % 0, "divides by 0"),
    ],
)
def test_rules_name_what_is_wrong(compute: Callable[[Any], Any], said: str) -> None:
    with pytest.raises(NkiError) as caught:
        launched(of_tile(compute))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("compute", "error", "said"),
    [
        (lambda t: nl1.add(t, [1, 2]), TypeError, "`add` takes a tensor or a number as `y`, not a list"),
        (lambda t: nl1.exp({"a": t}), TypeError, "`exp` takes a tensor as `x`, not a dict"),
        (lambda t: t[[0, 1]], TypeError, "by integers, slices and index grids, not by a list"),
        (lambda t: t[np.arange(4), :], TypeError, "by integers, slices and index grids, not by arrays of the host"),
        (lambda t: t[np.ones(4, bool)], TypeError, "by integers, slices and index grids, not by arrays of the host"),
        (lambda t: t[::0], ValueError, "slice step cannot be zero"),
        (lambda t: t[::-1], CannotSimulate, "its step is -1"),
        (lambda t: nl1.sum(t, axis=None), TypeError, "an axis is an integer, or several are, not None"),
        (lambda t: nl1.sum(t, axis="x"), TypeError, "an axis is an integer, or several are, not 'x'"),
        (lambda t: nl1.zeros((4, 8), "flot32"), TypeError, "no tensor of NKI has elements of the type 'flot32'"),
        (lambda t: nl1.zeros((4, 8), complex), TypeError, "no tensor of NKI has elements of the type complex"),
        (lambda t: nl1.zeros((-4, 8), np.float32), CannotSimulate, "[-4, 8] are no sizes of a tensor"),
        (lambda t: list(nl1.affine_range(0, 4, 1, 1)), TypeError, "a range takes 1 to 3 numbers, 4 given"),
        (lambda t: list(nl1.sequential_range(0, 4, 0)), ValueError, "the step of a range is not zero"),
        (lambda t: nl1.arange(0, 4, 0), ValueError, "the step of index values is not zero"),
        (lambda t: nl1.mgrid[0:4, 3], TypeError, "nl.mgrid takes slices that say where they end"),
        (lambda t: nl1.mgrid[0:], TypeError, "nl.mgrid takes slices that say where they end"),
        (lambda t: nl1.program_id("x"), TypeError, "program_id takes an axis as an integer, not 'x'"),
        (lambda t: nl1.num_programs("x"), TypeError, "num_programs takes axes as integers, not 'x'"),
    ],
)
def test_calls_say_what_is_wrong(compute: Callable[[Any], Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error) as caught:
        launched(of_tile(compute))
    assert said in str(caught.value)


@pytest.mark.parametrize("given", [None, "x", [[1.0, 2.0]], 3.0], ids=repr)
def test_kernels_say_what_they_were_handed_in_place_of_arrays(given: Any) -> None:
    with pytest.raises((NkiError, TypeError), match="`load` takes a tensor"):
        nki1.jit(lambda x: nl1.load(x))(given)


@pytest.mark.parametrize("grid", ["a", None, 2.0, (2, None), [np.float32(2)]], ids=repr)
def test_launch_grids_have_integers(grid: Any) -> None:
    with pytest.raises(TypeError, match="a launch grid has sizes that are integers"):
        nki1.jit(of_tile(lambda tile: tile))[grid]


def test_operands_that_are_right_stay_so() -> None:
    def kernel(x: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        tile = nl1.load(x[np.int64(0) : 4, :])
        step = nisa1.activation(np.exp, tile, bias=None, scale=np.float32(0))
        total = nl1.sum(step, axis=np.int32(-1), keepdims=True)
        for i in nl1.affine_range(np.int64(1)):
            nl1.store(out[np.int32(i) :], nl1.multiply(tile, total, dtype="float32"))
        return out

    np.testing.assert_array_equal(launched(kernel), 8 * ones(4, 8))


def test_missing_destinations_of_the_new_dialect_are_told() -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x)
        nisa.activation(dst=None, op=nl.exp, data=tile)
        return x

    with pytest.raises(NkiError, match="NKI205 `dst` is None; `activation` takes a tensor"):
        nki.simulate(kernel)(ones(4, 8))


def test_a_view_has_a_dtype() -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        x.view(None)
        return x

    with pytest.raises(NkiError, match="NKI205 `dtype` is None; `view` takes a dtype there"):
        nki.simulate(kernel)(ones(4, 8))


def test_programs_are_made_when_they_run(monkeypatch: pytest.MonkeyPatch) -> None:
    alive = []

    def kernel(x: Any) -> Any:
        (launch,) = progress._LAUNCHES
        alive.append(len(launch.running))
        if len(alive) == 50:
            raise StopIteration
        return x

    made = itertools.count()
    first = Program.__init__

    def counted(self: Program, *arguments: Any) -> None:
        next(made)
        first(self, *arguments)

    monkeypatch.setattr(Program, "__init__", counted)
    with pytest.raises(StopIteration):
        nki1.jit(kernel)[10**9](ones(4, 8))
    assert alive == [1] * 50
    assert next(made) == 50
