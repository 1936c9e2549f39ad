import { join } from 'node:path';
import { type ArrowField, field, type LostRows, type Row } from '@data-designer/core';
import {
  batchFiles,
  batchName,
  batchOf,
  type BatchFolders,
  type BatchFormat,
  ChecksumLog,
  commit,
  type DatasetPaths,
  linkImages,
  makeFolder,
  markedGroups,
  readBatch,
  type SideTable,
  sideFolders,
  sideTables,
  type SummedFile,
} from '@data-designer/dataset';
import { stageBatch } from '@data-designer/dataset/write';
import { LostRowCount } from '../row-group/row-group-result.ts';
import type { SelectingPlan } from './candidate-plan.ts';
import type { RowJudge, Refusal } from './row-judge.ts';

/** The column of refused rows with the reason. */
const REASON = field('_reason', 'utf8');

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
  readonly #checksums: ChecksumLog;
  readonly #refusals = new LostRowCount();
  #written: Awaited<ReturnType<ChecksumLog['read']>> | undefined;
  #next = 0;
  #accepted = 0;
  #decided = 0;
  #unmade = 0;

  constructor(plan: SelectingPlan, files: SelectionFiles, { judge, wanted }: { judge: RowJudge; wanted: number }) {
    this.#plan = plan;
    this.#files = files;
    this.#judge = judge;
    this.#wanted = wanted;
    this.#checksums = new ChecksumLog(files.to);
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
    const { from } = this.#files;
    if (groups.length === 0) return;
    const unfinished = new Set(await markedGroups(from));
    const files = await batchFiles(from);
    for (const { index, rows } of groups.slice(this.#next)) {
      const file = files.find(({ first, last }) => first <= index && index <= last);
      if (!file || unfinished.has(index) || this.isComplete) return;
      const decided = await this.#decide(index, rows);
      this.#next++;
      this.#decided += rows;
      yield decided;
    }
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
    const refused: { readonly at: number; readonly refusal: Refusal }[] = [];
    const counted = new LostRowCount();
    for (let at = 0; at < main.length && !this.isComplete; at++) {
      const refusal = this.#judge.decide({ ...dropped[at], ...main[at] }, this.#accepted);
      if (!refusal) {
        accepted.add(at);
        this.#accepted++;
      } else {
        refused.push({ at, refusal });
        for (const count of [counted, this.#refusals]) count.add({ ...refusal.counted, rows: 1 });
      }
    }
    const pick = (rows: readonly Row[]) => rows.filter((_, at) => accepted.has(at));
    for (const table of sideTables(this.#plan)) {
      const side = pick(sides.find((one) => one.table.processor === table.processor)?.rows ?? []);
      await this.#linkImages(side);
      await this.#write(sideFolders(this.#files.to, table), group, { fields: table.fields, rows: side });
    }
    if (this.#plan.select.keepRejected) await this.#writeRefused(group, main, refused);
    const rows = pick(main);
    await this.#linkImages(rows);
    await this.#write(this.#files.to, group, { fields: this.#plan.fields, rows });
    return { group, rows: this.#accepted - before, refused: counted.list() };
  }

  /** The side tables of the candidates, which store dropped columns in any case. */
  #candidateSides(): readonly SideTable[] {
    const { processors } = this.#plan;
    const dropped = { processor: null, fields: [] };
    return [dropped, ...sideTables({ dropped: null, processors })];
  }

  async #writeRefused(
    group: number,
    main: readonly Row[],
    refused: readonly { readonly at: number; readonly refusal: Refusal }[],
  ): Promise<void> {
    const rows = refused.map(({ at, refusal }) => ({ ...main[at], [REASON.name]: refusal.reason }));
    await this.#linkImages(rows);
    const parquetFiles = join(this.#files.to.folder, 'rejected');
    await makeFolder(parquetFiles);
    const { partialFiles } = this.#files.to;
    await this.#write({ parquetFiles, partialFiles: join(partialFiles, 'rejected') }, group, {
      fields: [...this.#plan.fields, REASON],
      rows,
    });
  }

  #linkImages(rows: readonly Row[]): Promise<void> {
    return linkImages(rows, this.#files.from.folder, this.#files.to.folder);
  }

  /** Whether an earlier run wrote a file with as many rows, which are then the same ones. */
  async #isWritten(path: string, rows: number): Promise<boolean> {
    this.#written ??= await this.#checksums.read();
    const sum = await this.#written.of(path).catch(() => undefined);
    return sum?.rows === rows;
  }

  /** Writes rows as the file of a row group, and replaces one of fewer rows. */
  async #write(
    { parquetFiles, partialFiles }: BatchFolders,
    group: number,
    { fields, rows }: { readonly fields: readonly ArrowField[]; readonly rows: readonly Row[] },
  ): Promise<void> {
    const { format } = this.#files;
    const { layout } = this.#plan;
    if (await this.#isWritten(join(parquetFiles, batchName(group, format)), rows.length)) return;
    const name = batchName(group, format);
    await makeFolder(partialFiles);
    const target = { path: join(parquetFiles, name), temporary: join(partialFiles, name) };
    const file: SummedFile = await stageBatch(batchOf(rows, fields), target, {
      format,
      ...(layout === undefined ? {} : { layout }),
    });
    await this.#checksums.add([file]);
    await commit(target);
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
