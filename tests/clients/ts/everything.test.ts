// Tests the everything app with the official TypeScript client, in every revision of MCP that the client supports.
//
// EVERYTHING_URL is the URL of the server (http://127.0.0.1:3000/mcp). Requires only Node, which strips the types.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
    Client,
    ProtocolError,
    StreamableHTTPClientTransport,
    SUPPORTED_PROTOCOL_VERSIONS,
    type CallToolResult,
    type ClientOptions
} from '@modelcontextprotocol/client';

const address = process.env.EVERYTHING_URL;
if (!address) throw new Error('EVERYTHING_URL is not set');
const newest = '2026-07-28';
const revisions = [newest, ...SUPPORTED_PROTOCOL_VERSIONS.filter(revision => revision >= '2024-11-05')];
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

/** What the client is asked and told. */
interface Seen {
    forms: Record<string, any>[];
    samplings: number;
    roots: number;
    logged: { level: string; data: unknown }[];
    changed: string[];
}

async function connect(revision: string, capable = true): Promise<{ client: Client; seen: Seen }> {
    const seen: Seen = { forms: [], samplings: 0, roots: 0, logged: [], changed: [] };
    const capabilities = capable ? { elicitation: { form: {} }, sampling: {}, roots: {} } : {};
    const options: ClientOptions =
        revision === newest
            ? { capabilities, versionNegotiation: { mode: { pin: revision } } }
            : { capabilities, versionNegotiation: { mode: 'legacy' }, supportedProtocolVersions: [revision] };
    const client = new Client({ name: 'everything-test', version: '1.0.0' }, options);
    if (capable) {
        client.setRequestHandler('elicitation/create', request => {
            const params = request.params as Record<string, any>;
            seen.forms.push(params);
            const names = Object.keys(params.requestedSchema.properties);
            const content = Object.fromEntries(names.map(name => [name, form[name]])) as Record<string, string>;
            return { action: 'accept' as const, content };
        });
        client.setRequestHandler('sampling/createMessage', () => {
            seen.samplings += 1;
            return { role: 'assistant' as const, content: { type: 'text' as const, text: 'Paris' }, model: 'a-model' };
        });
        client.setRequestHandler('roots/list', () => {
            seen.roots += 1;
            return { roots: [{ uri: 'file:///books', name: 'books' }] };
        });
    }
    client.setNotificationHandler('notifications/message', note => void seen.logged.push(note.params));
    for (const method of ['notifications/tools/list_changed', 'notifications/resources/updated'] as const)
        client.setNotificationHandler(method, () => void seen.changed.push(method));
    await client.connect(new StreamableHTTPClientTransport(new URL(address!)));
    return { client, seen };
}

function text(result: CallToolResult): string {
    const [content] = result.content;
    assert.equal(content?.type, 'text', JSON.stringify(result));
    return content?.type === 'text' ? content.text : '';
}

function kinds(result: CallToolResult): string[] {
    return result.content.map(content => content.type);
}

async function refused(call: Promise<unknown>, code: number) {
    await assert.rejects(call, error => {
        assert.ok(error instanceof ProtocolError, String(error));
        assert.equal(error.code, code);
        return true;
    });
}

for (const revision of revisions) {
    const modern = revision === newest;
    describe(revision, () => {
        let client: Client;
        let seen: Seen;
        before(async () => ({ client, seen } = await connect(revision)));
        after(async () => client.close());
        const call = (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args });

        test('the revision is agreed, and what there is', () => {
            assert.equal(client.getNegotiatedProtocolVersion(), revision);
            const capabilities = client.getServerCapabilities();
            for (const name of ['tools', 'resources', 'prompts', 'completions'] as const)
                assert.ok(capabilities?.[name] || (name === 'completions' && revision < '2025-03-26'), name);
        });

        test('every tool is listed', async () => {
            const { tools } = await client.listTools();
            assert.ok(tools.length > 20);
            const stated = tools.find(tool => tool.name === 'json_schema_2020_12_tool');
            assert.equal((stated?.inputSchema as any).$defs.address.$anchor, 'addressDef');
        });

        test('content of each kind', async () => {
            assert.match(text(await call('test_simple_text')), /simple text/);
            assert.deepEqual(kinds(await call('test_image_content')), ['image']);
            // Older revisions get content that they lack as text.
            const audio = revision >= '2025-03-26' ? 'audio' : 'text';
            assert.deepEqual(kinds(await call('test_audio_content')), [audio]);
            assert.deepEqual(kinds(await call('test_embedded_resource')), ['resource']);
            assert.deepEqual(kinds(await call('test_multiple_content_types')), ['text', 'image', 'resource']);
            const link = revision >= '2025-06-18' ? 'resource_link' : 'text';
            assert.deepEqual(kinds(await call('test_resource_links')), [link, link]);
        });

        test('a value beside content', async () => {
            const result = await call('test_structured_content');
            const value = { place: 'Oslo', degrees: -3.5, sky: 'snow' };
            if (revision >= '2025-06-18') assert.deepEqual(result.structuredContent, value);
            assert.ok(result.content.some(one => one.type === 'text' && one.text.includes('Snow in Oslo')));
        });

        test('a failure of a tool is a result', async () => {
            const result = await call('test_error_handling');
            assert.equal(result.isError, true);
            assert.match(text(result), /^Error A0001: /);
        });

        test('a schema of the author is enforced', async () => {
            const fits = { contactMethod: 'phone', phone: '1' };
            assert.notEqual((await call('json_schema_2020_12_tool', fits)).isError, true);
            assert.equal((await call('json_schema_2020_12_tool', { contactMethod: 'phone', email: 'a@b' })).isError, true);
        });

        test('arguments are mirrored into headers', async () => {
            await client.listTools();
            const result = await call('test_custom_headers', { region: 'Zürich', priority: 3, dry_run: true });
            assert.equal(text(result), 'region=Zürich, priority=3, dry_run=true');
        });

        test('progress comes before the answer', async () => {
            const done: number[] = [];
            const onprogress = (progress: { progress: number }) => void done.push(progress.progress);
            await client.callTool({ name: 'test_tool_with_progress', arguments: {} }, { onprogress });
            assert.deepEqual(done, [0, 50, 100]);
        });

        test('a log reaches who asked for it', async () => {
            seen.logged.length = 0;
            const name = 'test_tool_with_logging';
            const level = (level: string) => (modern ? { 'io.modelcontextprotocol/logLevel': level } : undefined);
            if (!modern) await client.setLoggingLevel('error');
            await client.callTool({ name, arguments: {}, _meta: level('error') });
            assert.deepEqual(seen.logged, []);
            if (!modern) await client.setLoggingLevel('info');
            await client.callTool({ name, arguments: {}, _meta: level('info') });
            assert.deepEqual(seen.logged.map(line => line.level), ['info', 'info', 'info']);
            assert.equal(seen.logged[0]?.data, 'Tool execution started');
        });

        test('metadata is where the revision has it, and content in place of a value', async () => {
            const full = revision >= '2025-06-18';
            const { tools } = await client.listTools();
            const dial = tools.find(tool => tool.name === 'show_dial');
            const uri = 'ui://everything/dial';
            assert.deepEqual(dial?._meta, full ? { ui: { resourceUri: uri } } : undefined);
            const { resources } = await client.listResources();
            const listed = resources.find(one => one.uri === uri);
            assert.equal(listed?._meta !== undefined, full);
            const [page] = (await client.readResource({ uri })).contents;
            assert.ok(page && 'text' in page && page.text.length === listed?.size);
            assert.equal(page.mimeType, 'text/html;profile=mcp-app');
            assert.equal(page._meta !== undefined, full);

            const shown = await client.callTool({ name: 'show_dial', arguments: { percent: 30 } });
            const words = { type: 'text', text: 'The dial shows 30 percent.' };
            const json = { type: 'text', text: '{"percent":30}' };
            assert.deepEqual(shown.content, full ? [words] : [words, json]);
            if (full) assert.deepEqual(shown.structuredContent, { percent: 30 });
            const given = await call('give_metadata');
            assert.deepEqual(given._meta?.['com.example/drawn'], { by: 'hand' });
            const brought = { 'com.example/locale': ['en'] };
            const told = await client.callTool({ name: 'what_was_brought', _meta: brought });
            assert.match(text(told), /"com\.example\/locale":\["en"\]/);
            const failed = await call('fail_with_picture');
            assert.deepEqual([failed.isError, kinds(failed)], [true, ['text', 'image']]);
        });

        test('resources are listed and read', async () => {
            const { resources } = await client.listResources();
            const uris = resources.map(one => one.uri);
            for (const uri of ['test://static-text', 'test://static-binary', 'test://template/1/data'])
                assert.ok(uris.includes(uri), uri);
            const { resourceTemplates } = await client.listResourceTemplates();
            assert.deepEqual(resourceTemplates.map(one => one.uriTemplate), ['test://template/{id}/data']);
            const [plain] = (await client.readResource({ uri: 'test://static-text' })).contents;
            assert.ok(plain && 'text' in plain && plain.text.startsWith('This is the content'));
            const [picture] = (await client.readResource({ uri: 'test://static-binary' })).contents;
            assert.ok(picture && 'blob' in picture && picture.blob.startsWith('iVBOR'));
            const [one] = (await client.readResource({ uri: 'test://template/123/data' })).contents;
            assert.ok(one && 'text' in one && one.text.includes('Data for ID: 123'));
            // The client reports -32002, the code of older revisions, as the newer code.
            await refused(client.readResource({ uri: 'test://nowhere' }), -32602);
        });

        test('prompts are listed and got', async () => {
            const { prompts } = await client.listPrompts();
            const stated = prompts.find(one => one.name === 'test_prompt_with_arguments')?.arguments;
            assert.deepEqual(stated?.map(one => [one.name, one.required]), [['arg1', true], ['arg2', true]]);
            const got = await client.getPrompt({ name: 'test_prompt_with_arguments', arguments: { arg1: 'a', arg2: 'b' } });
            assert.deepEqual(got.messages[0]?.content, { type: 'text', text: "Prompt with arguments: arg1='a', arg2='b'" });
            const image = await client.getPrompt({ name: 'test_prompt_with_image' });
            assert.deepEqual(image.messages.map(one => one.content.type), ['image', 'text']);
            await refused(client.getPrompt({ name: 'test_prompt_with_arguments', arguments: { arg1: 'a' } }), -32602);
        });

        test('arguments are completed', async () => {
            const argument = { name: 'arg1', value: 'par' };
            const found = await client.complete({ ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' }, argument });
            assert.deepEqual(found.completion.values, ['paris', 'park', 'party']);
        });

        // Forms exist since 2025-06-18, multi round-trip requests since 2026-07-28.
        if (revision >= '2025-06-18')
            test('questions are answered', async () => {
                assert.match(text(await call('test_input_required_result_elicitation')), /Alice/);
                assert.match(text(await call('test_input_required_result_sampling')), /Paris/);
                assert.match(text(await call('test_input_required_result_list_roots')), /file:\/\/\/books/);
                assert.notEqual((await call('test_input_required_result_multiple_inputs')).isError, true);
                assert.match(text(await call('test_input_required_result_multi_round')), /green/);
                assert.match(text(await call('test_elicitation_sep1034_defaults')), /30/);
                // The forms of 2025-06-18 do not have multiple choice.
                const several = revision >= '2025-11-25' ? /value1/ : /^Error T0021: /;
                assert.match(text(await call('test_elicitation_sep1330_enums')), several);
                const got = await client.getPrompt({ name: 'test_input_required_result_prompt' });
                assert.match(JSON.stringify(got.messages), /a test/);
                assert.deepEqual([seen.samplings, seen.roots], [2, 2]);
            });

        test('a client that cannot be asked is not', async t => {
            const { client } = await connect(revision, false);
            // Close the client in every case: Node waits for the stream of an open client.
            t.after(() => client.close());
            const called = client.callTool({ name: 'test_missing_capability', arguments: {} });
            // MCP has an error for it since 2026-07-28.
            if (modern) await refused(called, -32021);
            else assert.match(text(await called), /^Error T0021: /);
        });

        test('a call is cancelled', async () => {
            const stop = new AbortController();
            const cancelled = client.callTool(
                { name: 'test_cancellation', arguments: {} },
                { signal: stop.signal, onprogress: () => stop.abort() }
            );
            await assert.rejects(cancelled);
            assert.ok(stop.signal.aborted, 'it had begun');
            assert.match(text(await call('test_simple_text')), /simple text/);
        });

        test('changes are told', async t => {
            const told = modern ? await client.listen({ toolsListChanged: true, resourceSubscriptions: ['test://watched-resource'] }) : undefined;
            t.after(() => told?.close());
            if (!modern) await client.subscribeResource({ uri: 'test://watched-resource' });
            seen.changed.length = 0;
            const all = new Promise<void>(resolve => {
                for (const method of ['notifications/tools/list_changed', 'notifications/resources/updated'] as const)
                    client.setNotificationHandler(method, () => {
                        seen.changed.push(method);
                        if (new Set(seen.changed).size === 2) resolve();
                    });
            });
            await call('test_trigger_tool_change');
            await call('test_trigger_resource_update');
            await all;
        });
    });
}
