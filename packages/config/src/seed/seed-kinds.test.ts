import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Mapping } from '../spelling.ts';
import { readForm, writeForm } from '../read-form.ts';
import { seedConfig } from '../schemas/seed-config.ts';
import { loadDocument } from '../load-document.ts';
import { checkSeedSource } from '../check/check-seed.ts';
import { ColumnRegistry } from '../column-registry.ts';
import { defineSeed, seedFields } from '../define-seed.ts';
import { seedTypeOf } from './seed-kind.ts';
import { seedKinds } from './seed-kinds.ts';

const words = defineSeed({
  type: 'words',
  schema: z.strictObject({ ...seedFields('words', 'Words.'), list: z.array(z.string()) }),
  columns: ({ list }) => list,
  rows: ({ list }) => [Object.fromEntries(list.map((word) => [word, 1]))],
});

const registry = new ColumnRegistry([], { seeds: [words] });

const conformance = fileURLToPath(new URL('../../../../test/conformance/data/', import.meta.url));

interface Case {
  readonly file: string;
  readonly valid: boolean;
  readonly stage?: string;
  readonly error_paths?: readonly string[];
  readonly normalized?: { readonly data_designer?: { readonly seed_config?: unknown } };
}

const CASES = readFileSync(join(conformance, 'configs.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case)
  .filter(({ file, normalized }) => /\/seed_/.test(file) || normalized?.data_designer?.seed_config)
  .map((one) => [one.file, one] as const);

/** The load mistakes in the seed of a conformance config, and the seed as written back. */
function load(file: string): { mistakes: string[]; written?: unknown } {
  const document = loadDocument(join(conformance, file)) as { readonly seed_config: unknown };
  const parsed = seedConfig.safeParse(readForm(seedConfig, document.seed_config));
  if (!parsed.success) return { mistakes: parsed.error.issues.map(({ path }) => path.join('.')) };
  const options = { folder: join(conformance, 'configs'), localFiles: true, secrets: [], environment: {} };
  const findings = checkSeedSource(parsed.data.source, registry, options).filter(({ stage }) => stage === 'load');
  const written = JSON.parse(JSON.stringify(writeForm(seedConfig, parsed.data))) as unknown;
  return { mistakes: findings.map(({ field }) => field.join('.')), written };
}

const inCamelCase = (path: string) => path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const isRefused = ([, { valid, stage }]: (typeof CASES)[number]) => !valid && stage === 'load';

test.each(CASES.filter((one) => !isRefused(one)))('%s loads as in the Python tool', (file, { normalized }) => {
  expect(load(file)).toEqual({ mistakes: [], written: normalized?.data_designer?.seed_config });
});

test.each(CASES.filter(isRefused))(
  '%s is refused at the path that the Python tool reports',
  (file, { error_paths: places }) => {
    const roots = places?.map((place) => inCamelCase(place.replace('seed_config.', ''))) ?? ['source'];
    const { mistakes } = load(file);
    expect(mistakes.filter((mistake) => roots.some((root) => mistake.startsWith(root)))).not.toEqual([]);
  },
);

test('the conformance data has more than 20 cases of seeds', () => {
  expect(CASES.length).toBeGreaterThan(20);
});

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'check-seed-'));
  for (const inner of ['notes', 'bare', 'links']) mkdirSync(join(folder, inner));
  writeFileSync(join(folder, 'notes', 'one.txt'), 'one');
  symlinkSync(join(folder, 'notes', 'one.txt'), join(folder, 'links', 'out.txt'));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** The findings for a source, as `stage field: type`. */
function found(source: object, { localFiles = true } = {}): string[] {
  const parsed = seedConfig.parse(readForm(seedConfig, { source }));
  const findings = checkSeedSource(parsed.source, registry, { folder, localFiles, secrets: [], environment: {} });
  return findings.map(({ stage, field, type }) => `${stage} ${field.join('.')}: ${type}`);
}

test.each([
  [{ seed_type: 'directory', path: 'notes' }, []],
  [{ seed_type: 'directory', path: 'gone' }, ['validate source.path: seed_path_missing']],
  [{ seed_type: 'directory', path: 'notes/one.txt' }, ['validate source.path: seed_path_missing']],
  [{ seed_type: 'directory', path: 'bare' }, ['validate source.path: seed_empty']],
  [
    { seed_type: 'directory', path: '.', file_pattern: '*.txt', recursive: false },
    ['validate source.path: seed_empty'],
  ],
  [{ seed_type: 'file_contents', path: 'notes', file_pattern: '*.md' }, ['run source.path: seed_empty']],
  [{ seed_type: 'file_contents', path: 'notes', encoding: 'utf-7' }, ['run source.encoding: encoding_unsupported']],
  [{ seed_type: 'agent_rollout', format: 'codex', path: 'notes' }, ['run source.path: seed_empty']],
  [{ seed_type: 'local', path: 'notes' }, ['load source.path: seed_path_missing']],
  [{ seed_type: 'local', path: 'notes/one.txt' }, ['load source.path: seed_format_unknown']],
  [{ seed_type: 'mcp-tools', path: 'notes/one.txt' }, []],
  [{ seed_type: 'mcp-tools', path: 'gone.json' }, ['load source.path: seed_path_missing']],
  [{ seed_type: 'mcp-tools', path: 'notes' }, ['load source.path: seed_path_missing']],
  [{ seed_type: 'df', rows: [] }, []],
])('the findings for %o are %o', (source, findings) => {
  expect(found(source)).toEqual(findings);
});

test('the remedy for a folder of outside links names a skipped link', () => {
  const source = seedConfig.parse({ source: { seedType: 'directory', path: 'links' } }).source;
  const [finding] = checkSeedSource(source, registry, { folder, localFiles: true, secrets: [] });
  expect(finding?.remedy).toBe("One is left out, as 'out.txt': it leads out of the folder.");
});

test.each([
  { seed_type: 'local', path: '/etc/passwd' },
  { seed_type: 'local', path: 'gone.csv' },
  { seed_type: 'directory', path: 'notes' },
  { seed_type: 'file_contents', path: '/etc', encoding: 'cp437' },
  { seed_type: 'agent_rollout', format: 'codex' },
])('a config from an address may not use %o, whether it exists or not', (source) => {
  expect(found(source, { localFiles: false }).map((finding) => finding.replace(/source[^:]*/, 'source'))).toEqual([
    'run source: local_file_refused',
  ]);
});

test('a config from an address may use the Hub and rows in memory', () => {
  expect(found({ seed_type: 'hf', path: 'datasets/a/b/c.csv' }, { localFiles: false })).toEqual([]);
  expect(found({ seed_type: 'df', rows: [{ a: 1 }] }, { localFiles: false })).toEqual([]);
});

const FILE_COLUMNS = ['source_kind', 'source_path', 'relative_path', 'file_name'];

/** A source of every kind, with the columns known without its rows; a new kind needs an entry. */
const SOURCES: readonly [source: Mapping & { readonly seedType: string }, columns: unknown][] = [
  [{ seedType: 'local', path: 'x.csv' }, undefined],
  [{ seedType: 'hf', path: 'datasets/a/b/c.csv' }, undefined],
  [{ seedType: 'dataset', path: 'facts', reviews: 'accepted' }, undefined],
  [{ seedType: 'directory', path: 'notes' }, FILE_COLUMNS],
  [{ seedType: 'file_contents', path: 'notes' }, [...FILE_COLUMNS, 'content']],
  [{ seedType: 'agent_rollout', format: 'codex' }, expect.arrayContaining(['trace_id', 'messages', 'message_count'])],
  [{ seedType: 'mcp-tools', path: 'tools.json' }, ['provider', 'name', 'description', 'parameters']],
  [{ seedType: 'mcp-tools', path: 'tools.json', rowOf: 'provider' }, ['provider', 'tools']],
  [{ seedType: 'df', rows: [{ a: 1 }, { b: 1, a: 2 }] }, ['a', 'b']],
  [{ seedType: 'words', list: ['c'] }, ['c']],
];

test('SOURCES has an entry for every seed kind', () => {
  const names = [...seedKinds.map(({ schema }) => seedTypeOf(schema)), words.type];
  expect([...new Set(SOURCES.map(([{ seedType }]) => seedType))]).toEqual(names);
});

test.each(SOURCES)('%o: the seed kind accepts it, knows its columns and lists only its own keys', (source, columns) => {
  const kind = registry.seedKindOf(source);
  const { source: parsed } = registry.shell.shape.seedConfig.unwrap().unwrap().parse({ source }) ?? {};
  expect(parsed && kind.columns?.(parsed)).toEqual(columns);
  const keys = Object.keys(kind.schema.shape);
  expect(keys).toEqual(expect.arrayContaining([...(kind.transport ?? []), ...(kind.inMemory ? [kind.inMemory] : [])]));
  expect(kind.schema.shape.seedType?.description).toBeTruthy();
});

test.each(SOURCES)('%o: a config from an address reads no local file with it', (source) => {
  const kind = registry.seedKindOf(source);
  const { source: parsed } = registry.shell.shape.seedConfig.unwrap().unwrap().parse({ source }) ?? {};
  const options = { folder, localFiles: false, secrets: [], environment: {} };
  const refusesAddresses = kind.readsFiles === true || source.seedType === words.type;
  expect(parsed && checkSeedSource(parsed, registry, options).map(({ type }) => type)).toEqual(
    refusesAddresses ? ['local_file_refused'] : [],
  );
});
