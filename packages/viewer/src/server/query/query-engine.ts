import { dirname } from 'node:path';
import type { DuckDBConnection, DuckDBInstance, DuckDBPreparedStatement } from '@duckdb/node-api';
import { DataDesignerError, messageOf, type Plan } from '@data-designer/core';
import { type DatasetRows, type PlacedFile, TemporaryFolder } from '@data-designer/dataset';
import { openConfinedDuckDb, prepareSelect, quotedPaths } from '@data-designer/seeds/duck-db';
import type { ColumnInfo } from '../../api/columns.ts';
import type { Filter } from '../../api/filter.ts';
import { RequestFailure } from '../request-failure.ts';
import { chipSql } from './chip-sql.ts';
import { type ColumnsByName, orderSql, PLACE, whereSql } from './condition-sql.ts';
import { missingColumn } from './missing-column.ts';
import { ParquetCopies } from './parquet-copies.ts';
import { RowList } from './row-list.ts';

/** The dataset that is searched. */
export interface SearchedDataset {
  readonly plan: () => Promise<{
    readonly plan: Plan;
    readonly columns: readonly ColumnInfo[];
    /** The scores of judges, which conditions name as the table does. */
    readonly scores: readonly ColumnInfo[];
  }>;
  readonly currentRows: () => Promise<DatasetRows>;
  /** The rows with a review of a kind, or all others. */
  readonly reviewed: (kind: ReviewKind) => Promise<ReviewedRows>;
}

type ReviewKind = NonNullable<Filter['review']>;

/** Rows by their reviews. */
interface ReviewedRows {
  readonly isOthers: boolean;
  readonly rows: readonly number[];
}

/** Memory for queries; more is spilled to a temporary folder. */
const MEGABYTES = 512;
/** The database is closed when it is idle for so long: paging needs no memory of it. */
const IDLE_MS = 30_000;
/** A condition of the user may take for ever. */
const QUERY_MS = 30_000;
/** The number of row lists in memory, for the open pages. */
const MAX_LISTS = 6;

/** A database over the files of one version. */
interface Opened {
  readonly version: string;
  readonly files: readonly PlacedFile[];
  readonly instance: DuckDBInstance;
  readonly connection: DuckDBConnection;
}

/** A list that requests wait for; it is given up once none of them does. */
interface PendingList {
  readonly list: Promise<RowList>;
  readonly stop: AbortController;
  waiting: number;
}

/** Filters, sorts and counts rows with a DuckDB that can read the data files and nothing else, one query at a time. */
export class QueryEngine implements AsyncDisposable {
  readonly #dataset: SearchedDataset;
  readonly #queryMs: number;
  readonly #idleMs: number;
  readonly #lists = new Map<string, PendingList>();
  #opened: Opened | undefined;
  #spill: TemporaryFolder | undefined;
  #copies: ParquetCopies | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  constructor(
    dataset: SearchedDataset,
    { queryMs = QUERY_MS, idleMs = IDLE_MS }: { readonly queryMs?: number; readonly idleMs?: number } = {},
  ) {
    this.#dataset = dataset;
    this.#queryMs = queryMs;
    this.#idleMs = idleMs;
  }

  /** The rows of a filter. Throws `view/bad-request` for a condition that is wrong. */
  async rowList(asked: Filter, signal: AbortSignal): Promise<RowList> {
    const filter = await this.#withSql(asked);
    const rows = await this.#dataset.currentRows();
    const { where = [], search = '', sql = '', sort = [], review, model = '', tool = '', failedTool = '' } = filter;
    const texts = `${search}${sql.trim()}${model}${tool}${failedTool}`;
    if (where.length + sort.length === 0 && texts === '' && review === undefined)
      return new RowList(rows.version, rows.total);
    const reviewed = review && (await this.#dataset.reviewed(review));
    const key = JSON.stringify([rows.version, where, search, sql, model, tool, failedTool, sort, reviewed]);
    const pending = this.#lists.get(key) ?? this.#begin(key, filter, reviewed);
    pending.waiting++;
    const leave = (): void => {
      if (--pending.waiting === 0) pending.stop.abort();
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await pending.list;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** One row of values over the rows of a filter, as JSON; `parts` are SQL. */
  async aggregate(parts: readonly string[], asked: Filter, signal: AbortSignal): Promise<readonly unknown[]> {
    const filter = await this.#withSql(asked);
    const reviewed = filter.review && (await this.#dataset.reviewed(filter.review));
    return this.#run(signal, async ({ connection, files }, columns) => {
      const where = whereSql(filter, columns, placesSql(files, reviewed));
      const prepared = await prepareSelect(connection, `SELECT ${parts.join(', ')} FROM dataset ${where}`);
      try {
        const [row = []] = (await prepared.runAndReadAll()).getRowsJson();
        return row;
      } finally {
        prepared.destroySync();
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle);
    for (const { stop } of this.#lists.values()) stop.abort();
    await this.#last;
    this.#close();
    await this.#spill?.[Symbol.asyncDispose]();
    await this.#copies?.[Symbol.asyncDispose]();
  }

  /** The filter with the SQL of its condition, which may be written as a chip of the table is. */
  async #withSql(filter: Filter): Promise<Filter> {
    if (!filter.sql?.trim()) return filter;
    const { columns, scores } = await this.#dataset.plan();
    return { ...filter, sql: chipSql(filter.sql, scores, columns) };
  }

  #begin(key: string, filter: Filter, reviewed: ReviewedRows | undefined): PendingList {
    const stop = new AbortController();
    const list = this.#run(stop.signal, async (opened, columns) => {
      const where = whereSql(filter, columns, placesSql(opened.files, reviewed));
      const sql = `SELECT ${PLACE} FROM dataset ${where} ${orderSql(filter, columns)}`;
      const prepared = await prepareSelect(opened.connection, sql);
      try {
        return await listOf(prepared, opened, (filter.sort ?? []).length === 0);
      } finally {
        prepared.destroySync();
      }
    });
    const pending = { list, stop, waiting: 0 };
    this.#lists.set(key, pending);
    list.catch(() => this.#lists.delete(key));
    for (const other of this.#lists.keys()) {
      if (this.#lists.size <= MAX_LISTS) break;
      this.#lists.delete(other);
    }
    return pending;
  }

  /** Runs a query after all earlier ones; interrupts it when no request waits for it any more. */
  async #run<Result>(
    signal: AbortSignal,
    use: (opened: Opened, columns: ColumnsByName) => Promise<Result>,
  ): Promise<Result> {
    const turn = this.#last;
    const done = Promise.withResolvers<void>();
    this.#last = done.promise;
    await turn;
    clearTimeout(this.#idle);
    try {
      return await this.#interruptible(signal, use).catch((thrown: unknown) => {
        // A merge has replaced files: list them again.
        if (signal.aborted || !/No such file|No files found|Cannot open file/.test(messageOf(thrown))) throw thrown;
        this.#close();
        return this.#interruptible(signal, use);
      });
    } catch (thrown) {
      if (signal.aborted) throw new RequestFailure(409, 'view/busy', 'Another query has replaced this one.');
      if (thrown instanceof RequestFailure || thrown instanceof DataDesignerError) throw thrown;
      throw new RequestFailure(400, 'view/bad-request', await this.#reasonOf(thrown));
    } finally {
      this.#idle = setTimeout(() => this.#close(), this.#idleMs).unref();
      done.resolve();
    }
  }

  async #interruptible<Result>(
    signal: AbortSignal,
    use: (opened: Opened, columns: ColumnsByName) => Promise<Result>,
  ): Promise<Result> {
    signal.throwIfAborted();
    const { columns } = await this.#dataset.plan();
    const opened = await this.#open();
    const interrupt = () => opened.connection.interrupt();
    signal.addEventListener('abort', interrupt);
    let isTooSlow = false;
    const limit = setTimeout(() => {
      isTooSlow = true;
      interrupt();
    }, this.#queryMs);
    try {
      return await use(opened, new Map(columns.map((column) => [column.name, column])));
    } catch (thrown) {
      throw isTooSlow && !signal.aborted ? tooSlow(this.#queryMs) : thrown;
    } finally {
      clearTimeout(limit);
      signal.removeEventListener('abort', interrupt);
    }
  }

  /** The first lines of DuckDB's message, without the query, which the user did not write; or the column that was meant. */
  async #reasonOf(thrown: unknown): Promise<string> {
    const [reason = ''] = messageOf(thrown).split(/\n\s*\n/);
    const { plan, scores } = await this.#dataset.plan();
    const known = missingColumn(reason, { fields: plan.fields, scores });
    return `The condition cannot be used: ${known ?? reason.replaceAll(/\s+/g, ' ')}`;
  }

  async #open(): Promise<Opened> {
    const rows = await this.#dataset.currentRows();
    const { version, files } = rows;
    if (this.#opened?.version === version) return this.#opened;
    this.#close();
    await rows.rejectChanged();
    const { plan } = await this.#dataset.plan();
    this.#spill ??= await TemporaryFolder.make();
    this.#copies ??= new ParquetCopies();
    const paths = await this.#copies.of(
      files.map(({ path }) => path),
      plan.fields,
    );
    const readable = [...new Set(paths.map((path) => dirname(path)))];
    const instance = await openConfinedDuckDb({ readable, folder: this.#spill.path, megabytes: MEGABYTES });
    const connection = await instance.connect();
    const source =
      paths.length > 0
        ? `SELECT *, file_index AS "__file", file_row_number AS "__row" FROM read_parquet(${quotedPaths(paths)}, hive_partitioning = false)`
        : `SELECT ${plan.fields.map(({ name }) => `NULL AS "${name.replaceAll('"', '""')}"`).join(', ')}, 0 AS "__file", 0 AS "__row" WHERE false`;
    await connection.run(`CREATE VIEW dataset AS ${source}`);
    return (this.#opened = { version, files, instance, connection });
  }

  #close(): void {
    this.#opened?.connection.closeSync();
    this.#opened?.instance.closeSync();
    this.#opened = undefined;
  }
}

/** SQL of rows by their place; undefined for all rows. */
function placesSql(files: readonly PlacedFile[], reviewed: ReviewedRows | undefined): string | undefined {
  if (!reviewed) return undefined;
  const places = reviewed.rows.flatMap((position) => {
    const index = files.findIndex(({ start, rows }) => position >= start && position < start + rows);
    return index === -1 ? [] : [`(${index}, ${position - (files[index]?.start ?? 0)})`];
  });
  if (places.length === 0) return reviewed.isOthers ? undefined : 'false';
  return `(${PLACE}) ${reviewed.isOthers ? 'NOT IN' : 'IN'} (${places.join(', ')})`;
}

/** The rows that a query returns as file and row within the file. */
async function listOf(
  prepared: DuckDBPreparedStatement,
  { version, files }: Opened,
  isSorted: boolean,
): Promise<RowList> {
  const result = await prepared.stream();
  const starts = files.map(({ start }) => start);
  let positions = new Uint32Array(1024);
  let length = 0;
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    if (length + chunk.rowCount > positions.length) {
      const grown = new Uint32Array(positions.length * 2 + chunk.rowCount);
      grown.set(positions);
      positions = grown;
    }
    const [inFiles, inRows] = [chunk.getColumnValues(0), chunk.getColumnValues(1)];
    for (let at = 0; at < chunk.rowCount; at++) {
      positions[length++] = (starts[Number(inFiles[at])] ?? 0) + Number(inRows[at]);
    }
  }
  const found = positions.slice(0, length);
  return new RowList(version, isSorted ? found.toSorted() : found, isSorted);
}

function tooSlow(queryMs: number): RequestFailure {
  const message = `The query was stopped after ${queryMs / 1000} s. Use a simpler condition, or fewer rows.`;
  return new RequestFailure(400, 'view/too-slow', message);
}
