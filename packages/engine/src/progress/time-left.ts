import { openRowsFor, type Plan, Random, type Resource, type RowGroup } from '@data-designer/core';
import { type ColumnTimes, lastRowsOf, type ModelState } from '@data-designer/gateway';
import type { ColumnCalls } from '../row-group/cell-calls.ts';
import { CallDurations } from './call-durations.ts';
import { drawsMore, furtherCalls, isUntold, openCells } from './calls-per-cell.ts';
import { Lane } from './lane.ts';
import { PermitsInUse } from './permits-in-use.ts';
import { msOfRest, type RestColumn, type RestLane, type RestOfRun } from './rest-of-run.ts';
import type { WorkSample } from './work-sample.ts';

/** How often the rest of the run is made in virtual time; the median is the estimate. */
const TRIALS = 9;
/** The calls of all trials together: about 20 ms. */
const MOST_CALLS = 20_000;
/** The time between two estimates, shorter while the run has just begun; the time left counts down in between. */
const INTERVAL_MS = 5000;
const FIRST_INTERVAL_MS = 250;
const INTERVAL_SHARE = 1 / 20;
/** A trial makes this many times the open rows, and the others take as long on average. */
const OPEN_ROWS_MADE = 4;
const FEWEST_ROWS_MADE = 200;
/** Calls that have taken nearly as long as this share of others are slower ones: they end after this many times as long. */
const LONG_SHARE = 0.95;
const LONGER_THAN_RUNNING = 1.25;
const MOST_ALIKE = 1000;

/** Steps of priorities do not depend on the group. */
const ANY_GROUP: RowGroup = { index: 0, firstRow: 0, rows: 1 };
const NO_CALLS: ColumnCalls = { ended: [], begun: [], tools: 0 };

/** The time left in seconds. */
export interface TimeRange {
  readonly seconds: number;
  /** The true time is between these in most cases; the upper one is Infinity while calls of a column have no answer yet. */
  readonly least: number;
  readonly most: number;
}

/** Columns that share permits, since one model makes them; the columns of different lanes run side by side. */
interface LaneColumns {
  /** The model; undefined for columns without one. */
  readonly resource: string | undefined;
  /** Empty in a plan without slow columns: its rows are counted. */
  readonly columns: readonly string[];
  /** The slow columns that these read, directly or through others. */
  readonly needs: ReadonlySet<string>;
}

/** A lane, the pace of its cells, and its permits. */
interface LaneState extends LaneColumns {
  readonly pace: Lane;
  readonly permits: PermitsInUse;
}

/** What a trial has drawn for the columns. */
interface TrialParts {
  readonly durations: ReadonlyMap<string, CallDurations>;
  readonly lanes: readonly RestLane[];
  readonly random: () => number;
}

/**
 * Estimates the time left of a run: makes the rest of its rows in virtual time, with the permits, and with calls that take as
 * long as those so far. Lanes whose calls are not timed go on at their pace.
 */
export class TimeLeft {
  readonly #wanted: number;
  readonly #limits: ReadonlyMap<string, number>;
  /** The least time between two requests, by resource with a rate. */
  readonly #spacingMs: ReadonlyMap<string, number>;
  readonly #begin: WorkSample;
  readonly #lanes: readonly LaneState[];
  /** The slow columns, and those that each reads. */
  readonly #columns: readonly { readonly name: string; readonly needs: readonly number[]; readonly later: number }[];
  readonly #fixedLimits: number;
  #sample: WorkSample;
  /** The time of cells that wait for tools, summed, by lane. */
  readonly #toolMs = new Map<LaneState, number>();
  #estimate: { readonly time: number; readonly range: TimeRange; readonly intervalMs: number } | undefined;

  /** The slow columns are those of the cells in the first sample. */
  constructor(plan: Plan, wanted: number, begin: WorkSample) {
    this.#wanted = wanted;
    this.#limits = new Map(plan.resources.map(({ id, limit }) => [id, limit]));
    this.#spacingMs = new Map(plan.resources.flatMap(spacingOf));
    this.#begin = begin;
    this.#sample = begin;
    const slow = [...begin.cells.keys()];
    const lanes = lanesOf(plan, slow);
    this.#lanes = lanes.map((columns) => {
      return { ...columns, pace: new Lane(begin.time, 0), permits: new PermitsInUse() };
    });
    const needs = needsOf(plan, slow);
    const { later } = lastRowsOf(plan, [ANY_GROUP]);
    this.#columns = slow.map((name) => {
      const read = [...(needs.get(name) ?? [])].map((need) => slow.indexOf(need));
      return { name, needs: read, later: later[name] ?? 0 };
    });
    const others = plan.resources.filter(({ kind }) => kind !== 'rows' && kind !== 'model');
    this.#fixedLimits = others.reduce((sum, { limit }) => sum + limit, 0);
  }

  /** Takes the current counts. */
  add(sample: WorkSample): void {
    const elapsedMs = sample.time - this.#sample.time;
    this.#sample = sample;
    for (const lane of this.#lanes) {
      const { inFlight: requests = 0, waiting = 0 } = this.#model(lane) ?? {};
      const atTools = this.#atTools(lane);
      const inFlight = requests + Math.max(0, atTools);
      const isBegun = lane.resource === undefined ? this.#hasInput(lane) : inFlight > 0;
      lane.pace.add({ time: sample.time, total: this.#worked(lane), inFlight, isBegun });
      lane.permits.add({ time: sample.time, inFlight: requests, waiting });
      this.#toolMs.set(lane, (this.#toolMs.get(lane) ?? 0) + atTools * elapsedMs);
    }
  }

  /** Null while the pace of a lane is unknown. */
  get range(): TimeRange | null {
    const { time } = this.#sample;
    const made = this.#estimate;
    const agoMs = made ? time - made.time : Infinity;
    const sinceBegin = (time - this.#begin.time) * INTERVAL_SHARE;
    const intervalMs = Math.min(Math.max(FIRST_INTERVAL_MS, sinceBegin), made?.intervalMs ?? 0);
    if (made && agoMs < intervalMs && this.#left > 0) return counted(made.range, agoMs / 1000);
    const estimate = this.#newEstimate();
    this.#estimate = estimate && { ...estimate, time };
    return estimate?.range ?? null;
  }

  #newEstimate(): { readonly range: TimeRange; readonly intervalMs: number } | undefined {
    if (this.#left === 0) return { range: { seconds: 0, least: 0, most: 0 }, intervalMs: 0 };
    const open = this.#lanes.filter((lane) => this.#made(lane) < this.#all(lane));
    // The calls of cells that have not ended do not tell how many a cell takes.
    if (open.some(({ columns }) => columns.some((name) => isUntold(this.#callsOf(name))))) return undefined;
    if (!open.some((lane) => this.#isTimed(lane))) {
      const ms = this.#msAtPace(open);
      return ms === undefined ? undefined : { range: rangeOf([ms]), intervalMs: 0 };
    }
    const results: number[] = [];
    let calls = 0;
    let most = TRIALS;
    for (let trial = 0; trial < most; trial++) {
      const rest = this.#restOf(numbersOf(trial));
      if (!rest) return undefined;
      const result = msOfRest(rest, Math.max(FEWEST_ROWS_MADE, OPEN_ROWS_MADE * rest.openRows));
      results.push(result.ms);
      calls += result.calls;
      most = Math.min(most, Math.ceil((MOST_CALLS * (trial + 1)) / Math.max(1, calls)));
    }
    const range = rangeOf(results);
    return {
      range: this.#isGuessed ? { ...range, most: Infinity } : range,
      intervalMs: INTERVAL_MS * Math.max(1, calls / MOST_CALLS),
    };
  }

  /** Whether calls of a column with cells left have no answer yet. */
  get #isGuessed(): boolean {
    return this.#columns.some(({ name }) => {
      const lane = this.#lanes.find(({ columns }) => columns.includes(name));
      if (!lane || !this.#isTimed(lane) || this.#cells(name) >= this.#wanted) return false;
      return (this.#timesOf(lane, name)?.ended ?? []).length === 0;
    });
  }

  /** The time of lanes whose calls are not timed: that of the slowest one. */
  #msAtPace(open: readonly LaneState[]): number | undefined {
    let longest = 0;
    for (const lane of open) {
      const ms = this.#paceMs(lane);
      if (ms === undefined) return undefined;
      // Cells of other lanes that need the last ones of this lane are made after them.
      const after = open.filter((other) => other !== lane && lane.columns.some((name) => other.needs.has(name)));
      longest = Math.max(longest, ms + Math.max(0, ...after.map(({ pace }) => pace.cellMs)));
    }
    const paused = this.#sample.models.filter(({ waiting }) => waiting > 0).map(({ pausedMs }) => pausedMs);
    return Math.max(longest, ...paused);
  }

  #paceMs(lane: LaneState): number | undefined {
    const left = this.#all(lane) - this.#made(lane);
    const permits = this.#model(lane)?.limit ?? this.#limits.get(lane.resource ?? '');
    // Cells whose tools are at work hold no permit.
    const limit = permits && Math.max(permits, (this.#model(lane)?.inFlight ?? 0) + this.#atTools(lane));
    const otherCellMs = Math.max(...this.#lanes.map(({ pace }) => pace.cellMs));
    const ms = lane.pace.msFor(left, { limit, otherCellMs });
    return ms && Math.max(ms, left * (this.#spacingMs.get(lane.resource ?? '') ?? 0));
  }

  /** What is left to do, with durations that are as likely as those so far; undefined while too little is known. */
  #restOf(random: () => number): RestOfRun | undefined {
    const durations = this.#durations(random);
    const lanes: RestLane[] = [];
    for (const lane of this.#lanes) {
      const made = this.#isTimed(lane) ? this.#timedLane(lane, random) : this.#pacedLane(lane);
      if (!made) return undefined;
      lanes.push(made);
    }
    const columns: RestColumn[] = [];
    for (const { name, needs, later } of this.#columns) {
      const column = this.#columnOf(name, { durations, lanes, random });
      if (!column) return undefined;
      columns.push({ ...column, needs, later });
    }
    const permits = this.#lanes.reduce((sum, lane) => sum + (this.#model(lane)?.limit ?? 0), this.#fixedLimits);
    return { rows: this.#wanted, openRows: openRowsFor(Math.max(1, permits)), columns, lanes };
  }

  #timedLane(lane: LaneState, random: () => number): RestLane {
    const { limit = 1, pausedMs = 0, waiting = 0 } = this.#model(lane) ?? {};
    const permits = lane.permits.mean ?? limit;
    const spacingMs = this.#spacingMs.get(lane.resource ?? '') ?? 0;
    return {
      permits: Math.max(1, Math.floor(permits + random())),
      spacingMs,
      pausedMs: waiting > 0 ? pausedMs : 0,
    };
  }

  /** A lane whose calls are not timed: one cell after the other, at its pace. */
  #pacedLane(lane: LaneState): RestLane | undefined {
    const left = this.#all(lane) - this.#made(lane);
    if (left === 0) return { permits: 1, spacingMs: 0, pausedMs: 0 };
    const ms = this.#paceMs(lane);
    return ms === undefined ? undefined : { permits: 1, spacingMs: ms / left, pausedMs: 0 };
  }

  #columnOf(name: string, { durations, lanes, random }: TrialParts): Omit<RestColumn, 'needs' | 'later'> | undefined {
    const lane = this.#lanes.findIndex(({ columns }) => columns.includes(name));
    const of = this.#lanes[lane];
    const done = Math.min(this.#wanted, this.#cells(name));
    const counts = this.#sample.calls?.get(name);
    if (!of || !this.#isTimed(of) || !counts) {
      const spacingMs = () => lanes[lane]?.spacingMs ?? 0;
      return {
        lane,
        done,
        open: [],
        runningMs: [],
        atTools: 0,
        goesOn: () => false,
        callMs: spacingMs,
        isToTool: () => false,
        toolMs: () => 0,
      };
    }
    const duration = durations.get(name);
    if (!duration && done < this.#wanted) return undefined;
    const runningMs = (this.#timesOf(of, name)?.running ?? []).flatMap(([ms, calls]) =>
      Array.from({ length: calls }, () => ms),
    );
    const open = counts.begun.flatMap((cells, calls) => Array.from({ length: cells }, () => calls));
    const atTools = Math.max(0, open.length - runningMs.length - (this.#model(of)?.waiting ?? 0));
    const { toolShare, toolMs } = this.#toolsOf(of, name);
    return {
      lane,
      done,
      open: open.toReversed().slice(0, Math.max(0, this.#wanted - done)),
      runningMs: runningMs.toReversed(),
      atTools: toolShare === 0 ? 0 : atTools,
      goesOn: drawsMore(counts, random),
      callMs: (ranMs) => {
        if (!duration) return 0;
        return ranMs === undefined ? duration.at(random()) : duration.drawBeyond(ranMs, random) - ranMs;
      },
      isToTool: () => toolShare > 0 && random() < toolShare,
      toolMs: () => toolMs,
    };
  }

  /** Which share of the calls after the first goes to tools, and how long such a call takes. */
  #toolsOf(lane: LaneState, name: string): { readonly toolShare: number; readonly toolMs: number } {
    const { tools } = this.#callsOf(name);
    const further = furtherCalls(this.#callsOf(name));
    if (tools === 0 || further === 0) return { toolShare: 0, toolMs: 0 };
    const allTools = lane.columns.reduce((sum, column) => sum + this.#callsOf(column).tools, 0);
    // The calls of tools that are in flight are midway.
    const midway = Math.min(allTools, Math.max(0, this.#atTools(lane))) / 2;
    const toolMs = Math.max(0, (this.#toolMs.get(lane) ?? 0) / (allTools - midway));
    return { toolShare: Math.min(1, tools / further), toolMs };
  }

  /** How long the calls of each column take; those of a column without an answer as long as others, and as they have taken. */
  #durations(random: () => number): ReadonlyMap<string, CallDurations> {
    const known = new Map<string, CallDurations>();
    for (const lane of this.#lanes) {
      for (const name of lane.columns) {
        const times = this.#timesOf(lane, name);
        const duration = times && CallDurations.of(times);
        if (duration) known.set(name, duration.resampled(random));
      }
    }
    const all = new Map(known);
    for (const { name } of this.#columns) {
      const guess = known.has(name) ? undefined : this.#guessOf(name, known);
      if (guess) all.set(name, guess);
    }
    return all;
  }

  /** Calls without an answer are expected to be as slow as those of the slowest other column of their model, or of any model. */
  #guessOf(name: string, known: ReadonlyMap<string, CallDurations>): CallDurations | undefined {
    const lane = this.#lanes.find(({ columns }) => columns.includes(name));
    const own = lane?.columns.flatMap((column) => known.get(column) ?? []) ?? [];
    const others = own.length > 0 ? own : [...known.values()];
    const [slowest] = others.toSorted((one, other) => other.at(1 / 2) - one.at(1 / 2));
    const ranMs = Math.max(0, ...((lane && this.#timesOf(lane, name)?.running) ?? []).map(([ms]) => ms));
    const guessMs = LONGER_THAN_RUNNING * ranMs;
    if (!slowest || guessMs < slowest.at(LONG_SHARE)) return slowest;
    return CallDurations.of({ ended: [[guessMs, MOST_ALIKE]], running: [] });
  }

  #timesOf(lane: LaneState, name: string): ColumnTimes | undefined {
    return this.#model(lane)?.times?.[name];
  }

  /** Whether the calls of all columns are counted and timed; those of attempts are not. */
  #isTimed(lane: LaneState): boolean {
    const { calls } = this.#sample;
    const isTold =
      this.#model(lane)?.times !== undefined || this.#lanes.some((one) => this.#model(one)?.times !== undefined);
    return lane.resource !== undefined && isTold && lane.columns.every((name) => calls?.has(name));
  }

  get #left(): number {
    return this.#lanes.reduce((sum, lane) => sum + Math.max(0, this.#all(lane) - this.#made(lane)), 0);
  }

  /** The cells of a lane that are in the making, but not with its model: they are with tools. */
  #atTools(lane: LaneState): number {
    const { inFlight = 0, waiting = 0 } = this.#model(lane) ?? {};
    return lane.columns.reduce((sum, name) => sum + openCells(this.#callsOf(name)), 0) - inFlight - waiting;
  }

  #model({ resource }: LaneColumns): ModelState | undefined {
    return this.#sample.models.find((state) => state.resource === resource);
  }

  /** Whether the columns that these need have made a cell in this run. */
  #hasInput({ needs }: LaneColumns): boolean {
    const { cells } = this.#begin;
    return [...needs].every((name) => this.#cells(name) > Math.min(cells.get(name) ?? 0, this.#wanted - 1));
  }

  /** The finished cells of this run, or rows. */
  #worked({ columns }: LaneColumns): number {
    const { cells, rows } = this.#begin;
    if (columns.length === 0) return this.#sample.rows - rows;
    return columns.reduce((sum, name) => sum + this.#cells(name) - (cells.get(name) ?? 0), 0);
  }

  #made({ columns }: LaneColumns): number {
    return columns.length === 0 ? this.#sample.rows : columns.reduce((sum, name) => sum + this.#cells(name), 0);
  }

  #all({ columns }: LaneColumns): number {
    return this.#wanted * Math.max(1, columns.length);
  }

  #cells(column: string): number {
    return this.#sample.cells.get(column) ?? 0;
  }

  #callsOf(column: string): ColumnCalls {
    return this.#sample.calls?.get(column) ?? NO_CALLS;
  }
}

/** The random numbers of a trial: the same ones for every estimate, so that it changes with the run alone. */
function numbersOf(trial: number): () => number {
  const random = Random.of(0, 'time left').at(trial);
  return () => random.float();
}

function rangeOf(ms: readonly number[]): TimeRange {
  const seconds = ms.map((one) => one / 1000).toSorted((one, other) => one - other);
  const at = (index: number) => seconds[index] ?? 0;
  return { seconds: at(seconds.length >> 1), least: at(0), most: at(seconds.length - 1) };
}

function counted({ seconds, least, most }: TimeRange, elapsed: number): TimeRange {
  const left = (from: number) => Math.max(0, from - elapsed);
  return { seconds: left(seconds), least: left(least), most: left(most) };
}

const MINUTE_MS = 60_000;

function spacingOf({ id, requestsPerMinute }: Resource): readonly (readonly [string, number])[] {
  return requestsPerMinute === undefined ? [] : [[id, MINUTE_MS / requestsPerMinute]];
}

/** The slow columns that each column reads, directly or through others. */
function needsOf({ columns }: Plan, slow: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const all = new Map<string, ReadonlySet<string>>();
  for (const { name, needs } of columns) {
    all.set(name, new Set(needs.flatMap((need) => [...(slow.includes(need) ? [need] : []), ...(all.get(need) ?? [])])));
  }
  return all;
}

function lanesOf(plan: Plan, slow: readonly string[]): readonly LaneColumns[] {
  if (slow.length === 0) return [{ resource: undefined, columns: [], needs: new Set() }];
  const { columns, models } = plan;
  const needs = needsOf(plan, slow);
  const lanes = new Map<string, { resource: string | undefined; columns: string[]; needs: Set<string> }>();
  for (const { name, requires } of columns) {
    if (!slow.includes(name)) continue;
    const resource = models[requires.models[0] ?? '']?.resource;
    const key = resource ?? `column ${name}`;
    const lane = lanes.get(key) ?? { resource, columns: [], needs: new Set() };
    lane.columns.push(name);
    for (const need of needs.get(name) ?? []) lane.needs.add(need);
    lanes.set(key, lane);
  }
  return [...lanes.values()];
}
