import { ATTEMPT_CALLS, attemptOfCall, type Plan, rowGroups, toolCallOf } from '@data-designer/core';
import type { DatasetPaths } from '@data-designer/dataset';
import { type JournalRecord, JournalTail } from '@data-designer/dataset/journal';
import type { ProgressSnapshot } from '@data-designer/engine';
import type { ColumnInfo } from '../../api/columns.ts';
import type { LiveAnswer, LiveState, OpenGroup, RowsInTheMaking } from '../../api/live.ts';
import { cutText } from '../cut-cell.ts';
import { readAnswer, scoresText } from './read-answer.ts';

/** The answers shown. */
const MAX_ANSWERS = 100;
/** The characters of an answer. */
const CHARACTERS = 1000;

/** The rows in the making that are shown, and the characters of their cells. */
const MAX_MAKING = 100;
const MAKING_CHARACTERS = 200;

/** An answer that was seen in a journal. */
interface SeenAnswer {
  readonly number: number;
  readonly at: number;
  readonly group: number;
  readonly record: JournalRecord;
  shown?: Promise<LiveAnswer>;
}

/** An open row group, as its journal shows it. */
interface SeenGroup {
  answers: number;
  lastAt: number | null;
  /** The rows with an answer, by column. */
  readonly rows: Map<string, Set<number>>;
  /** The latest record of a model by row and column, of the first rows. */
  readonly making: Map<number, Map<string, JournalRecord>>;
}

/** The dataset whose run is watched. */
interface FedDataset {
  readonly paths: DatasetPaths;
  readonly plan: () => Promise<{ readonly plan: Plan; readonly columns: readonly ColumnInfo[] }>;
}

/** The answers of a run as they arrive, before their rows are finished, and what its open row groups wait for. */
export class LiveFeed {
  readonly #dataset: FedDataset;
  readonly #tail: JournalTail;
  readonly #groups = new Map<number, SeenGroup>();
  #answers: SeenAnswer[] = [];
  #number = 0;
  #reading: Promise<void> | undefined;

  constructor(dataset: FedDataset) {
    this.#dataset = dataset;
    this.#tail = new JournalTail(dataset.paths);
  }

  /** Changes with each answer and each row group. */
  get version(): string {
    return `${this.#number} ${[...this.#groups.keys()].join()}`;
  }

  /** Reads what has arrived since the last call. */
  async refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    await this.#reading;
  }

  /** The latest answers and the open row groups. */
  async state(progress: ProgressSnapshot | null): Promise<LiveState> {
    const { plan } = await this.#dataset.plan();
    const answers = await Promise.all(this.#answers.map((seen) => (seen.shown ??= shownAnswer(seen, plan))));
    const sizes = new Map(Array.from(rowGroups(plan), ({ index, rows }) => [index, rows]));
    const groups = Array.from(this.#groups, ([group, seen]) =>
      openGroup(group, seen, { plan, progress, rows: sizes.get(group) ?? 0, isOnly: this.#groups.size === 1 }),
    );
    return { answers, groups };
  }

  /** The rows of open row groups that have answers. */
  async making(): Promise<RowsInTheMaking> {
    const { plan, columns: infos } = await this.#dataset.plan();
    const judges = new Set(infos.flatMap(({ name, shown }) => (shown === 'scores' ? name : [])));
    const groups = [...this.#groups.values()];
    const all = new Set(groups.flatMap(({ rows }) => [...rows.values()].flatMap((own) => [...own])));
    const shown = groups.flatMap(({ making }) => [...making]).toSorted(([a], [b]) => a - b);
    const first = shown.slice(0, MAX_MAKING);
    const names = new Set(first.flatMap(([, cells]) => [...cells.keys()]));
    const columns = plan.columns.flatMap(({ name }) => (names.has(name) ? [name] : []));
    const rows = first.map(async ([row, cells]) => {
      const texts = columns.map(async (column) => {
        const record = cells.get(column);
        if (record === undefined) return null;
        const { text, toolCalls } = await readAnswer(record);
        if (text === '' && toolCalls.length > 0) return `calls ${toolCalls.join(', ')}`;
        return cutText(judges.has(column) ? scoresText(text) : text, MAKING_CHARACTERS);
      });
      return { row, cells: await Promise.all(texts) };
    });
    return { total: all.size, columns, rows: await Promise.all(rows) };
  }

  async #read(): Promise<void> {
    const found = await this.#tail.read();
    const { resources } = (await this.#dataset.plan()).plan;
    const models = new Set(resources.flatMap(({ id, kind }) => (kind === 'model' ? id : [])));
    const at = Date.now();
    for (const group of this.#groups.keys()) if (!found.has(group)) this.#groups.delete(group);
    for (const [group, records] of found) {
      const seen = this.#groups.get(group) ?? {
        answers: 0,
        lastAt: null,
        rows: new Map<string, Set<number>>(),
        making: new Map<number, Map<string, JournalRecord>>(),
      };
      this.#groups.set(group, seen);
      for (const record of records) {
        seen.answers++;
        seen.lastAt = at;
        const rows = seen.rows.get(record.column) ?? new Set();
        seen.rows.set(record.column, rows.add(record.row));
        const own = seen.making.get(record.row) ?? new Map<string, JournalRecord>();
        // A tool's result is no cell.
        if (models.has(record.resource) && (seen.making.has(record.row) || seen.making.size < MAX_MAKING))
          seen.making.set(record.row, own.set(record.column, record));
        this.#answers.push({ number: this.#number++, at, group, record });
      }
      // Older ones are not visible and take memory.
      this.#answers = this.#answers.slice(-MAX_ANSWERS);
    }
  }
}

async function shownAnswer({ number, at, group, record }: SeenAnswer, { resources }: Plan): Promise<LiveAnswer> {
  const { row, column, resource, status } = record;
  const [attempt, call] = [attemptOfCall(record.call) + 1, (toolCallOf(record.call) ?? record.call) % ATTEMPT_CALLS];
  const { text, reasoning, ...answer } = await readAnswer(record);
  const known = resources.find(({ id }) => id === resource)?.kind;
  const kind = known === 'model' ? 'model' : known === 'tools' ? 'tool' : 'other';
  const shown = { text: cut(text), reasoning: reasoning === null ? null : cut(reasoning) };
  return { number, at, group, row, column, attempt, call, kind, resource, status, ...shown, ...answer };
}

function cut(text: string): LiveAnswer['text'] {
  return { text: cutText(text, CHARACTERS), length: text.length };
}

interface GroupContext {
  readonly plan: Plan;
  readonly progress: ProgressSnapshot | null;
  readonly rows: number;
  readonly isOnly: boolean;
}

function openGroup(group: number, seen: SeenGroup, { plan, progress, rows, isOnly }: GroupContext): OpenGroup {
  const asking = plan.columns.filter(({ requires }) => requires.models.length > 0 || requires.server !== undefined);
  const columns = asking.map(({ name }) => ({
    column: name,
    answered: seen.rows.get(name)?.size ?? 0,
    // Counted over all groups.
    inFlight: isOnly ? (progress?.columns.find(({ column }) => column === name)?.inFlight ?? null) : null,
  }));
  const waiting = columns.filter(({ answered }) => answered < rows);
  const paused = (progress?.models ?? []).filter(({ pausedMs }) => pausedMs > 0);
  const parts = [
    waiting.length === 0
      ? 'its last answers'
      : waiting.map(({ column, answered }) => `${rows - answered} answers of '${column}'`).join(', '),
    ...paused.map(({ model, pausedMs }) => `${model}, which is paused for ${Math.ceil(pausedMs / 1000)} s`),
  ];
  return {
    group,
    rows,
    answers: seen.answers,
    lastAnswerAt: seen.lastAt,
    columns,
    waitsFor: `Waits for ${parts.join('; ')}.`,
  };
}
