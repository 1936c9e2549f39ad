import { useState } from 'react';
import type { Filter } from '../../../api/filter.ts';
import type { RowOrder } from '../../../api/table.ts';
import { useSource } from '../../data/data-source.ts';
import { useData } from '../../data/use-data.ts';
import { useDataset } from '../../data/use-dataset.tsx';

/** The rows that are known around the one in view. */
const BEFORE = 500;
const AFTER = 2000;
/** Further rows are read once so few are left on a side. */
const EDGE = 100;

/** The place of a row within the filter. */
export interface RowPlace {
  /** Undefined before the order is read. */
  readonly total: number | undefined;
  /** From 0; null if the filter leaves the row out, undefined before the order is read. */
  readonly position: number | null | undefined;
  /** The rows before and after it: null at an end, undefined where that is not read. */
  readonly previous: number | null | undefined;
  readonly next: number | null | undefined;
}

/**
 * The order of the rows within a filter, read before their records, so that a reader may be faster than those. A row that a
 * verdict takes out of the filter stays in the order until the filter changes.
 */
export function useRowOrder(row: number, filter: Filter): RowPlace {
  const { entry, version } = useDataset();
  const source = useSource();
  const filterKey = `${entry.id} ${version} ${JSON.stringify(filter)}`;
  const [anchor, setAnchor] = useState({ filterKey, row });
  const [known, setKnown] = useState<{ readonly filterKey: string; readonly order: RowOrder }>();
  const wanted = anchor.filterKey === filterKey ? anchor.row : row;
  const { data, isOld } = useData(`${filterKey} ${wanted}`, (signal) =>
    source.ask('order', { dataset: entry.id, filter, index: wanted, before: BEFORE, after: AFTER }, signal),
  );
  const isKnown = known?.filterKey === filterKey && known.order.indexes.includes(row);
  // A later window is taken only with the row: verdicts may have taken it out of the filter.
  if (data && !isOld && data !== known?.order && (!isKnown || data.indexes.includes(row))) {
    setKnown({ filterKey, order: data });
  }
  const order = known?.filterKey === filterKey ? known.order : undefined;
  if (order === undefined) return { total: undefined, position: undefined, previous: undefined, next: undefined };
  const at = order.indexes.indexOf(row);
  const { length } = order.indexes;
  const hasMore = order.from + length < order.total;
  const further = at === -1 && !isOld ? row : hasMore && at >= length - EDGE ? order.indexes[length - 1] : undefined;
  const earlier = order.from > 0 && at !== -1 && at < EDGE ? order.indexes[0] : undefined;
  const next = further ?? earlier;
  if (next !== undefined && next !== wanted) setAnchor({ filterKey, row: next });
  if (at === -1) return { total: order.total, position: isOld ? undefined : null, previous: null, next: null };
  return {
    total: order.total,
    position: order.from + at,
    previous: order.indexes[at - 1] ?? (order.from > 0 ? undefined : null),
    next: order.indexes[at + 1] ?? (hasMore ? undefined : null),
  };
}
