import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { fixedSeedColumns } from './fixed-seed-columns.ts';
import { seedColumnNames } from './seed-column-names.ts';
import { seedFolder } from './seed-folder.ts';

const folder = resolve('/somewhere');
const directory = { seedType: 'directory', path: 'notes', filePattern: '*.md', recursive: false } as const;
const rollout = { seedType: 'agent_rollout', format: 'codex', path: null, filePattern: null, recursive: true } as const;

test('a path starts from the given folder, or from home with a ~', () => {
  expect(seedFolder(directory, folder)).toMatchObject({
    root: join(folder, 'notes'),
    pattern: '*.md',
    recursive: false,
  });
  expect(seedFolder({ ...directory, path: '~/notes' }, folder).root).toBe(join(homedir(), 'notes'));
  expect(seedFolder({ ...directory, path: '~notes' }, folder).root).toBe(join(folder, '~notes'));
});

test('recordings of a format are looked for in its usual place, unless told otherwise', () => {
  expect(seedFolder(rollout, folder)).toMatchObject({
    root: join(homedir(), '.codex', 'sessions'),
    pattern: '*.jsonl',
  });
  expect(seedFolder({ ...rollout, path: 'runs', filePattern: 'a*' }, folder)).toMatchObject({
    root: join(folder, 'runs'),
    pattern: 'a*',
  });
});

test('the columns of files are known by the source alone, those of tables not', () => {
  expect(seedColumnNames(directory)).toEqual(['source_kind', 'source_path', 'relative_path', 'file_name']);
  expect(seedColumnNames(rollout)).toHaveLength(16);
  expect(fixedSeedColumns(rollout).find(({ name }) => name === 'message_count')?.type).toBe('int64');
  expect(seedColumnNames({ seedType: 'df', rows: [{ a: 1 }, { b: 1, a: 2 }] })).toEqual(['a', 'b']);
  expect(seedColumnNames({ seedType: 'local', path: 'x.csv' })).toBeUndefined();
});
