"""`nkilint mcp`, spoken to by the client of the `mcp` package over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.api.test_api import GOOD, OPEN, WIDE
from tests.support.processes import environment

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def talk(folder: Path, said: Callable[[ClientSession], Awaitable[None]]) -> None:
    """Have a client speak with a server of its own."""

    async def whole() -> None:
        command = ["-m", "nkilint", "mcp", "--jobs", "1"]
        server = StdioServerParameters(command=sys.executable, args=command, env=environment(), cwd=folder)
        async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as session:
            await session.initialize()
            await said(session)

    asyncio.run(asyncio.wait_for(whole(), 600))


async def call(session: ClientSession, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await session.call_tool(tool, {"dialect": "nki", **arguments})
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content


def test_a_client_finds_the_tools_and_uses_them(tmp_path: Path) -> None:
    async def said(session: ClientSession) -> None:
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert set(tools) == {"check", "explain", "fix", "simulate"}
        assert "verdict and contract" in (tools["check"].description or "")
        assert tools["simulate"].input_schema["required"] == ["source", "inputs"]
        checked = await call(session, "check", source=WIDE)
        assert [f["code"] for f in checked["findings"]] == ["NKI101"]
        assert (await call(session, "check", source=GOOD))["verdict"] == "verified"
        explained = await call(session, "explain", source=GOOD, kernel="kernel")
        assert explained["text"].startswith("text.py::kernel (line 2, nki): verified\n")
        assert (await call(session, "fix", source=OPEN))["repaired"] == 0, "that there are two axes is assumed"
        fixed = await call(session, "fix", source=OPEN, unsafe=True)
        assert fixed["checked"]["verdict"] == "verified"
        run = await call(session, "simulate", source=GOOD, inputs={"a": "float32[128, 64]"})
        assert run["outputs"][0]["shape"] == [128, 64]

    talk(tmp_path, said)


def test_what_makes_no_sense_is_told(tmp_path: Path) -> None:
    async def said(session: ClientSession) -> None:
        result = await session.call_tool("check", {"source": GOOD, "target": "trn9"})
        assert result.is_error
        assert "unknown target `trn9`" in result.content[0].text
        assert (await call(session, "check", source=GOOD))["verdict"] == "verified"

    talk(tmp_path, said)
