import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LostRows, Row } from '@data-designer/core';
import {
  type BatchFolders,
  type BatchFormat,
  batchName,
  type DatasetPaths,
  readBatch,
  type SideTable,
  sideFolders,
  sideTables,
} from '@data-designer/dataset';
import { LostRowCount } from '../row-group/row-group-result.ts';
import type { SelectingPlan } from './candidate-plan.ts';
import { type RefusedRow, RowFiles } from './row-files.ts';
import type { RowJudge } from './row-judge.ts';

/** The files that a selection reads and writes. */
export interface SelectionFiles {
  /** The folder of the candidates. */
  readonly from: DatasetPaths;
  /** The folder of the dataset. */
  readonly to: DatasetPaths;
  readonly format: BatchFormat;
}

/** A row group whose candidates are decided. */
export interface DecidedGroup {
  readonly group: number;
  /** The accepted rows in its file. */
  readonly rows: number;
  readonly refused: readonly LostRows[];
}

/**
 * Decides candidates in order of their index, and writes the accepted rows of each row group of candidates to a file of the
 * same number. What it decides depends on the candidates alone, so it starts over from the first one after a kill.
 */
export class AcceptedRows {
  readonly #plan: SelectingPlan;
  readonly #files: SelectionFiles;
  readonly #judge: RowJudge;
  readonly #wanted: number;
  readonly #output: RowFiles;
  readonly #refusals = new LostRowCount();
  #next = 0;
  #accepted = 0;
  #decided = 0;
  #unmade = 0;

  constructor(plan: SelectingPlan, files: SelectionFiles, { judge, wanted }: { judge: RowJudge; wanted: number }) {
    this.#plan = plan;
    this.#files = files;
    this.#judge = judge;
    this.#wanted = wanted;
    this.#output = new RowFiles(files.to, { plan, format: files.format, imagesFrom: files.from.folder });
  }

  get accepted(): number {
    return this.#accepted;
  }

  /** The candidates that are decided. */
  get decided(): number {
    return this.#decided;
  }

  /** The decided candidates without a row: those that failed, and those that ended early. */
  get unmade(): number {
    return this.#unmade;
  }

  get isComplete(): boolean {
    return this.#accepted >= this.#wanted;
  }

  /** Why candidates were refused, the most frequent first. */
  get refused(): readonly LostRows[] {
    return this.#refusals.list();
  }

  /** Decides every row group of candidates that is finished and follows the decided ones, until there are enough rows. */
  async *advance(groups: readonly { readonly index: number; readonly rows: number }[]): AsyncGenerator<DecidedGroup> {
    for (const { index, rows } of groups.slice(this.#next)) {
      if (this.isComplete || !this.#isFinished(index)) return;
      const decided = await this.#decide(index, rows);
      this.#next++;
      this.#decided += rows;
      yield decided;
    }
  }

  /** Whether a row group of candidates is finished; their files are never merged. */
  #isFinished(group: number): boolean {
    const { from, format } = this.#files;
    return existsSync(join(from.parquetFiles, batchName(group, format))) && !existsSync(from.partialMark(group));
  }

  async #decide(group: number, candidates: number): Promise<DecidedGroup> {
    const { from } = this.#files;
    const main = await rowsOf(from, group, this.#files.format);
    const sides = await Promise.all(
      this.#candidateSides().map(async (table) => ({
        table,
        rows: await rowsOf(sideFolders(from, table), group, this.#files.format),
      })),
    );
    this.#unmade += candidates - main.length;
    const dropped = sides.find(({ table }) => table.processor === null)?.rows ?? [];
    const before = this.#accepted;
    const accepted = new Set<number>();
    const refused: RefusedRow[] = [];
    const counted = new LostRowCount();
    for (let at = 0; at < main.length && !this.isComplete; at++) {
      const row = main[at] ?? {};
      const refusal = this.#judge.decide({ ...dropped[at], ...row }, this.#accepted);
      if (!refusal) {
        accepted.add(at);
        this.#accepted++;
      } else {
        refused.push({ row, reason: refusal.reason });
        for (const count of [counted, this.#refusals]) count.add({ ...refusal.counted, rows: 1 });
      }
    }
    const pick = (rows: readonly Row[]) => rows.filter((_, at) => accepted.has(at));
    for (const table of sideTables(this.#plan)) {
      const side = sides.find((one) => one.table.processor === table.processor)?.rows ?? [];
      await this.#output.writeSide(table, group, pick(side));
    }
    if (this.#plan.select.keepRejected) await this.#output.writeRefused(group, refused);
    await this.#output.writeRows(group, pick(main));
    return { group, rows: this.#accepted - before, refused: counted.list() };
  }

  /** The side tables of the candidates, which store dropped columns in any case. */
  #candidateSides(): readonly SideTable[] {
    const { processors } = this.#plan;
    const dropped = { processor: null, fields: [] };
    return [dropped, ...sideTables({ dropped: null, processors })];
  }
}

/** The rows of a row group's file; none if there is no file. */
async function rowsOf(
  { parquetFiles }: Pick<BatchFolders, 'parquetFiles'>,
  group: number,
  format: BatchFormat,
): Promise<readonly Row[]> {
  return Array.fromAsync(readBatch(join(parquetFiles, batchName(group, format))));
}
