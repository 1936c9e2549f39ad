import type { Batch } from '@data-designer/core';
import type { BatchFormat, StagedFile, SummedFile } from '@data-designer/dataset';
import type { RowGroupResult } from './row-group-result.ts';

/** The destination of a group's rows: files that are staged until the commit, memory, or nowhere (a dry replay). */
export type Destination =
  | (StagedFile & {
      readonly kind: 'file';
      readonly format: BatchFormat;
      /** The files of the side tables, in order. */
      readonly sideTables?: readonly StagedFile[];
    })
  | { readonly kind: 'memory' | 'nowhere' };

/** Encodes the rows of a group and their side tables, and writes them to their destination. */
export async function writeBatch(
  destination: Destination,
  batch: Batch,
  sideTables: readonly Batch[] = [],
): Promise<RowGroupResult['output']> {
  if (destination.kind === 'nowhere') return { bytes: new Uint8Array() };
  if (destination.kind !== 'file') {
    return { bytes: await bytesOf(batch), sideTables: await Promise.all(sideTables.map(bytesOf)) };
  }
  const { format, sideTables: staged = [] } = destination;
  const files: SummedFile[] = [];
  for (const [index, file] of staged.entries()) {
    const table = sideTables[index];
    if (table) files.push(await stageBatch(table, file, format));
  }
  return { file: await stageBatch(batch, destination, format), sideTables: files };
}

/** The writers are loaded on first use. */
async function bytesOf(batch: Batch): Promise<Uint8Array> {
  const { arrowStreamBytes } = await import('@data-designer/dataset/write');
  const { encodeBatch } = await import('@data-designer/dataset/write');
  return arrowStreamBytes(encodeBatch(batch));
}

async function stageBatch(batch: Batch, { path, temporary }: StagedFile, format: BatchFormat): Promise<SummedFile> {
  if (format === 'arrow') {
    const { stageArrow } = await import('@data-designer/dataset/write');
    return stageArrow(path, batch, { temporary });
  }
  const { stageParquet } = await import('@data-designer/dataset/write');
  return stageParquet(path, batch, { temporary });
}
