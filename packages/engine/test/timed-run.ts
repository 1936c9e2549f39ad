import { openRowsFor, type Plan, Random } from '@data-designer/core';
import { CallTimes } from '@data-designer/gateway';
import { CellCalls } from '../src/row-group/cell-calls.ts';
import type { WorkSample } from '../src/progress/work-sample.ts';

/** A number that may vary; `random` draws numbers from 0 to 1. */
export type Drawn = (random: () => number) => number;

/** A column of a run on a clock of its own. */
export interface TimedColumn {
  readonly name: string;
  readonly model: string;
  readonly needs: readonly string[];
  /** The time of a request in ms, from its permit on. */
  readonly latency: Drawn;
  /** The requests of a cell, one after the other; 1 if absent. */
  readonly requests?: Drawn;
  /** The time of a tool call between two requests of a cell, in which it needs no permit; none if absent. */
  readonly toolMs?: Drawn;
}

/** A run on a clock of its own. */
export interface TimedRun {
  readonly columns: readonly TimedColumn[];
  readonly rows: number;
  /** The permits of each model, which may change while the run goes on. */
  readonly permits: number | ((time: number) => number);
  readonly seed?: number;
}

/** The interval of progress reports, in ms. */
const STEP_MS = 100;
/** When the first requests are sent. */
const BEGIN_MS = 200;

interface OpenCell {
  readonly row: number;
  readonly column: TimedColumn;
  /** The requests after the one at hand. */
  more: number;
}

interface TimedModel {
  readonly times: CallTimes;
  inFlight: number;
  waiting: OpenCell[];
  /** Whether the cells that wait are in the order of their priorities. */
  isSorted: boolean;
}

interface Ending {
  readonly at: number;
  readonly cell: OpenCell;
  /** Ends a request to a model; absent for a tool. */
  readonly endRequest?: ReturnType<CallTimes['begin']>;
}

/** The plan of such a run. */
export function timedPlan({ columns, permits }: TimedRun): Plan {
  const ids = modelsOf(columns);
  const limit = typeof permits === 'number' ? permits : permits(0);
  return {
    columns: columns.map(({ name, model, needs }) => ({ name, needs, requires: { models: [model], tools: [] } })),
    models: Object.fromEntries(ids.map((id) => [id, { alias: id, resource: `model/${id}` }])),
    resources: ids.map((id) => ({ id: `model/${id}`, kind: 'model', limit })),
  } as unknown as Plan;
}

function modelsOf(columns: readonly TimedColumn[]): readonly string[] {
  return [...new Set(columns.map(({ model }) => model))];
}

/** Makes the rows as the engine would, the oldest row first, and calls `report` every 100 ms; returns the duration in ms. */
export function makeTimedRun(run: TimedRun, report: (sample: WorkSample) => void): number {
  return new TimedMaking(run, report).make();
}

function newModel(): TimedModel {
  return { times: new CallTimes(), inFlight: 0, waiting: [], isSorted: true };
}

class TimedMaking {
  readonly #run: TimedRun;
  readonly #report: (sample: WorkSample) => void;
  readonly #random: () => number;
  readonly #models: ReadonlyMap<string, TimedModel>;
  readonly #made: ReadonlyMap<string, Set<number>>;
  readonly #begun: ReadonlyMap<string, Set<number>>;
  readonly #calls: CellCalls;
  #endings: Ending[] = [];
  #time = BEGIN_MS;
  #reportAt = 0;
  /** The cells that each open row lacks. */
  readonly #openRows = new Map<number, number>();
  /** The rows with a cell that may be ready. */
  readonly #changed = new Set<number>();
  #permitsSeen = 0;
  #nextRow = 0;

  constructor(run: TimedRun, report: (sample: WorkSample) => void) {
    const { columns, seed = 7 } = run;
    this.#run = run;
    this.#report = report;
    const random = Random.of(seed, 'timed run').at(0);
    this.#random = () => random.float();
    this.#models = new Map(modelsOf(columns).map((id) => [id, newModel()]));
    this.#made = new Map(columns.map(({ name }) => [name, new Set()]));
    this.#begun = new Map(columns.map(({ name }) => [name, new Set()]));
    this.#calls = new CellCalls(columns.map(({ name }) => name));
  }

  make(): number {
    while (this.#reportAt < BEGIN_MS) this.#reportNow();
    this.#goOn();
    while (this.#endings.length > 0) {
      const at = Math.min(...this.#endings.map((one) => one.at));
      while (this.#reportAt < at) this.#reportNow();
      this.#time = at;
      const ended = this.#endings.filter((one) => one.at === at);
      this.#endings = this.#endings.filter((one) => one.at > at);
      for (const one of ended) this.#end(one);
      this.#goOn();
    }
    return this.#time;
  }

  #permits(): number {
    const { permits } = this.#run;
    return typeof permits === 'number' ? permits : permits(this.#time);
  }

  #reportNow(): void {
    const time = this.#reportAt;
    this.#reportAt += STEP_MS;
    const models = Array.from(this.#models, ([id, { times, inFlight, waiting }]) => {
      const counts = times.counts(time);
      const told = Object.keys(counts).length > 0 ? { times: counts } : {};
      return {
        resource: `model/${id}`,
        inFlight,
        limit: this.#permits(),
        waiting: waiting.length,
        pausedMs: 0,
        ...told,
      };
    });
    const cells = new Map([...this.#made].map(([name, rows]) => [name, rows.size]));
    this.#report({ time, rows: 0, cells, calls: new Map(Object.entries(this.#calls.counts())), models });
  }

  /** Opens rows, and sends what may be sent. */
  #goOn(): void {
    const { columns, rows } = this.#run;
    const permits = this.#permits();
    const most = openRowsFor(permits * this.#models.size);
    for (; this.#openRows.size < most && this.#nextRow < rows; this.#nextRow++) {
      this.#openRows.set(this.#nextRow, columns.length);
      this.#changed.add(this.#nextRow);
    }
    for (const row of this.#changed) for (const column of columns) this.#beginIfReady(row, column);
    this.#changed.clear();
    for (const model of this.#models.values()) {
      if (!model.isSorted || permits !== this.#permitsSeen) {
        model.waiting = model.waiting.toSorted(
          (one, other) => this.#priorityOf(one, most) - this.#priorityOf(other, most),
        );
        model.isSorted = true;
      }
      while (model.inFlight < permits && model.waiting.length > 0) {
        const cell = model.waiting.shift() as OpenCell;
        model.inFlight++;
        const endRequest = model.times.begin(cell.column.name, this.#time);
        this.#endings.push({ at: this.#time + cell.column.latency(this.#random), cell, endRequest });
      }
    }
    this.#permitsSeen = permits;
  }

  #wait(cell: OpenCell): void {
    const model = this.#models.get(cell.column.model);
    if (!model) return;
    model.waiting.push(cell);
    model.isSorted = false;
  }

  /** Of the last rows the cells that others wait for go first. */
  #priorityOf({ row, column }: OpenCell, most: number): number {
    return row >= this.#run.rows - most ? row + column.needs.length * most : row;
  }

  #beginIfReady(row: number, column: TimedColumn): void {
    const begun = this.#begun.get(column.name);
    if (begun?.has(row) || !column.needs.every((need) => this.#made.get(need)?.has(row))) return;
    begun?.add(row);
    this.#calls.begin(column.name, row);
    const more = (column.requests?.(this.#random) ?? 1) - 1;
    this.#wait({ row, column, more });
  }

  #end({ cell, endRequest }: Ending): void {
    const { row, column } = cell;
    const model = this.#models.get(column.model);
    endRequest?.({ time: this.#time, isAnswered: true });
    if (endRequest && model) model.inFlight--;
    if (endRequest && cell.more === 0) {
      this.#made.get(column.name)?.add(row);
      this.#calls.end(column.name, row);
      const left = (this.#openRows.get(row) ?? 1) - 1;
      if (left > 0) this.#openRows.set(row, left);
      else this.#openRows.delete(row);
      this.#changed.add(row);
    } else if (endRequest && column.toolMs) {
      this.#calls.begin(column.name, row, 'tool');
      this.#endings.push({ at: this.#time + column.toolMs(this.#random), cell });
    } else {
      this.#calls.begin(column.name, row);
      cell.more--;
      this.#wait(cell);
    }
  }
}
