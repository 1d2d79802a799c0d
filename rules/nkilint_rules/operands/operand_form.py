from collections.abc import Iterator

from ..needs import required
from ..operations.form import Call
from ..operations.kinds import OPERATOR, kind_of, of_another_kind
from ..operations.particular import operator as operator_of
from ..rule import Example, Need, Rule, wording
from ..words.conditions import is_integer
from ..words.dialects import NKI
from ..words.operators import accepted
from ..words.tiles import Tile
from ..words.values import shown


class OperandForm(Rule):
    """An argument has not the form that the operation takes.

    ## What it does
    Requires of operands that they are tensors, or numbers where the operation takes these, and neither None nor text;
    of scales, biases and other broadcast operands that they are a number, or a tile with one element for each
    partition of the data, as the operation allows; of operators that the operation has them; of arguments that are
    tensors, dtypes, memories or operators that they stand where such are taken; and of arguments that exclude or need
    one another that they agree. Of loops on the device: their step is a positive number that the compiler knows, no
    operation writes to the index, the body of `fori_loop` returns nothing, and that of `while_loop`
    the next condition.

    ## Why is this bad?
    The instruction has room for one value in each partition, and an encoding for certain operators only. The compiler
    stops with an error.

    ## How to fix
    Use `tensor_tensor` for an operand with a value for every element, and a tile of shape `(partitions, 1)` for one
    with a value for every partition.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_activation_scale_scalar_or_vector`), `api/nki.api.shared.rst` (Supported Math
    Operators, Supported Activation Functions). 0.x: `api/nki.api.shared.rst`, `deep-dives/nki-dynamic-loops.rst`,
    `get-started/nki-language-guide.rst` (Dynamic Control Flow), `migration/index.rst` (Migrating from NKI
    0.5.0 to NKI 0.6.0). Both dialects: the page of each operation.
    """

    code = "NKI205"

    @wording
    def message(self, operand: object, value: object, operation: object) -> str:
        return f"`{operand}` has free size {value}; `{operation}` takes one element for each partition"

    @wording
    def no_tensor(self, operand: object, value: object, operation: object, wanted: object) -> str:
        return f"`{operand}` is {value}; `{operation}` takes {wanted}"

    @wording
    def number(self, operand: object, value: object, operation: object) -> str:
        return f"`{operand}` is the number {value}; `{operation}` takes a tile with one element for each partition"

    @wording
    def operator(self, argument: object, operator: object, operation: object) -> str:
        return f"`{argument}` is `{operator}`, an operator that `{operation}` does not take"

    @wording
    def kind(self, argument: object, kind: object, operation: object, takes: object) -> str:
        return f"`{argument}` is {kind}; `{operation}` takes {takes} there"

    @wording
    def step(self, step: object, loop: object) -> str:
        return f"the step of `{loop}` is {step}; it takes a positive number that is known when the kernel is compiled"

    @wording
    def index(self, operand: object, loop: object, operation: object) -> str:
        return f"`{operand}` is the index of `{loop}`, which can only be read; `{operation}` writes to it"

    @wording
    def body(self, gives: object, operation: object, wanted: object) -> str:
        return f"`body_fun` returns {gives}; `{operation}` takes a function that returns {wanted}"

    help = "pass what the operation takes there: a column is a tile of shape `(partitions, 1)`, one number `(1, 1)`"
    aws = ("err_activation_scale_scalar_or_vector",)
    dynamic = True
    judges_calls = True
    before = ("NKI203", "NKI202")
    invalid = [
        Example(
            """
            t = nisa.memset((1, 128), 1.2, dtype=np.float32)
            r = nisa.activation(op=nl.exp, data=x, scale=⟦t⟧)
            """,
            message="`scale` has free size 128; `activation` takes one element for each partition",
        ),
        Example(
            """
            t = nisa.memset((128, 128), 1.2, dtype=np.float32)
            r = nisa.activation(op=nl.exp, data=x, scale=⟦t⟧)
            """,
            message="`scale` has free size 128; `activation` takes one element for each partition",
        ),
        Example(
            "r = nisa.activation(op=nl.exp, data=x, bias=⟦1.0⟧)",
            message="`bias` is the number 1.0; `activation` takes a tile with one element for each partition",
        ),
        Example(
            "nl.store(output, value=⟦None⟧)",
            message="`value` is None; `store` takes a tensor or a number",
        ),
        Example(
            "nisa.tensor_tensor(dst=y, data1=x, data2=⟦'x'⟧, op=nl.add)",
            message="`data2` is 'x'; `tensor_tensor` takes a tensor",
            dialect=NKI,
        ),
        Example(
            "r = nisa.tensor_reduce(⟦nl.exp⟧, x, axis=1)",
            message="`op` is `exp`, an operator that `tensor_reduce` does not take",
        ),
        Example(
            "nisa.tensor_scalar(dst=y, data=x, op0=⟦1.0⟧, operand0=2.0)",
            message="`op0` is a number; `tensor_scalar` takes an operator there",
            dialect=NKI,
        ),
        Example(
            "nisa.tensor_tensor(dst=y, data1=x, data2=x, op=⟦'add'⟧)",
            message="`op` is the text 'add'; `tensor_tensor` takes an operator there",
            dialect=NKI,
        ),
        Example(
            "nisa.memset(dst=y, value=⟦None⟧)",
            message="`value` is None; `memset` takes a number there",
            dialect=NKI,
        ),
        Example(
            """
            for i in nl.dynamic_range(8, 0, ⟦-1⟧):
                nisa.tensor_scalar(dst=y, data=x, op0=nl.add, operand0=1.0)
            """,
            message="the step of `dynamic_range` is -1; it takes a positive number that is known when the kernel is "
            "compiled",
            dialect=NKI,
            version="0.5",
        ),
        Example(
            """
            count = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
            nisa.memset(dst=count, value=3)
            for i in nl.dynamic_range(8):
                nisa.register_load(⟦i⟧, count)
            """,
            message="`dst` is the index of `dynamic_range`, which can only be read; `register_load` writes to it",
            dialect=NKI,
            version="0.5",
        ),
        Example(
            "nisa.tensor_scalar(dst=y, data=x, op0=nl.add, operand0=⟦y[0:128, 0:2]⟧)",
            message="`operand0` has free size 2; `tensor_scalar` takes one element for each partition",
            dialect=NKI,
        ),
    ]
    valid = [
        Example("r = nisa.activation(op=nl.exp, data=x, scale=1.2)"),
        Example(
            """
            t = nisa.memset((128, 1), 1.2, dtype=np.float32)
            r = nisa.activation(op=nl.exp, data=x, scale=t)
            """
        ),
        Example("r = nisa.tensor_reduce(nl.add, x, axis=1)"),
        Example("r = nl.add(x, 1.0)"),
        Example("r = nisa.activation(op=nl.exp, data=x, bias=None)"),
        Example("nisa.tensor_scalar(dst=y, data=x, op0=nl.add, operand0=y[0:128, 0:1])", dialect=NKI),
    ]

    def check(self, call: Call) -> Iterator[Need]:
        leaf = call.operation.leaf
        yield from self.check_tensors(call)
        for name, column in call.required.columns.items():
            value = call.get(name)
            if isinstance(value, Tile):
                yield Need(value.free == 1, name, self.message(operand=name, value=value.free, operation=leaf))
            elif not column.scalar and (is_integer(value) or isinstance(value, (int, float))):
                yield Need(False, name, self.number(operand=name, value=value, operation=leaf))
        for name, kind, takes in of_another_kind(call):
            yield Need(False, name, self.kind(argument=name, kind=kind, operation=leaf, takes=takes))
        for name, group in call.required.operators.items():
            operator = None if kind_of(call.get(name)) not in ("", OPERATOR) else operator_of(call, name)
            if operator is not None and operator not in accepted(group, call.dialect):
                yield Need(False, name, self.operator(argument=name, operator=operator, operation=leaf))
        yield from required(call, type(self))

    def check_tensors(self, call: Call) -> Iterator[Need]:
        """What has to be a tensor, or a number, and is neither."""
        for name, operand, value in call.no_tensors():
            wanted = "a tensor or a number" if operand.scalar else "a tensor"
            message = self.no_tensor(operand=name, value=shown(value), operation=call.operation.leaf, wanted=wanted)
            yield Need(False, name, message)
