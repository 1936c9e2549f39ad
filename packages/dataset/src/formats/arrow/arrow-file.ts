import { type FileHandle, open } from 'node:fs/promises';
import {
  type AsyncRecordBatchFileReader,
  type Data,
  type RecordBatch,
  RecordBatchReader,
  type Schema,
} from 'apache-arrow';
import type { GroupSpan } from '../../dataset-paths.ts';
import { type ByteRange, groupsAsOne } from '../../repair/checksums.ts';
import { orDamaged } from '../../repair/damaged-file.ts';
import type { PlacedGroup } from '../dataset-format.ts';

const MAGIC = 'ARROW1';
/** A file ends with the length of its footer and the magic word. */
const END_BYTES = 4 + MAGIC.length;

/** A record batch and the bytes in which it stands. */
interface StoredBatch {
  readonly batch: RecordBatch;
  readonly block: ByteRange;
}

/** The record batches of an Arrow IPC file on disk, one in memory at a time; `dataset/damaged` if it cannot be read. */
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
      // The reader takes a batch that it cannot find for the end.
      if (!batch) throw new Error(`it has no record batch ${index}, of the ${blocks.length} that it should have`);
      refuseGarbage(batch, block.to - block.from);
      return { batch, block };
    });
  }
}

/** Refuses lengths and offsets that lead out of a record batch, which the reader would follow until memory ends. */
function refuseGarbage({ schema, data }: RecordBatch, bytes: number): void {
  for (const [index, { name, nullable }] of schema.fields.entries()) {
    const column = data.children[index];
    const isSound = column && isWithin(column, bytes) && column.length >= data.length;
    if (!isSound || (!nullable && column.nullCount > 0)) throw new Error(`its column '${name}' is garbage`);
  }
}

function isWithin({ length, children, valueOffsets, values }: Data, bytes: number): boolean {
  // A row takes a bit at least.
  if (length < 0 || length > bytes * 8 || !children.every((child) => isWithin(child, bytes))) return false;
  if (!(valueOffsets instanceof Int32Array) || length === 0) return true;
  const end = children[0]?.length ?? (values as Uint8Array).length;
  let before = 0;
  for (let row = 0; row <= length; row++) {
    const offset = valueOffsets[row];
    if (offset === undefined || offset < before || offset > end) return false;
    before = offset;
  }
  return true;
}

/** The schema of an Arrow IPC file and the places of its record batches; `dataset/damaged` if it cannot be read. */
export async function arrowFooter(
  path: string,
): Promise<{ readonly schema: Schema; readonly blocks: readonly ByteRange[] }> {
  return orDamaged(path, async () => {
    await using file = await open(path, 'r');
    const { reader, blocks } = await openArrow(file);
    return { schema: reader.schema, blocks };
  });
}

async function openArrow(
  file: FileHandle,
): Promise<{ readonly reader: AsyncRecordBatchFileReader; readonly blocks: readonly ByteRange[] }> {
  await refuseCut(file);
  const { size } = await file.stat();
  const reader = (await RecordBatchReader.from(file)) as AsyncRecordBatchFileReader;
  await reader.open({ autoDestroy: false });
  const blocks = Array.from(reader.footer?.recordBatches() ?? [], ({ offset, metaDataLength, bodyLength }) => {
    const block = { from: offset, to: offset + metaDataLength + bodyLength };
    if (block.from < MAGIC.length || block.to > size) throw new Error('its footer is garbage');
    return block;
  });
  return { reader, blocks };
}

/** Refuses what the reader would take for a stream that holds nothing, or would look for far outside of the file. */
async function refuseCut(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  if (size === 0) throw new Error('it is empty');
  const begin = await bytesAt(file, 0);
  if (begin.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new Error('it is no Arrow file');
  const end = await bytesAt(file, Math.max(0, size - END_BYTES));
  if (end.toString('latin1', END_BYTES - MAGIC.length) !== MAGIC) throw new Error('it is cut off: its end is missing');
  const footerBytes = end.readInt32LE(0);
  if (footerBytes <= 0 || footerBytes > size - END_BYTES) throw new Error('its footer is garbage');
}

async function bytesAt(file: FileHandle, position: number): Promise<Buffer> {
  const { buffer } = await file.read(Buffer.alloc(END_BYTES), 0, END_BYTES, position);
  return buffer;
}

/** The row groups of a dataset in a file whose checksums do not say where they are: each is one record batch. */
export function groupsIn(
  blocks: readonly ByteRange[],
  { first, last }: GroupSpan,
): readonly Omit<PlacedGroup, 'rows'>[] {
  if (blocks.length === last - first + 1) return blocks.map((block, index) => ({ group: first + index, ...block }));
  const whole = { from: blocks[0]?.from ?? 0, to: blocks.at(-1)?.to ?? 0 };
  return [{ ...groupsAsOne({ first, last }), ...whole }];
}
