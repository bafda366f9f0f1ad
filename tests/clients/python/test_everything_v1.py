"""Tests the everything app with the 1.x line of the official Python client, over HTTP and stdio.

EVERYTHING_URL names the server (http://127.0.0.1:3000/mcp), EVERYTHING the program, which is started once more for each
connection over stdio. Run with `python -m unittest test_everything_v1`.
"""

import base64
import os
import unittest
from contextlib import asynccontextmanager
from datetime import timedelta

from mcp import ClientSession, McpError, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client
from pydantic import AnyUrl

URL = os.environ["EVERYTHING_URL"]
PROGRAM = os.environ["EVERYTHING"]
FORM = {"name": "Alice", "age": 30, "score": 1.5, "status": "active", "verified": True, "context": "a test"}


async def elicit(context, params):
    fields = params.requestedSchema["properties"]
    return types.ElicitResult(action="accept", content={name: FORM[name] for name in fields})


async def sample(context, params):
    content = types.TextContent(type="text", text="Paris")
    return types.CreateMessageResult(role="assistant", content=content, model="a-model")


async def list_roots(context):
    return types.ListRootsResult(roots=[types.Root(uri="file:///books", name="books")])


def text(result):
    return result.content[0].text


class Everything:
    """The tests, for each transport."""

    @asynccontextmanager
    async def connected(self, **options):
        async with self.transport() as (read, write, *_):
            async with ClientSession(read, write, read_timeout_seconds=timedelta(seconds=30), **options) as client:
                self.info = await client.initialize()
                yield client

    async def test_initializes(self):
        async with self.connected():
            self.assertEqual(self.info.protocolVersion, "2025-11-25")
            self.assertEqual(self.info.serverInfo.name, "everything")

    async def test_lists_every_tool_with_explicit_annotations(self):
        async with self.connected() as client:
            tools = (await client.list_tools()).tools
            self.assertGreater(len(tools), 20)
            for tool in tools:
                hints = tool.annotations
                for hint in (hints.readOnlyHint, hints.destructiveHint, hints.idempotentHint, hints.openWorldHint):
                    self.assertIsInstance(hint, bool, tool.name)

    async def test_gets_content_of_each_kind(self):
        async with self.connected() as client:
            call = client.call_tool
            self.assertIn("simple text", text(await call("test_simple_text")))
            [image] = (await call("test_image_content")).content
            self.assertTrue(base64.b64decode(image.data).startswith(b"\x89PNG"))
            [audio] = (await call("test_audio_content")).content
            self.assertEqual((audio.type, audio.mimeType), ("audio", "audio/wav"))
            [resource] = (await call("test_embedded_resource")).content
            self.assertEqual(str(resource.resource.uri), "test://embedded-resource")
            mixed = (await call("test_multiple_content_types")).content
            self.assertEqual([content.type for content in mixed], ["text", "image", "resource"])
            links = (await call("test_resource_links")).content
            self.assertEqual([content.type for content in links], ["resource_link"] * 2)

    async def test_checks_structured_content_against_the_output_schema(self):
        async with self.connected() as client:
            await client.list_tools()
            result = await client.call_tool("test_structured_content")
            self.assertEqual(result.structuredContent, {"place": "Oslo", "degrees": -3.5, "sky": "snow"})

    async def test_gets_failures(self):
        async with self.connected() as client:
            failed = await client.call_tool("test_error_handling")
            self.assertTrue(failed.isError)
            self.assertTrue(text(failed).startswith("Error A0001: "))
            invalid = await client.call_tool("json_schema_2020_12_tool", {"contactMethod": "phone", "email": "a@b"})
            self.assertTrue(invalid.isError)
            with self.assertRaises(McpError) as unknown:
                await client.call_tool("no_such_tool")
            self.assertEqual(unknown.exception.error.code, -32602)

    async def test_reports_progress_and_logs(self):
        progress, logged = [], []

        async def on_progress(done, total, message):
            progress.append(done)

        async def on_log(params):
            logged.append(params.level)

        async with self.connected(logging_callback=on_log) as client:
            await client.call_tool("test_tool_with_progress", progress_callback=on_progress)
            await client.set_logging_level("info")
            await client.call_tool("test_tool_with_logging")
        self.assertEqual(progress, [0, 50, 100])
        self.assertEqual(logged, ["info"] * 3)

    async def test_lists_and_reads_resources(self):
        async with self.connected() as client:
            uris = {str(one.uri) for one in (await client.list_resources()).resources}
            self.assertIn("test://static-text", uris)
            templates = (await client.list_resource_templates()).resourceTemplates
            self.assertEqual([one.uriTemplate for one in templates], ["test://template/{id}/data"])
            [plain] = (await client.read_resource(AnyUrl("test://static-text"))).contents
            self.assertEqual(plain.text, "This is the content of the static text resource.")
            [one] = (await client.read_resource(AnyUrl("test://template/123/data"))).contents
            self.assertIn("Data for ID: 123", one.text)
            with self.assertRaises(McpError) as unknown:
                await client.read_resource(AnyUrl("test://nowhere"))
            self.assertEqual(unknown.exception.error.code, -32002)

    async def test_lists_gets_and_completes_prompts(self):
        async with self.connected() as client:
            prompts = {one.name for one in (await client.list_prompts()).prompts}
            self.assertIn("test_prompt_with_arguments", prompts)
            got = await client.get_prompt("test_prompt_with_arguments", {"arg1": "a", "arg2": "b"})
            self.assertEqual(got.messages[0].content.text, "Prompt with arguments: arg1='a', arg2='b'")
            prompt = types.PromptReference(type="ref/prompt", name="test_prompt_with_arguments")
            found = await client.complete(prompt, {"name": "arg1", "value": "par"})
            self.assertEqual(found.completion.values, ["paris", "park", "party"])

    async def test_answers_input_requests(self):
        options = {"elicitation_callback": elicit, "sampling_callback": sample, "list_roots_callback": list_roots}
        async with self.connected(**options) as client:
            self.assertIn("Alice", text(await client.call_tool("test_input_required_result_elicitation")))
            self.assertIn("Paris", text(await client.call_tool("test_input_required_result_sampling")))
            self.assertIn("file:///books", text(await client.call_tool("test_input_required_result_list_roots")))
        async with self.connected() as client:
            self.assertIn("T0021", text(await client.call_tool("test_missing_capability")))


class OverHttp(Everything, unittest.IsolatedAsyncioTestCase):
    def transport(self):
        return streamablehttp_client(URL)


class OverStdio(Everything, unittest.IsolatedAsyncioTestCase):
    def transport(self):
        return stdio_client(StdioServerParameters(command=PROGRAM, args=["mcp", "--as", "guest"]))


if __name__ == "__main__":
    unittest.main()
