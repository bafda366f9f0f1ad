"""Tests the everything app with the client of FastMCP, in both eras of MCP.

EVERYTHING_URL names the server (http://127.0.0.1:3000/mcp). Run with `python -m unittest test_everything_fastmcp`.
"""

import os
import unittest
from contextlib import asynccontextmanager

from fastmcp import Client
from fastmcp.exceptions import ToolError

URL = os.environ["EVERYTHING_URL"]


class Everything:
    """The tests, for each era."""

    mode: str
    revision: str

    @asynccontextmanager
    async def connected(self, **options):
        async with Client(URL, mode=self.mode, timeout=30, **options) as client:
            yield client

    async def test_uses_the_revision(self):
        async with self.connected() as client:
            self.assertEqual(client.protocol_version, self.revision)
            self.assertEqual(client.server_info.name, "everything")

    async def test_lists_every_tool_with_explicit_annotations(self):
        async with self.connected() as client:
            tools = await client.list_tools()
            self.assertGreater(len(tools), 20)
            for tool in tools:
                hints = tool.annotations.model_dump(by_alias=True)
                for hint in ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"):
                    self.assertIsInstance(hints[hint], bool, tool.name)

    async def test_gets_content_of_each_kind(self):
        async with self.connected() as client:
            for tool, kinds in {
                "test_simple_text": ["text"],
                "test_image_content": ["image"],
                "test_audio_content": ["audio"],
                "test_embedded_resource": ["resource"],
                "test_multiple_content_types": ["text", "image", "resource"],
                "test_resource_links": ["resource_link", "resource_link"],
            }.items():
                result = await client.call_tool(tool)
                self.assertEqual([content.type for content in result.content], kinds, tool)

    async def test_builds_a_value_from_the_output_schema(self):
        async with self.connected() as client:
            result = await client.call_tool("test_structured_content")
            self.assertEqual(result.structured_content, {"place": "Oslo", "degrees": -3.5, "sky": "snow"})
            self.assertEqual((result.data.place, result.data.degrees), ("Oslo", -3.5))

    async def test_gets_failures(self):
        async with self.connected() as client:
            with self.assertRaisesRegex(ToolError, "^Error A0001: "):
                await client.call_tool("test_error_handling")
            with self.assertRaisesRegex(ToolError, "phone"):
                await client.call_tool("json_schema_2020_12_tool", {"contactMethod": "phone", "email": "a@b"})
            with self.assertRaises(Exception):
                await client.call_tool("no_such_tool")

    async def test_reports_progress_and_logs(self):
        progress, logged = [], []

        async def on_progress(done, total, message):
            progress.append(done)

        async def on_log(message):
            logged.append(message.level)

        async with self.connected(log_handler=on_log) as client:
            await client.call_tool("test_tool_with_progress", progress_handler=on_progress)
            if self.mode == "legacy":
                await client.set_logging_level("info")
                await client.call_tool("test_tool_with_logging")
                self.assertEqual(logged, ["info"] * 3)
        self.assertEqual(progress, [0, 50, 100])

    async def test_lists_and_reads_resources(self):
        async with self.connected() as client:
            uris = {str(one.uri) for one in await client.list_resources()}
            self.assertIn("test://static-text", uris)
            [template] = await client.list_resource_templates()
            self.assertEqual(template.uri_template, "test://template/{id}/data")
            [plain] = await client.read_resource("test://static-text")
            self.assertEqual(plain.text, "This is the content of the static text resource.")

    async def test_lists_gets_and_completes_prompts(self):
        async with self.connected() as client:
            names = {one.name for one in await client.list_prompts()}
            self.assertIn("test_prompt_with_arguments", names)
            got = await client.get_prompt("test_prompt_with_arguments", {"arg1": "a", "arg2": "b"})
            self.assertEqual(got.messages[0].content.text, "Prompt with arguments: arg1='a', arg2='b'")

    async def test_answers_input_requests(self):
        async def elicit(message, response_type, params, context):
            return {"name": "Alice"}

        async def sample(messages, params, context):
            return "Paris"

        options = {"elicitation_handler": elicit, "sampling_handler": sample, "roots": ["file:///books"]}
        async with self.connected(**options) as client:
            for tool, text in {
                "test_input_required_result_elicitation": "Alice",
                "test_input_required_result_sampling": "Paris",
                "test_input_required_result_list_roots": "file:///books",
            }.items():
                self.assertIn(text, (await client.call_tool(tool)).content[0].text)


class Modern(Everything, unittest.IsolatedAsyncioTestCase):
    mode, revision = "auto", "2026-07-28"


class Legacy(Everything, unittest.IsolatedAsyncioTestCase):
    mode, revision = "legacy", "2025-11-25"


if __name__ == "__main__":
    unittest.main()
