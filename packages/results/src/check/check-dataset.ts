import { DataDesignerError, type Row } from '@data-designer/core';
import { readDataset } from '@data-designer/dataset';
import { readBenchmarks } from '@data-designer/seeds';
import { type Benchmarks, textOf, type TouchedItem, touchedItems } from '@data-designer/select';

/** Examples of a benchmark in the report. */
const EXAMPLES = 3;

/** What a dataset is compared with, and how. */
export interface CheckOptions {
  /** The benchmark files. */
  readonly against: readonly string[];
  /** The columns to compare; all columns with text if there are none. */
  readonly columns: readonly string[];
  /** Tokens of an n-gram. */
  readonly ngram: number;
  /** The smallest share of an item's tokens that a contaminated row contains. */
  readonly share: number;
  /** The largest allowed share of contaminated rows. */
  readonly maxShare: number;
}

/** A row that contains words of an item. */
interface CheckExample {
  /** The row's index, from 0. */
  readonly row: number;
  /** The item's row in the benchmark file, from 0. */
  readonly item: number;
  readonly share: number;
}

/** What a dataset has in common with one benchmark file. */
export interface BenchmarkReport {
  readonly file: string;
  /** The texts of the file that rows were compared with. */
  readonly texts: number;
  /** Items that share at least one n-gram with a row. */
  readonly touched: number;
  /** Rows that contain at least `share` of an item. */
  readonly refused: number;
  /** The largest share of an item that a row contains. */
  readonly best: number;
  /** The rows that contain most of an item. */
  readonly examples: readonly CheckExample[];
}

/** What a dataset has in common with benchmarks. */
export interface CheckReport {
  readonly path: string;
  readonly rows: number;
  /** Rows that contain at least `share` of an item of any benchmark. */
  readonly refused: number;
  /** Whether the share of refused rows is at most `maxShare`. */
  readonly passed: boolean;
  readonly benchmarks: readonly BenchmarkReport[];
}

/**
 * Compares the rows of a dataset with benchmark files. Throws `benchmark/unreadable`, `dataset/missing`,
 * `dataset/empty`, and `dataset/no-column`.
 */
export async function checkDataset(path: string, options: CheckOptions): Promise<CheckReport> {
  const { against, columns, ngram, share, maxShare } = options;
  const benchmarks = await readBenchmarks(against, { columns, ngram, folder: process.cwd() });
  const tallies = talliesOf(benchmarks);
  let [rows, refused] = [0, 0];
  for await (const row of readDataset(path)) {
    if (rows === 0) requireColumns(path, columns, row);
    const touched = touchedItems(benchmarks, textsOf(row, columns));
    for (const item of touched) tallies.get(item.file)?.touch(item, rows);
    const bad = new Set(touched.filter((item) => item.share >= share).map(({ file }) => file));
    for (const file of bad) tallies.get(file)?.refuse();
    if (bad.size > 0) refused++;
    rows++;
  }
  if (rows === 0) throw new DataDesignerError('dataset/empty', { path });
  const reports = [...tallies.values()].map((tally) => tally.report());
  return { path, rows, refused, passed: refused / rows <= maxShare, benchmarks: reports };
}

/** Throws `dataset/no-column` unless a row has all of the columns. */
export function requireColumns(path: string, columns: readonly string[], row: Row): void {
  const missing = columns.find((column) => !Object.hasOwn(row, column));
  if (missing === undefined) return;
  throw new DataDesignerError('dataset/no-column', { path, column: missing, known: Object.keys(row) });
}

/** The texts of the columns; of all cells but numbers and booleans if no columns are given. */
function textsOf(row: Row, columns: readonly string[]): string[] {
  const chosen = columns.length > 0 ? columns : Object.keys(row).filter((name) => mayHoldText(row[name]));
  return chosen.map((column) => textOf(row[column])).filter((text) => text !== undefined);
}

function mayHoldText(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'object';
}

function talliesOf({ files, textFiles }: Benchmarks): Map<string, Tally> {
  const texts = files.map(() => 0);
  for (const file of textFiles) texts[file] = (texts[file] ?? 0) + 1;
  return new Map(files.map((file, at) => [file, new Tally(file, texts[at] ?? 0)]));
}

/** Counts what rows have in common with one benchmark file. */
class Tally {
  readonly #file: string;
  readonly #texts: number;
  readonly #touched = new Set<number>();
  #refused = 0;
  #examples: CheckExample[] = [];

  constructor(file: string, texts: number) {
    this.#file = file;
    this.#texts = texts;
  }

  touch({ item, share }: TouchedItem, row: number): void {
    this.#touched.add(item);
    const last = this.#examples[EXAMPLES - 1];
    if (last && last.share >= share) return;
    this.#examples = [...this.#examples, { row, item, share }].toSorted((a, b) => b.share - a.share).slice(0, EXAMPLES);
  }

  refuse(): void {
    this.#refused++;
  }

  report(): BenchmarkReport {
    return {
      file: this.#file,
      texts: this.#texts,
      touched: this.#touched.size,
      refused: this.#refused,
      best: this.#examples[0]?.share ?? 0,
      examples: this.#examples,
    };
  }
}
