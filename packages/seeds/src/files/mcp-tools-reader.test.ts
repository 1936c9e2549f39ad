import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inspectSeed, seedSource } from '../inspect-seed.ts';
import { materialiseTable } from '../tables/materialise-table.ts';
import { tablesReader } from '../tables/table-reader.ts';

let folder: string;
const signal = new AbortController().signal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcp-tools-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const inputSchema = { type: 'object', properties: { größe: { type: 'number' } }, required: ['größe'] };
const FILE = {
  listed_at: '2026-01-01T00:00:00.000Z',
  providers: [
    { provider: 'files', tools: [{ name: 'read', description: 'Reads a file.', inputSchema }, { name: 'list' }] },
    { provider: 'idle', tools: [] },
    { provider: 'memory', tools: [{ name: 'read', description: 'Reads the graph.' }] },
  ],
};

function seedOf(content: unknown, providers: string[] | null, rowOf: 'tool' | 'provider' = 'tool') {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  writeFileSync(join(folder, 'tools.json'), text);
  const source = { seedType: 'mcp-tools', path: 'tools.json', providers, rowOf } as const;
  return { source, samplingStrategy: 'ordered', selectionStrategy: null } as const;
}

async function rowsOf(providers: string[] | null, content: object = FILE, rowOf?: 'tool' | 'provider') {
  const seed = seedOf(content, providers, rowOf);
  const inspection = await inspectSeed(seed, { folder });
  const table = seedSource(seed, inspection);
  if (!table) throw new Error('It cannot be read.');
  const { rows = 0 } = inspection;
  const path = join(folder, 'table.parquet');
  const { rows: made } = await materialiseTable(table, path, {
    run: { rows, seed: 1 },
    context: { scratch: folder, signal },
  });
  const read = await tablesReader([table], [{ id: table.id, path, rows: made }])({ firstRow: 0, rows });
  const columns = [...(read.get(table.id) ?? [])];
  return Array.from({ length: rows }, (_, row) =>
    Object.fromEntries(columns.map(([name, cells]) => [name, cells[row]])),
  );
}

const NO_PARAMETERS = '{"type":"object","properties":{}}';
const MEMORY = { provider: 'memory', name: 'read', description: 'Reads the graph.', parameters: NO_PARAMETERS };

test('gives a row for each tool of each provider, in the order of the file', async () => {
  expect(await rowsOf(null)).toEqual([
    { provider: 'files', name: 'read', description: 'Reads a file.', parameters: JSON.stringify(inputSchema) },
    { provider: 'files', name: 'list', description: '', parameters: NO_PARAMETERS },
    MEMORY,
  ]);
});

test('gives the tools of the named providers alone', async () => {
  expect(await rowsOf(['memory', 'idle'])).toEqual([MEMORY]);
});

test.each([{}, { nextCursor: null }])(
  'reads the answer of one named server to tools/list, also with %j',
  async (rest) => {
    const { tools } = FILE.providers[2] ?? {};
    expect(await rowsOf(['memory'], { tools, ...rest })).toEqual([MEMORY]);
  },
);

test('gives a row for each provider that has tools, with the list of them', async () => {
  const { provider, ...memory } = MEMORY;
  expect(await rowsOf(null, FILE, 'provider')).toEqual([
    {
      provider: 'files',
      tools: [
        { name: 'read', description: 'Reads a file.', parameters: JSON.stringify(inputSchema) },
        { name: 'list', description: '', parameters: NO_PARAMETERS },
      ],
    },
    { provider, tools: [memory] },
  ]);
});

const list = (...tools: unknown[]) => ({ providers: [{ provider: 'files', tools }] });

test.each([
  ['[', null, 'source.path: seed_unreadable', 'tools.json cannot be read: it is no JSON.'],
  [[{ name: 'read' }], null, 'source.path: seed_unreadable', "it has no list 'providers'."],
  [{ providers: [{ tools: [] }] }, null, 'source.path: seed_unreadable', "providers[0] has no 'provider' with a name."],
  [{ providers: [{ provider: 'a' }] }, null, 'source.path: seed_unreadable', "the provider 'a' has no list 'tools'."],
  [list({ name: 'a' }, {}), null, 'source.path: seed_unreadable', "tools[1] of 'files' has no name, or an"],
  [list({ name: '' }), null, 'source.path: seed_unreadable', "tools[0] of 'files' has no name, or an"],
  [list({ name: 'a', inputSchema: [] }), null, 'source.path: seed_unreadable', "an 'inputSchema' that is no object."],
  [{ tools: [] }, null, 'source.path: seed_unreadable', "whose provider 'providers' must name: a list of one name."],
  [{ tools: [] }, ['a', 'b'], 'source.path: seed_unreadable', 'must name: a list of one name.'],
  [{ tools: [], nextCursor: '2' }, ['a'], 'source.path: seed_unreadable', 'one page of an answer to tools/list'],
  [{ tools: [] }, ['a'], 'source.path: seed_empty', "tools.json lists no tools of 'a'."],
  [{ tools: 'x' }, ['a'], 'source.path: seed_unreadable', "the provider 'a' has no list 'tools'."],
  [{ providers: [] }, null, 'source.path: seed_empty', 'tools.json lists no tools.'],
  [FILE, ['idle'], 'source.path: seed_empty', "tools.json lists no tools of 'idle'."],
  [FILE, ['files', 'memroy'], 'source.providers.1: seed_provider_missing', "has no tools of the provider 'memroy'."],
])('reports %j with the providers %j', async (...[content, providers, place, words]) => {
  const { columns, findings } = await inspectSeed(seedOf(content, providers), { folder });
  expect(findings.map(({ field, type }) => `${field.join('.')}: ${type}`)).toEqual([place]);
  expect(findings[0]?.message).toContain(words);
  expect(columns).toBeUndefined();
});

test('says which command writes such a file', async () => {
  const { findings } = await inspectSeed(seedOf('[', null), { folder });
  expect(findings[0]?.remedy).toContain("'data-designer mcp list-tools --output FILE'");
});

test('suggests the provider with the nearest name', async () => {
  const { findings } = await inspectSeed(seedOf(FILE, ['memroy']), { folder });
  expect(findings[0]?.remedy).toBe("Did you mean 'memory'?");
});
