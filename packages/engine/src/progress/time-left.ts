import type { Plan, Resource } from '@data-designer/core';
import type { ModelState } from '@data-designer/gateway';
import { Lane } from './lane.ts';

/** The counts of a run at a time in ms. */
export interface WorkSample {
  readonly time: number;
  /** Finished rows. */
  readonly rows: number;
  /** Finished cells by slow column. */
  readonly cells: ReadonlyMap<string, number>;
  readonly models: readonly ModelState[];
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

/** Estimates the time left of a run: that of its slowest lane. */
export class TimeLeft {
  readonly #wanted: number;
  readonly #limits: ReadonlyMap<string, number>;
  /** The least time between two requests, by resource with a rate. */
  readonly #spacingMs: ReadonlyMap<string, number>;
  readonly #begin: WorkSample;
  readonly #lanes: readonly (readonly [LaneColumns, Lane])[];
  #sample: WorkSample;

  /** The slow columns are those of the cells in the first sample. */
  constructor(plan: Plan, wanted: number, begin: WorkSample) {
    this.#wanted = wanted;
    this.#limits = new Map(plan.resources.map(({ id, limit }) => [id, limit]));
    this.#spacingMs = new Map(plan.resources.flatMap(spacingOf));
    this.#begin = begin;
    this.#sample = begin;
    const lanes = lanesOf(plan, [...begin.cells.keys()]);
    this.#lanes = lanes.map((columns) => [columns, new Lane(begin.time, this.#made(columns))]);
  }

  /** Takes the current counts. */
  add(sample: WorkSample): void {
    this.#sample = sample;
    for (const [columns, lane] of this.#lanes) {
      const inFlight = this.#model(columns)?.inFlight ?? 0;
      const isBegun = columns.resource === undefined ? this.#hasInput(columns) : inFlight > 0;
      lane.add({ time: sample.time, total: this.#made(columns), inFlight, isBegun });
    }
  }

  /** Seconds; null while the pace of a lane is unknown. */
  get seconds(): number | null {
    const open = this.#lanes.filter(([columns]) => this.#left(columns) > 0);
    const times = open.map(([columns, lane]) => this.#msOf(columns, lane));
    let longest = 0;
    for (const [at, ms] of times.entries()) {
      if (ms === undefined) return null;
      const made = open[at]?.[0].columns ?? [];
      // Cells of other lanes that need the last ones of this lane are made after them.
      const after = open.filter(([{ needs }], other) => other !== at && made.some((name) => needs.has(name)));
      longest = Math.max(longest, ms + Math.max(0, ...after.map(([, { cellMs }]) => cellMs)));
    }
    const paused = this.#sample.models.filter(({ waiting }) => waiting > 0).map(({ pausedMs }) => pausedMs);
    return open.length === 0 ? 0 : Math.max(longest, ...paused) / 1000;
  }

  #msOf(columns: LaneColumns, lane: Lane): number | undefined {
    const limit = this.#model(columns)?.limit ?? this.#limits.get(columns.resource ?? '');
    const otherCellMs = Math.max(...this.#lanes.map(([, { cellMs }]) => cellMs));
    const left = this.#left(columns);
    const ms = lane.msFor(left, { limit, otherCellMs });
    return ms === undefined ? undefined : Math.max(ms, left * (this.#spacingMs.get(columns.resource ?? '') ?? 0));
  }

  #model({ resource }: LaneColumns): ModelState | undefined {
    return this.#sample.models.find((state) => state.resource === resource);
  }

  /** Whether the columns that these need have made a cell in this run. */
  #hasInput({ needs }: LaneColumns): boolean {
    const { cells } = this.#begin;
    return [...needs].every((name) => this.#cells(name) > Math.min(cells.get(name) ?? 0, this.#wanted - 1));
  }

  #left(columns: LaneColumns): number {
    return this.#wanted * Math.max(1, columns.columns.length) - this.#made(columns);
  }

  #made({ columns }: LaneColumns): number {
    return columns.length === 0 ? this.#sample.rows : columns.reduce((sum, name) => sum + this.#cells(name), 0);
  }

  #cells(column: string): number {
    return this.#sample.cells.get(column) ?? 0;
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
