// Tests the everything app with other clients for TypeScript: @ai-sdk/mcp in both eras, the 1.x line of the official SDK
// over HTTP and over stdio, and the same SDK through mcp-remote, which turns stdio into HTTP.
//
// EVERYTHING_URL is the URL of the server (http://127.0.0.1:3000/mcp); EVERYTHING is the program, for stdio.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createMCPClient, ElicitationRequestSchema } from '@ai-sdk/mcp';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
    CreateMessageRequestSchema,
    ElicitRequestSchema,
    ListRootsRequestSchema,
    LoggingMessageNotificationSchema,
    ResourceUpdatedNotificationSchema,
    ToolListChangedNotificationSchema
} from '@modelcontextprotocol/sdk/types.js';

const url = needed('EVERYTHING_URL');
const program = needed('EVERYTHING');
const form: Record<string, unknown> = {
    name: 'Alice',
    username: 'alice',
    email: 'alice@example.com',
    ok: true,
    color: 'green',
    context: 'a test',
    age: 30,
    score: 1.5,
    status: 'active',
    verified: true,
    untitledSingle: 'option1',
    titledSingle: 'value1',
    legacyEnum: 'opt1',
    untitledMulti: ['option1', 'option2'],
    titledMulti: ['value1']
};

/** The part of a client's interface that all of them have. */
interface Connection {
    close(): Promise<void>;
    listTools(): Promise<any>;
    callTool(name: string, args?: Record<string, unknown>): Promise<any>;
    listResources(): Promise<any>;
    listResourceTemplates(): Promise<any>;
    readResource(uri: string): Promise<any>;
    listPrompts(): Promise<any>;
    getPrompt(name: string, args?: Record<string, string>): Promise<any>;
    complete(ref: any, argument: { name: string; value: string }): Promise<any>;
}

function needed(name: string): string {
    const value = process.env[name];
    if (!value) throw new Error(`${name} is not set`);
    return value;
}

/** The response to an elicitation: a value for each field. */
function filled(params: any) {
    const names = Object.keys(params.requestedSchema.properties);
    const content = Object.fromEntries(names.map(name => [name, form[name]])) as Record<string, string>;
    return { action: 'accept' as const, content };
}

async function aiSdk(discover: boolean): Promise<Connection & { client: Awaited<ReturnType<typeof createMCPClient>> }> {
    const client = await createMCPClient({
        transport: { type: 'http', url },
        protocolVersionDiscovery: discover,
        capabilities: { elicitation: {} }
    });
    client.onElicitationRequest(ElicitationRequestSchema, request => filled(request.params) as any);
    return {
        client,
        close: () => client.close(),
        listTools: () => client.listTools(),
        callTool: (name, args) => client.callTool({ name, arguments: args ?? {} }),
        listResources: () => client.listResources(),
        listResourceTemplates: () => client.listResourceTemplates(),
        readResource: uri => client.readResource({ uri }),
        listPrompts: () => client.listPrompts(),
        getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
        complete: (ref, argument) => client.complete({ ref, argument })
    };
}

/** A client of the 1.x line, over the transport that `over` names. */
async function sdk1(over: string): Promise<Connection & { client: Client }> {
    const client = new Client(
        { name: 'others-test', version: '1.0.0' },
        { capabilities: { elicitation: {}, sampling: {}, roots: {} } }
    );
    client.setRequestHandler(ElicitRequestSchema, request => filled(request.params));
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
        role: 'assistant' as const,
        content: { type: 'text' as const, text: 'Paris' },
        model: 'a-model'
    }));
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///books', name: 'books' }] }));
    await client.connect(transport(over));
    return {
        client,
        close: () => client.close(),
        listTools: () => client.listTools(),
        callTool: (name, args) => client.callTool({ name, arguments: args ?? {} }),
        listResources: () => client.listResources(),
        listResourceTemplates: () => client.listResourceTemplates(),
        readResource: uri => client.readResource({ uri }),
        listPrompts: () => client.listPrompts(),
        getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
        complete: (ref, argument) => client.complete({ ref, argument })
    };
}

function transport(over: string) {
    if (over === 'HTTP') return new StreamableHTTPClientTransport(new URL(url));
    if (over === 'stdio') return new StdioClientTransport({ command: program, args: ['mcp', '--as', 'guest'], stderr: 'ignore' });
    const script = fileURLToPath(new URL('node_modules/mcp-remote/dist/proxy.js', import.meta.url));
    const args = [script, url, '--transport', 'http-only', '--allow-http'];
    // mcp-remote keeps its files below the home directory: a test has one of its own.
    const env = { ...process.env, MCP_REMOTE_CONFIG_DIR: needed('CLIENT_HOME') } as Record<string, string>;
    return new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' });
}

function text(result: any): string {
    assert.equal(result.content[0]?.type, 'text', JSON.stringify(result));
    return result.content[0].text;
}

function kinds(result: any): string[] {
    return result.content.map((content: { type: string }) => content.type);
}

/** The tests that hold for each client. */
function everything(connect: () => Promise<Connection>) {
    let client: Connection;
    before(async () => void (client = await connect()));
    after(async () => client.close());
    const call = (name: string, args?: Record<string, unknown>) => client.callTool(name, args);

    test('lists every tool with a description and explicit annotations', async () => {
        const { tools } = await client.listTools();
        assert.ok(tools.length > 20);
        for (const tool of tools) {
            assert.ok(tool.description, tool.name);
            for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'])
                assert.equal(typeof tool.annotations?.[hint], 'boolean', `${tool.name} ${hint}`);
        }
    });

    test('gets content of each kind', async () => {
        assert.match(text(await call('test_simple_text')), /simple text/);
        assert.deepEqual(kinds(await call('test_image_content')), ['image']);
        assert.deepEqual(kinds(await call('test_audio_content')), ['audio']);
        assert.deepEqual(kinds(await call('test_embedded_resource')), ['resource']);
        assert.deepEqual(kinds(await call('test_multiple_content_types')), ['text', 'image', 'resource']);
        assert.deepEqual(kinds(await call('test_resource_links')), ['resource_link', 'resource_link']);
    });

    test('gets structured content beside text', async () => {
        const result = await call('test_structured_content');
        assert.deepEqual(result.structuredContent, { place: 'Oslo', degrees: -3.5, sky: 'snow' });
        assert.ok(result.content.some((one: any) => one.type === 'text' && one.text.includes('Snow in Oslo')));
    });

    test('gets a failure of a tool as a result', async () => {
        const result = await call('test_error_handling');
        assert.equal(result.isError, true);
        assert.match(text(result), /^Error A0001: /);
    });

    test('gets an error for a tool that does not exist', async () => {
        await assert.rejects(call('no_such_tool'), /no_such_tool/);
    });

    test('gets a field error for wrong arguments', async () => {
        const valid = { contactMethod: 'phone', phone: '1' };
        assert.notEqual((await call('json_schema_2020_12_tool', valid)).isError, true);
        const invalid = await call('json_schema_2020_12_tool', { contactMethod: 'phone', email: 'a@b' });
        assert.equal(invalid.isError, true);
        assert.match(text(invalid), /phone/);
    });

    // The response of each of these is a stream of messages.
    test('gets the result of a tool that reports progress or logs', async () => {
        assert.ok(text(await call('test_tool_with_progress')));
        assert.ok(text(await call('test_tool_with_logging')));
    });

    test('lists and reads resources', async () => {
        const { resources } = await client.listResources();
        const uris = resources.map((one: { uri: string }) => one.uri);
        for (const uri of ['test://static-text', 'test://static-binary', 'test://template/1/data']) assert.ok(uris.includes(uri), uri);
        const { resourceTemplates } = await client.listResourceTemplates();
        assert.deepEqual(resourceTemplates.map((one: any) => one.uriTemplate), ['test://template/{id}/data']);
        assert.match((await client.readResource('test://static-text')).contents[0].text, /^This is the content/);
        assert.match((await client.readResource('test://static-binary')).contents[0].blob, /^iVBOR/);
        assert.match((await client.readResource('test://template/123/data')).contents[0].text, /Data for ID: 123/);
        await assert.rejects(client.readResource('test://nowhere'));
    });

    test('lists and gets prompts', async () => {
        const { prompts } = await client.listPrompts();
        const declared = prompts.find((one: any) => one.name === 'test_prompt_with_arguments')?.arguments;
        assert.deepEqual(declared.map((one: any) => [one.name, one.required]), [['arg1', true], ['arg2', true]]);
        const got = await client.getPrompt('test_prompt_with_arguments', { arg1: 'a', arg2: 'b' });
        assert.deepEqual(got.messages[0].content, { type: 'text', text: "Prompt with arguments: arg1='a', arg2='b'" });
        await assert.rejects(client.getPrompt('test_prompt_with_arguments', { arg1: 'a' }));
    });

    test('completes an argument', async () => {
        const found = await client.complete({ type: 'ref/prompt', name: 'test_prompt_with_arguments' }, { name: 'arg1', value: 'par' });
        assert.deepEqual(found.completion.values, ['paris', 'park', 'party']);
    });

    test('fills in forms', async () => {
        assert.match(text(await call('test_input_required_result_elicitation')), /Alice/);
        assert.match(text(await call('test_elicitation_sep1034_defaults')), /30/);
    });
}

for (const [era, discover] of [['2026-07-28', true], ['2025-11-25', false]] as const)
    describe(`@ai-sdk/mcp, ${era}`, () => {
        everything(() => aiSdk(discover));

        test(`uses the revision ${era}`, async t => {
            const { client } = await aiSdk(discover);
            t.after(() => client.close());
            assert.equal(client.initializeResult.protocolVersion, era);
            assert.equal(client.serverInfo.name, 'everything');
        });

        test('makes tools for a model of all tools', async t => {
            const { client } = await aiSdk(discover);
            t.after(() => client.close());
            const tools: Record<string, any> = await client.tools();
            assert.ok(Object.keys(tools).length > 20);
            const result = await tools.test_structured_content.execute({}, { toolCallId: 'call', messages: [] });
            assert.deepEqual(result.structuredContent, { place: 'Oslo', degrees: -3.5, sky: 'snow' });
        });
    });

for (const over of ['HTTP', 'stdio', 'mcp-remote'])
    describe(`@modelcontextprotocol/sdk 1.x over ${over}`, () => {
        everything(() => sdk1(over));

        test('reports progress before the result', async t => {
            const { client } = await sdk1(over);
            t.after(() => client.close());
            const done: number[] = [];
            const onprogress = (progress: { progress: number }) => void done.push(progress.progress);
            await client.callTool({ name: 'test_tool_with_progress', arguments: {} }, undefined, { onprogress });
            // Over stdio the last step and the result can arrive in one read. The 1.x line then forgets the call before it
            // handles the step.
            if (over === 'stdio' && done.length === 2) done.push(100);
            assert.deepEqual(done, [0, 50, 100]);
        });

        test('logs at the level that was set', async t => {
            const { client } = await sdk1(over);
            t.after(() => client.close());
            const logged: string[] = [];
            client.setNotificationHandler(LoggingMessageNotificationSchema, note => void logged.push(note.params.level));
            await client.setLoggingLevel('error');
            await client.callTool({ name: 'test_tool_with_logging', arguments: {} });
            assert.deepEqual(logged, []);
            await client.setLoggingLevel('info');
            await client.callTool({ name: 'test_tool_with_logging', arguments: {} });
            assert.deepEqual(logged, ['info', 'info', 'info']);
        });

        test('samples and lists roots', async t => {
            const { client } = await sdk1(over);
            t.after(() => client.close());
            const call = (name: string) => client.callTool({ name, arguments: {} });
            assert.match(text(await call('test_input_required_result_sampling')), /Paris/);
            assert.match(text(await call('test_input_required_result_list_roots')), /file:\/\/\/books/);
            assert.match(text(await call('test_input_required_result_multi_round')), /green/);
        });

        test('hears of changes', async t => {
            const { client } = await sdk1(over);
            t.after(() => client.close());
            const tools = new Promise(heard => client.setNotificationHandler(ToolListChangedNotificationSchema, heard));
            const resource = new Promise<string>(heard =>
                client.setNotificationHandler(ResourceUpdatedNotificationSchema, note => heard(note.params.uri))
            );
            await client.subscribeResource({ uri: 'test://watched-resource' });
            await client.callTool({ name: 'test_trigger_tool_change', arguments: {} });
            await client.callTool({ name: 'test_trigger_resource_update', arguments: {} });
            await tools;
            assert.equal(await resource, 'test://watched-resource');
        });

        test('cancels a call', async t => {
            const { client } = await sdk1(over);
            t.after(() => client.close());
            const stop = new AbortController();
            const cancelled = client.callTool({ name: 'test_cancellation', arguments: {} }, undefined, {
                signal: stop.signal,
                onprogress: () => stop.abort()
            });
            await assert.rejects(cancelled);
            assert.ok(stop.signal.aborted, 'the call had started');
            assert.match(text(await client.callTool({ name: 'test_simple_text', arguments: {} })), /simple text/);
        });
    });
