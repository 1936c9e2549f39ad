import { MinHeap } from '@data-designer/core/min-heap';

/** A column whose cells take time. */
export interface RestColumn {
  /** The position of its lane. */
  readonly lane: number;
  /** The positions of the columns that it reads. */
  readonly needs: readonly number[];
  /** Finished cells: those of the first rows. */
  readonly done: number;
  /** The calls that each cell in the making has begun; the oldest cell first. */
  readonly open: readonly number[];
  /** How long the calls in flight have taken so far, in ms. */
  readonly runningMs: readonly number[];
  /** The cells in the making that wait for a tool. */
  readonly atTools: number;
  /** The rows by which its calls step back among the last rows. */
  readonly later: number;
  /** Draws whether a cell goes on after so many calls. */
  readonly goesOn: (calls: number) => boolean;
  /** Draws the time of a call, in ms; of one that has taken `runningMs` so far, the time that is left. */
  readonly callMs: (runningMs?: number) => number;
  /** Draws whether a further call of a cell goes to a tool instead of the model. */
  readonly isToTool: () => boolean;
  /** Draws the time of a call of a tool, in ms. */
  readonly toolMs: () => number;
}

/** Columns that share permits. */
export interface RestLane {
  readonly permits: number;
  /** The least time between two calls, in ms. */
  readonly spacingMs: number;
  /** Nothing is sent for so long, in ms. */
  readonly pausedMs: number;
}

/** What is left to do of a run. */
export interface RestOfRun {
  readonly rows: number;
  /** The most rows that are open together. */
  readonly openRows: number;
  readonly columns: readonly RestColumn[];
  readonly lanes: readonly RestLane[];
}

/** A cell in the making. */
interface Cell {
  readonly row: number;
  readonly column: number;
  calls: number;
}

interface Event {
  readonly cell: Cell;
  /** Whether a permit is held until then. */
  readonly isCall: boolean;
}

interface LaneState {
  readonly queue: MinHeap<Cell>;
  running: number;
  /** When the next call may be sent. */
  nextAt: number;
}

/** Makes the rest of the run in virtual time, at most `mostRows` of its rows; the others take as long as these on average. */
export function msOfRest(rest: RestOfRun, mostRows: number): { readonly ms: number; readonly calls: number } {
  return new SimulatedRest(rest, mostRows).run();
}

class SimulatedRest {
  readonly #rest: RestOfRun;
  /** The first row that is not finished; rows count from it. */
  readonly #first: number;
  readonly #rows: number;
  readonly #events = new MinHeap<Event>();
  readonly #lanes: readonly LaneState[];
  readonly #readers: readonly (readonly number[])[];
  readonly #isDone: readonly Uint8Array[];
  readonly #isBegun: readonly Uint8Array[];
  readonly #columnsLeft: Uint16Array;
  #openRows = 0;
  #nextRow = 0;
  #finishedRows = 0;
  #calls = 0;
  #time = 0;
  /** When a quarter and three quarters of the rows were finished: the pace in between is the steady one. */
  #quarterAt = 0;
  #threeQuartersAt = 0;

  constructor(rest: RestOfRun, mostRows: number) {
    const { columns, rows, lanes } = rest;
    this.#rest = rest;
    this.#first = Math.min(rows, ...columns.map(({ done }) => done));
    this.#rows = Math.min(rows - this.#first, mostRows);
    this.#lanes = lanes.map(({ pausedMs }) => ({ queue: new MinHeap(), running: 0, nextAt: pausedMs }));
    this.#readers = columns.map((_, at) =>
      columns.flatMap(({ needs }, reader) => (needs.includes(at) ? [reader] : [])),
    );
    this.#isDone = columns.map(({ done }) => new Uint8Array(this.#rows).fill(1, 0, this.#rowOf(done)));
    this.#isBegun = columns.map(({ done, open }) =>
      new Uint8Array(this.#rows).fill(1, 0, this.#rowOf(done + open.length)),
    );
    this.#columnsLeft = new Uint16Array(this.#rows);
    for (let row = 0; row < this.#rows; row++)
      this.#columnsLeft[row] = this.#isDone.filter((done) => !done[row]).length;
  }

  run(): { readonly ms: number; readonly calls: number } {
    this.#begin();
    this.#openMore();
    this.#serve();
    while (this.#events.length > 0) {
      this.#time = this.#events.lowest;
      const event = this.#events.shift();
      if (event) this.#end(event);
      this.#openMore();
      this.#serve();
    }
    const more = this.#rest.rows - this.#first - this.#rows;
    const steadyMs = (this.#threeQuartersAt - this.#quarterAt) / Math.max(1, this.#rows / 2);
    return { ms: this.#time + more * steadyMs, calls: this.#calls };
  }

  #rowOf(row: number): number {
    return Math.min(this.#rows, row - this.#first);
  }

  /** Takes up the cells in the making: calls in flight, calls of tools, and those that wait. */
  #begin(): void {
    for (const [column, { done, open, runningMs, callMs, atTools }] of this.#rest.columns.entries()) {
      const from = this.#rowOf(done);
      let tools = atTools;
      for (const [at, calls] of open.entries()) {
        const cell = { row: from + at, column, calls };
        if (cell.row >= this.#rows) break;
        const ms = runningMs[at];
        if (ms !== undefined) this.#send(cell, callMs(ms));
        else if (calls > 1 && tools-- > 0) this.#useTool(cell, true);
        else this.#wait(cell);
      }
      this.#nextRow = Math.max(this.#nextRow, Math.min(this.#rows, from + open.length));
    }
    for (let row = 0; row < this.#nextRow; row++) {
      if (this.#columnsLeft[row]) this.#openRows++;
      else this.#finishedRows++;
    }
    for (const column of this.#rest.columns.keys()) {
      for (let row = 0; row < this.#nextRow; row++) this.#makeIfReady(column, row);
    }
  }

  #openMore(): void {
    for (; this.#nextRow < this.#rows && this.#openRows < this.#rest.openRows; this.#nextRow++) {
      this.#openRows++;
      for (const column of this.#rest.columns.keys()) this.#makeIfReady(column, this.#nextRow);
    }
  }

  #makeIfReady(column: number, row: number): void {
    const { needs = [] } = this.#rest.columns[column] ?? {};
    const isBegun = this.#isBegun[column];
    if (isBegun?.[row] !== 0) return;
    if (!needs.every((need) => this.#isDone[need]?.[row])) return;
    isBegun[row] = 1;
    this.#wait({ row, column, calls: 1 });
  }

  #wait(cell: Cell): void {
    const { lane = 0, later = 0 } = this.#rest.columns[cell.column] ?? {};
    const isLast = cell.row + this.#first >= this.#rest.rows - this.#rest.openRows;
    const priority = cell.row + (isLast ? later * this.#rest.openRows : 0);
    this.#lanes[lane]?.queue.push(priority * this.#lanes.length + lane, cell);
  }

  #serve(): void {
    for (const [at, lane] of this.#lanes.entries()) {
      const { permits = 1, spacingMs = 0 } = this.#rest.lanes[at] ?? {};
      while (lane.running < permits && lane.queue.length > 0) {
        const cell = lane.queue.shift();
        if (!cell) break;
        const waitMs = Math.max(0, lane.nextAt - this.#time);
        lane.nextAt = Math.max(lane.nextAt, this.#time) + spacingMs;
        this.#send(cell, waitMs + (this.#rest.columns[cell.column]?.callMs() ?? 0));
      }
    }
  }

  #send(cell: Cell, ms: number): void {
    const lane = this.#lanes[this.#rest.columns[cell.column]?.lane ?? 0];
    if (lane) lane.running++;
    this.#events.push(this.#time + ms, { cell, isCall: true });
  }

  #useTool(cell: Cell, isMidway = false): void {
    const ms = this.#rest.columns[cell.column]?.toolMs() ?? 0;
    this.#events.push(this.#time + (isMidway ? ms / 2 : ms), { cell, isCall: false });
  }

  #end({ cell, isCall }: Event): void {
    const { column, row } = cell;
    const of = this.#rest.columns[column];
    const lane = this.#lanes[of?.lane ?? 0];
    if (isCall && lane) lane.running--;
    this.#calls++;
    if (of?.goesOn(cell.calls)) {
      cell.calls++;
      if (isCall && of.isToTool()) this.#useTool(cell);
      else this.#wait(cell);
      return;
    }
    const done = this.#isDone[column];
    if (done) done[row] = 1;
    for (const reader of this.#readers[column] ?? []) this.#makeIfReady(reader, row);
    const left = (this.#columnsLeft[row] ?? 1) - 1;
    this.#columnsLeft[row] = left;
    if (left === 0) this.#finish();
  }

  #finish(): void {
    this.#openRows--;
    this.#finishedRows++;
    if (this.#finishedRows <= this.#rows / 4) this.#quarterAt = this.#time;
    if (this.#finishedRows <= (3 * this.#rows) / 4) this.#threeQuartersAt = this.#time;
  }
}
