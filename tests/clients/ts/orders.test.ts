// Tests the orders app with the official TypeScript client, in every revision of MCP that the client supports.
//
// ORDERS_URL is the URL of the server (http://127.0.0.1:3000/mcp); KEY_ADA, KEY_GRACE and KEY_READER are the keys of
// cases.json. Requires only Node, which strips the types.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import {
    Client,
    InsufficientScopeError,
    ProtocolError,
    SdkHttpError,
    StreamableHTTPClientTransport,
    SUPPORTED_PROTOCOL_VERSIONS,
    type CallToolResult,
    type ClientOptions
} from '@modelcontextprotocol/client';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
interface Case {
    as: string;
    tool: string;
    input: Record<string, Json>;
    result?: Json;
    result_ids?: number[];
    result_part?: Record<string, Json>;
    error?: string;
    status?: number;
    message?: string;
    fields?: string[];
    unknown?: boolean;
    lacks_scope?: string;
}
interface Listed {
    title: string;
    annotations: Record<string, boolean>;
    properties: string[];
    required: string[];
    output: string[] | null;
}
interface Cases {
    tools: Record<string, string[]>;
    listed: Record<string, Listed>;
    calls: Case[];
}

const cases: Cases = JSON.parse(readFileSync(new URL('../cases.json', import.meta.url), 'utf8'));
const url = new URL(needed('ORDERS_URL'));
const callers = ['ada', 'grace', 'reader'];
const newest = '2026-07-28';
const revisions = [newest, ...SUPPORTED_PROTOCOL_VERSIONS.filter(revision => revision >= '2024-11-05')];

function needed(name: string): string {
    const value = process.env[name];
    if (!value) throw new Error(`${name} is not set`);
    return value;
}

function options(revision: string): ClientOptions {
    return revision === newest
        ? { versionNegotiation: { mode: { pin: revision } } }
        : { versionNegotiation: { mode: 'legacy' }, supportedProtocolVersions: [revision] };
}

async function connect(options: ClientOptions, key?: string): Promise<Client> {
    const client = new Client({ name: 'orders-test', version: '1.0.0' }, options);
    const headers: Record<string, string> = key ? { Authorization: `Bearer ${key}` } : {};
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    return client;
}

function text(result: CallToolResult): string {
    assert.equal(result.content.length, 1, 'one text');
    const [content] = result.content;
    assert.equal(content.type, 'text');
    return content.type === 'text' ? content.text : '';
}

function checkValue(one: Case, revision: string, result: CallToolResult) {
    assert.notEqual(result.isError, true, JSON.stringify(result));
    const value = JSON.parse(text(result));
    if (revision >= '2025-06-18') assert.deepEqual(result.structuredContent, value, 'the text says the same');
    else assert.equal(result.structuredContent, undefined, `${revision} has no structured content`);
    const wrapped = one.result_ids !== undefined;
    assert.equal(result._meta?.['tent.wrapped'], wrapped ? true : undefined);
    if (one.result_ids) {
        assert.deepEqual(Object.keys(value), ['value']);
        assert.deepEqual(value.value.map((order: { id: number }) => order.id), one.result_ids);
    }
    if (one.result !== undefined) assert.deepEqual(value, one.result);
    if (one.result_part) {
        const part = Object.fromEntries(Object.keys(one.result_part).map(name => [name, value[name]]));
        assert.deepEqual(part, one.result_part);
    }
}

function checkFailure(one: Case, result: CallToolResult) {
    assert.equal(result.isError, true, JSON.stringify(result));
    assert.equal(result.structuredContent, undefined, 'a failure is no value');
    const lines = text(result).split('\n');
    assert.ok(lines[0].startsWith(`Error ${one.error}: `), lines[0]);
    if (one.message) assert.equal(lines[0], `Error ${one.error}: ${one.message}`);
    assert.match(lines[1], /^Fix: ./);
    const error = result._meta?.['tent.error'] as Record<string, any>;
    assert.equal(error.code, one.error);
    assert.equal(error.status, one.status);
    if (one.fields) {
        assert.deepEqual(Object.keys(error.fields).sort(), one.fields);
        assert.deepEqual(lines.slice(2).map(line => line.split(':')[0]).sort(), one.fields);
    }
}

for (const revision of revisions) {
    describe(revision, () => {
        const clients: Record<string, Client> = {};
        before(async () => {
            for (const caller of callers) clients[caller] = await connect(options(revision), needed(`KEY_${caller.toUpperCase()}`));
        });
        after(async () => {
            for (const client of Object.values(clients)) await client.close();
        });

        test('the revision is agreed and the server says its name', () => {
            assert.equal(clients.ada.getNegotiatedProtocolVersion(), revision);
            assert.equal(clients.ada.getServerVersion()?.name, 'orders');
            assert.ok(clients.ada.getServerCapabilities()?.tools);
        });

        for (const [caller, names] of Object.entries(cases.tools)) {
            test(`${caller} is listed ${names.length} tools`, async () => {
                const { tools } = await clients[caller].listTools();
                assert.deepEqual(tools.map(tool => tool.name).sort(), names);
                for (const tool of tools) {
                    const listed = cases.listed[tool.name];
                    assert.ok(tool.description, `${tool.name} says what it does`);
                    assert.equal(tool.inputSchema.type, 'object');
                    assert.deepEqual(Object.keys(tool.inputSchema.properties ?? {}).sort(), listed.properties);
                    assert.deepEqual([...(tool.inputSchema.required ?? [])].sort(), listed.required);
                    if (revision >= '2025-06-18') {
                        assert.equal(tool.title, listed.title);
                        assert.deepEqual(tool.annotations, listed.annotations);
                        const output = tool.outputSchema && Object.keys(tool.outputSchema.properties ?? {}).sort();
                        assert.deepEqual(output ?? null, listed.output);
                    } else {
                        assert.equal(tool.title, undefined, `${revision} has no title of a tool`);
                        assert.equal(tool.outputSchema, undefined, `${revision} has no output schema`);
                        const annotations = revision === '2024-11-05' ? undefined : listed.annotations;
                        assert.deepEqual(tool.annotations, annotations);
                    }
                }
            });
        }

        for (const one of cases.calls) {
            test(`${one.as} calls ${one.tool} ${JSON.stringify(one.input)}`, async () => {
                const called = clients[one.as].callTool({ name: one.tool, arguments: one.input });
                if (one.unknown) {
                    await assert.rejects(called, error => {
                        assert.ok(error instanceof ProtocolError, String(error));
                        assert.equal(error.code, -32602);
                        return true;
                    });
                } else if (one.lacks_scope) {
                    await assert.rejects(called, error => {
                        assert.ok(error instanceof InsufficientScopeError, String(error));
                        assert.equal(error.requiredScope, one.lacks_scope);
                        return true;
                    });
                } else if (one.error) {
                    checkFailure(one, await called);
                } else {
                    checkValue(one, revision, await called);
                }
            });
        }

        test('a call without arguments is a call with none', async () => {
            const result = await clients.ada.callTool({ name: 'shop_hours' });
            assert.notEqual(result.isError, true);
        });

        for (const [name, key] of [['no key', undefined], ['a key that is not good', 'tk_not_a_key']] as const) {
            test(`${name} is refused with 401`, async () => {
                await assert.rejects(connect(options(revision), key), error => {
                    assert.ok(error instanceof SdkHttpError, String(error));
                    assert.equal(error.status, 401);
                    return true;
                });
            });
        }
    });
}

test('a client that takes either era gets the newest revision', async () => {
    const client = await connect({ versionNegotiation: { mode: 'auto' } }, needed('KEY_ADA'));
    assert.equal(client.getNegotiatedProtocolVersion(), newest);
    await client.close();
});
