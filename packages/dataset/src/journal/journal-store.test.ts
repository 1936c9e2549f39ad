import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataDesignerError } from '@data-designer/core';
import { askAnew } from '../repair/lost-rows.ts';
import { folderJournal } from './folder-journal.ts';
import { FrameBuffer, type JournalRecord } from './journal-file.ts';
import type { JournalStore } from './journal-store.ts';

// Every store must pass these tests. A new implementation is one more line here.
const STORES: readonly (readonly [name: string, open: (folder: string) => JournalStore])[] = [
  ['folder', (folder) => folderJournal(join(folder, 'group_00003'))],
];

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-store-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function entry(row: number, body = `answer ${row}`): JournalRecord {
  const asked = { resource: 'model/here/small', path: 'chat/completions' } as const;
  return { row, column: 'answer', call: 0, request: `hash-${row}`, status: 200, headers: {}, body, ...asked };
}

function frames(...entries: readonly JournalRecord[]): Buffer {
  const buffer = new FrameBuffer();
  for (const one of entries) buffer.add(one);
  return buffer.bytes;
}

const NOTHING = { entries: [], failedCells: [] };

test.each(STORES)('a journal that does not exist is empty and can be removed: %s', async (_, open) => {
  const store = open(folder);
  expect(await store.read()).toEqual(NOTHING);
  await store.remove();
  expect(await store.read()).toEqual(NOTHING);
});

test.each(STORES)('a segment is read while it is written, and by the next attempt: %s', async (_, open) => {
  const { earlier, segment } = open(folder).open();
  expect(earlier).toEqual(NOTHING);
  segment.append(frames(entry(0), entry(1, 'ünïcode\n'.repeat(9000))));
  segment.append(frames(entry(2)));
  await segment.sync();
  const written = { entries: [entry(0), entry(1, 'ünïcode\n'.repeat(9000)), entry(2)], failedCells: [] };
  expect(segment.read()).toEqual(written);
  expect(await open(folder).read()).toEqual(written);
  await segment.close();
  const next = open(folder).open();
  expect(next.earlier).toEqual(written);
  expect(next.segment.read()).toEqual(NOTHING);
  await next.segment.close();
});

test.each(STORES)('simultaneous attempts write separate segments, which are read in order: %s', async (_, open) => {
  const [first, second] = [open(folder).open(), open(folder).open()];
  second.segment.append(frames(entry(1)));
  first.segment.append(frames(entry(0)));
  const failure = new DataDesignerError('journal/ends', {}).toWire();
  const failed = new FrameBuffer();
  failed.addFailedCell({ row: 5, column: 'answer', failure });
  second.segment.append(failed.bytes);
  await first.segment.close();
  await second.segment.close();
  expect(await open(folder).read()).toEqual({
    entries: [entry(0), entry(1)],
    failedCells: [{ row: 5, column: 'answer', failure }],
  });
});

test.each(STORES)('an attempt that wrote nothing leaves nothing: %s', async (_, open) => {
  const first = open(folder).open();
  first.segment.append(frames(entry(0)));
  await first.segment.close();
  await open(folder).open().segment.close();
  const { entries } = await open(folder).read();
  expect(entries).toEqual([entry(0)]);
});

test.each(STORES)('removing a journal removes all its segments: %s', async (_, open) => {
  for (const row of [0, 1]) {
    const { segment } = open(folder).open();
    segment.append(frames(entry(row)));
    await segment.close();
  }
  await open(folder).remove();
  expect(await open(folder).read()).toEqual(NOTHING);
});

test('a segment whose dataset was removed or moved tells that at the next sync, but not one whose group is committed', async () => {
  const journals = join(folder, 'made', 'journal');
  mkdirSync(journals, { recursive: true });
  const { segment } = folderJournal(join(journals, 'group_00000')).open();
  segment.append(frames(entry(0)));
  await segment.sync();
  rmSync(join(journals, 'group_00000'), { recursive: true });
  segment.append(frames(entry(1)));
  await segment.sync();
  renameSync(join(folder, 'made'), join(folder, 'moved'));
  segment.append(frames(entry(2)));
  await expect(segment.sync()).rejects.toMatchObject({ code: 'dataset/unwritable' });
  await segment.close();
});

test('entries of cells that are asked anew do not count, those of later segments do', async () => {
  const path = join(folder, 'group_00003');
  const other = (row: number) => ({ ...entry(row), column: 'other' });
  const failure = new DataDesignerError('journal/ends', {}).toWire();
  const write = async (...entries: readonly JournalRecord[]) => {
    const { segment } = folderJournal(path).open();
    segment.append(frames(...entries));
    await segment.close();
  };
  await write(entry(0), entry(1), other(1));
  await write(entry(2), entry(1, 'second'));
  const failed = new FrameBuffer();
  for (const row of [1, 2]) failed.addFailedCell({ row, column: 'answer', failure });
  const { segment } = folderJournal(path).open();
  segment.append(failed.bytes);
  await segment.close();
  await askAnew(path, [{ row: 1, column: 'answer' }]);
  await write(entry(1, 'third'));
  const failedCells = [{ row: 2, column: 'answer', failure }];
  const read = { entries: [entry(0), other(1), entry(2), entry(1, 'third')], failedCells };
  expect(await folderJournal(path).read()).toEqual(read);
  const { earlier, segment: next } = folderJournal(path).open();
  await next.close();
  expect(earlier).toEqual(read);
  await askAnew(path, [
    { row: 1, column: 'answer' },
    { row: 0, column: 'answer' },
  ]);
  expect(await folderJournal(path).read()).toEqual({ entries: [other(1), entry(2)], failedCells });
});

test('where nothing was journaled, nothing is asked anew', async () => {
  const path = join(folder, 'group_00003');
  await askAnew(path, [{ row: 1, column: 'answer' }]);
  expect(existsSync(path)).toBe(false);
  const { segment } = folderJournal(path).open();
  segment.append(frames(entry(0)));
  await segment.close();
  await askAnew(path, []);
  expect(readdirSync(path)).toEqual(['000001.journal']);
});
