import { workerData } from 'node:worker_threads';
import type { WireFailure } from '@data-designer/core';
import type { LineBatch, LinesRequest, RowRange } from './example-lines.ts';

/** Piscina requires its entry, which imports the rest: see `engine/row-group/worker-entry.ts`. */
const opening = import('./example-lines.ts').then(({ ExampleLines }) => ExampleLines.open(workerData as LinesRequest));
// The first task reports its failure.
opening.catch(() => {});

/** The batches of some rows, or why there are none. */
export async function work(range: RowRange): Promise<readonly LineBatch[] | { readonly failure: WireFailure }> {
  try {
    return await Array.fromAsync((await opening).batches(range));
  } catch (thrown) {
    const { DataDesignerError } = await import('@data-designer/core');
    return { failure: DataDesignerError.fromUnknown(thrown).toWire() };
  }
}
