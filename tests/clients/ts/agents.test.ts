// Tests the orders and everything apps with agents for the command line, each as its users install it. A model on this
// machine that answers from a script (model.ts) takes the place of the maker's, so no agent needs a login.
//
// Each test shows that the agent lists the tools, offers all of them to its model, calls two, and what of a result with
// both text and structured content it gives the model: the table in tent/docs/clients.md.
//
// ORDERS_URL and EVERYTHING_URL are the URLs of the servers, KEY_ADA is a key of the orders app, AGENTS is the folder
// with the agents' programs, and CLIENT_HOME is an empty folder for their files.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { start, type Recorder } from './model.ts';

const key = needed('KEY_ADA');
const agents = needed('AGENTS');
const home = needed('CLIENT_HOME');
const cases = JSON.parse(readFileSync(new URL('../cases.json', import.meta.url), 'utf8'));
const question = 'When is the shop open? Set the dial to 30 percent.';
// The result of show_dial is this text, and the value below as structured content.
const text = 'The dial shows 30 percent.';
const structured = /"percent": ?30/g;

let loopback: Recorder;
before(async () => {
    const servers = { '/orders': needed('ORDERS_URL'), '/everything': needed('EVERYTHING_URL') };
    loopback = await start(servers, [['shop_hours', {}], ['show_dial', { percent: 30 }]]);
});
after(() => loopback?.close());

function needed(name: string): string {
    const value = process.env[name];
    if (!value) throw new Error(`${name} is not set`);
    return value;
}

/** Runs an agent in a folder of its own until it ends; the result is all that it prints. */
async function run(name: string, args: string[], env: Record<string, string> = {}, files: Record<string, unknown> = {}): Promise<string> {
    const folder = join(home, name);
    mkdirSync(folder, { recursive: true });
    for (const [file, content] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, file)), { recursive: true });
        writeFileSync(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));
    }
    const child = spawn(join(agents, 'node_modules/.bin', name), args, {
        cwd: folder,
        // Nothing of this machine's own settings, and this Node for agents that are scripts.
        env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder, NO_COLOR: '1', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: 120_000
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', data => (printed += data));
    const status = await new Promise(ended => child.on('close', (status, signal) => ended(status ?? signal)));
    assert.equal(status, 0, printed);
    return printed;
}

const bearer = { Authorization: `Bearer ${key}` };
const url = (server: string) => `${loopback.url}/${server}`;

/** What every agent does; `gives` names what it gives its model of a result. */
function check(agent: string, revision: string, gives: 'text' | 'structured') {
    for (const server of ['/orders', '/everything']) {
        const requests = loopback.requests.filter(one => one.server === server);
        for (const method of ['tools/list', 'tools/call'])
            assert.ok(requests.some(one => one.method === method && one.status === 200), `${agent}: ${method} at ${server}: ${JSON.stringify(requests)}`);
        const revisions = new Set(requests.map(one => one.revision).filter(Boolean));
        assert.deepEqual([...revisions], [revision], `${agent} at ${server}`);
    }
    for (const tool of cases.tools.ada)
        assert.ok([...loopback.offered].some(name => name.endsWith(tool)), `${agent} offers ${tool}`);
    const last = loopback.sent.at(-1)!.replaceAll('\\', '');
    assert.ok(last.includes('Monday to Saturday'), `${agent} gives its model the result`);
    // The arguments of the call have the same member as the structured content.
    const seen = { text: last.includes(text), structured: last.match(structured)!.length > 1 };
    assert.deepEqual(seen, { text: gives === 'text', structured: gives === 'structured' }, agent);
}

test('claude-code', async () => {
    loopback.clear();
    const servers = {
        orders: { type: 'http', url: url('orders'), headers: bearer },
        everything: { type: 'http', url: url('everything') }
    };
    const printed = await run(
        'claude',
        ['-p', question, '--mcp-config', 'mcp.json', '--strict-mcp-config', '--allowedTools', 'mcp__orders', 'mcp__everything'],
        {
            ANTHROPIC_BASE_URL: loopback.url,
            ANTHROPIC_API_KEY: 'none',
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
            // Otherwise the model is offered a search for tools in place of the tools.
            ENABLE_TOOL_SEARCH: 'false'
        },
        { 'mcp.json': { mcpServers: servers } }
    );
    assert.match(printed, /done/);
    check('claude-code', '2026-07-28', 'structured');
});

test('codex', async () => {
    loopback.clear();
    const config = `
        model = "script"
        model_provider = "loopback"
        approval_policy = "never"
        sandbox_mode = "danger-full-access"
        [model_providers.loopback]
        name = "loopback"
        base_url = "${loopback.url}/v1"
        wire_api = "responses"
        [mcp_servers.orders]
        url = "${url('orders')}"
        bearer_token_env_var = "ORDERS_KEY"
        [mcp_servers.everything]
        url = "${url('everything')}"
    `;
    const printed = await run(
        'codex',
        ['exec', '--skip-git-repo-check', question],
        { CODEX_HOME: join(home, 'codex', 'config'), ORDERS_KEY: key },
        { 'config/config.toml': config }
    );
    assert.match(printed, /done/);
    check('codex', '2025-06-18', 'structured');
});

test('gemini-cli', async () => {
    loopback.clear();
    const settings = {
        mcpServers: {
            orders: { httpUrl: url('orders'), headers: bearer, trust: true },
            everything: { httpUrl: url('everything'), trust: true }
        },
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        privacy: { usageStatisticsEnabled: false }
    };
    const printed = await run(
        'gemini',
        ['--yolo', '--model', 'gemini-2.5-flash', '--prompt', question],
        { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: loopback.url },
        { '.gemini/settings.json': settings }
    );
    assert.match(printed, /done/);
    check('gemini-cli', '2025-06-18', 'text');
});

test('opencode', async () => {
    loopback.clear();
    const options = { baseURL: `${loopback.url}/v1`, apiKey: 'none' };
    const config = {
        autoupdate: false,
        share: 'disabled',
        model: 'loopback/script',
        small_model: 'loopback/script',
        provider: { loopback: { npm: '@ai-sdk/openai-compatible', name: 'loopback', options, models: { script: { name: 'script' } } } },
        mcp: {
            orders: { type: 'remote', url: url('orders'), headers: bearer, oauth: false },
            everything: { type: 'remote', url: url('everything'), oauth: false }
        }
    };
    const printed = await run('opencode', ['run', question], {}, { 'opencode.json': config });
    assert.match(printed, /done/);
    check('opencode', '2025-11-25', 'text');
});

test('mcporter', async () => {
    loopback.clear();
    const servers = { orders: { url: url('orders'), headers: bearer }, everything: { url: url('everything') } };
    const call = (args: string[]) => run('mcporter', ['--config', 'mcporter.json', ...args], {}, { 'mcporter.json': { mcpServers: servers } });
    const listed = await call(['list', 'orders']);
    for (const tool of cases.tools.ada) assert.ok(listed.includes(`function ${tool}(`), listed);
    assert.match(await call(['call', 'orders.shop_hours']), /Monday to Saturday/);
    const printed = await call(['call', 'everything.show_dial', 'percent=30']);
    assert.deepEqual({ text: printed.includes(text), structured: structured.test(printed) }, { text: false, structured: true });
});
