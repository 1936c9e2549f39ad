import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MCPProvider } from '@data-designer/config';
import type { ToolSchema } from '@data-designer/core';
import { toolSchema } from '@data-designer/mcp';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { filedTools, readToolsFiles } from './tools-file.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tools-file-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Reads a file of tools for providers, of which a plan uses those of `used`. */
async function read(content: unknown, names: readonly string[], used = names) {
  const toolsFile = join(folder, 'tools.json');
  writeFileSync(toolsFile, JSON.stringify(content));
  const tools = names.map((name): MCPProvider => ({
    name,
    providerType: 'stdio',
    command: 'none',
    args: [],
    env: {},
    toolsFile,
  }));
  const resources = used.map(
    (provider) => ({ id: provider, kind: 'tools', provider, limit: 1, pool: provider }) as const,
  );
  return readToolsFiles({ resources }, { tools });
}

const parameters = { type: 'object', properties: { path: { type: 'string' } } };
const TOOL = { name: 'read', description: 'Reads.', inputSchema: parameters };
const SCHEMA: ToolSchema = { type: 'function', function: { name: 'read', description: 'Reads.', parameters } };

test('reads the list of each provider', async () => {
  const other = { ...TOOL, name: 'write' };
  const providers = [
    { provider: 'b', tools: [other] },
    { provider: 'a', tools: [TOOL] },
  ];
  const found = await read({ listed_at: 'then', providers }, ['a', 'b']);
  expect(
    found.map(({ provider, listedAt, tools }) => [provider, listedAt, tools.map((one) => one.function.name)]),
  ).toEqual([
    ['a', 'then', ['read']],
    ['b', 'then', ['write']],
  ]);
  expect(found[0]?.tools).toEqual([SCHEMA]);
});

test('reads the answer of a server to tools/list', async () => {
  const [file] = await read({ tools: [TOOL] }, ['a']);
  expect(file).toEqual({ provider: 'a', path: join(folder, 'tools.json'), listedAt: null, tools: [SCHEMA] });
});

test.each([
  [{ tools: [TOOL] }, ['a', 'b'], "has the answer of one server to tools/list, but it is that of 'a', 'b'"],
  [{ tools: [TOOL], nextCursor: '2' }, ['a'], 'has one page of an answer to tools/list, with a nextCursor'],
  [{ providers: [{ provider: 'b', tools: [TOOL] }], tools: [TOOL] }, ['a'], "has no tools of 'a'"],
  [[TOOL], ['a'], "has no tools of 'a'"],
  [{ tools: [{}] }, ['a'], 'has a tool without a name'],
])('refuses %j for the providers %j', async (content, names, reason) => {
  const reading = read(content, names, ['a']);
  await expect(reading).rejects.toThrow(reason);
  await expect(reading).rejects.toThrow("; 'data-designer mcp list-tools --output FILE' writes one.");
});

test('writes the tools that read back the same, without their prefix, and names the others', async () => {
  const named = toolSchema({
    ...SCHEMA.function,
    name: 'odd',
    parameters: { type: 'object', properties: { $top: {} } },
  });
  const bad = { ...SCHEMA, function: { ...SCHEMA.function, name: 'bad', parameters: 'text' as unknown as object } };
  const dropped: ToolSchema = { ...SCHEMA, sent: { dropped: 'it is too deep' } };
  const { tools, leftOut } = filedTools([{ ...SCHEMA, prefix: 'my_' }, named, bad as ToolSchema, dropped]);
  expect(tools.map(({ name }) => name)).toEqual(['read', 'odd']);
  expect(tools[0]).toEqual(TOOL);
  expect(leftOut).toEqual([
    { name: 'bad', reason: 'its schema is no object' },
    { name: 'read', reason: 'it is too deep' },
  ]);
  expect((await read({ tools }, ['a']))[0]?.tools).toEqual([SCHEMA, named]);
});
