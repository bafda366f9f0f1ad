// A model that answers from a script, behind the HTTP interfaces of four makers, and a recorder in front of MCP servers.
//
// An agent that is pointed at it believes that it talks to a model. The script calls one tool after another, then says
// "done". What the agent sends back shows what it gives its model of a tool's result.

import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that a client made of an MCP server. */
export interface McpRequest {
    server: string;
    method: string;
    revision: string;
    status: number;
}

export interface Recorder {
    url: string;
    requests: McpRequest[];
    /** The names of the tools that the agent offered to the model. */
    offered: Set<string>;
    /** All that the agent sent to the model, as text. */
    sent: string[];
    clear(): void;
    close(): void;
}

type Json = any;

/** Starts it. `servers` maps a path to the URL of an MCP server; `script` has the tools to call, in order. */
export async function start(servers: Record<string, string>, script: [string, object][]): Promise<Recorder> {
    const recorder: Recorder = {
        url: '',
        requests: [],
        offered: new Set(),
        sent: [],
        clear() {
            recorder.requests = [];
            recorder.offered = new Set();
            recorder.sent = [];
        },
        close() {
            http.close();
            http.closeAllConnections();
        }
    };
    const http = createServer((req, res) => {
        handle(req, res).catch(error => {
            console.error(error);
            res.destroy();
        });
    });

    async function handle(req: IncomingMessage, res: ServerResponse) {
        const chunks: Buffer[] = [];
        for await (const chunk of req) chunks.push(chunk);
        const body = Buffer.concat(chunks);
        const path = new URL(req.url!, 'http://localhost').pathname;
        for (const [prefix, target] of Object.entries(servers))
            if (path === prefix) return forward(prefix, new URL(target), req, res, body);
        let message: Json = {};
        try {
            message = JSON.parse(body.toString());
        } catch {}
        recorder.sent.push(body.toString());
        answer(path, message, res);
    }

    function forward(server: string, target: URL, req: IncomingMessage, res: ServerResponse, body: Buffer) {
        let message: Json;
        try {
            message = JSON.parse(body.toString());
        } catch {}
        const headers = { ...req.headers, host: target.host };
        const onward = request(target, { method: req.method, headers }, response => {
            recorder.requests.push({
                server,
                method: message?.method ?? req.method,
                revision: String(req.headers['mcp-protocol-version'] ?? message?.params?.protocolVersion ?? ''),
                status: response.statusCode!
            });
            res.writeHead(response.statusCode!, response.headers);
            response.pipe(res);
        });
        onward.on('error', () => res.destroy());
        res.on('close', () => onward.destroy());
        onward.end(body);
    }

    /** The next call of the script, with the tool's name as the agent has it. */
    function next(offered: string[], history: Json): { name: string; args: object } | undefined {
        for (const name of offered) recorder.offered.add(name);
        const [tool, args] = script[steps(history)] ?? [];
        const name = tool && offered.find(name => name.endsWith(tool));
        return name ? { name, args: args! } : undefined;
    }

    /** How many calls of the script the history has. */
    function steps(history: Json): number {
        return new Set(JSON.stringify(history ?? []).match(/call_\d+_of_script/g)).size;
    }

    function answer(path: string, message: Json, res: ServerResponse) {
        if (path.endsWith('/messages')) return anthropic(message, res);
        if (path.endsWith('/responses')) return responses(message, res);
        if (path.endsWith('/chat/completions')) return completions(message, res);
        if (/generateContent/i.test(path)) return gemini(path, message, res);
        res.writeHead(404, { 'content-type': 'application/json' }).end('{"input_tokens":1}');
    }

    function anthropic(message: Json, res: ServerResponse) {
        const offered = (message.tools ?? []).map((tool: Json) => tool.name);
        const call = next(offered, message.messages);
        const id = `call_${steps(message.messages)}_of_script`;
        const content = call ? { type: 'tool_use', id, name: call.name, input: call.args } : { type: 'text', text: 'done' };
        const reason = call ? 'tool_use' : 'end_turn';
        const usage = { input_tokens: 1, output_tokens: 1 };
        const whole = { id: 'msg', type: 'message', role: 'assistant', model: message.model, content: [], stop_reason: null, usage };
        if (!message.stream) return json(res, { ...whole, content: [content], stop_reason: reason });
        const delta = call
            ? { type: 'input_json_delta', partial_json: JSON.stringify(call.args) }
            : { type: 'text_delta', text: 'done' };
        events(res, [
            { type: 'message_start', message: whole },
            { type: 'content_block_start', index: 0, content_block: call ? { ...content, input: {} } : { type: 'text', text: '' } },
            { type: 'content_block_delta', index: 0, delta },
            { type: 'content_block_stop', index: 0 },
            { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage },
            { type: 'message_stop' }
        ]);
    }

    function responses(message: Json, res: ServerResponse) {
        const tools: [string, string?][] = (message.tools ?? []).flatMap((tool: Json) =>
            tool.type === 'namespace' ? tool.tools.map((one: Json) => [one.name, tool.name]) : [[tool.name ?? tool.type]]
        );
        const call = next(tools.map(([name]) => name), message.input);
        const namespace = tools.find(tool => tool[0] === call?.name)?.[1];
        const call_id = `call_${steps(message.input)}_of_script`;
        const item = call
            ? { type: 'function_call', id: 'item', call_id, name: call.name, namespace, arguments: JSON.stringify(call.args) }
            : { type: 'message', id: 'item', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] };
        const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
        events(res, [
            { type: 'response.created', response: { id: 'response' } },
            { type: 'response.output_item.done', output_index: 0, item },
            { type: 'response.completed', response: { id: 'response', output: [item], usage } }
        ]);
    }

    function completions(message: Json, res: ServerResponse) {
        const offered = (message.tools ?? []).map((tool: Json) => tool.function?.name);
        const call = next(offered, message.messages);
        const id = `call_${steps(message.messages)}_of_script`;
        const called = call && { name: call.name, arguments: JSON.stringify(call.args) };
        const delta = called
            ? { role: 'assistant', tool_calls: [{ index: 0, id, type: 'function', function: called }] }
            : { role: 'assistant', content: 'done' };
        const head = { id: 'completion', object: 'chat.completion.chunk', created: 1, model: message.model };
        const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
        events(res, [
            { ...head, choices: [{ index: 0, delta, finish_reason: null }] },
            { ...head, choices: [{ index: 0, delta: {}, finish_reason: call ? 'tool_calls' : 'stop' }], usage },
            '[DONE]'
        ]);
    }

    function gemini(path: string, message: Json, res: ServerResponse) {
        const offered = (message.tools ?? []).flatMap((tool: Json) => tool.functionDeclarations ?? []).map((tool: Json) => tool.name);
        const call = next(offered, message.contents);
        const id = `call_${steps(message.contents)}_of_script`;
        const part = call ? { functionCall: { id, ...call } } : { text: 'done' };
        const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
        const whole = { candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }], usageMetadata };
        if (/stream/i.test(path)) events(res, [whole]);
        else json(res, whole);
    }

    http.listen(0, '127.0.0.1');
    await new Promise(listening => http.once('listening', listening));
    recorder.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    return recorder;
}

function json(res: ServerResponse, value: Json) {
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function events(res: ServerResponse, list: Json[]) {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const one of list) {
        if (one.type) res.write(`event: ${one.type}\n`);
        res.write(`data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`);
    }
    res.end();
}
