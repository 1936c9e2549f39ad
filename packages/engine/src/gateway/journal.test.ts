import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Journal } from './journal.ts';
import type { JournalRecord } from './journal-file.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  path = join(folder, 'group_00000.journal');
});

afterEach(() => rmSync(folder, { recursive: true }));

function entry(row: number, call: number, body = `answer ${row}.${call}`): JournalRecord {
  const request = `hash-${row}-${call}`;
  const asked = { resource: 'model/here/small', path: 'chat/completions' } as const;
  const headers = { 'content-type': 'application/json' };
  return { row, column: 'answer', call, request, status: 200, headers, body, ...asked };
}

async function written(...entries: JournalRecord[]): Promise<void> {
  const journal = Journal.open(path);
  for (const one of entries) journal.append(one);
  journal.write();
  await journal.close({ keep: true });
}

test('what was written is answered after reopening, byte for byte', async () => {
  const long = entry(1, 0, `line\nünïcode ${'x'.repeat(30_000)}`);
  await written(entry(0, 0), long);
  const journal = Journal.open(path);
  expect(journal.answer(long, 'hash-1-0')).toEqual(long);
  expect(journal.has({ row: 0, column: 'answer', call: 0 })).toBe(true);
  expect(journal.has({ row: 0, column: 'other', call: 0 })).toBe(false);
  await journal.close({ keep: true });
});

test('a different request at an address voids that entry and the later ones of its cell, no others', async () => {
  await written(entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1));
  const journal = Journal.open(path);
  expect(journal.answer(entry(0, 1), 'another hash')).toBeUndefined();
  expect(journal.has(entry(0, 0))).toBe(true);
  expect(journal.has(entry(0, 2))).toBe(false);
  expect(journal.has(entry(1, 1))).toBe(true);
  await journal.close({ keep: true });
});

test.each([
  ['half a frame', (bytes: Buffer) => bytes.subarray(0, bytes.length - 5)],
  [
    'a flipped bit',
    (bytes: Buffer) => Buffer.from(bytes.map((byte, index) => (index === bytes.length - 3 ? byte ^ 1 : byte))),
  ],
  ['garbage after it', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('garbage garbage garbage')])],
  ['zeros after it', (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(4096)])],
])('a torn tail is cut: %s', async (name, damage) => {
  await written(entry(0, 0), entry(1, 0));
  writeFileSync(path, damage(readFileSync(path)));
  const journal = Journal.open(path);
  expect(journal.has(entry(0, 0))).toBe(true);
  expect(journal.has(entry(1, 0))).toBe(name.endsWith('after it'));
  journal.append(entry(2, 0));
  await journal.close({ keep: true });
  const again = Journal.open(path);
  expect(again.has(entry(2, 0))).toBe(true);
  await again.close({ keep: true });
});

test('a file that is no journal is started anew', async () => {
  appendFileSync(path, 'not a journal at all');
  const journal = Journal.open(path);
  journal.append(entry(3, 0));
  await journal.close({ keep: true });
  const again = Journal.open(path);
  expect(again.has(entry(3, 0))).toBe(true);
  await again.close({ keep: true });
});

test('a successor finds what its lost predecessor had received', async () => {
  const journal = Journal.open(path);
  journal.append(entry(4, 0));
  expect(journal.has(entry(4, 0))).toBe(false);
  journal.reload();
  expect(journal.has(entry(4, 0))).toBe(true);
  // A call that was under way when its worker was lost ends after the successor has opened.
  journal.append(entry(5, 0));
  expect(journal.has(entry(5, 0))).toBe(true);
  await journal.close({ keep: true });
});

test('the file is private to the user, and goes when its rows are committed', async () => {
  const journal = Journal.open(path);
  journal.append(entry(0, 0));
  journal.write();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await journal.close({ keep: false });
  expect(existsSync(path)).toBe(false);
});

test('what an answer took is kept with it, and of whom it was asked', async () => {
  const tried = { ...entry(0, 0), tries: { requests: 4, refused: 2, possiblyPaid: 1 } };
  await written(tried, entry(1, 0));
  const journal = Journal.open(path);
  expect(journal.answer(tried, tried.request)).toEqual(tried);
  expect(journal.answer(entry(1, 0), 'hash-1-0')).not.toHaveProperty('tries');
  await journal.close({ keep: true });
});
