"""Tests the orders app with the official Python client, in both eras of MCP.

ORDERS_URL names the server (http://127.0.0.1:3000/mcp); KEY_ADA, KEY_GRACE and KEY_READER hold the keys of
cases.json. Run with `python -m unittest test_orders`.
"""

import json
import os
import unittest
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

CASES = json.loads((Path(__file__).parent.parent / "cases.json").read_text(encoding="utf-8"))
URL = os.environ["ORDERS_URL"]
KEYS = {caller: os.environ[f"KEY_{caller.upper()}"] for caller in ("ada", "grace", "reader")}


@asynccontextmanager
async def connected(mode, key=None, responses=None):
    """A connected client; `responses` has the status and challenge of every response."""

    async def note(response):
        if responses is not None:
            responses.append((response.status_code, response.headers.get("www-authenticate", "")))

    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with httpx2.AsyncClient(headers=headers, event_hooks={"response": [note]}) as http:
        async with Client(streamable_http_client(URL, http_client=http), mode=mode) as client:
            yield client


def mcp_error(error):
    """The MCP error: `error` itself, or the only one of a group."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


class Orders(unittest.IsolatedAsyncioTestCase):
    maxDiff = None

    async def test_newest_revision(self):
        await self.every_case("2026-07-28", "2026-07-28")

    async def test_handshake(self):
        await self.every_case("legacy", "2025-11-25")

    async def test_either_era(self):
        async with connected("auto", KEYS["ada"]) as client:
            self.assertEqual(client.protocol_version, "2026-07-28")
            self.assertEqual(client.server_info.name, "orders")
            self.assertIsNotNone(client.server_capabilities.tools)

    async def every_case(self, mode, revision):
        async with AsyncExitStack() as open_clients:
            responses = {caller: [] for caller in KEYS}
            clients = {
                caller: await open_clients.enter_async_context(connected(mode, key, responses[caller]))
                for caller, key in KEYS.items()
            }
            for client in clients.values():
                self.assertEqual(client.protocol_version, revision)
            for caller, names in CASES["tools"].items():
                with self.subTest(listed=caller):
                    self.check_list(names, (await clients[caller].list_tools()).tools)
            for case in CASES["calls"]:
                with self.subTest(**{key: case[key] for key in ("as", "tool", "input")}):
                    await self.check_call(case, clients[case["as"]], responses[case["as"]])
            with self.subTest("a call without arguments is a call with none"):
                self.assertFalse((await clients["ada"].call_tool("shop_hours")).is_error)

    async def test_no_key_and_a_bad_key_are_refused(self):
        for mode in ("auto", "legacy"):
            for key in (None, "tk_not_a_key"):
                responses = []
                with self.subTest(mode=mode, key=key):
                    with self.assertRaises((MCPError, BaseExceptionGroup)) as refused:
                        async with connected(mode, key, responses):
                            self.fail("it is not let in")
                    self.assertIsInstance(mcp_error(refused.exception), MCPError)
                    self.assertEqual({status for status, _ in responses}, {401})
                    self.assertTrue(all(challenge.startswith("Bearer ") for _, challenge in responses))

    def check_list(self, names, tools):
        self.assertEqual(sorted(tool.name for tool in tools), names)
        for tool in tools:
            listed = CASES["listed"][tool.name]
            self.assertTrue(tool.description)
            self.assertEqual(tool.title, listed["title"])
            self.assertEqual(tool.input_schema["type"], "object")
            self.assertEqual(sorted(tool.input_schema["properties"]), listed["properties"])
            self.assertEqual(sorted(tool.input_schema.get("required", [])), listed["required"])
            annotations = tool.annotations.model_dump(by_alias=True, exclude_none=True)
            self.assertEqual(annotations, listed["annotations"])
            output = tool.output_schema and sorted(tool.output_schema["properties"])
            self.assertEqual(output, listed["output"])

    async def check_call(self, case, client, responses):
        if case.get("unknown") or "lacks_scope" in case:
            with self.assertRaises(MCPError) as refused:
                await client.call_tool(case["tool"], case["input"])
            if case.get("unknown"):
                self.assertEqual(refused.exception.code, -32602)
            else:
                status, challenge = responses[-1]
                self.assertEqual(status, 403)
                self.assertIn('error="insufficient_scope"', challenge)
                self.assertIn(f'scope="{case["lacks_scope"]}"', challenge)
            return
        result = await client.call_tool(case["tool"], case["input"])
        self.assertEqual([content.type for content in result.content], ["text"])
        text = result.content[0].text
        if "error" in case:
            self.check_failure(case, result, text)
        else:
            self.check_value(case, result, text)

    def check_value(self, case, result, text):
        self.assertFalse(result.is_error, text)
        value = result.structured_content
        self.assertEqual(json.loads(text), value)
        wrapped = True if "result_ids" in case else None
        self.assertEqual((result.meta or {}).get("tent.wrapped"), wrapped)
        if "result_ids" in case:
            self.assertEqual(list(value), ["value"])
            self.assertEqual([order["id"] for order in value["value"]], case["result_ids"])
        if "result" in case:
            self.assertEqual(value, case["result"])
        if "result_part" in case:
            self.assertEqual({name: value[name] for name in case["result_part"]}, case["result_part"])

    def check_failure(self, case, result, text):
        self.assertTrue(result.is_error, text)
        self.assertIsNone(result.structured_content)
        first, fix, *fields = text.split("\n")
        self.assertTrue(first.startswith(f"Error {case['error']}: "), first)
        if "message" in case:
            self.assertEqual(first, f"Error {case['error']}: {case['message']}")
        self.assertRegex(fix, "^Fix: .")
        error = result.meta["tent.error"]
        self.assertEqual((error["code"], error["status"]), (case["error"], case["status"]))
        if "fields" in case:
            self.assertEqual(sorted(error["fields"]), case["fields"])
            self.assertEqual(sorted(line.split(":")[0] for line in fields), case["fields"])


if __name__ == "__main__":
    unittest.main()
