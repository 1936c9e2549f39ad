import { join } from 'node:path';
import { NEVER, type Plan, rowsIn, type StopSignals, untilStopped } from '@data-designer/core';
import {
  type BatchFormat,
  ChecksumLog,
  commit,
  type DatasetFolder,
  discard,
  FailureLog,
  keepLostAnswers,
  lostRowsOf,
  type FrozenTools,
  markPartial,
  type PartialGroups,
  readPartialGroup,
  unmarkPartial,
  UsageLog,
} from '@data-designer/dataset';
import type { RunGateway } from '@data-designer/gateway';
import { files, folderJournal } from '@data-designer/dataset/journal';
import type { TableFile } from '@data-designer/seeds';
import { GRACE_MS } from '../endings/run-ending.ts';
import type { GroupChannels } from '../executor/executor.ts';
import type { GroupSink } from '../executor/executor.ts';
import { journalRecovery } from '../resume/group-recovery.ts';
import type { RunProgress } from '../progress/run-progress.ts';
import { filesIn, groupFiles, mayPass } from './group-files.ts';
import { rowlessFailure } from './rowless-group.ts';
import { progressRecorder, recordProgress } from './run-metadata.ts';
import type { RunEvent } from '../run-event.ts';
import type { RunObserver } from '../run-observer.ts';
import type { RowGroupResult } from '../row-group/row-group-result.ts';
import type { RunSummary } from '../run-summary.ts';

/** A row group may lose all its rows in so many runs in which its endpoints answered others; then its rows are lost. */
const MOST_LOSSES = 5;

/** What the commits of a run use. */
export interface CommitParts {
  readonly plan: Plan;
  readonly folder: DatasetFolder;
  readonly gateway: RunGateway;
  readonly summary: RunSummary;
  readonly progress: RunProgress;
  readonly format: BatchFormat;
  readonly tables: readonly TableFile[];
  /** The tools as models see them. */
  readonly tools: FrozenTools;
  /** The number of journaled answers to changed requests, by row group. */
  readonly voided: ReadonlyMap<number, number>;
  /** Row groups that an earlier run left unfinished. */
  readonly partial: PartialGroups;
  readonly onEvent: (event: RunEvent) => void;
  readonly observer?: RunObserver | undefined;
}

/** Whether the endpoints answered others while the requests of all rows failed: the endpoints were not down. */
function hasFailedAlone({ lost, lostAlone }: RowGroupResult): boolean {
  return lostAlone === rowsIn(lost);
}

/** Commits the row groups of a run, one after another. The rename of a group's file is its commit; its journal is removed after that. */
export class GroupCommits implements GroupSink {
  readonly #parts: CommitParts;
  readonly #recordProgress: ReturnType<typeof progressRecorder>;
  readonly #failures: FailureLog;
  readonly #usage: UsageLog;
  readonly #checksums: ChecksumLog;
  #losses: Promise<ReadonlyMap<number, number>> | undefined;
  #current: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(parts: CommitParts) {
    this.#parts = parts;
    const { paths } = parts.folder;
    this.#recordProgress = progressRecorder(parts.folder);
    this.#failures = new FailureLog(paths.failures);
    this.#usage = new UsageLog(paths.usage);
    this.#checksums = new ChecksumLog(paths);
  }

  /** What the executor needs to open a group: its channel, and its files until the commit. */
  get channels(): GroupChannels {
    const { plan, folder, gateway, tables, progress, format } = this.#parts;
    const { paths } = folder;
    return {
      plan,
      tables,
      folder: folder.path,
      open: (group) => {
        progress.open(group);
        this.#parts.observer?.onGroupStart?.(group);
        return gateway.openGroup(group, paths.journal(group));
      },
      destination: (group) => groupFiles({ plan, paths: folder.paths, format }, group),
      recovery: journalRecovery(paths, this.#parts.tools),
      redact: (value) => gateway.redact(value),
    };
  }

  /** Commits all groups as their results arrive. */
  async take(results: AsyncIterable<RowGroupResult>): Promise<void> {
    for await (const result of results) {
      if (this.#isOver) return;
      this.#current = this.#commit(result);
      await this.#current;
    }
  }

  /**
   * For a run that failed: waits for paid answers to reach their journals, unless the run was stopped, then stops after the
   * current commit and records it.
   */
  async settle({ signal, drain }: StopSignals): Promise<void> {
    if (!signal.aborted) {
      const signals = { signal, drain: drain.aborted ? NEVER : drain };
      await untilStopped(this.#parts.gateway.drain(GRACE_MS), signals, async () => {}).catch(() => {});
    }
    this.#isOver = true;
    await this.#current.catch(() => {});
    await recordProgress(this.#parts.folder, this.#parts);
  }

  async #commit(result: RowGroupResult): Promise<void> {
    this.#refuseRowless(result);
    if (result.unfinished > 0) return this.#commitPartial(result);
    const { folder, partial, gateway, summary, progress, onEvent } = this.#parts;
    const { group, lost } = result;
    const again = mayPass(result) && !(await this.#isLostForGood(result));
    const reRequested = this.#parts.voided.get(group) ?? 0;
    // A machine of the cluster has committed it, and its record holds what the logs need.
    if (!result.isCommitted) await this.#store(result, { again, reRequested });
    // Before the gateway is used: it may be lost, and committed rows count.
    const standing = summary.add(again ? result : { ...result, reRequested }, { hasFile: !again });
    progress.close(result);
    if (!again && partial.has(group)) await unmarkPartial(folder.paths, group);
    const { failures, isCommitted = false } = result;
    const hasLost = !again && !isCommitted && lostRowsOf(failures).size > 0;
    await gateway.closeGroup(group, { keepJournal: again || hasLost });
    if (hasLost) await keepLostAnswers(folder.paths, group, failures);
    await this.#recordProgress(this.#parts);
    this.#parts.observer?.readers?.onGroupEnd(group, result.rowIndexes);
    this.#parts.observer?.onGroupEnd?.({ ...result, rows: standing });
    onEvent({ type: 'row-group-end', group, rows: standing, lost });
  }

  /** Whether a group that lost all its rows is finished, as its prompts have failed in enough runs: each resume costs time. */
  async #isLostForGood(result: RowGroupResult): Promise<boolean> {
    if (result.isCommitted || !hasFailedAlone(result)) return false;
    const losses = await (this.#losses ??= this.#usage.readLosses());
    return (losses.get(result.group) ?? 0) + 1 >= MOST_LOSSES;
  }

  /** Records the usage of a group that is made again. The answers in its journal count when it is made. */
  async #logLoss(result: RowGroupResult): Promise<void> {
    const { group, usage, tools } = result;
    const { entries } = await folderJournal(this.#parts.folder.paths.journal(group)).read();
    const counts = entries.length > 0 ? { usage: {} } : { usage, tools };
    await this.#usage.add(null, { ...counts, ...(hasFailedAlone(result) && { lossOf: group }) });
  }

  /** Throws where a processor refuses every row and none was written before: a corrected one must find the answers. */
  #refuseRowless(result: RowGroupResult): void {
    if (result.isCommitted || this.#parts.summary.rows > 0) return;
    const failure = rowlessFailure(result);
    if (failure) throw failure;
  }

  /** Writes the logs of a group and commits its files. */
  async #store(
    result: RowGroupResult,
    { again, reRequested }: { readonly again: boolean; readonly reRequested: number },
  ): Promise<void> {
    const { group, failures, usage, tools, attempts, lost, orphanedImages, images = [], output } = result;
    if (again) await this.#logLoss(result);
    else {
      await this.#failures.add(group, failures);
      await Promise.all([
        this.#usage.add(group, { usage, tools, ...(attempts && { attempts }), reRequested, lost, failures }),
        this.#checksums.add(filesIn(output), [{ group, images }]),
      ]);
    }
    // Before the commit: after a crash here the group is made again, with its images.
    await Promise.all(orphanedImages.map((path) => files().unlink(join(this.#parts.folder.path, path))));
    await this.#settleFiles(group, output, again ? discard : commit);
  }

  /** Commits or discards the files of a group, the main one last; includes files that a lost worker began. */
  async #settleFiles(group: number, output: RowGroupResult['output'], settle: typeof commit): Promise<void> {
    const { plan, folder, format } = this.#parts;
    const { sideTables: staged = [], path, temporary } = groupFiles({ plan, paths: folder.paths, format }, group);
    const end = output ? settle : discard;
    for (const file of [...staged, { path, temporary }]) await end(file);
  }

  /**
   * Commits the finished rows of an unfinished group. Its mark is written first and its journal stays, so that a later run
   * makes the group again; its usage is stored in the mark, not in the usage log.
   */
  async #commitPartial(result: RowGroupResult): Promise<void> {
    const { folder, gateway, summary, progress, partial, onEvent } = this.#parts;
    const { group, rows: made, lost, failures, cells, usage, tools, attempts, output } = result;
    // The mark says by now what the group had cost before this run.
    const again = partial.get(group)?.again && (await readPartialGroup(folder.paths, group)).again;
    await markPartial(folder.paths, group, {
      cells,
      usage,
      tools,
      ...(attempts && { attempts }),
      lost,
      ...(again && { again }),
    });
    await this.#failures.add(group, failures);
    // A group that keeps rows stays as it is until all others are made.
    const rows = again ? again.kept : made;
    const isWritten = !again && rows > 0;
    await this.#settleFiles(group, output, isWritten ? commit : discard);
    summary.add({ ...result, rows }, { hasFile: isWritten || again !== undefined });
    progress.close(result);
    await gateway.closeGroup(group, { keepJournal: true });
    await this.#recordProgress(this.#parts);
    this.#parts.observer?.readers?.onGroupEnd(group, result.rowIndexes);
    this.#parts.observer?.onGroupEnd?.({ ...result, rows });
    onEvent({ type: 'row-group-end', group, rows, lost });
  }
}
