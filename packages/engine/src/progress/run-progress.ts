import { type CellCounts, type Plan, type RowGroup, rowGroups, rowsIn } from '@data-designer/core';
import type { PricedUsage } from '@data-designer/models';
import { needsGateway, type ModelState } from '@data-designer/gateway';
import { attemptFigures } from '../attempt-figures.ts';
import { AttemptedRows } from './attempted-rows.ts';
import { answerFlaws } from './answer-flaws.ts';
import type { ColumnCalls } from '../row-group/cell-calls.ts';
import type { GroupProgress } from '../row-group/group-progress.ts';
import type { RowGroupResult } from '../row-group/row-group-result.ts';
import type { RedisAway } from './redis-event.ts';
import type { RunSummary } from '../run-summary.ts';
import { joinCalls } from './join-calls.ts';
import { costForecast } from './cost-forecast.ts';
import { type JournaledGroup, JournaledWork } from './journaled-work.ts';
import {
  type AliasProgress,
  type ColumnProgress,
  joinStates,
  type MachineProgress,
  type SeenMachine,
  modelProgress,
  type ProgressSnapshot,
} from './progress-snapshot.ts';
import { type RatedCounts, RunRates } from './run-rates.ts';
import { LaterTimeLeft } from './later-time-left.ts';
import type { WorkSample } from './work-sample.ts';

/** The most reasons in a snapshot. */
const MOST_REASONS = 3;

/** From this ratio of its bounds on, a range says more about the time left than one number. */
const WIDE_RANGE = 1.5;

/** The sources of a run's progress. */
export interface RunProgressParts {
  /** The committed totals, which the run updates. */
  readonly summary: RunSummary;
  /** The row groups of this run. */
  readonly groups: readonly RowGroup[];
  /** Milliseconds; never goes back. */
  readonly now?: () => number;
}

/** Totals so far, committed or not. */
interface Counted {
  readonly all: RunSummary;
  readonly usage: Readonly<Record<string, PricedUsage>>;
  readonly lost: number;
  /** Finished and lost rows. */
  readonly settled: number;
  readonly rows: number;
  /** Finished and failed cells by column; those of blocks of attempts as rows. */
  readonly cells: ReadonlyMap<string, number>;
  /** The cells that a row takes, by column in a block of attempts. */
  readonly perRow: ReadonlyMap<string, number>;
}

/** The progress of a run: committed groups, reports of open groups, and the state of the models. */
export class RunProgress {
  readonly #plan: Plan;
  readonly #summary: RunSummary;
  readonly #now: () => number;
  readonly #wanted: number;
  readonly #groups: number;
  /** Finished rows of earlier runs, and their lost rows that the summary does not count. */
  readonly #before: { readonly rows: number; readonly lost: number };
  /** Finished and failed cells of committed groups, by column. */
  readonly #cells: Map<string, number>;
  /** The calls of the cells of committed groups, as far as they were reported. */
  readonly #calls = new Map<string, ColumnCalls>();
  readonly #open = new Map<number, GroupProgress | undefined>();
  readonly #journaled = new JournaledWork();
  readonly #attempted: AttemptedRows;
  /** The columns that use the gateway. */
  readonly #slow: readonly string[];
  #redisAway: () => RedisAway | undefined = () => undefined;
  #models: { readonly states: readonly ModelState[]; readonly at: number };
  /** The other machines of a cluster; undefined for a run on one machine. */
  #others: readonly SeenMachine[] | undefined;
  /** This process among the machines. */
  #self: Pick<MachineProgress, 'id' | 'host' | 'pid' | 'rows'> | undefined;
  /** The groups that other machines have open. */
  #elsewhere: ReadonlySet<number> = new Set();
  #relay: Pick<RunProgress, 'onProgress' | 'onModels'> | undefined;
  #done: number;
  #changes = 0;
  #isOver = false;
  #began: number;
  #rates: RunRates;
  #timeLeft: LaterTimeLeft;

  constructor(plan: Plan, { summary, groups, now = () => performance.now() }: RunProgressParts) {
    this.#plan = plan;
    this.#summary = summary;
    this.#now = now;
    this.#wanted = rowsIn(plan.segments);
    this.#groups = [...rowGroups(plan)].length;
    const settled = this.#wanted - rowsIn(groups);
    this.#done = this.#groups - groups.length;
    const told = rowsIn(summary.lost);
    this.#before = { rows: summary.finishedRows, lost: Math.max(0, settled - summary.finishedRows - told) };
    this.#slow = plan.columns.filter(({ requires }) => needsGateway(requires)).map(({ name }) => name);
    this.#cells = new Map(plan.columns.map(({ name }) => [name, settled]));
    this.#attempted = new AttemptedRows(plan, plan.attempts ? summary.copy().attempts : {}, settled);
    this.#began = now();
    this.#models = { states: [], at: this.#began };
    this.#rates = this.#newRates();
    this.#timeLeft = this.#newTimeLeft();
  }

  /** Increases with every report; an equal number means no change. */
  get changes(): number {
    return this.#changes;
  }

  /** Restarts time and rates. */
  begin(): void {
    this.#began = this.#now();
    this.#rates = this.#newRates();
    this.#timeLeft = this.#newTimeLeft();
  }

  /** Adds the rows that a group's journal makes without a request; time and rates begin after that. */
  addJournaled(made: JournaledGroup): void {
    this.#journaled.add(made);
  }

  /** Opens a row group, or opens it again. */
  open(group: number): void {
    this.#open.set(group, undefined);
    this.#changes++;
  }

  /** Takes workers' reports of open groups; a report after a group was closed does not count. */
  readonly onProgress = (groups: readonly GroupProgress[]): void => {
    for (const told of groups) if (this.#open.has(told.group)) this.#open.set(told.group, told);
    this.#changes++;
    this.#relay?.onProgress(groups);
  };

  /** Passes the reports of this process on, to its machine of a cluster. */
  relayTo(machine: Pick<RunProgress, 'onProgress' | 'onModels'>): void {
    this.#relay = machine;
  }

  /** Takes the reports of the other machines, which replace earlier ones. */
  onMachines(self: Pick<MachineProgress, 'id' | 'host' | 'pid' | 'rows'>, others: readonly SeenMachine[]): void {
    this.#self = self;
    this.#others = others;
    const open = new Map(others.flatMap((machine) => machine.open.map((group) => [group.group, group] as const)));
    for (const group of this.#elsewhere) if (!open.has(group)) this.#open.delete(group);
    for (const [group, told] of open) this.#open.set(group, told);
    this.#elsewhere = new Set(open.keys());
    this.#changes++;
  }

  /** Has each snapshot say whether the Redis of the cluster is away. */
  watchRedis(away: () => RedisAway | undefined): void {
    this.#redisAway = away;
  }

  /** Closes a row group that the summary now counts; it is done unless rows are left unfinished. */
  close({ group, cells, unfinished }: Pick<RowGroupResult, 'group' | 'cells' | 'unfinished'>): void {
    const told = Object.entries(this.#open.get(group)?.calls ?? {});
    addCalls(this.#calls, Object.fromEntries(told.map(([column, counts]) => [column, { ...counts, begun: [] }])));
    this.#open.delete(group);
    this.#elsewhere = this.#elsewhere.difference(new Set([group]));
    this.#journaled.delete(group);
    addCells(this.#cells, cells);
    if (unfinished === 0) this.#done++;
    this.#changes++;
  }

  /** Takes the state of the models. */
  readonly onModels = (states: readonly ModelState[]): void => {
    if (this.#isOver) return;
    this.#models = { states, at: this.#now() };
    this.#changes++;
    this.#relay?.onModels(states);
  };

  /** Ends the run: nothing is pending. */
  end(): void {
    const idle = this.#models.states.map((state) => ({ ...state, inFlight: 0, waiting: 0 }));
    this.#models = { ...this.#models, states: idle };
    this.#isOver = true;
    this.#changes++;
  }

  /** A snapshot of the progress. Its rates are those between snapshots. */
  snapshot(): ProgressSnapshot {
    const time = this.#now();
    const counted = this.#count();
    const { all, lost, usage } = counted;
    const rated = this.#rated(counted);
    this.#rates.add(time, rated);
    this.#timeLeft.add(this.#work(time, rated));
    const { wanted, before } = { wanted: this.#wanted, before: this.#before.rows };
    return {
      elapsedMs: Math.round(time - this.#began),
      // The journaled part of a resumed group is there from the start.
      rows: { wanted, done: rated.rows, before, lost, perSecond: this.#rates.rows },
      ...this.#eta(counted.settled < wanted),
      columns: this.#columns(rated.cells),
      groups: { total: this.#groups, done: this.#done, open: this.#open.size },
      cost: this.#cost(counted),
      usage: this.#usage(usage),
      models: modelProgress(this.#plan, this.#states, time - this.#models.at),
      ...this.#machines(),
      tools: toolsOf(all),
      ...(this.#plan.attempts && { attempts: attemptFigures(this.#plan, all) }),
      flaws: answerFlaws(usage),
      failures: all.lost.slice(0, MOST_REASONS),
    };
  }

  #eta(isShort: boolean): Pick<ProgressSnapshot, 'etaSeconds' | 'etaRange'> {
    if (this.#isOver) return { etaSeconds: isShort ? null : 0 };
    const { range } = this.#timeLeft;
    if (!range) return { etaSeconds: null };
    const { seconds, least, most } = range;
    if (most <= least * WIDE_RANGE) return { etaSeconds: seconds };
    return { etaSeconds: seconds, etaRange: { least, most: Number.isFinite(most) ? most : null } };
  }

  /** The states of the models over all machines. */
  get #states(): readonly ModelState[] {
    const { states } = this.#models;
    return this.#others ? joinStates([...states, ...this.#others.flatMap(({ models }) => models)]) : states;
  }

  #machines(): Pick<ProgressSnapshot, 'machines' | 'redis'> {
    const away = this.#redisAway();
    const redis = away ? { redis: away } : {};
    if (!this.#self || !this.#others) return redis;
    const own = {
      ...this.#self,
      isCoordinator: true,
      groups: this.#open.size - this.#elsewhere.size,
      inFlight: inFlightOf(this.#models.states),
      lastSeenMs: 0,
      isLost: false,
    };
    const others = this.#others.map(({ id, host, pid, rows, open, models, lastSeenMs, isLost }): MachineProgress => {
      const { groups, inFlight } = { groups: open.length, inFlight: inFlightOf(models) };
      return { id, host, pid, isCoordinator: false, groups, rows, inFlight, lastSeenMs, isLost };
    });
    return { machines: [own, ...others], ...redis };
  }

  /** Adds the reports of open groups to the committed totals. */
  #count(): Counted {
    const all = this.#summary.copy();
    for (const group of this.#open.values()) if (group) all.add({ ...group, lost: group.reasons });
    const lost = this.#before.lost + rowsIn(all.lost);
    const settled = all.rows + lost;
    const made = new Map(this.#cells);
    for (const group of this.#open.values()) if (group) addCells(made, group.cells);
    const counted = { attempts: this.#plan.attempts ? all.attempts : {}, cells: made };
    const perRow = this.#attempted.perRow(counted);
    const cells = this.#attempted.rowsOf(counted, perRow);
    return { all, rows: all.rows, lost, settled, cells, perRow, usage: all.pricedUsage(this.#plan) };
  }

  /** The counts for rates; journaled answers count from the start, since they replay at once. */
  #rated(counted: Counted): RatedCounts & { readonly settled: number } {
    const ahead = this.#journaled.ahead(this.#open, counted.usage);
    const made = this.#slow.map((column): [string, number] => [column, this.#cellsOf(column, counted, ahead.cells)]);
    const { rows, settled } = counted;
    return { rows: rows + ahead.rows, settled: settled + ahead.rows, cells: new Map(made), usage: ahead.usage };
  }

  /** Finished cells of a column, with those that are journaled `ahead`; a lost row needs no further cells. */
  #cellsOf(column: string, { cells, perRow, settled }: Counted, ahead?: ReadonlyMap<string, number>): number {
    const journaled = (ahead?.get(column) ?? 0) / (perRow.get(column) ?? 1);
    return Math.min(this.#wanted, Math.round(Math.max(settled, cells.get(column) ?? 0) + journaled));
  }

  #columns(cells: RatedCounts['cells']): ColumnProgress[] {
    return this.#slow.map((column) => {
      const inFlight = this.#isOver ? 0 : this.#inFlight(column);
      return { column, done: cells.get(column) ?? 0, inFlight, perSecond: this.#rates.cells(column) };
    });
  }

  #inFlight(column: string): number {
    let sum = 0;
    for (const group of this.#open.values()) sum += group?.inFlight[column] ?? 0;
    return sum;
  }

  #newRates(): RunRates {
    return new RunRates(this.#now(), this.#rated(this.#count()), Object.keys(this.#plan.models));
  }

  #newTimeLeft(): LaterTimeLeft {
    const time = this.#now();
    return new LaterTimeLeft(this.#plan, this.#wanted, this.#work(time, this.#rated(this.#count())));
  }

  #work(time: number, { settled, cells }: RatedCounts & { readonly settled: number }): WorkSample {
    return { time, rows: settled, cells, calls: this.#allCalls(), models: this.#states };
  }

  /** The calls of cells, with those of cells in the making. */
  #allCalls(): ReadonlyMap<string, ColumnCalls> {
    const all = new Map(this.#calls);
    for (const told of this.#open.values()) addCalls(all, told?.calls);
    return all;
  }

  #cost({ all, usage, settled, cells }: Counted): ProgressSnapshot['cost'] {
    const { maxCost: budget } = this.#plan;
    const soFar = all.costOf(this.#plan);
    const forecast = costForecast({ soFar, usage, cells, rows: { wanted: this.#wanted, settled } });
    return { soFar, forecast, budget, left: budget === null ? null : Math.max(0, budget - all.knownCost(this.#plan)) };
  }

  #usage(usage: Counted['usage']): Record<string, AliasProgress> {
    const entries = Object.entries(usage).map(([alias, counts]): [string, AliasProgress] => {
      const { requests, failedRequests, inputTokens, outputTokens, cost } = counts;
      const { input: inputTokensPerSecond, output: outputTokensPerSecond } = this.#rates.tokens(alias);
      const told = { requests, failedRequests, inputTokens, outputTokens, cost };
      return [alias, { ...told, inputTokensPerSecond, outputTokensPerSecond }];
    });
    return Object.fromEntries(entries);
  }
}

function inFlightOf(states: readonly ModelState[]): number {
  return states.reduce((sum, { inFlight }) => sum + inFlight, 0);
}

function addCalls(to: Map<string, ColumnCalls>, more: GroupProgress['calls'] = {}): void {
  for (const [column, counts] of Object.entries(more)) to.set(column, joinCalls(to.get(column), counts));
}

function addCells(to: Map<string, number>, cells: Readonly<Record<string, CellCounts>>): void {
  for (const [column, { made, failed, passing }] of Object.entries(cells)) {
    to.set(column, (to.get(column) ?? 0) + made + failed + passing);
  }
}

function toolsOf({ tools }: RunSummary): ProgressSnapshot['tools'] {
  const all = Object.values(tools);
  const sum = (key: 'calls' | 'errors') => all.reduce((total, counts) => total + counts[key], 0);
  return { calls: sum('calls'), errors: sum('errors') };
}
