import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type LostRows, type Row, rowsIn, stringifyJson, LostRowCount } from '@data-designer/core';
import {
  type BatchFolders,
  type BatchFormat,
  batchName,
  ChecksumLog,
  type Checksums,
  type DatasetPaths,
  readBatch,
  rejectChanged,
  type RefusedCandidate,
  type SideTable,
  sideFolders,
  sideTables,
} from '@data-designer/dataset';
import type { SelectingPlan } from './candidate-plan.ts';
import { type RefusedRow, RowFiles } from './row-files.ts';
import { refusedCandidate, type RowJudge } from './row-judge.ts';
import type { WrittenGroups } from './written-groups.ts';

/** The files that a selection reads and writes. */
export interface SelectionFiles {
  /** The folder of the candidates. */
  readonly from: DatasetPaths;
  /** The folder of the dataset. */
  readonly to: DatasetPaths;
  readonly format: BatchFormat;
}

/** The files of decided row groups, which are written unless there are such ones. */
type WrittenFiles = Pick<WrittenGroups, 'has' | 'makeRoom' | 'add'>;

/** A row group whose candidates are decided. */
export interface DecidedGroup {
  readonly group: number;
  /** The accepted rows in its file. */
  readonly rows: number;
  readonly lost: readonly LostRows[];
  readonly refused: readonly RefusedCandidate[];
}

/**
 * Decides candidates in order of their index, and writes the accepted rows of each row group of candidates to a file of the
 * same number. What it decides depends on the candidates alone, so it starts over from the first one after a kill.
 */
export class AcceptedRows {
  readonly #plan: SelectingPlan;
  readonly #files: SelectionFiles;
  readonly #judge: RowJudge;
  readonly #written: WrittenFiles;
  readonly #wanted: number;
  readonly #output: RowFiles;
  readonly #refusals = new LostRowCount();
  #checksums: Promise<Checksums> | undefined;
  #next = 0;
  #accepted = 0;
  #decided = 0;
  #unmade = 0;
  #left = 0;
  /** The stored candidates of the decided groups. */
  #stored = 0;
  #hasEmptyFiles = false;

  constructor(
    plan: SelectingPlan,
    files: SelectionFiles,
    { judge, written }: { readonly judge: RowJudge; readonly written: WrittenFiles },
  ) {
    this.#plan = plan;
    this.#files = files;
    this.#judge = judge;
    this.#written = written;
    this.#wanted = rowsIn(plan.segments);
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

  /** The stored candidates of the last decided group that stand behind the last wanted row. */
  get left(): number {
    return this.#left;
  }

  get isComplete(): boolean {
    return this.#accepted >= this.#wanted;
  }

  /** The last decided row group, to which further rows may be added; -1 before the first. */
  get lastGroup(): number {
    return this.#next - 1;
  }

  /** Whether a row group has no accepted rows. */
  get hasEmptyFiles(): boolean {
    return this.#hasEmptyFiles;
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
      this.#next = index + 1;
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
    const { main, sides } = await this.#read(group);
    const dropped = sides.find(({ table }) => table.processor === null)?.rows ?? [];
    const first = this.#accepted;
    const accepted = new Set<number>();
    const refused: RefusedCandidate[] = [];
    const lost = new LostRowCount();
    let at = 0;
    for (; at < main.length && !this.isComplete; at++) {
      const refusal = this.#judge.decide({ ...dropped[at], ...main[at] }, this.#accepted);
      if (!refusal) {
        accepted.add(at);
        this.#accepted++;
        continue;
      }
      refused.push(refusedCandidate(this.#stored + at, refusal));
      for (const count of [lost, this.#refusals]) count.add({ ...refusal.counted, rows: 1 });
    }
    const pick = (rows: readonly Row[]) => rows.filter((_, index) => accepted.has(index));
    const rejected = refused.map(({ row, reason }) => ({ row: main[row - this.#stored] ?? {}, reason }));
    const picked = sides.map(({ table, rows }) => ({ table, rows: pick(rows) }));
    const digest = digestOf([pick(main), ...picked.map(({ rows }) => rows), refused]);
    if (!this.#written.has(group, digest)) {
      await this.#written.makeRoom(group);
      await this.#write(group, { main: pick(main), sides: picked, rejected });
      const counts = { decided: at, accepted: accepted.size, unmade: candidates - main.length };
      await this.#written.add({ group, ...counts, digest, refused });
    }
    this.#hasEmptyFiles ||= accepted.size === 0;
    this.#unmade += candidates - main.length;
    this.#left = main.length - at;
    this.#stored += main.length;
    return { group, rows: this.#accepted - first, lost: lost.list(), refused };
  }

  /** The stored candidates of a row group; none in a table without a file. Throws `dataset/damaged`. */
  async #read(group: number): Promise<GroupRows> {
    const { from, format } = this.#files;
    // Files that are made after this have no checksum in it: they have just been written.
    this.#checksums ??= new ChecksumLog(from).read();
    const checksums = await this.#checksums;
    const read = async ({ parquetFiles }: Pick<BatchFolders, 'parquetFiles'>) => {
      const path = join(parquetFiles, batchName(group, format));
      if (checksums.isKnown(path)) await rejectChanged(path, checksums);
      return Array.fromAsync(readBatch(path));
    };
    const main = await read(from);
    const tables = this.#candidateSides();
    const sides = tables.map(async (table) => ({ table, rows: await read(sideFolders(from, table)) }));
    return { main, sides: await Promise.all(sides) };
  }

  /** Writes the accepted rows of a row group; the file in `parquet-files` comes last. */
  async #write(group: number, { main, sides, rejected }: GroupRows & Rejected): Promise<void> {
    for (const table of sideTables(this.#plan)) {
      const side = sides.find((one) => one.table.processor === table.processor);
      await this.#output.writeSide(table, group, side?.rows ?? []);
    }
    if (this.#plan.select.keepRejected) await this.#output.writeRefused(group, rejected);
    await this.#output.writeRows(group, main);
  }

  /** The side tables of the candidates, which store dropped columns in any case. */
  #candidateSides(): readonly SideTable[] {
    const { processors } = this.#plan;
    const dropped = { processor: null, fields: [] };
    return [dropped, ...sideTables({ dropped: null, processors })];
  }
}

/** The rows of a row group in all tables. */
interface GroupRows {
  readonly main: readonly Row[];
  readonly sides: readonly { readonly table: SideTable; readonly rows: readonly Row[] }[];
}

interface Rejected {
  readonly rejected: readonly RefusedRow[];
}

/** A digest of the decisions on a row group: of its accepted rows in all tables, and of the refused ones. */
function digestOf(tables: readonly (readonly unknown[])[]): string {
  const hash = createHash('sha256');
  for (const rows of tables) {
    hash.update(`${rows.length}\n`);
    for (const row of rows) hash.update(stringifyJson(row)).update('\n');
  }
  return hash.digest('hex');
}
