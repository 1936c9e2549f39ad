import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { field } from '@data-designer/core';
import { batchOf } from './encode/row-chunks.ts';
import { commit } from './files/commit-file.ts';
import { BATCH_FORMATS, type BatchFormat } from './formats/formats.ts';
import { readBatch, readStreams } from './read-dataset.ts';
import { stageBatch, streamBytes } from './write.ts';

const ROWS = [{ id: 1 }, { id: 2 }];
const BATCH = batchOf(ROWS, [field('id', 'int64')]);

/** The bytes at both ends of a file, by which other programs know its format. A new format adds its own. */
const MAGIC: Record<BatchFormat, string> = { parquet: 'PAR1', arrow: 'ARROW1' };

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'write-'))));
afterEach(() => rmSync(folder, { recursive: true }));

test.each(BATCH_FORMATS)('a %s file has its final name only after its commit', async (format) => {
  const path = join(folder, `batch_00000.${format}`);
  const temporary = join(folder, 'staged');
  const staged = await stageBatch(BATCH, { path, temporary }, { format });
  expect(readdirSync(folder)).toEqual(['staged']);
  await commit(staged);
  expect(existsSync(temporary)).toBe(false);
  expect(await Array.fromAsync(readBatch(path))).toEqual(ROWS);
});

test.each(BATCH_FORMATS)('a %s file begins and ends with the magic bytes of its format', async (format) => {
  const path = join(folder, `batch_00000.${format}`);
  await commit(await stageBatch(BATCH, { path, temporary: join(folder, 'staged') }, { format }));
  const bytes = readFileSync(path);
  const magic = MAGIC[format];
  expect([bytes.toString('latin1', 0, magic.length), bytes.toString('latin1', bytes.length - magic.length)]).toEqual([
    magic,
    magic,
  ]);
});

test('the bytes of a stream are transferred to another thread, not copied', async () => {
  const bytes = await streamBytes(BATCH);
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(bytes, [bytes.buffer as ArrayBuffer]);
  expect(bytes).toHaveLength(0);
  const received: unknown = receiveMessageOnPort(port2)?.message;
  expect(await Array.fromAsync(readStreams(received instanceof Uint8Array ? [received] : []))).toEqual(ROWS);
  port1.close();
});
