// Tests that JavaScript reads the accepted patterns of tests/patterns.json as tent does, which the integration tests check.
//
// Each entry is [pattern, texts that match, texts that do not]. Requires only Node, which strips the types.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

type Entry = [pattern: string, matching: string[], others: string[]];
const table: Entry[] = JSON.parse(readFileSync(new URL('../../patterns.json', import.meta.url), 'utf8'));

test('the table has patterns', () => assert.ok(table.length > 50));

for (const [pattern, matching, others] of table) {
    test(`the pattern ${JSON.stringify(pattern)}`, () => {
        const regex = new RegExp(pattern, 'u');
        for (const text of matching) assert.ok(regex.test(text), `must match ${JSON.stringify(text)}`);
        for (const text of others) assert.ok(!regex.test(text), `must not match ${JSON.stringify(text)}`);
    });
}
