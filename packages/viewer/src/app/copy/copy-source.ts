import type { Api } from '../../api/api.ts';
import type { TextPage, TextRequest } from '../../api/conversation.ts';
import type { Filter } from '../../api/filter.ts';
import type { RecordAnswer } from '../../api/record.ts';
import type { RowsPage, RowsRequest } from '../../api/table.ts';
import { type CopiedRecord, type CopiedRecords, COPY_FILES, type CopyData } from '../../copy-data.ts';
import { cutCell, IN_PAGE } from '../../server/cut-cell.ts';
import { conversationCell } from '../../server/conversation.ts';
import { recordFields } from '../../server/record/record-fields.ts';
import type { DataSource } from '../data/data-source.ts';
import { type CopiedRow, CopiedRows } from './copied-rows.ts';
import { statsOf } from './copied-stats.ts';
import { filterRows } from './filter-rows.ts';

/** The rows that a download reads together. */
const ROWS_AT_ONCE = 1000;

/** The files of a static copy next to this page, which any web server sends. */
export async function copySource(): Promise<DataSource> {
  const data: CopyData = await fetchJson(COPY_FILES.data);
  const copy = new StaticCopy(data, await CopiedRows.open(COPY_FILES.rows, data.bytes, data.overview.columns));
  const { name } = data.overview.dataset;
  return {
    ask: (question, request) => copy.answer(question, request),
    canReview: false,
    hasSql: false,
    downloads: (_, filter) => [
      { label: 'jsonl', fileName: `${name}.jsonl`, make: () => copy.jsonLines(filter) },
      { label: 'parquet (all rows)', address: COPY_FILES.rows },
    ],
  };
}

async function fetchJson<Value>(path: string): Promise<Value> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`The file ${path} of this copy is missing (status ${response.status}).`);
  return response.json();
}

type Answers = {
  readonly [Name in keyof Api]?: (request: Api[Name]['request']) => Api[Name]['answer'] | Promise<Api[Name]['answer']>;
};

class StaticCopy {
  readonly #data: CopyData;
  readonly #rows: CopiedRows;
  readonly #names: readonly string[];
  readonly #reviews: ReadonlyMap<number, CopyData['reviews'][number]>;
  readonly #lists = new Map<string, Promise<readonly number[]>>();
  readonly #records = new Map<number, Promise<CopiedRecords>>();
  readonly #answers: Answers;

  constructor(data: CopyData, rows: CopiedRows) {
    this.#data = data;
    this.#rows = rows;
    this.#names = data.overview.columns.map(({ name }) => name);
    this.#reviews = new Map(data.reviews.map((review) => [review.row, review]));
    this.#answers = {
      datasets: () => data.datasets,
      overview: () => data.overview,
      profile: () => data.profile,
      failures: () => data.failures,
      'failed-cells': ({ column, code, from, count }) => {
        const cells = data.failedCells.cells.filter(
          (cell) => (column === undefined || cell.column === column) && (code === undefined || cell.code === code),
        );
        return { total: cells.length, from, cells: cells.slice(from, from + count) };
      },
      refusals: ({ code, from, count }) => {
        const all = data.refusals.refusals.filter((one) => code === undefined || one.code === code);
        return { ...data.refusals, total: all.length, from, refusals: all.slice(from, from + count) };
      },
      config: () => data.config,
      live: () => ({ answers: [], groups: [] }),
      reviews: () => ({ reviews: data.reviews }),
      rows: (request) => this.#page(request),
      stats: async ({ filter = {}, columns }) => ({
        version: data.overview.version,
        stats: await this.#stats(filter, columns),
      }),
      record: ({ index, filter = {} }) => this.#record(index, filter),
      trace: async ({ index, column, from, count }) => {
        const { answers } = await this.#recordAt(index);
        const page = answers.find((answer) => answer.conversation?.column === column)?.conversation;
        return {
          column,
          total: page?.messages.length ?? 0,
          from,
          messages: page?.messages.slice(from, from + count) ?? [],
        };
      },
      text: (request) => this.#text(request),
    };
  }

  async answer<Name extends keyof Api>(name: Name, request: Api[Name]['request']): Promise<Api[Name]['answer']> {
    const answer = this.#answers[name];
    if (answer === undefined) throw new Error('A static copy cannot do this. Use `data-designer view` on the dataset.');
    return answer(request);
  }

  #list(filter: Filter): Promise<readonly number[]> {
    const key = JSON.stringify(filter);
    let list = this.#lists.get(key);
    if (!list) {
      list = filterRows(filter, { rows: this.#rows, columns: this.#data.overview.columns, reviews: this.#reviews });
      this.#lists.set(key, list);
      list.catch(() => this.#lists.delete(key));
    }
    return list;
  }

  async #page({ filter = {}, from, count, columns = this.#names }: RowsRequest): Promise<RowsPage> {
    const list = await this.#list(filter);
    const indexes = list.slice(from, from + count);
    const shown = this.#data.overview.columns.filter(({ name }) => columns.includes(name));
    const names = shown.map(({ name }) => name);
    const rows = await this.#rowsAt(indexes, names);
    return {
      version: this.#data.overview.version,
      total: list.length,
      from,
      columns: names,
      rows: indexes.map((index, at) => {
        const row = rows[at] ?? {};
        const cells = shown.map(({ name, shown: as }) =>
          as === 'conversation' ? conversationCell(row[name]) : cutCell(row[name], IN_PAGE),
        );
        return { index, cells };
      }),
    };
  }

  async #rowsAt(indexes: readonly number[], names: readonly string[]): Promise<readonly CopiedRow[]> {
    const rows = await Promise.all(
      runsOf(indexes).map(async ([first, last]) => {
        const found = await this.#rows.read(first, last + 1, names);
        return found.map((row, at) => [first + at, row] as const);
      }),
    );
    const byIndex = new Map(rows.flat());
    return indexes.map((index) => byIndex.get(index) ?? {});
  }

  /** The rows of a filter as lines of JSON; integers beyond 2^53 as text. */
  async jsonLines(filter: Filter): Promise<Blob> {
    const list = await this.#list(filter);
    const parts: string[] = [];
    for (let from = 0; from < list.length; from += ROWS_AT_ONCE) {
      const rows = await this.#rowsAt(list.slice(from, from + ROWS_AT_ONCE), this.#names);
      parts.push(...rows.map((row) => `${JSON.stringify(row, exact)}\n`));
    }
    return new Blob(parts, { type: 'application/jsonl' });
  }

  async #stats(filter: Filter, columns: readonly string[]): Promise<CopyData['stats']> {
    const { where = [], search, ...others } = filter;
    const isWhole = where.length === 0 && !search && [others.review, others.model, others.tool].every((one) => !one);
    const wanted = columns.flatMap((name) => this.#data.overview.columns.find((column) => column.name === name) ?? []);
    if (isWhole) return wanted.flatMap(({ name }) => this.#data.stats.find(({ column }) => column === name) ?? []);
    const list = await this.#list(filter);
    return Promise.all(
      wanted.map(async (column) => {
        const values = column.kind === 'trace' ? undefined : await this.#rows.column(column.name);
        return statsOf(
          column,
          list.map((at) => (values ? values[at] : '')),
        );
      }),
    );
  }

  async #record(index: number, filter: Filter): Promise<RecordAnswer> {
    const list = await this.#list(filter);
    const place = list.indexOf(index);
    const position = place < 0 ? null : place;
    const [row] = await this.#rows.read(index, index + 1, this.#names);
    if (!row) throw new Error(`This copy has no row ${index}.`);
    const { media, ...record } = await this.#recordAt(index);
    const mediaOf = (column: string) => media[column] ?? [];
    return {
      ...record,
      version: this.#data.overview.version,
      index,
      hash: '',
      review: this.#reviews.get(index) ?? null,
      fields: recordFields(this.#data.overview.columns, row, { mediaOf }),
      position,
      total: list.length,
      next: position === null ? null : (list[position + 1] ?? null),
      previous: position === null ? null : (list[position - 1] ?? null),
    };
  }

  async #recordAt(index: number): Promise<CopiedRecord> {
    const { recordsPerFile } = this.#data;
    const nothing = { row: index, answers: [], processed: [], media: {} };
    if (recordsPerFile === 0) return nothing;
    const file = Math.floor(index / recordsPerFile);
    let records = this.#records.get(file);
    if (!records) this.#records.set(file, (records = fetchJson(COPY_FILES.records(file))));
    return (await records)[index % recordsPerFile] ?? nothing;
  }

  async #text({ index, column, message, part, from, count }: TextRequest): Promise<TextPage> {
    if (message !== undefined) {
      const { answers } = await this.#recordAt(index);
      const own = answers.find(({ conversation }) => conversation?.column === column)?.conversation?.messages[message];
      const cut =
        part === 'reasoning'
          ? own?.reasoning
          : typeof part === 'number'
            ? own?.toolCalls[part]?.arguments
            : own?.content;
      const text = cut?.text ?? '';
      return { text: text.slice(from, from + count), from, length: text.length };
    }
    const [row = {}] = await this.#rows.read(index, index + 1, [column]);
    const value = row[column];
    const text = typeof value === 'string' ? value : JSON.stringify(value ?? null, undefined, 2);
    return { text: text.slice(from, from + count), from, length: text.length };
  }
}

function exact(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** Consecutive positions, which are read together. */
function runsOf(indexes: readonly number[]): readonly (readonly [first: number, last: number])[] {
  const runs: [number, number][] = [];
  for (const index of indexes.toSorted((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && index === run[1] + 1) run[1] = index;
    else runs.push([index, index]);
  }
  return runs;
}
