import type { Batch, Plan } from '@data-designer/core';
import type { BatchFormat, StagedFile, SummedFile } from '@data-designer/dataset';
import type { RowGroupResult } from './row-group-result.ts';

/** The destination of a group's rows: files that are staged until the commit, memory, or nowhere (a dry replay). */
export type Destination =
  | (StagedFile & {
      readonly kind: 'file';
      readonly format: BatchFormat;
      readonly layout?: Plan['layout'];
      /** The files of the side tables, in order. */
      readonly sideTables?: readonly StagedFile[];
    })
  | { readonly kind: 'memory' | 'nowhere' };

/** Writes the rows of a group and its side tables to their destination; the writers are loaded when first needed. */
export async function writeBatch(
  destination: Destination,
  batch: Batch,
  sideTables: readonly Batch[] = [],
): Promise<RowGroupResult['output']> {
  if (destination.kind === 'nowhere') return { bytes: new Uint8Array() };
  const { stageBatch, streamBytes } = await import('@data-designer/dataset/write');
  if (destination.kind !== 'file') {
    return { bytes: await streamBytes(batch), sideTables: await Promise.all(sideTables.map(streamBytes)) };
  }
  const { sideTables: staged = [] } = destination;
  const files: SummedFile[] = [];
  for (const [index, file] of staged.entries()) {
    const table = sideTables[index];
    if (table) files.push(await stageBatch(table, file, destination));
  }
  return { file: await stageBatch(batch, destination, destination), sideTables: files };
}
