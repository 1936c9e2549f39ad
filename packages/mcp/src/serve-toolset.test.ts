import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool, type ToolContext } from './define-tool.ts';
import { Toolset } from './serve-toolset.ts';

const parameters = { type: 'object', properties: {} };
const context = {} as ToolContext;

/** The result that a client gets from a tool, as text. */
async function written(execute: () => unknown, outputSchema?: z.ZodType): Promise<string> {
  const hints = outputSchema ? { outputSchema } : undefined;
  const toolset = new Toolset([defineTool({ name: 'give', parameters, execute, hints })]);
  return JSON.stringify(await toolset.call('give', {}, context));
}

const N = 12345678901234567890n;

test('integers of structured content keep all their digits', async () => {
  const text = '"structuredContent":{"n":12345678901234567890}';
  expect(await written(() => ({ n: N }))).toContain(text);
  expect(await written(() => ({ n: N }), z.object({ n: z.number() }))).toContain(text);
  expect(await written(() => ({ content: [], structuredContent: { n: N } }))).toContain(text);
});

test.each<[string, () => unknown, string]>([
  ['an error without a message', () => Promise.reject(new TypeError()), 'it threw TypeError without a message'],
  ['an object', () => Promise.reject({ code: 7 }), 'it threw { code: 7 }'],
  ['a returned map', () => new Map(), 'it gave a Map, which is no JSON'],
])('a client gets the same error for %s as a run', async (_claim, execute, text) => {
  expect(JSON.parse(await written(execute))).toEqual({ content: [{ type: 'text', text }], isError: true });
});

test.each([
  { content: [{ type: 'paragraph', text: 'a' }] },
  { content: [{ type: 'text' }] },
  { content: [{ type: 'image', data: 'AAAA' }] },
  { content: [{ type: 'resource', resource: { uri: 'a:b' } }] },
  { content: [], isError: 'no' },
])('a result that clients would reject is sent as JSON: %j', async (value) => {
  expect(JSON.parse(await written(() => value))).toEqual({
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structuredContent: value,
  });
});

test.each([6_000, 100_000])('arguments nested %i levels deep are rejected with an error result', async (depth) => {
  const toolset = new Toolset([defineTool({ name: 'give', parameters, execute: () => 'given' })]);
  const deep = JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;
  expect(await toolset.call('give', { a: deep }, context)).toEqual({
    content: [{ type: 'text', text: 'the arguments are nested too deeply: 500 levels at most are read' }],
    isError: true,
  });
});
