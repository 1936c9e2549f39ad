import { expect, test } from 'vitest';
import { readForm, writeForm } from '../read-form.ts';
import { violationsOf } from '../violations.ts';
import { seedConfig } from './seed-config.ts';

const parse = (document: unknown) => seedConfig.safeParse(readForm(seedConfig, document));
const load = (source: object, rest: object = {}) => parse({ source, ...rest });

/** The violations of a seed config, as `path: message`. */
function mistakes(source: object, rest: object = {}): string[] {
  const document = { source, ...rest };
  const value = readForm(seedConfig, document);
  const issues = seedConfig.safeParse(value).error?.issues ?? [];
  const violations = violationsOf(issues, { schema: seedConfig, value, prefix: [], document });
  return violations.map(({ path, message }) => `${path}: ${message}`);
}

const keepers = { seed_type: 'local', path: 'keepers.json' };

test.each([
  [keepers, { seed_type: 'local', path: 'keepers.json' }],
  [
    { seed_type: 'hf', path: 'datasets/a/b/c.parquet' },
    { seed_type: 'hf', path: 'datasets/a/b/c.parquet', token: null, endpoint: 'https://huggingface.co' },
  ],
  [
    { seed_type: 'directory', path: 'notes' },
    { seed_type: 'directory', path: 'notes', file_pattern: '*', recursive: true },
  ],
  [
    { seed_type: 'file_contents', path: 'notes' },
    { seed_type: 'file_contents', path: 'notes', file_pattern: '*', recursive: true, encoding: 'utf-8' },
  ],
  [
    { seed_type: 'agent_rollout', format: 'codex' },
    { seed_type: 'agent_rollout', path: null, file_pattern: null, recursive: true, format: 'codex' },
  ],
])('omitted fields get their defaults: %o', (source, written) => {
  const loaded = load(source);
  expect(writeForm(seedConfig, loaded.data)).toEqual({
    source: written,
    sampling_strategy: 'ordered',
    selection_strategy: null,
  });
});

test('unknown keys of a source are dropped, those of the seed config are refused', () => {
  expect(load({ ...keepers, junk: 1, fileEnding: 2 }).data?.source).toEqual({
    seedType: 'local',
    path: 'keepers.json',
  });
  expect(mistakes(keepers, { shuffle: true })).toEqual(["shuffle: unknown key 'shuffle'."]);
});

test.each([
  [{}, { index: 0, numPartitions: 1 }],
  [
    { index: '1', num_partitions: 2 },
    { index: 1, numPartitions: 2 },
  ],
  [
    { start: 0, end: '3' },
    { start: 0, end: 3 },
  ],
  [
    { start: true, end: 1 },
    { start: 1, end: 1 },
  ],
  [null, null],
])('the selection %o loads', (selection, loaded) => {
  expect(load(keepers, { selection_strategy: selection }).data?.selectionStrategy).toEqual(loaded);
});

test.each([
  [{ start: 3, end: 1 }, 'end: start must not be after end.'],
  [{ index: 2, num_partitions: 2 }, 'index: index must be below num_partitions.'],
  [{ index: 1 }, 'index: index must be below num_partitions.'],
])('the selection %o is refused with a message of its own', (selection, message) => {
  expect(mistakes(keepers, { selection_strategy: selection })).toEqual([`selection_strategy.${message}`]);
});

test.each([
  { start: 1 },
  { start: -1, end: 2 },
  { start: 0, end: 1, index: 0 },
  { num_partitions: 0 },
  { end: 1.5 },
  'all',
])('the selection %o is refused', (selection) => {
  expect(load(keepers, { selection_strategy: selection }).success).toBe(false);
});

test.each([' ', '', 'a/b', 'a\\b'])('the file pattern %o is refused', (pattern) => {
  expect(mistakes({ seed_type: 'directory', path: 'notes', file_pattern: pattern })).toEqual([
    'source.file_pattern: expected a pattern for file names, without / and \\.',
  ]);
});

test('a blank folder is refused', () => {
  expect(mistakes({ seed_type: 'directory', path: ' ' })).toEqual(['source.path: the text must not be blank.']);
});

test.each(['utf-8', 'UTF_8', 'utf-8-sig', 'latin-1', 'iso8859_1', 'cp1252', 'windows-1252', 'utf-16', 'shift_jis'])(
  'the encoding %s is known',
  (encoding) => {
    expect(mistakes({ seed_type: 'file_contents', path: 'notes', encoding })).toEqual([]);
  },
);

test.each(['klingon', '', 'utf-9'])('the encoding %o is refused', (encoding) => {
  expect(mistakes({ seed_type: 'file_contents', path: 'notes', encoding })).toEqual([
    `source.encoding: there is no text encoding '${encoding}'.`,
  ]);
});

test('an encoding that only the Python tool can decode loads', () => {
  expect(load({ seed_type: 'file_contents', path: 'notes', encoding: 'cp437' }).success).toBe(true);
});

test('the format atif requires a path, reported at the source', () => {
  expect(load({ seed_type: 'agent_rollout', format: 'atif' }).error?.issues.map(({ path }) => path)).toEqual([
    ['source'],
  ]);
  expect(load({ seed_type: 'agent_rollout', format: 'atif', path: 'runs' }).success).toBe(true);
});

test('a seed of rows in memory requires rows, and each must be a mapping', () => {
  expect(load({ seed_type: 'df', rows: [{ a: 1 }] }).data?.source).toEqual({ seedType: 'df', rows: [{ a: 1 }] });
  expect(mistakes({ seed_type: 'df' })).toEqual([expect.stringContaining('source: rows of the seed type')]);
  expect(mistakes({ seed_type: 'df', rows: [1] })).toEqual([
    'source.rows: expected rows: a list or a generator of mappings, or an Arrow table.',
  ]);
});

test('keys of rows in memory stay unchanged', () => {
  expect(load({ seed_type: 'df', rows: [{ seed_type: 1, file_pattern: 2 }] }).data?.source).toMatchObject({
    rows: [{ seed_type: 1, file_pattern: 2 }],
  });
});

test('a source without a type is refused at its seedType', () => {
  expect(load({ path: 'keepers.json' }).error?.issues.map(({ path }) => path)).toEqual([['source', 'seedType']]);
});
