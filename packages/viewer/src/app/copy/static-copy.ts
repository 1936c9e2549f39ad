import { addCosts } from '@data-designer/printing/describe-cost';
import type { Api, RequestOf } from '../../api/requests.ts';
import type { TextPage, TracePage } from '../../api/conversation.ts';
import type { Filter } from '../../api/filter.ts';
import type { RecordAnswer } from '../../api/record.ts';
import type { RunFacts } from '../../api/overview.ts';
import type { RowsPage } from '../../api/table.ts';
import { cellTexts } from '../../cell-texts.ts';
import type { CopiedMedia, CopiedRecord, CopiedRecords, CopyData, copyFiles } from '../../copy-data.ts';
import type { ComparedDataset } from '../../server/compare/compared-dataset.ts';
import { hitsIn, pageCell } from '../../server/conversation.ts';
import { FIRST_MESSAGES, recordFields } from '../../server/record/record-fields.ts';
import { failureCause } from '../../failure-cause.ts';
import { CopiedRows } from './copied-rows.ts';
import { filteredStats } from './copied-stats.ts';
import { FilteredRows } from './filtered-rows.ts';

/** Reads a file of a copy. Throws if it is missing. */
export async function fetchJson<Value>(path: string): Promise<Value> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`The file ${path} of this copy is missing (status ${response.status}).`);
  return response.json();
}

type Answers = {
  readonly [Name in keyof Api]?: (
    request: Api[Name]['request'],
    signal: AbortSignal,
  ) => Api[Name]['answer'] | Promise<Api[Name]['answer']>;
};

/** The content of a file of a copy, fetched once; a failure is forgotten. */
function fetchOnce<Content>(known: Map<number, Promise<Content>>, file: number, path: string): Promise<Content> {
  let content = known.get(file);
  if (!content) {
    known.set(file, (content = fetchJson<Content>(path)));
    content.catch(() => known.delete(file));
  }
  return content;
}

function firstOf(page: TracePage | undefined): TracePage | undefined {
  return page && { ...page, messages: page.messages.slice(0, FIRST_MESSAGES) };
}

/** A dataset of a static copy. */
export class StaticCopy {
  readonly rows: CopiedRows;
  readonly #data: CopyData;
  readonly #files: ReturnType<typeof copyFiles>;
  readonly #reviews: ReadonlyMap<number, CopyData['reviews'][number]>;
  readonly #filtered: FilteredRows;
  readonly #media = new Map<number, Promise<CopiedMedia>>();
  readonly #records = new Map<number, Promise<CopiedRecords>>();
  readonly #answers: Answers;

  private constructor(data: CopyData, rows: CopiedRows, files: ReturnType<typeof copyFiles>) {
    const { columns, version } = data.overview;
    this.#data = data;
    this.rows = rows;
    this.#files = files;
    this.#reviews = new Map(data.reviews.map((review) => [review.row, review]));
    this.#filtered = new FilteredRows({ rows, columns, reviews: this.#reviews });
    this.#answers = {
      overview: () => data.overview,
      run: () => factsOf(data),
      profile: () => data.profile,
      failures: () => data.failures,
      'failed-cells': ({ column, code, cause, row, from, count }) => {
        const cells = data.failedCells.cells.filter(
          (cell) =>
            (column ?? cell.column) === cell.column &&
            (code ?? cell.code) === cell.code &&
            (cause === undefined || cause === failureCause(cell.message)) &&
            (row ?? cell.row) === cell.row,
        );
        return { ...data.failedCells, total: cells.length, from, cells: cells.slice(from, from + count) };
      },
      refusals: ({ code, from, count }) => {
        const all = data.refusals.refusals.filter((one) => code === undefined || one.code === code);
        return { ...data.refusals, total: all.length, from, refusals: all.slice(from, from + count) };
      },
      config: () => data.config,
      live: () => ({ answers: [], groups: [] }),
      attempts: () => ({ attempts: [] }),
      reviews: () => ({ reviews: data.reviews }),
      order: async ({ filter = {}, index, before, after }, signal) => {
        const list = await this.list(filter, signal);
        const place = list ? list.indexOf(index) : index;
        const from = Math.max(0, place - before);
        const indexes = place < 0 ? [] : this.positions(list, from, place + after + 1 - from);
        return { version, total: list?.length ?? this.rows.total, from, indexes };
      },
      rows: (request, signal) => this.#page(request, signal),
      stats: async ({ filter = {}, columns: names }, signal) => ({
        version,
        stats: await this.#stats(filter, names, signal),
      }),
      record: ({ index, filter = {} }, signal) => this.#record(index, filter, signal),
      trace: async ({ index, column, from, count }) => {
        const { answers, conversations } = await this.#recordAt(index);
        const asked = answers.find((answer) => answer.conversation?.column === column)?.conversation;
        const messages = (asked ?? conversations[column])?.messages ?? [];
        return { column, total: messages.length, from, messages: messages.slice(from, from + count) };
      },
      text: (request) => this.#text(request),
    };
  }

  static async open(files: ReturnType<typeof copyFiles>): Promise<StaticCopy> {
    const data: CopyData = await fetchJson(files.data);
    return new StaticCopy(data, await CopiedRows.open(files.rows, data.bytes), files);
  }

  async answer<Name extends keyof Api>(
    name: Name,
    request: Api[Name]['request'],
    signal: AbortSignal,
  ): Promise<Api[Name]['answer']> {
    const answer = this.#answers[name];
    if (answer === undefined) throw new Error('A static copy cannot do this. Use `data-designer view` on the dataset.');
    return answer(request, signal);
  }

  /** The positions of the rows of a filter in its order; undefined for all rows in theirs. */
  list(filter: Filter, signal: AbortSignal): Promise<Uint32Array | undefined> {
    return this.#filtered.list(filter, signal);
  }

  /** Some positions of a list. */
  positions(list: Uint32Array | undefined, from: number, count: number): readonly number[] {
    if (list) return [...list.subarray(from, from + count)];
    return Array.from({ length: Math.max(0, Math.min(count, this.rows.total - from)) }, (_, at) => from + at);
  }

  /** As one of two datasets. Its rows have no cost: the prices of a copy are those of the plan for people. */
  compared(): ComparedDataset {
    const { rows } = this;
    return {
      columns: this.#data.overview.columns,
      scores: this.#data.overview.scores,
      total: rows.total,
      at: (positions, names) => rows.at(positions, names),
    };
  }

  async #page({ filter = {}, from, count, columns }: RequestOf<'rows'>, signal: AbortSignal): Promise<RowsPage> {
    const list = await this.list(filter, signal);
    const indexes = this.positions(list, from, count);
    const all = this.#data.overview.columns;
    const { scores } = this.#data.overview;
    const shown = [...all, ...scores].filter(({ name, kind, member }) =>
      columns ? columns.includes(name) : kind !== 'trace' && !member,
    );
    const names = shown.map(({ name }) => name);
    const read = [...new Set(shown.map(({ name, member }) => member?.column ?? name))];
    const { search } = filter;
    // A text is looked for in all columns, as the filter does.
    const rows = await this.rows.at(indexes, search ? all.map(({ name }) => name) : read);
    const texts = cellTexts(this.rows.fields);
    const media = await this.#mediaOf(indexes);
    return {
      version: this.#data.overview.version,
      total: list?.length ?? this.rows.total,
      from,
      columns: names,
      rows: indexes.map((index, at) => {
        const row = rows[at] ?? {};
        const cells = shown.map((column) => pageCell(column, row));
        const own = Object.entries(media[at] ?? {}).filter(([name]) => names.includes(name));
        return {
          index,
          cells,
          ...(search && { hits: hitsIn(row, search, { columns: all, texts }) }),
          ...(own.length > 0 && { media: Object.fromEntries(own) }),
        };
      }),
    };
  }

  /** The media of rows; a page of a table needs one or two of their files. */
  async #mediaOf(indexes: readonly number[]): Promise<readonly (CopiedRecord['media'] | undefined)[]> {
    const { recordsPerFile, hasMedia } = this.#data;
    if (!hasMedia) return [];
    const files = [...new Set(indexes.map((index) => Math.floor(index / recordsPerFile)))];
    const read = files.map(async (file) => {
      return [file, await fetchOnce(this.#media, file, this.#files.mediaOf(file))] as const;
    });
    const byFile = new Map(await Promise.all(read));
    return indexes.map((index) => byFile.get(Math.floor(index / recordsPerFile))?.[index % recordsPerFile]);
  }

  /** The review of a row; undefined without one. */
  reviewOf(index: number): CopyData['reviews'][number] | undefined {
    return this.#reviews.get(index);
  }

  async #stats(filter: Filter, names: readonly string[], signal: AbortSignal): Promise<CopyData['stats']> {
    const { sort: _, ...unsorted } = filter;
    const { stats: whole, overview } = this.#data;
    const positions = await this.list(unsorted, signal);
    if (!positions) return names.flatMap((name) => whole.find(({ column }) => column === name) ?? []);
    const columns = names.flatMap((name) => overview.columns.find((column) => column.name === name) ?? []);
    return filteredStats(columns, { rows: this.rows, positions, whole, signal });
  }

  async #record(index: number, filter: Filter, signal: AbortSignal): Promise<RecordAnswer> {
    const list = await this.list(filter, signal);
    const place = list ? list.indexOf(index) : index;
    const position = place < 0 ? null : place;
    const at = (next: number): number | null => {
      const isThere = position !== null && next >= 0 && next < (list?.length ?? this.rows.total);
      return isThere ? (list?.[next] ?? next) : null;
    };
    const [row] = await this.rows.at([index]);
    if (!row) throw new Error(`This copy has no row ${index}.`);
    const { media, conversations, ...record } = await this.#recordAt(index);
    return {
      ...record,
      version: this.#data.overview.version,
      index,
      hash: '',
      review: this.#reviews.get(index) ?? null,
      failures: this.#data.failedCells.cells.filter((cell) => cell.index === index),
      fields: recordFields(this.#data.overview.columns, row, {
        mediaOf: (column) => media[column] ?? [],
        conversationOf: (column) => firstOf(conversations[column]),
      }),
      position,
      total: list?.length ?? this.rows.total,
      next: at(place + 1),
      previous: at(place - 1),
    };
  }

  async #recordAt(index: number): Promise<CopiedRecord> {
    const { recordsPerFile } = this.#data;
    const nothing = { row: index, answers: [], attempts: [], states: [], processed: [], media: {}, conversations: {} };
    if (recordsPerFile === 0) return nothing;
    const file = Math.floor(index / recordsPerFile);
    // The records of one file may have many megabytes.
    if (!this.#records.has(file)) this.#records.clear();
    const records = await fetchOnce(this.#records, file, this.#files.records(file));
    return records[index % recordsPerFile] ?? nothing;
  }

  async #text({ index, column, message, part, from, count }: RequestOf<'text'>): Promise<TextPage> {
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
    const [row = {}] = await this.rows.at([index], [column]);
    const value = row[column];
    const text = typeof value === 'string' ? value : stringify(value);
    return { text: text.slice(from, from + count), from, length: text.length };
  }
}

/** The figures of a copied run. */
function factsOf({ overview, stats }: CopyData): RunFacts {
  const { state, rows, wanted, usage, scores, failedCells, history } = overview;
  const { known: cost, unpriced } = addCosts(usage);
  const [first, last] = [history[0], history.at(-1)];
  return {
    state,
    rows,
    wanted,
    cost,
    unpriced,
    scores: scores.flatMap(({ name, member }) => {
      const members = stats.find(({ column }) => column === member?.column)?.members ?? [];
      const mean = members.find(({ path }) => path.join('\n') === member?.path.join('\n'))?.mean ?? null;
      return mean === null ? [] : [{ name, mean }];
    }),
    failedCells,
    cells: null,
    elapsedMs: first && last && last.at > first.at ? last.at - first.at : null,
    changedAt: last?.at ?? null,
  };
}

/** JSON text; integers beyond 2^53 as text. */
function stringify(value: unknown): string {
  return JSON.stringify(value ?? null, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part), 2);
}
