import type { Batch } from '@data-designer/core';
import type { BatchFormat, StagedFile, SummedFile } from '@data-designer/dataset';
import type { RowGroupResult } from './row-group-result.ts';

/** Where the rows of a group go: files that are staged until the commit, memory, or nowhere. */
export type Destination =
  | (StagedFile & {
      readonly kind: 'file';
      readonly format: BatchFormat;
      /** For the tables beside the main one, in their order. */
      readonly beside?: readonly StagedFile[];
    })
  | { readonly kind: 'memory' | 'nowhere' };

/** Encodes the rows of a group and the tables beside them, and puts them where they shall go. */
export async function writeBatch(
  destination: Destination,
  batch: Batch,
  beside: readonly Batch[] = [],
): Promise<RowGroupResult['output']> {
  if (destination.kind === 'nowhere') return { bytes: new Uint8Array() };
  if (destination.kind !== 'file') {
    return { bytes: await bytesOf(batch), beside: await Promise.all(beside.map(bytesOf)) };
  }
  const { format, beside: places = [] } = destination;
  const files: SummedFile[] = [];
  for (const [index, other] of beside.entries()) {
    files.push(await stageBatch(other, places[index] as StagedFile, format));
  }
  return { file: await stageBatch(batch, destination, format), beside: files };
}

/** The writers are loaded when first needed. */
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
