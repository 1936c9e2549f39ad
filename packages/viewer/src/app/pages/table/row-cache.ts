import type { Api } from '../../../api/requests.ts';
import type { Cell, Media } from '../../../api/cells.ts';
import type { Filter } from '../../../api/filter.ts';
import type { DataSource } from '../../data/data-source.ts';
import { messageOf } from '../../data/use-data.ts';

const PAGE_ROWS = 100;
/** The most rows that one request returns. */
const MAX_ROWS = 500;
/** Pages beyond this number are forgotten, the oldest first. */
const MAX_PAGES = 200;
/** After a failure, no request is sent for this long. */
const RETRY_MS = 2000;

type RowsPage = Api['rows']['answer'];

/** A row of the table as far as it is loaded. */
export interface TableRow {
  readonly index: number;
  readonly cells: ReadonlyMap<string, Cell>;
  /** The columns with the text of the search. */
  readonly hits: ReadonlySet<string>;
  /** The pictures and sounds by column. */
  readonly media: ReadonlyMap<string, readonly Media[]>;
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
  /** The first row of each loaded page. */
  readonly #pages = new Map<string, number>();
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

  /** Whether a request has no answer yet. */
  get isLoading(): boolean {
    return this.#requests.size > 0;
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
    const wanted = new Set<AbortController>();
    const first = Math.floor(Math.max(range.from, 0) / PAGE_ROWS);
    const last = Math.floor(Math.max(range.to, 0) / PAGE_ROWS);
    for (const columns of blocks) {
      // Pages side by side are read together, because they often share parts of a file.
      let missing: number[] = [];
      for (let page = first; page <= last + 1; page++) {
        const key = keyOf(page, columns);
        const request = this.#requests.get(key);
        if (request) wanted.add(request);
        const isMissing = page <= last && !request && !this.#pages.has(key);
        if (isMissing) missing.push(page);
        if (missing.length > 0 && (!isMissing || missing.length * PAGE_ROWS === MAX_ROWS)) {
          if (Date.now() >= this.#retryAt) wanted.add(this.#request(missing, columns));
          missing = [];
        }
      }
    }
    for (const [key, request] of this.#requests) {
      if (wanted.has(request)) continue;
      request.abort();
      this.#requests.delete(key);
    }
  }

  /** Ends all requests. */
  close(): void {
    for (const request of this.#requests.values()) request.abort();
    this.#requests.clear();
  }

  #request(pages: readonly number[], columns: readonly string[]): AbortController {
    const abort = new AbortController();
    const keys = pages.map((page) => keyOf(page, columns));
    for (const key of keys) this.#requests.set(key, abort);
    const { source, dataset, filter } = this.#options;
    const request = { dataset, filter, from: (pages[0] ?? 0) * PAGE_ROWS, count: pages.length * PAGE_ROWS, columns };
    source
      .ask('rows', request, abort.signal)
      .then(
        (answer) => this.#take(keys, answer),
        (error: unknown) => {
          if (abort.signal.aborted) return;
          this.error = messageOf(error);
          this.#retryAt = Date.now() + RETRY_MS;
        },
      )
      .finally(() => {
        for (const key of keys) if (this.#requests.get(key) === abort) this.#requests.delete(key);
        this.#tell();
      });
    return abort;
  }

  #take(keys: readonly string[], answer: RowsPage): void {
    this.#total = answer.total;
    this.error = undefined;
    this.#previous = undefined;
    for (const [at, key] of keys.entries()) this.#pages.set(key, answer.from + at * PAGE_ROWS);
    for (const [at, row] of answer.rows.entries()) {
      const known = this.#rows.get(answer.from + at);
      const cells = new Map(known?.cells);
      for (const [column, name] of answer.columns.entries()) cells.set(name, row.cells[column] ?? null);
      const hits = new Set([...(known?.hits ?? []), ...(row.hits ?? [])]);
      const media = new Map([...(known?.media ?? []), ...Object.entries(row.media ?? {})]);
      this.#rows.set(answer.from + at, { index: row.index, cells, hits, media });
    }
    while (this.#pages.size > MAX_PAGES) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const [oldest] = this.#pages;
    if (oldest === undefined) return;
    const [, from] = oldest;
    // Its rows hold the cells of all blocks of columns.
    for (const [key, start] of this.#pages) if (start === from) this.#pages.delete(key);
    for (let at = 0; at < PAGE_ROWS; at++) this.#rows.delete(from + at);
  }

  #tell(): void {
    this.#changes++;
    for (const listener of this.#listeners) listener();
  }
}

function keyOf(page: number, columns: readonly string[]): string {
  return `${page} ${columns.join('\n')}`;
}
