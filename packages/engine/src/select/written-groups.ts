import { type Plan, stoppable, type StopSignals } from '@data-designer/core';
import {
  type BatchFormat,
  batchFiles,
  checkFile,
  ChecksumLog,
  clearSideOrphans,
  type DatasetFolder,
  type DatasetPaths,
  type DecidedRows,
  discard,
  finishMerges,
  lostRefused,
  makeSideFolders,
  repairFiles,
  SelectionLog,
  sideFiles,
  sideFolders,
  type SideTable,
  sideTables,
} from '@data-designer/dataset';
import { checkGroups } from '../resume/check-groups.ts';
import { settleFiles } from '../resume/continue-run.ts';

/** How accepted rows are stored. */
interface StoredRows {
  readonly paths: DatasetPaths;
  readonly tables: readonly SideTable[];
  readonly format: BatchFormat;
}

/** Forgets the files of refused rows that are missing or damaged; returns their row groups, which are written again. */
function forgetLostRefused(paths: DatasetPaths, signals: StopSignals): Promise<ReadonlySet<number>> {
  return stoppable(async (signal) => {
    const checksums = new ChecksumLog(paths);
    const lost = await lostRefused(paths, await checksums.read(), { signal });
    for (const path of new Set(lost.map((one) => one.path))) await checksums.forget(path);
    return new Set(lost.map(({ group }) => group));
  }, signals);
}

/** The row groups of accepted rows that are in the dataset, with the digests of their rows. */
export class WrittenGroups {
  readonly #stored: StoredRows;
  readonly #log: SelectionLog;
  readonly #digests: Map<number, string>;

  private constructor(stored: StoredRows, digests: Map<number, string>) {
    this.#stored = stored;
    this.#log = new SelectionLog(stored.paths);
    this.#digests = digests;
  }

  /** Finds the row groups of earlier runs, and removes damaged ones, which are written again from their candidates. */
  static async open(
    folder: DatasetFolder,
    { plan, format, signals }: { readonly plan: Plan; readonly format: BatchFormat; readonly signals: StopSignals },
  ): Promise<WrittenGroups> {
    const { paths } = folder;
    const tables = sideTables(plan);
    for (const table of tables) await finishMerges(sideFolders(paths, table));
    const found = await checkGroups(paths, tables, signals);
    await settleFiles(folder, found, format);
    await folder.clearUnfinished();
    await clearSideOrphans(paths, tables);
    await makeSideFolders(paths, tables);
    const lost = await forgetLostRefused(paths, signals);
    const decided = await new SelectionLog(paths).read();
    const digests = [...decided.values()].filter(({ group }) => found.finished.has(group) && !lost.has(group));
    const stored = { paths, tables, format };
    return new WrittenGroups(stored, new Map(digests.map(({ group, digest }) => [group, digest])));
  }

  /** Whether a row group is stored with rows of this digest. */
  has(group: number, digest: string): boolean {
    return this.#digests.get(group) === digest;
  }

  /** Removes a row group from a merged file, with those behind it, whose rows depend on it. */
  async makeRoom(group: number): Promise<void> {
    const { paths, tables, format } = this.#stored;
    const side = await Promise.all(tables.map((table) => sideFiles(paths, table)));
    const files = [...(await batchFiles(paths)), ...side.flat()];
    const merged = files.filter(({ first, last }) => last > first && first <= group && group <= last);
    if (merged.length === 0) return;
    const checksums = await new ChecksumLog(paths).read();
    const checked = await Promise.all(merged.map((file) => checkFile(file, checksums)));
    const end = Math.max(...merged.map(({ last }) => last));
    const lost = new Set(Array.from({ length: end - group + 1 }, (_, at) => group + at));
    await repairFiles(paths, checked, { format, lost });
    for (const one of lost) this.#digests.delete(one);
    // They hold no rows that cannot be written again.
    for (const { path } of merged) await discard({ temporary: `${path}.damaged` });
  }

  /** Records the decisions on a row group whose files are written. */
  async add(decided: DecidedRows): Promise<void> {
    await this.#log.add(decided);
    this.#digests.set(decided.group, decided.digest);
  }
}
