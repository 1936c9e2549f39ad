import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileReason } from './file-reason.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'file-reason-'));
});

const at = (...names: string[]) => join(folder, ...names);

afterEach(() => rmSync(folder, { recursive: true }));

function reasonOf(work: () => unknown, wanted?: 'folder'): string {
  try {
    work();
  } catch (thrown) {
    return fileReason(thrown, wanted);
  }
  return 'nothing';
}

test('codes of the file system become plain text', () => {
  writeFileSync(at('file'), '');
  symlinkSync(at('circle'), at('circle'));
  expect(reasonOf(() => readFileSync(at('none')))).toBe('there is no such file');
  expect(reasonOf(() => writeFileSync(at('none', 'new'), ''), 'folder')).toBe('there is no such folder');
  expect(reasonOf(() => readFileSync(folder))).toBe('it is a folder, not a file');
  expect(reasonOf(() => readFileSync(at('file', 'below')))).toBe('a part of the path is a file, not a folder');
  expect(reasonOf(() => mkdirSync(at('file')))).toBe('a file of that name is in the way');
  expect(reasonOf(() => readFileSync(at('circle')))).toBe('its links lead in a circle');
  expect(reasonOf(() => writeFileSync(at('n'.repeat(300)), ''))).toBe('the name is too long');
});

test('other failures keep their own message', () => {
  expect(fileReason(new Error('it broke'))).toBe('it broke');
  expect(fileReason('plainly')).toBe('plainly');
});
