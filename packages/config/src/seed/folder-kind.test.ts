import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { directorySeed } from './file-seeds.ts';
import { rolloutSeed } from './rollout-seed.ts';

const folder = resolve('/somewhere');
const directory = { seedType: 'directory', path: 'notes', filePattern: '*.md', recursive: false } as const;
const rollout = { seedType: 'agent_rollout', format: 'codex', path: null, filePattern: null, recursive: true } as const;

test('a path is relative to the given folder, or to the home directory after ~/', () => {
  expect(directorySeed.folderOf(directory, folder)).toMatchObject({
    root: join(folder, 'notes'),
    pattern: '*.md',
    recursive: false,
  });
  expect(directorySeed.folderOf({ ...directory, path: '~/notes' }, folder).root).toBe(join(homedir(), 'notes'));
  expect(directorySeed.folderOf({ ...directory, path: '~notes' }, folder).root).toBe(join(folder, '~notes'));
});

test('a rollout seed uses the default folder and pattern of its format unless the config sets them', () => {
  expect(rolloutSeed.folderOf(rollout, folder)).toMatchObject({
    root: join(homedir(), '.codex', 'sessions'),
    pattern: '*.jsonl',
  });
  expect(rolloutSeed.folderOf({ ...rollout, path: 'runs', filePattern: 'a*' }, folder)).toMatchObject({
    root: join(folder, 'runs'),
    pattern: 'a*',
  });
});
