import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listSeedFiles, sayLeftOut } from './list-seed-files.ts';

/** The program that makes a named pipe. */
const MAKE_PIPE = 'mkfifo';

let root: string;
let outside: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'seed-files-'));
  outside = mkdtempSync(join(tmpdir(), 'seed-outside-'));
});

afterEach(() => {
  for (const folder of [root, outside]) rmSync(folder, { recursive: true });
});

function write(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), path);
  }
}

function list(changes: { pattern?: string; recursive?: boolean; takes?: (path: string) => boolean } = {}) {
  return listSeedFiles({ root, pattern: '*', recursive: true, takes: () => true, ...changes });
}

test('listSeedFiles sorts files by path and includes hidden ones', () => {
  write('b.txt', 'a/z.txt', '.hidden', 'a.txt', 'a/b/c.txt');
  expect(list()).toEqual({ files: ['.hidden', 'a.txt', 'a/b/c.txt', 'a/z.txt', 'b.txt'], leftOut: [] });
});

test('a list that is not recursive has only the files of the folder itself', () => {
  write('b.txt', 'a/z.txt');
  expect(list({ recursive: false }).files).toEqual(['b.txt']);
});

test.each([
  ['*.txt', ['a.txt', 'sub/b.txt']],
  ['?.txt', ['a.txt', 'sub/b.txt']],
  ['[!a].txt', ['sub/b.txt']],
  ['[a-c].txt', ['a.txt', 'sub/b.txt']],
  ['*.TXT', ['C.TXT']],
  ['sub*', []],
  ['[z-a]*', []],
  ['a.txt', ['a.txt']],
])('the pattern %s matches file names, case-sensitively', (pattern, files) => {
  write('a.txt', 'sub/b.txt', 'C.TXT', 'no.md');
  expect(list({ pattern }).files).toEqual(files);
});

test('listSeedFiles skips files that the format does not take', () => {
  write('rollout-1.jsonl', 'notes.jsonl');
  expect(list({ takes: (path) => path.startsWith('rollout-') }).files).toEqual(['rollout-1.jsonl']);
});

test('listSeedFiles takes a link within the folder and reports a broken link or one out of it', () => {
  write('sub/real.txt');
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  symlinkSync(join('sub', 'real.txt'), join(root, 'inner.txt'));
  symlinkSync(join(outside, 'secret.txt'), join(root, 'outer.txt'));
  symlinkSync(join(root, 'nothing'), join(root, 'broken.txt'));
  const found = list({ pattern: '*.txt' });
  expect(found.files).toEqual(['inner.txt', 'sub/real.txt']);
  expect(found.leftOut.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: 'broken.txt', reason: 'it leads nowhere' },
    { path: 'outer.txt', reason: 'it leads out of the folder' },
  ]);
  expect(sayLeftOut(found.leftOut)).toMatch(/^2 are left out, as '/);
});

test('listSeedFiles reports a link to an outside folder and does not loop on a link to a parent', () => {
  write('sub/real.txt');
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  symlinkSync(outside, join(root, 'sub', 'away'));
  symlinkSync(root, join(root, 'sub', 'loop'));
  expect(list()).toEqual({
    files: ['sub/real.txt'],
    leftOut: [{ path: 'sub/away', reason: 'it leads out of the folder' }],
  });
});

test('a sibling folder whose name begins with the same text is outside', () => {
  mkdirSync(`${root}-twin`);
  writeFileSync(join(`${root}-twin`, 'x.txt'), 'x');
  symlinkSync(join(`${root}-twin`, 'x.txt'), join(root, 'x.txt'));
  const { files } = list();
  rmSync(`${root}-twin`, { recursive: true });
  expect(files).toEqual([]);
});

test('listSeedFiles reads a folder that is itself a link', () => {
  write('a.txt');
  symlinkSync(root, join(outside, 'link'));
  expect(
    listSeedFiles({ root: join(outside, 'link'), pattern: '*', recursive: true, takes: () => true }).files,
  ).toEqual(['a.txt']);
});

test.skipIf(process.platform === 'win32')('listSeedFiles skips a named pipe', () => {
  execFileSync(MAKE_PIPE, [join(root, 'pipe.txt')]);
  write('a.txt');
  expect(list().files).toEqual(['a.txt']);
});
