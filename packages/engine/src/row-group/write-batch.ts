import type { RowBatch } from '../store/row-batch.ts';
import type { BatchFormat } from '../store/dataset-paths.ts';
import type { RowGroupResult } from './row-group-result.ts';

/** Where the rows of a group go: a file that is staged until the commit, memory, or nowhere. */
export type Destination =
  | { readonly kind: 'file'; readonly format: BatchFormat; readonly path: string; readonly temporary: string }
  | { readonly kind: 'memory' | 'nowhere' };

/** Encodes a batch and puts it where it shall go; the writers are loaded when first needed. */
export async function writeBatch(destination: Destination, batch: RowBatch): Promise<RowGroupResult['output']> {
  if (destination.kind === 'nowhere') return { bytes: new Uint8Array() };
  if (destination.kind !== 'file') {
    const { arrowStreamBytes } = await import('../store/write-arrow.ts');
    const { encodeBatch } = await import('../store/encode-batch.ts');
    return { bytes: arrowStreamBytes(encodeBatch(batch.fields, batch.columns, batch.rows)) };
  }
  const { format, path, temporary } = destination;
  if (format === 'arrow') {
    const { stageArrow } = await import('../store/write-arrow.ts');
    return { file: await stageArrow(path, batch, { temporary }) };
  }
  const { stageParquet } = await import('../store/write-parquet.ts');
  return { file: await stageParquet(path, batch, { temporary }) };
}
