import type { ModelState } from '@data-designer/gateway';
import type { ColumnCalls } from '../row-group/cell-calls.ts';

/** The counts of a run at a time in ms. */
export interface WorkSample {
  readonly time: number;
  /** Finished rows. */
  readonly rows: number;
  /** Finished cells by slow column. */
  readonly cells: ReadonlyMap<string, number>;
  /** The calls of cells by column; a cell of a column without them counts as one call. */
  readonly calls?: ReadonlyMap<string, ColumnCalls>;
  readonly models: readonly ModelState[];
}
