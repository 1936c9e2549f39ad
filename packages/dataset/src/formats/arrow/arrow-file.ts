import { type FileHandle, open } from 'node:fs/promises';
import {
  type AsyncRecordBatchFileReader,
  type Data,
  Message,
  type RecordBatch,
  RecordBatchReader,
  type Schema,
} from 'apache-arrow';
import type { GroupSpan } from '../../dataset-paths.ts';
import { type ByteRange, groupNumbers } from '../../files/file-sum.ts';
import { orDamaged } from '../../files/damaged-file.ts';
import type { LocatedGroup } from '../dataset-format.ts';

const MAGIC = 'ARROW1';
/** A file ends with the length of its footer and the magic bytes. */
const END_BYTES = 4 + MAGIC.length;

/** A record batch begins with a mark and the length of its header. */
const HEADER_BEGIN = 8;

/** A record batch and its byte range. */
interface StoredBatch {
  readonly batch: RecordBatch;
  readonly block: ByteRange;
}

/** The record batches of an Arrow IPC file, one in memory at a time; throws `dataset/damaged` if it cannot be read. */
export async function* arrowBatches(
  path: string,
  { isWanted = () => true }: { readonly isWanted?: (block: ByteRange) => boolean } = {},
): AsyncGenerator<StoredBatch> {
  await using file = await orDamaged(path, () => open(path, 'r'));
  const { reader, blocks } = await orDamaged(path, () => openArrow(file));
  for (const [index, block] of blocks.entries()) {
    if (!isWanted(block)) continue;
    yield await orDamaged(path, async () => {
      const batch = await reader.readRecordBatch(index);
      // The reader ends silently at a batch that it cannot find.
      if (!batch) throw new Error(`record batch ${index} of ${blocks.length} is missing`);
      rejectGarbage(batch, block.to - block.from);
      return { batch, block };
    });
  }
}

/** Rejects lengths and offsets outside of a record batch, which the reader would follow until memory runs out. */
function rejectGarbage({ schema, data }: RecordBatch, bytes: number): void {
  for (const [index, { name, nullable }] of schema.fields.entries()) {
    const column = data.children[index];
    const isSound = column && isWithin(column, bytes) && column.length >= data.length;
    if (!isSound || (!nullable && column.nullCount > 0)) throw new Error(`its column '${name}' is damaged`);
  }
}

function isWithin({ length, children, valueOffsets, values }: Data, bytes: number): boolean {
  // A row takes at least one bit.
  if (length < 0 || length > bytes * 8 || !children.every((child) => isWithin(child, bytes))) return false;
  if (!(valueOffsets instanceof Int32Array) || length === 0) return true;
  const end = children[0]?.length ?? (ArrayBuffer.isView(values) ? values.byteLength : 0);
  let before = 0;
  for (let row = 0; row <= length; row++) {
    const offset = valueOffsets[row];
    if (offset === undefined || offset < before || offset > end) return false;
    before = offset;
  }
  return true;
}

/** The schema of an Arrow IPC file and the byte ranges of its record batches; throws `dataset/damaged`. */
export async function arrowFooter(
  path: string,
): Promise<{ readonly schema: Schema; readonly blocks: readonly ByteRange[] }> {
  return orDamaged(path, async () => {
    await using file = await open(path, 'r');
    const { reader, blocks } = await openArrow(file);
    return { schema: reader.schema, blocks };
  });
}

/** The rows of record batches, from their headers alone; throws `dataset/damaged`. */
export async function rowsOfBlocks(path: string, blocks: readonly ByteRange[]): Promise<readonly number[]> {
  return orDamaged(path, async () => {
    await using file = await open(path, 'r');
    const counts: number[] = [];
    for (const { from } of blocks) {
      // Before a header come a mark and its length.
      const length = (await bytesAt(file, from, HEADER_BEGIN)).readInt32LE(HEADER_BEGIN / 2);
      const header = Message.decode(await bytesAt(file, from + HEADER_BEGIN, length)).header();
      counts.push('length' in header ? header.length : 0);
    }
    return counts;
  });
}

async function openArrow(
  file: FileHandle,
): Promise<{ readonly reader: AsyncRecordBatchFileReader; readonly blocks: readonly ByteRange[] }> {
  await rejectTruncated(file);
  const { size } = await file.stat();
  const reader = (await RecordBatchReader.from(file)) as AsyncRecordBatchFileReader;
  await reader.open({ autoDestroy: false });
  const blocks = Array.from(reader.footer?.recordBatches() ?? [], ({ offset, metaDataLength, bodyLength }) => {
    const block = { from: offset, to: offset + metaDataLength + bodyLength };
    if (block.from < MAGIC.length || block.to > size) throw new Error('its footer is damaged');
    return block;
  });
  return { reader, blocks };
}

/** Rejects files that the reader would take for an empty stream or read out of bounds. */
async function rejectTruncated(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  if (size === 0) throw new Error('it is empty');
  const begin = await bytesAt(file, 0);
  if (begin.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new Error('it is not an Arrow file');
  const end = await bytesAt(file, Math.max(0, size - END_BYTES));
  if (end.toString('latin1', END_BYTES - MAGIC.length) !== MAGIC)
    throw new Error('it is truncated: its end is missing');
  const footerBytes = end.readInt32LE(0);
  if (footerBytes <= 0 || footerBytes > size - END_BYTES) throw new Error('its footer is damaged');
}

async function bytesAt(file: FileHandle, position: number, bytes = END_BYTES): Promise<Buffer> {
  const { buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, position);
  return buffer;
}

/** The row groups of a file without recorded positions: one per record batch, or all as one. */
export function locateGroups(
  blocks: readonly ByteRange[],
  { first, last }: GroupSpan,
): readonly Omit<LocatedGroup, 'rows'>[] {
  if (blocks.length === last - first + 1) return blocks.map((block, index) => ({ group: first + index, ...block }));
  const whole = { from: blocks[0]?.from ?? 0, to: blocks.at(-1)?.to ?? 0 };
  return [{ ...groupNumbers({ first, last }), ...whole }];
}
