import { appendFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { datasetPaths } from '../dataset-paths.ts';
import { FrameBuffer } from './journal-file.ts';
import { folderJournal } from './folder-journal.ts';
import { JournalTail } from './journal-tail.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'journal-tail-'));
  await mkdir(datasetPaths(folder).journals);
});
afterEach(() => rm(folder, { recursive: true }));

function frame(row: number, body: string): Buffer {
  const buffer = new FrameBuffer();
  const request = { resource: 'model/m', path: 'chat/completions', request: 'hash' };
  buffer.add({ row, column: 'c', call: 0, status: 200, headers: {}, body, ...request });
  return Buffer.from(buffer.bytes);
}

test('reads each answer once, as soon as its frame is complete, also a frame larger than a part of the file', async () => {
  const paths = datasetPaths(folder);
  const tail = new JournalTail(paths);
  const rowsNow = async () =>
    [...(await tail.read())].map(([group, records]) => [group, records.map(({ row }) => row)]);
  expect(await rowsNow()).toEqual([]);
  const { segment } = folderJournal(paths.journal(3)).open();
  expect(await rowsNow()).toEqual([[3, []]]);
  segment.append(Buffer.concat([frame(0, 'a'), frame(1, 'b')]));
  expect(await rowsNow()).toEqual([[3, [0, 1]]]);
  const large = frame(2, 'x'.repeat(9 * 1024 * 1024));
  const path = join(paths.journal(3), '000001.journal');
  await appendFile(path, large.subarray(0, 5000));
  expect(await rowsNow()).toEqual([[3, []]]);
  await appendFile(path, Buffer.concat([large.subarray(5000), frame(3, 'c')]));
  expect(await rowsNow()).toEqual([[3, [2, 3]]]);
  await segment.close();
  await folderJournal(paths.journal(3)).remove();
  expect(await rowsNow()).toEqual([]);
});

test(
  'a journal that is longer than a part of a file is read whole, with long answers byte for byte',
  { tags: 'long' },
  async () => {
    const paths = datasetPaths(folder);
    const store = folderJournal(paths.journal(3));
    const { segment } = store.open();
    const bodies = Array.from({ length: 40 }, (_, row) => `${row} \u00e9\ud83d\ude00\n`.repeat(40_000));
    for (const [row, body] of bodies.entries()) segment.append(frame(row, body));
    segment.append(frame(40, 'x'.repeat(17 * 1024 * 1024)));
    segment.append(frame(41, 'the last one'));
    const read = await store.read();
    expect(read.entries.map(({ row }) => row)).toEqual([...bodies.keys(), 40, 41]);
    expect(read.entries.slice(0, 40).map(({ body }) => body)).toEqual(bodies);
    expect(read.entries.slice(40).map(({ body }) => body.length)).toEqual([17 * 1024 * 1024, 12]);
    expect(segment.read()).toEqual(read);
    await segment.close();
    expect(store.open().earlier).toEqual(read);
    await store.remove();
    expect(read.entries[0]?.body).toBe(bodies[0]);
  },
);
