"""Registers, synchronisation, questions about the target, and custom operators."""

from __future__ import annotations

from ..words.conditions import Unknown
from ..words.dialects import NKI
from ..words.memory import ANYWHERE, HBM
from ..words.names import Named
from .effects import SOME, Effects
from .form import Call, Limit, operation, reads, writes
from .isa_results import OFF_CHIP_OR_SBUF, page
from .particular_movement import CORE_BARRIER
from .signatures import Era

# A register has no tensor behind it: what it holds is known on the device only, so that its value here is unknown.
_REGISTER = "a register's value is known on the device only"


@operation("isa.register_alloc", nki="x=None", kind="register", page=page("register_alloc"))
def register_alloc(call: Call) -> Unknown:
    return Unknown(_REGISTER)


@operation(
    "isa.register_move",
    nki="dst, src",
    kind="register",
    page=page("register_move"),
    parameter_versions={"src": "0.3", "imm": "..0.3"},
    history=(Era(NKI, "0.1", "0.3", "dst, imm"),),
)
def register_move(call: Call) -> None:
    return None


@operation(
    "isa.register_load",
    nki="dst, src",
    kind="register",
    page=page("register_load"),
    src=reads(OFF_CHIP_OR_SBUF),
    limits=[
        Limit("NKI109", "src", "size", "==", 1, page("register_load")),
        Limit("NKI105", "src", "rank", "<=", 2, page("register_load")),
    ],
)
def register_load(call: Call) -> None:
    return None


@operation(
    "isa.register_store",
    nki="dst, src",
    kind="register",
    page=page("register_store"),
    dst=writes(OFF_CHIP_OR_SBUF),
    limits=[
        Limit("NKI109", "dst", "size", "==", 1, page("register_store")),
        Limit("NKI105", "dst", "rank", "<=", 2, page("register_store")),
    ],
)
def register_store(call: Call) -> None:
    return None


@operation(
    "isa.core_barrier",
    nki="data, cores, engine=isa.engine.gpsimd, name=None",
    kind="sync",
    engines=("gpsimd", "vector", "scalar", "tensor", "sync"),
    targets=("trn2", "trn3"),
    page=page("core_barrier"),
    depends=Effects(synchronises=True),
    ordered=True,
    requirements=CORE_BARRIER,
    history=(Era(NKI, "0.1", "0.3", "data, cores, engine=isa.engine.unknown, name=None"),),
)
def core_barrier(call: Call) -> None:
    return None


@operation("instruction.depends_on", nki="self, *producers", kind="order", page=page("NkiInstruction"))
def depends_on(call: Call) -> object:
    """The instruction itself, so that calls can be chained."""
    return call.arguments["self"]


@operation("isa.get_nc_version", beta1="", nki="", kind="host", since="2.21", page=page("get_nc_version"))
def get_nc_version(call: Call) -> Named:
    return Named(f"isa.nc_version.gen{call.target.generation}")


@operation("isa.get_nc_sub_version", nki="", kind="host", since="0.5", page=page("get_nc_sub_version"))
def get_nc_sub_version(call: Call) -> Unknown:
    return Unknown("the revision of the silicon is not part of the target")


@operation(
    "isa.builtin_custom_op",
    beta1="function_name, lib_file_name, ulib_to_ucode_version, ulib_to_isa_version, srcs, dsts, **kwargs",
    engines="gpsimd",
    page=page("builtin_custom_op"),
    srcs=reads(ANYWHERE, many=True),
    dsts=writes(ANYWHERE, many=True),
    depends=SOME,
)
def builtin_custom_op(call: Call) -> None:
    return None


def _attention(name: str, *outputs: str) -> None:
    """A ready-made attention of the first release; its stub is the only page."""
    operation(
        f"isa.{name}",
        beta1=f"kernel_name, q, k, v, scale, {', '.join(outputs)}",
        until="2.21",
        page="api/nki/isa/__init__.py of SDK 2.20",
        depends=SOME,
        q=reads(HBM),
        k=reads(HBM),
        v=reads(HBM),
        **{output: writes(HBM) for output in outputs},  # type: ignore[arg-type]
    )(lambda call: None)


_attention("attention_kernel", "out")
_attention("attention_kernel_cache", "out", "neg_max", "recip")
