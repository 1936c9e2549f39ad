import type { Plan, Resource } from '@data-designer/core';
import type { ModelState } from '@data-designer/gateway';
import { callsPerCell, type CallsPerCell, ONE_CALL } from './calls-per-cell.ts';
import { Lane } from './lane.ts';
import type { WorkSample } from './work-sample.ts';

/** Columns that share permits, since one model makes them; the columns of different lanes run side by side. */
interface LaneColumns {
  /** The model; undefined for columns without one. */
  readonly resource: string | undefined;
  /** Empty in a plan without slow columns: its rows are counted. */
  readonly columns: readonly string[];
  /** The slow columns that these read, directly or through others. */
  readonly needs: ReadonlySet<string>;
}

/** Estimates the time left of a run: that of its slowest lane. Work is counted in calls: a chat has many of them. */
export class TimeLeft {
  readonly #wanted: number;
  readonly #limits: ReadonlyMap<string, number>;
  /** The least time between two requests, by resource with a rate. */
  readonly #spacingMs: ReadonlyMap<string, number>;
  readonly #begin: WorkSample;
  readonly #lanes: readonly (readonly [LaneColumns, Lane])[];
  #sample: WorkSample;
  #calls: ReadonlyMap<string, CallsPerCell> = new Map();

  /** The slow columns are those of the cells in the first sample. */
  constructor(plan: Plan, wanted: number, begin: WorkSample) {
    this.#wanted = wanted;
    this.#limits = new Map(plan.resources.map(({ id, limit }) => [id, limit]));
    this.#spacingMs = new Map(plan.resources.flatMap(spacingOf));
    this.#begin = begin;
    this.#sample = begin;
    const lanes = lanesOf(plan, [...begin.cells.keys()]);
    this.#lanes = lanes.map((columns) => [columns, new Lane(begin.time, 0)]);
  }

  /** Takes the current counts. */
  add(sample: WorkSample): void {
    this.#sample = sample;
    this.#calls = new Map([...(sample.calls ?? [])].map(([name, counts]) => [name, callsPerCell(counts)]));
    for (const [columns, lane] of this.#lanes) {
      const inFlight = this.#inFlight(columns);
      const isBegun = columns.resource === undefined ? this.#hasInput(columns) : inFlight > 0;
      lane.add({ time: sample.time, total: this.#worked(columns), inFlight, isBegun });
    }
  }

  /** Seconds; null while the pace of a lane is unknown. */
  get seconds(): number | null {
    const open = this.#lanes.filter(([columns]) => this.#made(columns) < this.#all(columns));
    // The calls of cells that have not ended do not tell how many a cell takes.
    if (open.some(([{ columns }]) => columns.some((name) => this.#callsOf(name).isUntold))) return null;
    const times = open.map(([columns, lane]) => this.#msOf(columns, lane));
    let longest = 0;
    for (const [at, ms] of times.entries()) {
      if (ms === undefined) return null;
      const made = open[at]?.[0].columns ?? [];
      // Cells of other lanes that need the last ones of this lane are made after them.
      const after = open.filter(([{ needs }], other) => other !== at && made.some((name) => needs.has(name)));
      longest = Math.max(longest, ms + Math.max(0, ...after.map((one) => this.#cellMs(one))));
    }
    const paused = this.#sample.models.filter(({ waiting }) => waiting > 0).map(({ pausedMs }) => pausedMs);
    return open.length === 0 ? 0 : Math.max(longest, ...paused) / 1000;
  }

  #msOf(columns: LaneColumns, lane: Lane): number | undefined {
    const permits = this.#model(columns)?.limit ?? this.#limits.get(columns.resource ?? '');
    // Cells whose tools are at work hold no permit.
    const limit = permits && Math.max(permits, this.#inFlight(columns));
    const otherCellMs = Math.max(...this.#lanes.map((one) => this.#cellMs(one)));
    const left = this.#left(columns);
    const ms = lane.msFor(left, { limit, otherCellMs });
    if (ms === undefined) return undefined;
    return Math.max(ms + this.#tailMs(columns, lane), left * (this.#spacingMs.get(columns.resource ?? '') ?? 0));
  }

  #model({ resource }: LaneColumns): ModelState | undefined {
    return this.#sample.models.find((state) => state.resource === resource);
  }

  /** The cells of a lane that are at work: with a request in flight, or with a tool. */
  #inFlight(columns: LaneColumns): number {
    const { inFlight = 0, waiting = 0 } = this.#model(columns) ?? {};
    const open = columns.columns.reduce((sum, name) => sum + this.#callsOf(name).open, 0);
    return Math.max(inFlight, open - waiting);
  }

  /** Whether the columns that these need have made a cell in this run. */
  #hasInput({ needs }: LaneColumns): boolean {
    const { cells } = this.#begin;
    return [...needs].every((name) => this.#cells(name) > Math.min(cells.get(name) ?? 0, this.#wanted - 1));
  }

  /** The time for which the last cells of a lane go on while permits are idle; less once all cells are begun. */
  #tailMs({ columns }: LaneColumns, { cellMs }: Lane): number {
    const tails = columns.map((name) => {
      const { tail, open } = this.#callsOf(name);
      return tail * Math.min(1, (this.#wanted - this.#cells(name)) / Math.max(1, open));
    });
    return cellMs * Math.max(0, ...tails);
  }

  /** The mean time of a cell with all of its calls. */
  #cellMs([{ columns }, { cellMs }]: readonly [LaneColumns, Lane]): number {
    return cellMs * Math.max(1, ...columns.map((name) => this.#callsOf(name).expected));
  }

  /** The calls that are left. */
  #left({ columns }: LaneColumns): number {
    if (columns.length === 0) return this.#wanted - this.#sample.rows;
    return columns.reduce((sum, name) => {
      const { expected, making } = this.#callsOf(name);
      return sum + Math.max(0, (this.#wanted - this.#cells(name)) * expected - making);
    }, 0);
  }

  /** The calls of this run, with those of cells in the making. */
  #worked({ columns }: LaneColumns): number {
    const { cells, rows } = this.#begin;
    if (columns.length === 0) return this.#sample.rows - rows;
    return columns.reduce((sum, name) => {
      const { finished, making } = this.#callsOf(name);
      return sum + (this.#cells(name) - (cells.get(name) ?? 0)) * finished + making;
    }, 0);
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

  #callsOf(column: string): CallsPerCell {
    return this.#calls.get(column) ?? ONE_CALL;
  }
}

const MINUTE_MS = 60_000;

function spacingOf({ id, requestsPerMinute }: Resource): readonly (readonly [string, number])[] {
  return requestsPerMinute === undefined ? [] : [[id, MINUTE_MS / requestsPerMinute]];
}

function lanesOf({ columns, models }: Plan, slow: readonly string[]): readonly LaneColumns[] {
  if (slow.length === 0) return [{ resource: undefined, columns: [], needs: new Set() }];
  const needsOf = new Map<string, ReadonlySet<string>>();
  const lanes = new Map<string, { resource: string | undefined; columns: string[]; needs: Set<string> }>();
  for (const { name, needs, requires } of columns) {
    const own = needs.flatMap((need) => [...(slow.includes(need) ? [need] : []), ...(needsOf.get(need) ?? [])]);
    needsOf.set(name, new Set(own));
    if (!slow.includes(name)) continue;
    const resource = models[requires.models[0] ?? '']?.resource;
    const key = resource ?? `column ${name}`;
    const lane = lanes.get(key) ?? { resource, columns: [], needs: new Set() };
    lane.columns.push(name);
    for (const need of own) lane.needs.add(need);
    lanes.set(key, lane);
  }
  return [...lanes.values()];
}
