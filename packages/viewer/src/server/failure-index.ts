import type { RequestOf } from '../api/requests.ts';
import { open } from 'node:fs/promises';
import { fieldsOf, systemCode, tryParse } from '@data-designer/core';
import { checkedRecord, type LoggedFailure, orDamaged } from '@data-designer/dataset';
import type { FailureGroup } from '../api/failures.ts';
import type { LostCause } from '../api/overview.ts';
import { failureCause } from '../failure-cause.ts';

/** Failed cells with one cause. */
interface Cause extends Omit<FailureGroup, 'cells'> {
  readonly rows: Set<number>;
  /** Where the lines begin. */
  readonly lines: Line[];
}

interface Line {
  /** The row of the plan. */
  readonly row: number;
  readonly from: number;
  readonly bytes: number;
}

const CHUNK_BYTES = 1 << 20;
const NEWLINE = 0x0a;

/** Failed cells to find; an absent member fits all. */
type WantedCells = Pick<RequestOf<'failed-cells'>, 'column' | 'code' | 'cause' | 'row'>;

/** A column and code with more causes counts the others as one. */
const MAX_CAUSES = 40;
const OTHER_CAUSES = 'other causes';

/** The failed cells of a dataset by column, code and cause, from its log, whose new lines are read at each `refresh`. */
export class FailureIndex {
  readonly #path: string;
  readonly #causes = new Map<string, Cause>();
  /** The number of causes of each column and code. */
  readonly #causeCounts = new Map<string, number>();
  readonly #all: Line[] = [];
  readonly #byGroup = new Map<number, number>();
  #end = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** The number of failed cells. */
  get cells(): number {
    return this.#all.length;
  }

  /** The number of failed cells of each row group. */
  get cellsByGroup(): ReadonlyMap<number, number> {
    return this.#byGroup;
  }

  /** The causes, the most frequent first. */
  get groups(): readonly FailureGroup[] {
    const groups = Array.from(this.#causes.values(), ({ rows: _, lines, ...cause }) => ({
      ...cause,
      cells: lines.length,
    }));
    return groups.toSorted((a, b) => b.cells - a.cells);
  }

  /** The rows that are missing because of failed cells, by column, code and cause; each row of a column counts once. */
  get lost(): readonly LostCause[] {
    const causes = [...this.#causes.values()].filter(({ onFailure }) => onFailure !== 'null');
    const counted = new Set<string>();
    const lost = causes.map(({ column, code, cause, message, rows }) => {
      const own = [...rows].map((row) => JSON.stringify([column, code, row])).filter((key) => !counted.has(key));
      for (const key of own) counted.add(key);
      return { column, code, cause, message, rows: own.length };
    });
    return lost.filter(({ rows }) => rows > 0).toSorted((a, b) => b.rows - a.rows);
  }

  /** The rows that failed cells have removed. */
  get lostRows(): ReadonlySet<number> {
    const causes = [...this.#causes.values()].filter(({ onFailure }) => onFailure !== 'null');
    return new Set(causes.flatMap(({ rows }) => [...rows]));
  }

  /** Reads the lines that the run has added; reads all of them if a resume has rewritten the log. */
  async refresh(): Promise<void> {
    await orDamaged(this.#path, () => this.#refresh());
  }

  async #refresh(): Promise<void> {
    try {
      await using file = await open(this.#path, 'r');
      const { size } = await file.stat();
      if (size < this.#end) this.#clear();
      let rest: Buffer = Buffer.alloc(0);
      for (let at = this.#end; at < size;) {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, at);
        if (bytesRead === 0) return;
        at += bytesRead;
        rest = this.#take(Buffer.concat([rest, buffer.subarray(0, bytesRead)]));
      }
    } catch (thrown) {
      if (systemCode(thrown) !== 'ENOENT') throw thrown;
      this.#clear();
    }
  }

  /** Failed cells of a cause, of a row, or all. */
  async page(
    wanted: WantedCells,
    from: number,
    count: number,
  ): Promise<{ readonly total: number; readonly cells: readonly LoggedFailure[] }> {
    const lines = this.#linesOf(wanted);
    const cells: LoggedFailure[] = [];
    const page = lines.slice(from, from + count);
    if (page.length > 0) {
      await using file = await open(this.#path, 'r');
      for (const line of page) {
        const { buffer } = await file.read(Buffer.alloc(line.bytes), 0, line.bytes, line.from);
        const cell = cellIn(buffer);
        if (cell) cells.push(cell);
      }
    }
    return { total: lines.length, cells };
  }

  #linesOf({ row, ...wanted }: WantedCells): readonly Line[] {
    const lines = this.#linesOfCause(wanted);
    return row === undefined ? lines : lines.filter((line) => line.row === row);
  }

  #linesOfCause({ column, code, cause }: Omit<WantedCells, 'row'>): readonly Line[] {
    if (column === undefined && code === undefined && cause === undefined) return this.#all;
    const causes = [...this.#causes.values()].filter(
      (one) =>
        (column ?? one.column) === one.column && (code ?? one.code) === one.code && (cause ?? one.cause) === one.cause,
    );
    return causes.flatMap(({ lines }) => lines).toSorted((a, b) => a.from - b.from);
  }

  /** Takes the whole lines of some bytes, and returns the rest. */
  #take(bytes: Buffer): Buffer {
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
      const line = { from: this.#end, bytes: end - from };
      const cell = cellIn(bytes.subarray(from, end));
      if (cell) this.#add(cell, { ...line, row: cell.row });
      from = end + 1;
      this.#end += line.bytes + 1;
    }
    return bytes.subarray(from);
  }

  #add({ group, column, code, onFailure, message, row }: LoggedFailure, line: Line): void {
    this.#byGroup.set(group, (this.#byGroup.get(group) ?? 0) + 1);
    const cause = this.#causeOf({ column, code, onFailure }, message);
    cause.rows.add(row);
    cause.lines.push(line);
    this.#all.push(line);
  }

  #causeOf(group: Pick<Cause, 'column' | 'code' | 'onFailure'>, message: string): Cause {
    const groupKey = JSON.stringify(Object.values(group));
    const words = failureCause(message);
    const known = this.#causes.get(`${groupKey} ${words}`);
    if (known) return known;
    const count = this.#causeCounts.get(groupKey) ?? 0;
    const cause = count < MAX_CAUSES ? words : OTHER_CAUSES;
    const key = `${groupKey} ${cause}`;
    const found = this.#causes.get(key) ?? { ...group, cause, message, rows: new Set(), lines: [] };
    if (!this.#causes.has(key)) this.#causeCounts.set(groupKey, count + 1);
    this.#causes.set(key, found);
    return found;
  }

  #clear(): void {
    this.#causes.clear();
    this.#causeCounts.clear();
    this.#byGroup.clear();
    this.#all.length = 0;
    this.#end = 0;
  }
}

/** A line with another checksum than its own is damaged; lines of earlier versions have none. */
function cellIn(line: Buffer): LoggedFailure | undefined {
  const text = line.toString('utf8');
  const cell = CHECK.test(text) ? checkedRecord(text) : tryParse(text, JSON.parse);
  return isCell(cell) ? cell : undefined;
}

const CHECK = /,"check":\d+\}$/;

function isCell(value: unknown): value is LoggedFailure {
  const { row, column, code, messages } = fieldsOf(value);
  return typeof row === 'number' && typeof column === 'string' && typeof code === 'string' && Array.isArray(messages);
}
