import type { Api } from '../../../api/api.ts';
import type { Cell } from '../../../api/cells.ts';
import type { Filter } from '../../../api/filter.ts';
import type { DataSource } from '../../data/data-source.ts';
import { messageOf } from '../../data/use-data.ts';

const PAGE_ROWS = 100;
/** Pages beyond this number are forgotten, the oldest first. */
const MAX_PAGES = 200;
/** After a failure, no request is sent for this long. */
const RETRY_MS = 2000;

type RowsPage = Api['rows']['answer'];

/** A row of the table as far as it is loaded. */
export interface TableRow {
  readonly index: number;
  readonly cells: ReadonlyMap<string, Cell>;
}

interface CacheOptions {
  readonly source: DataSource;
  readonly dataset: string;
  readonly filter: Filter;
  /** The cache of an earlier version of the same rows: its rows are shown until newer ones arrive. */
  readonly previous: RowCache | undefined;
}

/** The loaded rows of a filter: pages of 100 rows and a block of columns, requested as they come into view. */
export class RowCache {
  readonly #options: CacheOptions;
  readonly #pages = new Map<string, RowsPage>();
  readonly #requests = new Map<string, AbortController>();
  readonly #rows = new Map<number, TableRow>();
  readonly #listeners = new Set<() => void>();
  #total: number | undefined;
  #previous: RowCache | undefined;
  #changes = 0;
  #retryAt = 0;
  /** Why the latest request failed. */
  error: string | undefined;

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#previous = options.previous;
  }

  /** The rows within the filter; undefined before the first answer. */
  get total(): number | undefined {
    return this.#total ?? this.#previous?.total;
  }

  /** Whether no answer for this filter and version has arrived. */
  get isWaiting(): boolean {
    return this.#total === undefined && this.error === undefined;
  }

  /** For `useSyncExternalStore`. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** A number that differs after each change. */
  readonly changes = (): number => this.#changes;

  /** The row at a position within the filter, if it is loaded. */
  rowAt(position: number): TableRow | undefined {
    return this.#rows.get(position) ?? this.#previous?.rowAt(position);
  }

  /** Requests the missing pages of a range for blocks of columns, and drops requests out of view. */
  want(range: { readonly from: number; readonly to: number }, blocks: readonly (readonly string[])[]): void {
    const wanted = new Set<string>();
    const first = Math.floor(Math.max(range.from, 0) / PAGE_ROWS);
    const last = Math.floor(Math.max(range.to, 0) / PAGE_ROWS);
    for (let page = first; page <= last; page++) {
      for (const columns of blocks) {
        const key = `${page} ${columns.join('\n')}`;
        wanted.add(key);
        const isKnown = this.#pages.has(key) || this.#requests.has(key) || Date.now() < this.#retryAt;
        if (!isKnown) this.#request(key, page, columns);
      }
    }
    for (const [key, request] of this.#requests) if (!wanted.has(key)) request.abort();
  }

  /** Ends all requests. */
  close(): void {
    for (const request of this.#requests.values()) request.abort();
    this.#requests.clear();
  }

  #request(key: string, page: number, columns: readonly string[]): void {
    const abort = new AbortController();
    this.#requests.set(key, abort);
    const { source, dataset, filter } = this.#options;
    const request = { dataset, filter, from: page * PAGE_ROWS, count: PAGE_ROWS, columns };
    source
      .ask('rows', request, abort.signal)
      .then(
        (answer) => this.#take(key, answer),
        (error: unknown) => {
          if (abort.signal.aborted) return;
          this.error = messageOf(error);
          this.#retryAt = Date.now() + RETRY_MS;
        },
      )
      .finally(() => {
        if (this.#requests.get(key) === abort) this.#requests.delete(key);
        this.#tell();
      });
  }

  #take(key: string, page: RowsPage): void {
    this.#total = page.total;
    this.error = undefined;
    this.#previous = undefined;
    this.#pages.set(key, page);
    for (const [at, row] of page.rows.entries()) {
      const known = this.#rows.get(page.from + at);
      const cells = new Map(known?.cells);
      for (const [column, name] of page.columns.entries()) cells.set(name, row.cells[column] ?? null);
      this.#rows.set(page.from + at, { index: row.index, cells });
    }
    if (this.#pages.size > MAX_PAGES) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const [oldest] = this.#pages;
    if (oldest === undefined) return;
    this.#pages.delete(oldest[0]);
    for (let at = 0; at < oldest[1].rows.length; at++) this.#rows.delete(oldest[1].from + at);
  }

  #tell(): void {
    this.#changes++;
    for (const listener of this.#listeners) listener();
  }
}
