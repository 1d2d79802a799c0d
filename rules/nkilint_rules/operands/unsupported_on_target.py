from collections.abc import Iterator

from ..needs import listed, new_tiles, required
from ..operations.form import Call
from ..operations.particular import operator as operator_of
from ..rule import Example, Need, Rule, wording
from ..words.dialects import NKI
from ..words.dtypes import DType
from ..words.names import Named
from ..words.operators import SINCE_GENERATION
from ..words.targets import TARGETS


class UnsupportedOnTarget(Rule):
    """The chosen target does not have what a call asks for.

    ## What it does
    Compares operations, engines, operators, dtypes and options with what the NeuronCore generation of the target has:
    v2 in trn1 and inf2, v3 in trn2, v4 in trn3. Also reports operations whose documentation says that they cannot be
    compiled for any target, and engines that an operation never runs on.

    ## Why is this bad?
    The compiler stops with an error, or the kernel works in simulation only.

    ## How to fix
    Choose the target with `--target` if it is another one. Else use what the target has; `nisa.get_nc_version()` lets
    a kernel choose.

    ## Source
    `arch/trainium_inferentia2_arch.rst`, `arch/trainium2_arch.rst`, `trainium3_arch.rst` (0.x), release notes of 0.3
    and 0.4 (Known Issues), and the page of each operation.
    """

    code = "NKI206"

    @wording
    def message(self, operation: object, target: object, targets: object) -> str:
        return f"`{operation}` does not exist on {target}; it is there on {targets}"

    @wording
    def dialect(self, operation: object, reason: object) -> str:
        return f"`{operation}` cannot be compiled: {reason}"

    @wording
    def engine(self, operation: object, engine: object, target: object) -> str:
        return f"`{operation}` does not run on the engine `{engine}` of {target}"

    @wording
    def operator(self, argument: object, operator: object, target: object) -> str:
        return f"`{argument}` is `{operator}`, which {target} does not have"

    @wording
    def dtype(self, target: object, dtype: object) -> str:
        return f"{target} does not have the dtype {dtype}"

    @wording
    def number(self, operand: object, value: object, target: object) -> str:
        return f"`{operand}` is the number {value}; on {target} it is a tile with one element for each partition"

    help = "choose another `--target`, or use what this one has"
    dynamic = True
    judges_calls = True
    before = ("NKI202",)
    invalid = [
        Example(
            """
            t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            ⟦nisa.exponential(dst=t, src=x)⟧
            """,
            message="`exponential` does not exist on trn2; it is there on trn3",
            dialect=NKI,
        ),
        Example(
            "r = ⟦nl.divide(x, y)⟧",
            message="`divide` cannot be compiled: the hardware has no division; multiply by the reciprocal",
            dialect=NKI,
        ),
        Example(
            "nisa.tensor_copy(dst=y, src=x, engine=⟦nisa.engine.scalar⟧)",
            message="`tensor_copy` does not run on the engine `scalar` of trn1",
            dialect=NKI,
            target="trn1",
        ),
        Example(
            "r = nisa.tensor_tensor(x, y, op=nl.add, engine=⟦nisa.scalar_engine⟧)",
            message="`tensor_tensor` does not run on the engine `scalar` of trn2",
        ),
        Example(
            "t = ⟦nl.ndarray((128, 512), dtype=nl.float8_e4m3fn_x4, buffer=nl.sbuf)⟧",
            message="trn2 does not have the dtype float8_e4m3fn_x4",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.exponential(dst=t, src=x)
            """,
            dialect=NKI,
            target="trn3",
        ),
        Example("r = nl.multiply(x, nl.reciprocal(y))", dialect=NKI),
        Example("r = nl.divide(x, y)"),
        Example("nisa.tensor_copy(dst=y, src=x, engine=nisa.engine.scalar)", dialect=NKI),
        Example("r = nisa.tensor_tensor(x, y, op=nl.add, engine=nisa.vector_engine)"),
        Example("t = nl.ndarray((128, 512), dtype=nl.float8_e4m3fn_x4, buffer=nl.sbuf)", dialect=NKI, target="trn3"),
    ]

    def check(self, call: Call) -> Iterator[Need]:
        operation, target, leaf = call.operation, call.target, call.operation.leaf
        if operation.targets and all(TARGETS[name].generation != target.generation for name in operation.targets):
            yield Need(False, None, self.message(operation=leaf, target=target, targets=listed(operation.targets)))
        if call.dialect in operation.unsupported:
            reason = operation.unsupported[call.dialect]
            yield Need(False, None, self.dialect(operation=leaf, reason=reason))
        yield from self._engine(call)
        for name in call.required.operators:
            operator = operator_of(call, name)
            if operator is not None and SINCE_GENERATION.get(operator, 2) > target.generation:
                yield Need(False, name, self.operator(target=target, argument=name, operator=operator))
        for name, column in call.required.columns.items():
            value = call.get(name)
            if isinstance(value, (int, float)) and column.scalar and column.scalar_generation > target.generation:
                yield Need(False, name, self.number(target=target, operand=name, value=value))
        for made in new_tiles(call):
            if isinstance(made.dtype, DType) and not target.has_dtype(made.dtype):
                yield Need(False, None, self.dtype(target=target, dtype=made.dtype))
        yield from required(call, type(self))

    def _engine(self, call: Call) -> Iterator[Need]:
        engines, engine = call.required.on_engines, call.get("engine")
        if engines and isinstance(engine, Named):
            leaf = engine.leaf.removesuffix("_engine")
            if engines.get(leaf, 99) > call.target.generation:
                yield Need(False, "engine", self.engine(operation=call.operation.leaf, target=call.target, engine=leaf))
