"""`nkilint mcp`: the same as tools of the Model Context Protocol, on standard input and output."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from nkilint import __version__
from nkilint.api.settings import BadRequest, Dialect, Settings

from .pool import NoAnswer, Pool
from .requests import work_of

INSTRUCTIONS = (
    "Verifies kernels for AWS Neuron devices that are written in NKI (`nki` or `neuronxcc.nki`). `check` proves that "
    "limits of the hardware and rules of the language are kept for all inputs; the contract of a kernel says for which "
    "inputs everything is proved. Mend what `findings` say, first those of severity `error`, and check again until the "
    "verdict is `verified`, or `conditional` with a contract that is meant. Nothing of a text is executed but by "
    "`simulate`, and by `check` with `confirm`. Texts without imports need `dialect`."
)
SETTINGS = (
    "`name` is the path that the text goes by, if it imports its neighbours. `dialect` (`nki` or `neuronxcc`) has it "
    "begin with the usual imports, `prelude` with these statements. `target` is trn1, inf2, trn2 or trn3."
)
DESCRIPTIONS = (
    "Verify the NKI kernels in a text: verdict and contract of each kernel, and findings with line, column, message, "
    "help, a witness, the compiler's own name for the error, and a repair. Nothing is executed unless `confirm` is "
    "true; then the witnesses are run on a simulator, in a confined process.",
    "The same, with the words of `nkilint explain`: how each obligation was decided, and what stayed open.",
    "The text after all certain repairs, each approved by the analysis, and what is left; `unsafe` allows repairs that "
    "may change what a kernel computes.",
    "Run one kernel on a simulator, in a confined process: what rules it breaks, and the arrays that it gives. "
    '`inputs` are by parameter: plain values, and arrays as "float32[128, 512]".',
)
"""Of `check`, `explain`, `fix` and `simulate`."""


class Tools:
    """What a client can call, answered by a pool of processes."""

    def __init__(self, pool: Pool, defaults: Settings) -> None:
        self.pool, self.defaults = pool, defaults

    async def check(
        self,
        source: str,
        name: str | None = None,
        dialect: Dialect | None = None,
        prelude: str | None = None,
        target: str | None = None,
        nki_version: str | None = None,
        budget: int | None = None,
        confirm: bool = False,
    ) -> dict[str, Any]:
        return await self._asked("check", locals())

    async def explain(
        self,
        source: str,
        kernel: str | None = None,
        name: str | None = None,
        dialect: Dialect | None = None,
        prelude: str | None = None,
        target: str | None = None,
        nki_version: str | None = None,
    ) -> dict[str, Any]:
        return await self._asked("explain", locals())

    async def fix(
        self,
        source: str,
        unsafe: bool = False,
        name: str | None = None,
        dialect: Dialect | None = None,
        prelude: str | None = None,
        target: str | None = None,
        nki_version: str | None = None,
    ) -> dict[str, Any]:
        return await self._asked("fix", locals())

    async def simulate(
        self,
        source: str,
        inputs: dict[str, Any],
        kernel: str | None = None,
        grid: list[int] | None = None,
        name: str | None = None,
        dialect: Dialect | None = None,
        prelude: str | None = None,
        target: str | None = None,
    ) -> dict[str, Any]:
        return await self._asked("simulate", locals())

    async def _asked(self, task: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        given = {key: value for key, value in arguments.items() if key != "self" and value is not None}
        try:
            answer: dict[str, Any] = await self.pool.ask(work_of({"task": task, **given}, self.defaults))
            return answer
        except (BadRequest, NoAnswer) as error:
            raise ToolError(str(error)) from None


def server(pool: Pool, defaults: Settings) -> MCPServer[None]:
    """A server with these tools."""

    @asynccontextmanager
    async def warm(_: MCPServer[None]) -> AsyncIterator[None]:
        await pool.start()
        yield

    made: MCPServer[None] = MCPServer(
        "nkilint", instructions=INSTRUCTIONS, version=__version__, lifespan=warm, log_level="WARNING"
    )
    tools = Tools(pool, defaults)
    reading = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    offered: tuple[Callable[..., Any], ...] = (tools.check, tools.explain, tools.fix, tools.simulate)
    for tool, description in zip(offered, DESCRIPTIONS, strict=True):
        made.add_tool(tool, description=f"{description} {SETTINGS}", annotations=reading)
    return made
