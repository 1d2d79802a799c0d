"""Running a kernel for the host: arguments become HBM tensors, every program of the grid runs, results go back."""

from __future__ import annotations

import copy
import inspect
import math
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

import numpy as np

from nkilint_rules.parallel.grid_degree import GridDegree
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.dtypes import TFLOAT32
from nkilint_rules.words.targets import Target
from reference_sim.machine import garbage
from reference_sim.machine.blas import one_thread
from reference_sim.machine.cores import Turns, join
from reference_sim.machine.dtypes import HOST, Array, cast, element_type, stored_type
from reference_sim.machine.frameworks import from_numpy, kind_of, to_numpy
from reference_sim.machine.memory import Storage, host_storage
from reference_sim.machine.program import Launch, Program, entered
from reference_sim.observers import order, outputs
from reference_sim.report import faults
from reference_sim.report.errors import NkiError
from reference_sim.report.reporting import DeviceLacks
from reference_sim.report.strictness import Strictness
from reference_sim.report.wording import require
from reference_sim.tensors.deferred_sums import carry_out
from reference_sim.tensors.elements import read
from reference_sim.tensors.tensor import Tensor

from . import grids_of_programs
from .checking import check_inputs, check_outputs, check_program
from .devices import Originals, on_device
from .progress import Launched, launched
from .ranges import ranges_known
from .settings import TRUSTED
from .tracing import trace_program


@dataclass
class Inputs:
    """The arguments of one launch: what the kernel gets, and what has to go back to the host."""

    kind: str = "numpy"
    bound: list[tuple[Tensor, Array, Array]] = field(default_factory=list)  # tensor, host array, what it is held in
    by_host: dict[int, Tensor] = field(default_factory=dict)


def _held(host: Array, precise: bool) -> Array:
    element = element_type(host.dtype)
    stored = stored_type(element, precise)
    if host.dtype == stored or stored.fields is not None:
        usable = host.flags.c_contiguous and host.flags.aligned
        return host if usable and host.flags.writeable else np.array(host, order="C")
    return np.ascontiguousarray(cast(host, element, stored, precise))


def _wrap(value: Any, name: str, inputs: Inputs, precise: bool) -> Any:
    kind = kind_of(value)
    if kind:
        if kind != "numpy":
            inputs.kind = kind
        known = inputs.by_host.get(id(value))
        if known is not None:
            return known
        host = to_numpy(value, kind)
        held = _held(host, precise)
        tensor = Tensor(held, host_storage(held, element_type(host.dtype), name), element_type(host.dtype))
        inputs.bound.append((tensor, host, held))
        inputs.by_host[id(value)] = tensor
        return tensor
    if type(value) in (list, tuple):
        return type(value)(_wrap(item, f"{name}[{i}]", inputs, precise) for i, item in enumerate(value))
    if type(value) is dict:
        return {key: _wrap(item, f"{name}[{key!r}]", inputs, precise) for key, item in value.items()}
    if hasattr(value, "placeholder_array"):
        return _wrap(value.placeholder_array(), name, inputs, precise)
    return value


def _names(function: Callable[..., Any], args: Sequence[Any]) -> list[str]:
    try:
        parameters = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        parameters = []
    return [parameters[i] if i < len(parameters) else f"argument {i}" for i in range(len(args))]


def _mutable(function: Callable[..., Any]) -> set[str]:
    """The parameters that are annotated `nt.mutable_tensor`, which a kernel may write, as a whole or not."""
    try:
        annotations = {p.name: p.annotation for p in inspect.signature(function).parameters.values()}
    except (TypeError, ValueError):
        return set()
    return {
        name
        for name, kind in annotations.items()
        if ("mutable_tensor" in kind if isinstance(kind, str) else getattr(kind, "mutable", False) is True)
    }


def launch(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    dialect: str,
    grid: Sequence[int] = (),
    target: Target | None = None,
    immutable: bool = False,
    written: Collection[str] = (),
) -> Any:
    """Run a kernel over its grid and give back what its first program returned, as host arrays."""

    def on(device: Target, strictness: Strictness, device_open: bool = False) -> Any:
        state = Launch(dialect, device, strictness, grid, immutable, getattr(function, "__name__", ""))
        state.device_open = device_open
        if state.checks and any(trusted(state, function, args, kwargs) for trusted in TRUSTED):
            state.strictness, state.checks = replace(strictness, checks=False), False
        try:
            return _launched(state, function, args, kwargs, written)
        finally:
            state.end()

    return on_device(target, on)


def _launched(
    state: Launch,
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    written: Collection[str],
) -> Any:
    strictness = state.strictness
    if strictness.checks and state.dialect != BETA1:
        require(GridDegree().check_grid(state.grid, state.target), strictness)
    state.code = getattr(inspect.unwrap(function), "__code__", None)
    state.allocation = getattr(function, "nki_allocation", "")
    inputs = Inputs()
    names = _names(function, args)
    wrapped = [_wrap(v, n, inputs, state.precise) for v, n in zip(args, names, strict=True)]
    named = {name: _wrap(v, name, inputs, state.precise) for name, v in kwargs.items()}
    before = [held.copy() for _, _, held in inputs.bound] if strictness.shuffle is not None else []
    mutable = _mutable(function)
    tensors = [tensor for tensor, _, _ in inputs.bound]
    check_inputs(tensors, state, mutable, written)
    originals = Originals([(tensor.storage, held) for tensor, _, held in inputs.bound] if state.device_open else [])
    try:
        with ranges_known(function, state.checks), one_thread():
            result = _run(state, function, wrapped, named)
            for storage in state.storages:
                carry_out(storage)
    except (DeviceLacks, NkiError):
        originals.put_back()
        raise
    check_outputs(result, tensors, state, function)
    found = _returned(result, inputs.kind, [] if strictness.shuffle is None else None)
    if strictness.shuffle is not None:
        other = _again(state, function, wrapped, named, inputs, before)
        order.compare(found, other, outputs.return_site(function), strictness)
    _back_to_host(inputs)
    return found


def _again(
    state: Launch, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], inputs: Inputs,
    before: Sequence[Array],
) -> Any:  # fmt: skip
    """The kernel once more from the same inputs, affine iterations in another order; the inputs are put back."""
    after = [held.copy() for _, _, held in inputs.bound]
    for (_, _, held), old in zip(inputs.bound, before, strict=True):
        held[...] = old
    found = _returned(_run(state, function, args, kwargs, state.strictness.shuffle), inputs.kind, None)
    for (_, _, held), new in zip(inputs.bound, after, strict=True):
        held[...] = new
    return found


def _run(
    state: Launch,
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    shuffle: int | None = None,
) -> Any:
    """What the first program of the grid returns when all have run."""
    total = math.prod(state.grid)
    with launched(state.kernel, total) as progress, garbage.kept():
        if state.dialect != BETA1 and total > 1:
            programs = list(_programs(state, shuffle))
            return _threaded(programs, progress, function, args, kwargs)[0]
        first: Any = None
        for one in _programs(state, shuffle):  # one at a time: a grid may have very many
            result = _one(one, progress, function, args, kwargs)
            first = result if one.number == 0 else first
        return first


def _programs(state: Launch, shuffle: int | None) -> Iterator[Program]:
    """The programs of the grid, made when they are asked for."""
    for number in range(math.prod(state.grid)):
        one = Program(state, grids_of_programs.position(number, state.grid))
        check_program(one)
        trace_program(one)
        one.shuffle, one.number = shuffle, number
        yield one


def _one(
    current: Program, progress: Launched, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    __tracebackhide__ = True  # what is raised in this very frame says that the arguments do not fit the kernel
    current.thread = threading.get_ident()
    progress.running.append(current)
    with entered(current), np.errstate(all="ignore"):
        try:
            result = function(*args, **kwargs)
        except (AssertionError, AttributeError, KeyError, NameError, TypeError, ValueError, ZeroDivisionError) as error:
            if current.checks:
                faults.note(error)
            raise
        for told in current.listeners.ended:
            told(result)
    progress.end(current)
    return result


def _threaded(
    programs: Sequence[Program],
    progress: Launched,
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> list[Any]:
    """Logical cores run in threads, in turns, so that they can wait for each other."""
    results: list[Any] = [None] * len(programs)
    failures: list[BaseException] = []
    turns = programs[0].launch.turns = Turns(len(programs))

    def work(position: int) -> None:
        turns.begin(position)
        try:
            if not failures:
                results[position] = _one(programs[position], progress, function, args, kwargs)
        except BaseException as error:
            failures.append(error)
        finally:
            turns.end(position)

    threads = [threading.Thread(target=work, args=(i,), name=f"core {i}", daemon=True) for i in range(len(programs))]
    for thread in threads:
        thread.start()
    join(threads)
    if failures:
        raise failures[0]
    return results


def _returned(value: Any, kind: str, given: list[Storage] | None) -> Any:
    """What a kernel returned for the host; `given` are the storages whose arrays it has, None if it is to have none."""
    if isinstance(value, Tensor):
        return from_numpy(host_array(value) if given is None else _given_away(value, given), kind)
    if isinstance(value, (list, tuple)):
        made = getattr(type(value), "_make", type(value))  # named tuples take their items one by one
        return made(_returned(item, kind, given) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        found = copy.copy(value)
        for each in fields(found):
            object.__setattr__(found, each.name, _returned(getattr(found, each.name), kind, given))
        return found
    if isinstance(value, dict):
        return {key: _returned(item, kind, given) for key, item in value.items()}
    return value


def _given_away(tensor: Tensor, given: list[Storage]) -> Array:
    """The elements of a tensor that no kernel uses any more: the array that holds them, where that can be."""
    storage, array = tensor.storage, tensor._array
    own = storage.kind in ("shared", "private") and storage not in given
    if not own or array is None or array.dtype != HOST[tensor.element] or array is not storage.array:
        return host_array(tensor)
    given.append(storage)
    return array


def host_array(tensor: Tensor) -> Array:
    """A copy of a tensor's elements in its own type."""
    array = read(tensor)
    host = HOST[tensor.element]
    if array.dtype == host:
        return np.array(array)
    if tensor.element is TFLOAT32:
        return np.array(array)
    with np.errstate(all="ignore"):
        return np.asarray(cast(array, tensor.element, host, True))


def _back_to_host(inputs: Inputs) -> None:
    for tensor, host, held in inputs.bound:
        if held is not host and tensor.storage.written and host.flags.writeable:
            with np.errstate(all="ignore"):
                host[...] = cast(held, tensor.element, host.dtype, True)
