import type { RowGroup } from '@data-designer/core';
import type { RowGroupResult } from '../row-group/row-group-result.ts';

/** Where row groups are made: on threads here, elsewhere later. */
export interface Executor extends AsyncDisposable {
  /** Makes the groups, several at a time, opened in order; results come as they are ready. The first failure ends it. */
  run(groups: Iterable<RowGroup>): AsyncIterable<RowGroupResult>;
}
