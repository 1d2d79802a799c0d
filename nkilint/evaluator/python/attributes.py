"""Attributes of values."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.symbolic.integers import Sym
from nkilint_rules.operations import lookup
from nkilint_rules.operations.language_constants import REGIONS, MemoryRegion
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.names import Named

from ..state.machine import Machine
from ..state.paths import in_both
from ..values.tensors import Grid, InputTensor, MeshGrid, ShapeOf, Sizes, SymbolicDType, View
from ..values.values import (
    MISSING,
    Api,
    BoundMethod,
    ClassValue,
    DictValue,
    Either,
    External,
    FunctionValue,
    Instance,
    ListValue,
    ModuleValue,
    Native,
    RangeValue,
    Super,
    Text,
    Unbound,
)


def get_attribute(machine: Machine, value: Any, name: str, node: ir.Attr) -> Any:
    if isinstance(value, Either):
        return in_both(machine, value, lambda chosen: get_attribute(machine, chosen, name, node))
    return machine.settle(_attribute(machine, value, name, node))


def _attribute(machine: Machine, value: Any, name: str, node: ir.Attr) -> Any:
    if isinstance(value, Unknown):
        return value
    if isinstance(value, InputTensor):
        return _of_input(machine, value, name)
    if isinstance(value, View):
        return _of_view(machine, value, name)
    if isinstance(value, ShapeOf):
        return Unknown(f"`.{name}` of a shape")
    if isinstance(value, Api):
        from ..device.api import api_attribute

        return api_attribute(machine, value, name, node)
    if isinstance(value, External):
        from .library.external import external_attribute

        return external_attribute(value, name)
    if isinstance(value, ModuleValue):
        return _of_module(machine, value, name)
    if isinstance(value, Instance):
        return _of_instance(machine, value, name)
    if isinstance(value, ClassValue):
        return _of_class(machine, value, name)
    if isinstance(value, Super):
        found = value.lookup(name)
        if found is None and name in ("__init__", "__post_init__"):
            return Native(name, lambda machine, args, kwargs: None)
        return Unknown(f"attribute `{name}` of `super()`") if found is None else bind(machine, found, value.receiver)
    if isinstance(value, MeshGrid) and name in "pxyz":
        return _of_mesh(value, name)
    if isinstance(value, (ListValue, DictValue, str, Text, tuple, float, int)) and not isinstance(value, bool):
        return BoundMethod(value, name)
    if isinstance(value, slice) and name in ("start", "stop", "step"):
        return getattr(value, name)
    if isinstance(value, RangeValue) and name in ("start", "stop", "step"):
        return getattr(value, name)
    if isinstance(value, Grid):
        return _of_grid(value, name)
    if isinstance(value, (DType, SymbolicDType)):
        return _of_dtype(value, name)
    if isinstance(value, MemoryRegion):
        return value.name if name in ("name", "value") else Api(machine.dialect, f"compiler.{value.name}.{name}")
    if isinstance(value, Named):
        from ..device.api import named_attribute

        return named_attribute(machine, value, name)
    if isinstance(value, FunctionValue):
        return {"__name__": value.name, "func": value}.get(name, Unknown(f"attribute `{name}` of a function"))
    if isinstance(value, BoundMethod):
        return Unknown(f"attribute `{name}` of a method")
    if isinstance(value, Sym) and name in ("real",):
        return value
    from ..values.host import HostArray, host_attribute

    if isinstance(value, HostArray):
        return host_attribute(machine, value, name)
    return Unknown(f"attribute `{name}` of {type(value).__name__}")


def set_attribute(machine: Machine, value: Any, name: str, new: Any) -> None:
    if isinstance(value, Instance):
        setter = value.cls.lookup(name)
        if isinstance(setter, Instance) and setter.cls.kind == "property" and setter.attrs.get("setter") is not None:
            from .calls import call_function

            call_function(machine, setter.attrs["setter"], [value, new], {})
            return
        machine.contain(new)
        machine.set(value.attrs, name, new)
    elif isinstance(value, ClassValue):
        machine.set(value.attrs, name, new)
    elif isinstance(value, ModuleValue):
        machine.set(value.env.vars, name, new)


_TENSOR_ATTRIBUTES = frozenset(("ndim", "size", "itemsize", "buffer", "name", "T"))


def _of_input(machine: Machine, tensor: InputTensor, name: str) -> Any:
    from ..device.inputs import as_tensor, input_dtype

    if "view" in tensor.cell:
        return _of_view(machine, tensor.cell["view"], name)
    if name == "shape":
        return ShapeOf(tensor)
    if name == "dtype":
        return input_dtype(machine, tensor)
    if name not in _TENSOR_ATTRIBUTES and lookup(machine.dialect, f"tensor.{name}") is None:
        return Unknown(f"`{tensor.name}.{name}`: nothing says what `{tensor.name}` is")
    return _of_view(machine, as_tensor(machine, tensor), name)


def _of_view(machine: Machine, view: View, name: str) -> Any:
    if name == "shape":
        return Sizes(view.base.shape if view.whole and view.base.blocks else view.shape)
    if name == "dtype":
        return view.dtype
    if name == "ndim":
        return len(view.shape)
    if name == "size":
        return view.size
    if name == "itemsize":
        return view.dtype.itemsize
    if name == "buffer":
        return REGIONS.get(view.base.region or view.memory, Unknown("the memory of a tensor"))
    if name == "name":
        return view.base.name
    if name == "T":
        return Unknown("attribute `T` of a tensor")
    return BoundMethod(view, name)


def _of_mesh(mesh: MeshGrid, name: str) -> Any:
    """`.p` is the first grid, `.x`, `.y`, `.z` are the ones after it."""
    position = "pxyz".index(name)
    return mesh[position] if position < len(mesh) else Unknown(f"attribute `{name}` of an index grid")


def _of_grid(grid: Grid, name: str) -> Any:
    if name == "shape":
        return grid.shape
    if name in ("p", "x", "y", "z"):
        return Unknown(f"attribute `{name}` of an index grid")
    return BoundMethod(grid, name)


def _of_dtype(dtype: Any, name: str) -> Any:
    if name == "itemsize":
        return dtype.itemsize
    if name in ("name", "__name__"):
        return dtype.name if isinstance(dtype, DType) else Text()
    if name == "type":
        return dtype
    return Unknown(f"attribute `{name}` of a dtype")


def _of_module(machine: Machine, module: ModuleValue, name: str) -> Any:
    from .definitions import run_module, submodule

    run_module(machine, module)
    found = module.env.vars.get(name, MISSING)
    if found is MISSING:
        found = submodule(machine, module, name)
    if isinstance(found, Unbound):
        return found.value
    return Unknown(f"`{module.name}` has no `{name}`") if found is MISSING else found


def _of_instance(machine: Machine, value: Instance, name: str) -> Any:
    if value.cls.kind == "property" and name in ("setter", "deleter"):
        return value if name == "setter" else Native(name, lambda machine, args, kwargs: value)
    if name in value.attrs:
        return value.attrs[name]
    if name == "__class__":
        return value.cls
    if name == "__dict__":
        return DictValue(value.attrs)
    found = value.cls.lookup(name)
    if found is None:
        getter = value.cls.lookup("__getattr__")
        if getter is not None:
            from .calls import call_function

            return call_function(machine, getter, [value, name], {})
        if any(not isinstance(c, ClassValue) for k in value.cls.mro() for c in k.bases):
            return BoundMethod(value, name) if name in ("_replace", "_asdict") else Unknown(f"attribute `{name}`")
        if value.cls.kind in ("namedtuple", "enum", "dataclass") and name in ("_replace", "_asdict", "index"):
            return BoundMethod(value, name)
        return Unknown(f"`{value.cls.name}` has no attribute `{name}`")
    return bind(machine, found, value)


def bind(machine: Machine, found: Any, receiver: Any) -> Any:
    """An attribute found in a class, seen from an instance of it."""
    from .calls import call_function

    if isinstance(found, FunctionValue):
        return BoundMethod(receiver, found)
    if isinstance(found, Instance) and found.cls.kind in ("property", "cached_property"):
        return call_function(machine, found.attrs["getter"], [receiver], {})
    if isinstance(found, Instance) and found.cls.kind == "staticmethod":
        return found.attrs["getter"]
    if isinstance(found, Instance) and found.cls.kind == "classmethod":
        return BoundMethod(receiver.cls if isinstance(receiver, Instance) else receiver, found.attrs["getter"])
    if isinstance(found, Native):
        return BoundMethod(receiver, found)
    return found


def _of_class(machine: Machine, cls: ClassValue, name: str) -> Any:
    if name == "__name__":
        return cls.name
    found = cls.lookup(name)
    if found is not None:
        if isinstance(found, Instance) and found.cls.kind in ("staticmethod", "classmethod"):
            return bind(machine, found, cls)
        return found
    if cls.kind == "enum" and name == "__members__":
        return DictValue({k: v for k, v in cls.attrs.items() if isinstance(v, Instance)})
    if name in ("__init__", "_make"):
        return BoundMethod(cls, name)
    raise IsUnknown(f"`{cls.name}` has no attribute `{name}`")
