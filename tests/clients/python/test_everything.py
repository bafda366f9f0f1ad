"""Tests the everything app with the official Python client, in both eras of MCP and over HTTP and stdio.

EVERYTHING_URL names the server (http://127.0.0.1:3000/mcp), EVERYTHING the program, which is started once more for each
connection over stdio. Run with `python -m unittest test_everything`.
"""

import base64
import os
import unittest
from contextlib import asynccontextmanager

import anyio
from mcp import Client, MCPError, types
from mcp.client.stdio import StdioServerParameters

URL = os.environ["EVERYTHING_URL"]
PROGRAM = os.environ["EVERYTHING"]
PNG = b"\x89PNG\r\n\x1a\n"
FORM = {
    "name": "Alice",
    "username": "alice",
    "email": "alice@example.com",
    "ok": True,
    "color": "green",
    "context": "a test",
    "age": 30,
    "score": 1.5,
    "status": "active",
    "verified": True,
    "untitledSingle": "option1",
    "titledSingle": "value1",
    "legacyEnum": "opt1",
    "untitledMulti": ["option1", "option2"],
    "titledMulti": ["value1"],
}


class Asked:
    """The input requests that a client gets, and its responses."""

    def __init__(self):
        self.forms, self.samplings, self.roots, self.logged = [], [], 0, []

    async def form(self, context, params):
        self.forms.append(params)
        fields = params.requested_schema["properties"]
        return types.ElicitResult(action="accept", content={name: FORM[name] for name in fields})

    async def sampling(self, context, params):
        self.samplings.append(params)
        content = types.TextContent(type="text", text="Paris")
        return types.CreateMessageResult(role="assistant", content=content, model="a-model", stop_reason="endTurn")

    async def list_roots(self, context):
        self.roots += 1
        return types.ListRootsResult(roots=[types.Root(uri="file:///books", name="books")])

    async def log(self, params):
        self.logged.append(params)


@asynccontextmanager
async def connected(transport, mode, asked=None, **options):
    server = URL if transport == "http" else StdioServerParameters(command=PROGRAM, args=["mcp", "--as", "guest"])
    if asked:
        options |= {
            "elicitation_callback": asked.form,
            "sampling_callback": asked.sampling,
            "list_roots_callback": asked.list_roots,
            "logging_callback": asked.log,
        }
    async with Client(server, mode=mode, read_timeout_seconds=30, **options) as client:
        yield client


def text(result):
    return result.content[0].text


class Everything:
    """The tests, for each transport and era."""

    transport: str
    mode: str
    revision: str

    def connected(self, asked=None, **options):
        return connected(self.transport, self.mode, asked, **options)

    @property
    def modern(self):
        return self.mode != "legacy"

    async def test_the_server_says_what_it_is(self):
        async with self.connected() as client:
            self.assertEqual(client.protocol_version, self.revision)
            if not self.modern:
                # A pinned revision is used without discovery.
                self.assertEqual(client.server_info.name, "everything")
                for name in ("tools", "resources", "prompts", "completions"):
                    self.assertIsNotNone(getattr(client.server_capabilities, name), name)
                self.assertIsNotNone(client.server_capabilities.logging)
                self.assertIn("MCP", client.instructions)

    async def test_every_tool_is_listed(self):
        async with self.connected() as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            self.assertGreater(len(tools), 20)
            self.assertNotIn("findFunction", tools)
            schema = tools["json_schema_2020_12_tool"].input_schema
            self.assertEqual(schema["$defs"]["address"]["$anchor"], "addressDef")
            region = tools["test_custom_headers"].input_schema["properties"]["region"]
            self.assertEqual(region["x-mcp-header"], "Region")

    async def test_content_of_each_kind(self):
        async with self.connected() as client:
            call = client.call_tool
            self.assertIn("simple text", text(await call("test_simple_text")))
            [image] = (await call("test_image_content")).content
            self.assertEqual((image.type, image.mime_type), ("image", "image/png"))
            self.assertTrue(base64.b64decode(image.data).startswith(PNG))
            [audio] = (await call("test_audio_content")).content
            self.assertEqual((audio.type, audio.mime_type), ("audio", "audio/wav"))
            self.assertTrue(base64.b64decode(audio.data).startswith(b"RIFF"))
            [resource] = (await call("test_embedded_resource")).content
            self.assertEqual(str(resource.resource.uri), "test://embedded-resource")
            mixed = (await call("test_multiple_content_types")).content
            self.assertEqual([content.type for content in mixed], ["text", "image", "resource"])
            plain, full = (await call("test_resource_links")).content
            self.assertEqual([plain.type, full.type], ["resource_link"] * 2)
            self.assertEqual((full.title, full.mime_type, full.annotations.audience), ("A picture", "image/png", ["user"]))
            self.assertIsNone(plain.annotations)

    async def test_a_value_beside_content(self):
        async with self.connected() as client:
            result = await client.call_tool("test_structured_content")
            self.assertEqual(result.structured_content, {"place": "Oslo", "degrees": -3.5, "sky": "snow"})
            self.assertTrue(any("Snow in Oslo" in content.text for content in result.content))

    async def test_metadata_and_content_in_place_of_a_value(self):
        async with self.connected() as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            uri = tools["show_dial"].meta["ui"]["resourceUri"]
            listed = {str(one.uri): one for one in (await client.list_resources()).resources}[uri]
            self.assertEqual(listed.annotations.audience, ["user"])
            [page] = (await client.read_resource(uri)).contents
            self.assertEqual((page.mime_type, len(page.text)), ("text/html;profile=mcp-app", listed.size))
            self.assertEqual(page.meta["ui"]["csp"], {})
            shown = await client.call_tool("show_dial", {"percent": 30})
            self.assertEqual(shown.structured_content, {"percent": 30})
            self.assertEqual([one.text for one in shown.content], ["The dial shows 30 percent."])
            given = await client.call_tool("give_metadata")
            self.assertEqual(given.meta["com.example/drawn"], {"by": "hand"})
            self.assertEqual(given.content[1].meta, {"com.example/text": True})
            self.assertEqual(given.content[2].resource.meta, {"com.example/resource": 2})
            failed = await client.call_tool("fail_with_picture")
            self.assertEqual((failed.is_error, [one.type for one in failed.content]), (True, ["text", "image"]))
            prompts = {one.name: one for one in (await client.list_prompts()).prompts}
            self.assertEqual(prompts["about_dial"].arguments[0].title, "Topic")

    async def test_a_failure_of_a_tool_is_a_result(self):
        async with self.connected() as client:
            result = await client.call_tool("test_error_handling")
            self.assertTrue(result.is_error)
            self.assertTrue(text(result).startswith("Error A0001: "))
            with self.assertRaises(MCPError) as unknown:
                await client.call_tool("test_that_there_is_not")
            self.assertEqual(unknown.exception.code, -32602)

    async def test_a_stated_schema_is_enforced(self):
        async with self.connected() as client:
            await client.list_tools()
            fits = {"contactMethod": "phone", "phone": "1", "address": {"city": "Oslo"}}
            self.assertFalse((await client.call_tool("json_schema_2020_12_tool", fits)).is_error)
            misfits = {"contactMethod": "phone", "email": "a@b"}
            result = await client.call_tool("json_schema_2020_12_tool", misfits)
            self.assertTrue(result.is_error)
            self.assertIn("phone", result.meta["tent.error"]["fields"])

    async def test_arguments_that_are_mirrored_into_headers(self):
        async with self.connected() as client:
            await client.list_tools()
            arguments = {"region": "Zürich\nNord", "priority": 3, "dry_run": True}
            result = await client.call_tool("test_custom_headers", arguments)
            self.assertEqual(text(result), "region=Zürich\nNord, priority=3, dry_run=true")

    async def test_progress_comes_before_the_answer(self):
        seen = []

        async def progress(done, total, message):
            seen.append((done, total, message))

        async with self.connected() as client:
            await client.call_tool("test_tool_with_progress", progress_callback=progress)
            self.assertEqual(seen, [(0, 100, "Starting"), (50, 100, "Half way"), (100, 100, "Done")])

    async def test_a_log_reaches_who_asked_for_it(self):
        asked, silent = Asked(), Asked()
        async with self.connected(asked, log_level="info") as client:
            if not self.modern:
                await client.set_logging_level("info")
            await client.call_tool("test_tool_with_logging")
            await client.call_tool("test_logging_tool")
        self.assertEqual([line.level for line in asked.logged], ["info"] * 4)
        self.assertEqual(asked.logged[0].data, "Tool execution started")
        self.assertEqual(asked.logged[3].data["lines"], 1)
        async with self.connected(silent, log_level="error" if self.modern else None) as client:
            if not self.modern:
                await client.set_logging_level("error")
            await client.call_tool("test_tool_with_logging")
        self.assertEqual(silent.logged, [])

    async def test_resources_are_listed_and_read(self):
        async with self.connected() as client:
            listed = {str(one.uri): one for one in (await client.list_resources()).resources}
            self.assertIn("test://static-text", listed)
            self.assertIn("test://template/1/data", listed, "the function that lists the template is asked")
            templates = (await client.list_resource_templates()).resource_templates
            self.assertEqual([one.uri_template for one in templates], ["test://template/{id}/data"])
            [plain] = (await client.read_resource("test://static-text")).contents
            self.assertEqual(plain.text, "This is the content of the static text resource.")
            [picture] = (await client.read_resource("test://static-binary")).contents
            self.assertTrue(base64.b64decode(picture.blob).startswith(PNG))
            [one] = (await client.read_resource("test://template/123/data")).contents
            self.assertEqual(str(one.uri), "test://template/123/data")
            self.assertIn("Data for ID: 123", one.text)
            with self.assertRaises(MCPError) as unknown:
                await client.read_resource("test://nowhere")
            self.assertEqual(unknown.exception.code, -32602 if self.modern else -32002)

    async def test_prompts_are_listed_and_got(self):
        async with self.connected() as client:
            prompts = {one.name: one for one in (await client.list_prompts()).prompts}
            arguments = prompts["test_prompt_with_arguments"].arguments
            self.assertEqual([(one.name, one.required) for one in arguments], [("arg1", True), ("arg2", True)])
            got = await client.get_prompt("test_prompt_with_arguments", {"arg1": "a", "arg2": "b"})
            self.assertEqual(got.messages[0].content.text, "Prompt with arguments: arg1='a', arg2='b'")
            got = await client.get_prompt("test_prompt_with_embedded_resource", {"resourceUri": "test://x"})
            self.assertEqual([one.content.type for one in got.messages], ["resource", "text"])
            got = await client.get_prompt("test_prompt_with_image")
            self.assertEqual([one.content.type for one in got.messages], ["image", "text"])
            with self.assertRaises(MCPError) as lacking:
                await client.get_prompt("test_prompt_with_arguments", {"arg1": "a"})
            self.assertEqual(lacking.exception.code, -32602)

    async def test_arguments_are_completed(self):
        async with self.connected() as client:
            prompt = types.PromptReference(type="ref/prompt", name="test_prompt_with_arguments")
            found = await client.complete(prompt, {"name": "arg1", "value": "par"})
            self.assertEqual(found.completion.values, ["paris", "park", "party"])
            template = types.ResourceTemplateReference(type="ref/resource", uri="test://template/{id}/data")
            found = await client.complete(template, {"name": "id", "value": "12"})
            self.assertEqual(found.completion.values, ["12", "123"])

    async def test_questions_are_answered(self):
        asked = Asked()
        async with self.connected(asked) as client:
            call = client.call_tool
            self.assertIn("Alice", text(await call("test_input_required_result_elicitation")))
            self.assertIn("Paris", text(await call("test_input_required_result_sampling")))
            self.assertIn("file:///books", text(await call("test_input_required_result_list_roots")))
            self.assertIn("state-ok", text(await call("test_input_required_result_request_state")))
            self.assertFalse((await call("test_input_required_result_multiple_inputs")).is_error)
            self.assertIn("green", text(await call("test_input_required_result_multi_round")))
            self.assertIn("Paris", text(await call("test_sampling", {"prompt": "What is the capital of France?"})))
            self.assertIn("alice", text(await call("test_elicitation", {"message": "Who are you?"})))
            self.assertIn("30", text(await call("test_elicitation_sep1034_defaults")))
            self.assertIn("value1", text(await call("test_elicitation_sep1330_enums")))
            got = await client.get_prompt("test_input_required_result_prompt")
            self.assertIn("a test", got.messages[0].content.text)
        self.assertEqual(len(asked.samplings), 3)
        self.assertEqual(asked.roots, 2)
        defaults = next(form for form in asked.forms if "score" in form.requested_schema["properties"])
        self.assertEqual(defaults.requested_schema["properties"]["age"]["default"], 30)

    async def test_a_client_that_cannot_be_asked_is_not(self):
        async with self.connected() as client:
            if not self.modern:
                # MCP has an error for it since 2026-07-28.
                result = await client.call_tool("test_missing_capability")
                self.assertTrue(result.is_error)
                self.assertTrue(text(result).startswith("Error T0021: "))
                return
            with self.assertRaises(MCPError) as refused:
                await client.call_tool("test_missing_capability")
            self.assertEqual(refused.exception.code, -32021)
            self.assertIn("sampling", refused.exception.data["requiredCapabilities"])

    async def test_a_call_is_cancelled(self):
        started = anyio.Event()

        async def progress(done, total, message):
            started.set()

        async with self.connected() as client:
            async with anyio.create_task_group() as tasks:

                async def call():
                    await client.call_tool("test_cancellation", progress_callback=progress)
                    self.fail("it was cancelled")

                tasks.start_soon(call)
                await started.wait()
                tasks.cancel_scope.cancel()
            self.assertFalse((await client.call_tool("test_simple_text")).is_error, "the connection goes on")


class ModernOverHttp(Everything, unittest.IsolatedAsyncioTestCase):
    transport, mode, revision = "http", "2026-07-28", "2026-07-28"

    async def test_changes_are_told(self):
        async with self.connected() as client:
            async with client.listen(tools_list_changed=True, resource_subscriptions=["test://watched-resource"]) as told:
                self.assertTrue(told.honored.tools_list_changed)
                await client.call_tool("test_trigger_tool_change")
                await client.call_tool("test_trigger_resource_update")
                seen = []
                async for event in told:
                    seen.append(type(event).__name__)
                    if len(seen) == 2:
                        break
            self.assertEqual(seen, ["ToolsListChanged", "ResourceUpdated"])


class LegacyOverHttp(Everything, unittest.IsolatedAsyncioTestCase):
    transport, mode, revision = "http", "legacy", "2025-11-25"


class ModernOverStdio(Everything, unittest.IsolatedAsyncioTestCase):
    transport, mode, revision = "stdio", "2026-07-28", "2026-07-28"


class LegacyOverStdio(Everything, unittest.IsolatedAsyncioTestCase):
    transport, mode, revision = "stdio", "legacy", "2025-11-25"


if __name__ == "__main__":
    unittest.main()
