import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import {
  DataDesignerError,
  isFailure,
  isRefusal,
  type LostRows,
  type Plan,
  refuseStopped,
  type RowGroup,
  rowGroups,
  rowsIn,
} from '@data-designer/core';
import {
  type DatasetFolder,
  DEFAULT_FORMAT,
  findBatches,
  makeSideFolders,
  openDatasetFolder,
  readFailures,
  readRunRecord,
  type RunRecord,
  type SelectionRecord,
  sideTables,
  UnusedFolder,
} from '@data-designer/dataset';
import { processDataset, refuseTerminal, replaceDamagedMetadata } from '../commit/process-dataset.ts';
import { recordProgress, recordStart } from '../commit/run-metadata.ts';
import { endOf } from '../endings/run-ending.ts';
import { reportFolder } from '../progress/report-start.ts';
import { planOf } from '../resume/continue-run.ts';
import { LostRowCount } from '../row-group/row-group-result.ts';
import type { RequestedRunOptions, RunOptions } from '../run-options.ts';
import { RunSummary } from '../run-summary.ts';
import type { RunResult } from '../run-result.ts';
import { AcceptedRows } from './accepted-rows.ts';
import { candidatePlan, isSelecting, mostCandidates, type SelectingPlan } from './candidate-plan.ts';
import { candidatePaths, isFinished, removeCandidates, usageOfCandidates } from './clean-candidates.ts';
import { HOPELESS_CANDIDATES, nextCandidates } from './next-candidates.ts';
import { RowJudge } from './row-judge.ts';
import { SelectionEvents } from './selection-events.ts';

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
  refuseStopped(requested);
  const startedAt = performance.now();
  const isResume = requested.resume === 'always';
  await using folder = await openDatasetFolder({ ...requested, resume: isResume });
  await using unused = new UnusedFolder(folder.path, { wasThere: isResume || folder.isReused });
  reportFolder(folder, requested);
  const { plan, prior } = await planOf(fresh, folder, requested);
  const options = { ...requested, format: requested.format ?? prior?.format ?? DEFAULT_FORMAT };
  if (isResume) await replaceDamagedMetadata(folder, prior?.plan ?? plan, options);
  if (prior) await refuseTerminal(folder, plan);
  if (!isSelecting(plan)) throw new DataDesignerError('internal/unexpected', { reason: 'the selection is gone' });
  using judge = await RowJudge.open(plan.select);
  const selection = new Selection(plan, judge, { folder, unused, options });
  const { summary, ended } = await selection.run(makeRows, startedAt);
  if (ended?.code === 'run/aborted') throw ended;
  const elapsedMs = performance.now() - startedAt;
  options.onEvent({ type: 'run-end', rows: summary.rows, elapsedMs, ended: endOf(ended) });
  return { path: folder.path, datasetName: folder.name, divertedFrom: folder.divertedFrom, plan, summary, ended };
}

/** A selection whose folder is open. */
interface OpenedSelection {
  readonly folder: DatasetFolder;
  readonly unused: UnusedFolder;
  readonly options: RunOptions;
}

/** How a selection ended. */
interface Selected {
  readonly summary: RunSummary;
  /** Why there are fewer rows than requested. */
  readonly ended: DataDesignerError | undefined;
}

/** How a step ends: the next one follows, the rows are kept although they are too few, or a failure. */
type StepEnd = 'goes-on' | 'keep' | DataDesignerError;

/** The steps of a selection: each makes further candidates and decides them while they are made. */
class Selection {
  readonly #plan: SelectingPlan;
  readonly #opened: OpenedSelection;
  readonly #rows: AcceptedRows;
  readonly #events: SelectionEvents;
  readonly #enough = new AbortController();
  #summary = new RunSummary();
  #deciding: Promise<void> = Promise.resolve();
  #selection: SelectionRecord = { candidates: 0, accepted: 0, refused: [] };
  #hasBegun = false;
  #groups: readonly RowGroup[] | undefined;

  constructor(plan: SelectingPlan, judge: RowJudge, opened: OpenedSelection) {
    this.#plan = plan;
    this.#opened = opened;
    const { folder, options } = opened;
    const files = { from: candidatePaths(folder.path), to: folder.paths, format: options.format };
    this.#rows = new AcceptedRows(plan, files, { judge, wanted: rowsIn(plan.segments) });
    this.#events = new SelectionEvents({ plan, path: folder.path, rows: this.#rows, onEvent: options.onEvent });
  }

  async run(makeRows: MakeRows, startedAt: number): Promise<Selected> {
    const { folder, options } = this.#opened;
    await makeSideFolders(folder.paths, sideTables(this.#plan));
    for (const took of await usageOfCandidates(folder.path)) this.#summary.addUsage(took);
    await this.#record();
    const final = await this.#rowsOfFinal();
    if (final !== undefined) {
      this.#summary.settleRows(final);
      return { summary: this.#summary, ended: undefined };
    }
    await this.#decide();
    this.#hasBegun = true;
    let over: StepEnd = 'goes-on';
    try {
      while (!this.#rows.isComplete && over === 'goes-on') over = await this.#step(makeRows, startedAt);
    } finally {
      await this.#decide().catch(() => {});
      await this.#recordRows();
    }
    const ended = over instanceof DataDesignerError ? over : undefined;
    await this.#record();
    const signal = AbortSignal.any([options.signal, options.drain]);
    const rows = ended ? undefined : await processDataset(folder, this.#plan, { ...options, signal });
    if (rows !== undefined) this.#summary.settleRows(rows);
    await recordProgress(folder, { plan: this.#plan, summary: this.#summary });
    if (!ended) await this.#recordFinish();
    if (!ended && !this.#plan.select.keepCandidates) await removeCandidates(folder.paths);
    return { summary: this.#summary, ended };
  }

  /**
   * The rows of a dataset to which none can be added: all of them were processed together, or its candidates were deleted.
   * Undefined for any other.
   */
  async #rowsOfFinal(): Promise<number | undefined> {
    const { folder } = this.#opened;
    const isProcessed = (await folder.readMetadata())?.post_generation_processed === true;
    if (!isProcessed && ((await this.#candidates()) || (await folder.batches()).length === 0)) return undefined;
    const { rows } = await findBatches(folder.paths);
    if (isProcessed || (await isFinished(folder.paths, { plan: this.#plan, rows }))) return rows;
    throw new DataDesignerError('select/cleaned', { path: folder.path });
  }

  /** Brings `metadata.json` up to date. */
  async #recordRows(): Promise<void> {
    const { folder } = this.#opened;
    const { accepted, decided } = this.#rows;
    const refused = await this.#refused();
    this.#summary.settleRows(accepted);
    this.#summary.settleLost([...this.#events.lost.filter(({ code }) => !isRefusal(code)), ...refused]);
    await recordProgress(folder, { plan: this.#plan, summary: this.#summary });
    this.#selection = { candidates: decided, accepted, refused };
    await folder.updateMetadata({ selection: this.#selection });
  }

  /** Records that the dataset has all its rows, which may be fewer than requested. */
  #recordFinish(): Promise<void> {
    const selection = { ...this.#selection, finished_for: rowsIn(this.#plan.segments) };
    return this.#opened.folder.updateMetadata({ selection });
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
  async #step(makeRows: MakeRows, startedAt: number): Promise<StepEnd> {
    const { folder, options } = this.#opened;
    const earlier = await this.#candidates();
    const had = earlier ? rowsIn(earlier.plan.segments) : 0;
    const { accepted, decided } = this.#rows;
    const most = Math.max(had, mostCandidates(this.#plan));
    const wanted = rowsIn(this.#plan.segments);
    const next = decided < had ? had : nextCandidates({ wanted, accepted, decided, most });
    const isHopeless = accepted === 0 && decided >= HOPELESS_CANDIDATES;
    if (next === decided || isHopeless) return this.#exhausted();
    const { maxDurationSeconds } = options.ends;
    const leftSeconds = maxDurationSeconds && maxDurationSeconds - (performance.now() - startedAt) / 1000;
    if (maxDurationSeconds !== null && (leftSeconds ?? 0) <= 0) {
      return new DataDesignerError('run/time-spent', { maxDurationSeconds });
    }
    const result = await this.#make(() =>
      makeRows(candidatePlan(this.#plan, next), {
        ...options,
        artifactPath: folder.path,
        datasetName: basename(candidatePaths(folder.path).folder),
        resume: earlier ? 'always' : 'never',
        compact: false,
        drain: AbortSignal.any([options.drain, this.#enough.signal]),
        ends: { ...options.ends, maxDurationSeconds: leftSeconds },
        onEvent: (event) => {
          if (event.type === 'run-start') {
            this.#opened.unused.keep();
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
    if (result.ended?.code === 'run/time-spent' && maxDurationSeconds !== null) {
      return new DataDesignerError('run/time-spent', { maxDurationSeconds });
    }
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

  async #exhausted(): Promise<StepEnd> {
    const { accepted, decided } = this.#rows;
    if (this.#plan.select.onExhausted === 'keep' && accepted > 0) return 'keep';
    const lost = this.#events.lost.filter(({ code }) => !isRefusal(code));
    const [first] = [...(await this.#refused()), ...lost].toSorted((a, b) => b.rows - a.rows);
    const wanted = rowsIn(this.#plan.segments);
    const reason = first ? `${first.rows} of the others: ${first.message}` : '';
    return new DataDesignerError('select/exhausted', { wanted, accepted, candidates: decided, reason });
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
    for await (const { group, rows, refused } of this.#rows.advance(groups)) {
      // Rows of an earlier run are no news.
      if (!this.#hasBegun) continue;
      options.onEvent({ type: 'row-group-end', group, rows, lost: [...this.#events.lostIn(group), ...refused] });
    }
    if (this.#rows.isComplete) this.#enough.abort(new Error('there are enough rows'));
  }

  /** The row groups of the candidates, read once for each step. */
  async #candidateGroups(): Promise<readonly RowGroup[]> {
    if (!this.#groups) {
      const earlier = await this.#candidates();
      this.#groups = earlier && [...rowGroups(earlier.plan)];
    }
    return this.#groups ?? [];
  }

  /** What the run of the candidates recorded; undefined before its first step. */
  async #candidates(): Promise<RunRecord | undefined> {
    const paths = candidatePaths(this.#opened.folder.path);
    return existsSync(paths.run) ? readRunRecord(paths) : undefined;
  }

  async #record(): Promise<void> {
    const { folder, options } = this.#opened;
    const candidates = await this.#candidates();
    const { tools = {}, tables = [] } = candidates ?? {};
    await recordStart(folder, { plan: this.#plan, format: options.format, tools, tables }, options.document);
  }
}
