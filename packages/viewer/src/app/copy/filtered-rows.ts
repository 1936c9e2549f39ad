import type { ColumnInfo } from '../../api/columns.ts';
import type { Filter } from '../../api/filter.ts';
import type { RowReview } from '../../api/reviews.ts';
import type { CopiedRows } from './copied-rows.ts';
import { filterRows } from './filter-rows.ts';
import { sortRows } from './sort-rows.ts';

interface FilterContext {
  readonly rows: CopiedRows;
  readonly columns: readonly ColumnInfo[];
  readonly reviews: ReadonlyMap<number, RowReview>;
}

/** A list takes four bytes for each row. */
const MAX_LISTS = 4;

type MakeList = (signal: AbortSignal) => Promise<Uint32Array>;

/** A list that is being made, or is there. */
interface SharedList {
  readonly positions: Promise<Uint32Array>;
  readonly abort: AbortController;
  waiting: number;
}

/** The lists of positions that filters and orders select; the last ones are kept. */
export class FilteredRows {
  readonly #context: FilterContext;
  readonly #lists = new Map<string, SharedList>();

  constructor(context: FilterContext) {
    this.#context = context;
  }

  /** The positions within a filter in its order; undefined for all rows in theirs. */
  async list(filter: Filter, signal: AbortSignal): Promise<Uint32Array | undefined> {
    const { sort = [], ...where } = filter;
    const { rows } = this.#context;
    const isWhole = Object.values(where).every((part) => part === '' || (Array.isArray(part) && part.length === 0));
    const found = isWhole
      ? undefined
      : await this.#shared(where, signal, (scan) => filterRows(where, { ...this.#context, signal: scan }));
    if (sort.length === 0) return found;
    const positions = found ?? Uint32Array.from({ length: rows.total }, (_, at) => at);
    return this.#shared(filter, signal, (scan) => sortRows(positions, sort, { rows, signal: scan }));
  }

  /** The requests for a list share it. Once all of them are aborted, nothing more is read for it. */
  #shared(filter: Filter, signal: AbortSignal, make: MakeList): Promise<Uint32Array> {
    const key = JSON.stringify(filter);
    const list = this.#lists.get(key) ?? this.#begin(key, make);
    list.waiting++;
    const leave = (): void => {
      if (--list.waiting > 0) return;
      list.abort.abort(signal.reason);
      if (this.#lists.get(key) === list) this.#lists.delete(key);
    };
    const stop = (): void => signal.removeEventListener('abort', leave);
    signal.addEventListener('abort', leave);
    list.positions.then(stop, stop);
    return list.positions;
  }

  #begin(key: string, make: MakeList): SharedList {
    const abort = new AbortController();
    const list: SharedList = { positions: make(abort.signal), abort, waiting: 0 };
    this.#lists.set(key, list);
    list.positions.catch(() => {
      if (this.#lists.get(key) === list) this.#lists.delete(key);
    });
    for (const oldest of this.#lists.keys()) {
      if (this.#lists.size <= MAX_LISTS) break;
      this.#lists.delete(oldest);
    }
    return list;
  }
}
