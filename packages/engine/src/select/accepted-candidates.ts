import { basename } from 'node:path';
import {
  DataDesignerError,
  isFailure,
  isRefusal,
  type LostRows,
  type Plan,
  type RowGroup,
  rowGroups,
  rowsIn,
  LostRowCount,
} from '@data-designer/core';
import {
  readFailures,
  readPartialGroups,
  refuseLostFiles,
  type SelectionRecord,
  sideTables,
} from '@data-designer/dataset';
import { journaledGroups } from '@data-designer/dataset/journal';
import { recordProgress } from '../commit/run-metadata.ts';
import { openJob } from '../job/job.ts';
import type { MadeRows } from '../job/row-source.ts';
import { restoreUsage } from '../resume/restore-usage.ts';
import type { RequestedRunOptions } from '../run-options.ts';
import type { RunResult } from '../run-result.ts';
import { RunSummary } from '../run-summary.ts';
import { AcceptedRows } from './accepted-rows.ts';
import { candidatePlan, isSelecting, mostCandidates, type SelectingPlan } from './candidate-plan.ts';
import { candidatePaths, removeCandidates, usageOfCandidates } from './clean-candidates.ts';
import { HOPELESS_CANDIDATES, nextCandidates } from './next-candidates.ts';
import {
  type OpenedSelection,
  recordOfCandidates,
  recordSelection,
  refuseOtherInputs,
  rowsOfFinal,
} from './opened-selection.ts';
import { isFaultOfWhere, RowJudge } from './row-judge.ts';
import { SelectionEvents } from './selection-events.ts';
import { WrittenGroups } from './written-groups.ts';

/** The causes that the message of an exhausted selection names, the most frequent first. */
const TOLD_CAUSES = 3;

/** Makes the rows of a plan in a folder: `run`. */
type MakeRows = (plan: Plan, options: RequestedRunOptions) => Promise<RunResult>;

/**
 * Makes a dataset with a selection: candidates in a dataset of their own, step by step, and the first accepted ones of them
 * as the rows. Throws what `run` throws.
 */
export async function runSelected(
  fresh: SelectingPlan,
  requested: RequestedRunOptions,
  makeRows: MakeRows,
): Promise<RunResult> {
  await using job = await openJob(fresh, requested);
  const { plan, folder, prior, options } = job;
  if (!isSelecting(plan)) throw new DataDesignerError('internal/unexpected', { reason: 'the selection is gone' });
  using judge = await RowJudge.open(plan.select);
  refuseOtherInputs(folder.path, prior?.compared, judge.compared);
  const opened = { plan, judge, folder, options, keep: () => job.keep(), startedAt: job.startedAt };
  // What a finished dataset recorded stays as it is, also where no rows can be added to it.
  const final = await finalDataset(opened);
  if (!final) await recordSelection(opened);
  const select = async (signal: AbortSignal): Promise<void> => {
    const stoppable = { ...opened, options: { ...options, signal } };
    await job.make({ make: async () => final ?? selectCandidates(stoppable, makeRows) });
    const { isComplete, selection } = await job.finish(signal);
    if (selection && isComplete && !plan.select.keepCandidates) await removeCandidates(folder.paths);
  };
  const runs = [candidatePaths(folder.path).folder];
  const session = { kind: 'selection', folder: folder.path, runs, signal: options.signal, options } as const;
  await (options.machines?.lead(session, select) ?? folder.whileHeld(() => select(options.signal)));
  return job.result();
}

/** How a step ends: the next one follows, the rows are kept although they are too few, or a failure. */
type StepEnd = 'goes-on' | 'keep' | DataDesignerError;

/** A dataset to which no rows can be added; undefined for any other. */
async function finalDataset(opened: OpenedSelection): Promise<MadeRows | undefined> {
  const rows = await rowsOfFinal(opened);
  if (rows === undefined) return undefined;
  const summary = await summaryOfCandidates(opened);
  summary.settleRows(rows);
  return { plan: opened.plan, summary, isComplete: true, isFinal: true };
}

async function selectCandidates(opened: OpenedSelection, makeRows: MakeRows): Promise<MadeRows> {
  const { plan, judge, folder, options } = opened;
  const written = await WrittenGroups.open(folder, { plan, format: options.format, signals: options });
  const files = { from: candidatePaths(folder.path), to: folder.paths, format: options.format };
  const rows = new AcceptedRows(plan, files, { judge, written });
  return new Selection(opened, rows, await summaryOfCandidates(opened)).run(makeRows);
}

async function summaryOfCandidates({ plan, folder, options }: OpenedSelection): Promise<RunSummary> {
  const summary = new RunSummary();
  for (const took of await usageOfCandidates(folder.path)) summary.addUsage(took);
  const record = await recordOfCandidates(folder);
  if (!record) return summary;
  const paths = candidatePaths(folder.path);
  // Groups that are made again count their answers then.
  const isWhole = await refuseLostFiles(paths, sideTables(record.plan), record.plan).then(
    () => true,
    () => false,
  );
  const isOpen = (await readPartialGroups(paths)).size > 0 || (await journaledGroups(paths.journals)).size > 0;
  if (!isWhole || isOpen) return summary;
  const { onEvent } = options;
  await restoreUsage({ paths, metadata: await folder.readMetadata() }, plan, { summary, onEvent });
  return summary;
}

/** The steps of a selection: each makes further candidates and decides them while they are made. */
class Selection {
  readonly #plan: SelectingPlan;
  readonly #opened: OpenedSelection;
  readonly #rows: AcceptedRows;
  readonly #events: SelectionEvents;
  readonly #enough = new AbortController();
  /** Why candidates of earlier runs were lost. */
  readonly #lostBefore: readonly LostRows[];
  #summary: RunSummary;
  #deciding: Promise<void> = Promise.resolve();
  #hasBegun = false;
  #groups: readonly RowGroup[] | undefined;

  constructor(opened: OpenedSelection, rows: AcceptedRows, summary: RunSummary) {
    const { plan, folder, options } = opened;
    this.#plan = plan;
    this.#opened = opened;
    this.#rows = rows;
    this.#summary = summary;
    this.#lostBefore = summary.lost;
    this.#events = new SelectionEvents({ plan, path: folder.path, rows, onEvent: options.onEvent });
  }

  /** Makes candidates until enough are accepted, or no more can be made. */
  async run(makeRows: MakeRows): Promise<MadeRows> {
    const { folder } = this.#opened;
    await this.#decide().catch((thrown: unknown) => {
      if (!isFailure(thrown, 'dataset/damaged')) throw thrown;
      // The first step makes damaged candidates again, or says what that costs.
      this.#deciding = Promise.resolve();
    });
    this.#hasBegun = true;
    let over: StepEnd = 'goes-on';
    try {
      while (!this.#rows.isComplete && over === 'goes-on') over = await this.#step(makeRows);
      await this.#decide();
    } catch (thrown) {
      await this.#decide().catch(() => {});
      const selection = await this.#settle();
      await recordProgress(folder, { plan: this.#plan, summary: this.#summary, selection });
      throw thrown;
    }
    return this.#made(over instanceof DataDesignerError ? over : undefined);
  }

  async #made(ended: DataDesignerError | undefined): Promise<MadeRows> {
    const { lastGroup, hasEmptyFiles } = this.#rows;
    const selected = await this.#settle();
    await recordSelection(this.#opened);
    // The dataset has all its rows, which may be fewer than requested.
    const record = ended ? selected : { ...selected, finished_for: rowsIn(this.#plan.segments) };
    const selection = { record, lastGroup, hasEmptyFiles };
    return { plan: this.#plan, summary: this.#summary, isComplete: !ended, ended, selection };
  }

  /** Brings the summary up to date, and returns the record of the selection. */
  async #settle(): Promise<SelectionRecord> {
    const { accepted, decided, left } = this.#rows;
    const refused = await this.#refused();
    this.#summary.settleRows(accepted);
    const lost = [...this.#lostBefore, ...this.#events.lost].filter(({ code }) => !isRefusal(code));
    this.#summary.settleLost([...lost, ...refused]);
    return { candidates: decided, accepted, refused, ...(left > 0 && { left }) };
  }

  /** Why candidates of this and earlier runs were refused, the most frequent first. */
  async #refused(): Promise<readonly LostRows[]> {
    const { decided, refused, unmade } = this.#rows;
    if (this.#plan.gate === undefined) return refused;
    const failed = new Set<number>();
    for await (const { row, onFailure } of readFailures(candidatePaths(this.#opened.folder.path).folder)) {
      if (onFailure === 'drop_row' && row < decided) failed.add(row);
    }
    const { code, message } = new DataDesignerError('select/refused', {});
    const rows = unmade - failed.size;
    return LostRowCount.join(rows > 0 ? [...refused, { column: '', code, message, rows }] : refused);
  }

  /** Makes further candidates. */
  async #step(makeRows: MakeRows): Promise<StepEnd> {
    const { folder, options, startedAt, keep } = this.#opened;
    const earlier = await recordOfCandidates(this.#opened.folder);
    const had = earlier ? rowsIn(earlier.plan.segments) : 0;
    const { accepted, decided } = this.#rows;
    const most = Math.max(had, mostCandidates(this.#plan));
    const wanted = rowsIn(this.#plan.segments);
    const next = decided < had ? had : nextCandidates({ wanted, accepted, decided, most });
    if (next === decided || this.#isHopeless) return this.#exhausted();
    const { maxDurationSeconds, spentSeconds: before = 0 } = options.ends;
    const spentSeconds = before + (performance.now() - startedAt) / 1000;
    if (maxDurationSeconds !== null && spentSeconds >= maxDurationSeconds) {
      return new DataDesignerError('run/time-spent', { maxDurationSeconds });
    }
    await using machines = await options.machines?.next();
    const result = await this.#make(() =>
      makeRows(candidatePlan(this.#plan, next), {
        ...options,
        // A reader receives accepted rows.
        observer: options.observer && { ...options.observer, readers: undefined },
        machines,
        // A machine that goes on with the selection may have no seed files.
        ...(machines && { tableRows: mostCandidates(this.#plan) }),
        artifactPath: folder.path,
        datasetName: basename(candidatePaths(folder.path).folder),
        resume: earlier ? 'always' : 'never',
        compact: false,
        drain: AbortSignal.any([options.drain, this.#enough.signal]),
        ends: { ...options.ends, spentSeconds },
        onEvent: (event) => {
          if (event.type === 'run-start') {
            keep();
            this.#groups = undefined;
          }
          if (event.type === 'drain-start' && this.#enough.signal.aborted) return;
          this.#events.take(event);
          if (event.type === 'row-group-end') this.#decideSoon();
        },
      }),
    );
    await this.#decide();
    if (this.#rows.isComplete) return 'goes-on';
    const isFurther = this.#rows.decided > decided;
    if (result instanceof DataDesignerError) return isFurther ? 'goes-on' : result;
    return result.ended ?? (isFurther ? 'goes-on' : this.#exhausted());
  }

  /** The result of a step; a failure that later candidates need not meet. */
  async #make(makeRows: () => Promise<RunResult>): Promise<RunResult | DataDesignerError> {
    try {
      const result = await makeRows();
      this.#summary = result.summary;
      return result;
    } catch (thrown) {
      const isEnough = this.#enough.signal.aborted && isFailure(thrown, 'run/aborted');
      // No candidate was left by its rules and failures.
      if (isEnough || isFailure(thrown, 'run/no-rows')) return DataDesignerError.fromUnknown(thrown);
      throw thrown;
    }
  }

  get #isHopeless(): boolean {
    return this.#rows.accepted === 0 && this.#rows.decided >= HOPELESS_CANDIDATES;
  }

  async #exhausted(): Promise<StepEnd> {
    const { accepted, decided } = this.#rows;
    if (this.#plan.select.onExhausted === 'keep' && accepted > 0) return 'keep';
    const lost = this.#events.lost.filter(({ code }) => !isRefusal(code));
    const causes = [...(await this.#refused()), ...lost].toSorted((a, b) => b.rows - a.rows);
    const [first] = causes;
    const wanted = rowsIn(this.#plan.segments);
    const told = causes.slice(0, TOLD_CAUSES).map(({ rows, message }, index) => {
      const of = index > 0 ? '' : ` of ${accepted === 0 ? 'them' : 'the others'}`;
      return `${rows}${of}: ${message.replace(/\.$/, '')}`;
    });
    const reason = told.join('; ');
    const most = this.#plan.select.maxCandidates;
    const counts = { wanted, accepted, candidates: decided };
    const isFault = first !== undefined && isFaultOfWhere(first);
    const isLoss = first !== undefined && !isRefusal(first.code);
    return new DataDesignerError('select/exhausted', {
      ...counts,
      most,
      isHopeless: this.#isHopeless,
      reason,
      isFault,
      isLoss,
      cause: isLoss && first?.rows === decided ? first.message : undefined,
    });
  }

  /** Decides candidates while others are made; a failure shows when the step is over. */
  #decideSoon(): void {
    this.#deciding = this.#deciding.then(() => this.#decideAll());
    this.#deciding.catch(() => {});
  }

  async #decide(): Promise<void> {
    this.#decideSoon();
    await this.#deciding;
  }

  async #decideAll(): Promise<void> {
    const { options } = this.#opened;
    const groups = await this.#candidateGroups();
    for await (const { group, rows, lost, refused } of this.#rows.advance(groups)) {
      // Rows of an earlier run are no news.
      if (!this.#hasBegun) continue;
      options.onEvent({ type: 'row-group-end', group, rows, lost: [...this.#events.lostIn(group), ...lost], refused });
    }
    if (this.#rows.isComplete) this.#enough.abort(new Error('there are enough rows'));
  }

  /** The row groups of the candidates, read once for each step. */
  async #candidateGroups(): Promise<readonly RowGroup[]> {
    if (!this.#groups) {
      const earlier = await recordOfCandidates(this.#opened.folder);
      this.#groups = earlier && [...rowGroups(earlier.plan)];
    }
    return this.#groups ?? [];
  }
}
