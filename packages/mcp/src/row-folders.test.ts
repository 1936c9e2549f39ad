import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '@data-designer/testing/temporary-folder';
import { RowFolders } from './row-folders.ts';

let temporary: ReturnType<typeof temporaryFolder>;
let parent: string;

beforeEach(() => {
  temporary = temporaryFolder('row-folders-');
  parent = temporary.path;
});
afterEach(() => temporary[Symbol.dispose]());

/** The number of a process that has ended. */
function ended(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

/** A folder of rows that processes have left. */
function leave(name: string, marks: readonly string[], ageMs = 0): string {
  const root = join(parent, `data-designer-rows-${name}`);
  mkdirSync(join(root, '0-disk'), { recursive: true });
  for (const mark of marks) writeFileSync(join(root, `.used-by-${mark}`), '');
  const then = (Date.now() - ageMs) / 1_000;
  utimesSync(root, then, then);
  return root;
}

test('a folder has the same path in every run of a dataset, and another in that of another', async () => {
  const paths: string[] = [];
  for (const home of ['one', 'one', 'other']) {
    await using folders = new RowFolders(home);
    paths.push(await folders.add('7-disk'));
  }
  expect(paths[0]).toBe(paths[1]);
  expect(paths[0]).not.toBe(paths[2]);
  expect(readdirSync(parent)).toEqual([]);
});

test('a folder is empty at first, and a link in it is removed, not followed', async () => {
  await using folders = new RowFolders('home');
  const outside = join(parent, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'kept'), '');
  const folder = await folders.add('0-disk');
  symlinkSync(outside, join(folder, 'link'));
  await folders.remove('0-disk');
  expect(existsSync(folder)).toBe(false);
  expect(readdirSync(await folders.add('0-disk'))).toEqual([]);
  expect(readdirSync(outside)).toEqual(['kept']);
});

test('a folder is made once one of the same name is removed', async () => {
  await using folders = new RowFolders('home');
  const folder = await folders.add('0-disk');
  writeFileSync(join(folder, 'file'), '');
  let isMade = false;
  const next = folders.add('0-disk').then((path) => {
    isMade = true;
    return path;
  });
  await new Promise((resolve) => void setTimeout(resolve, 20));
  expect(isMade).toBe(false);
  await folders.remove('0-disk');
  expect(readdirSync(await next)).toEqual([]);
});

test('what killed runs have left is removed by the next one', { tags: 'long' }, async () => {
  const own = `${hostname()}-${process.pid}-x`;
  const gone = leave('gone', [`${hostname()}-${ended()}-x`], 120_000);
  const kept = [
    leave('running', [own]),
    leave('one-runs', [`${hostname()}-${ended()}-x`, own]),
    leave('elsewhere', ['another-machine-1-x']),
    leave('new', []),
  ];
  const unmarked = leave('old', [], 120_000);
  await using folders = new RowFolders('home');
  await folders.add('0-disk');
  expect([gone, unmarked].filter((path) => existsSync(path))).toEqual([]);
  expect(kept.filter((path) => existsSync(path))).toEqual(kept);
});

test('a run leaves the folders of a dataset that another process uses', async () => {
  const folders = new RowFolders('home');
  const root = join(await folders.add('0-disk'), '..');
  writeFileSync(join(root, '.used-by-another-machine-1-x'), '');
  await folders[Symbol.asyncDispose]();
  expect(readdirSync(root)).toContain('.used-by-another-machine-1-x');
  expect(readdirSync(root).filter((name) => name.startsWith(`.used-by-${hostname()}`))).toEqual([]);
});
