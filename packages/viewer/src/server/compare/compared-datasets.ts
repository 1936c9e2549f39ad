// The pages of a static copy use this module too: it must not import what needs Node.
import type { ColumnInfo } from '../../api/columns.ts';
import type { ComparePage } from '../../api/compare.ts';
import type { ComparedDataset, RowPair } from './compared-dataset.ts';
import { comparedMeasures, type RowMeasure } from './row-measures.ts';

/** The rows that are read at once. */
const BLOCK_ROWS = 200;

/** Two datasets whose rows are compared at the same positions. */
export class ComparedDatasets {
  readonly left: ComparedDataset;
  readonly right: ComparedDataset;
  readonly columns: ComparePage['columns'];
  readonly measures: readonly RowMeasure[];
  readonly #both: readonly string[];

  constructor(left: ComparedDataset, right: ComparedDataset) {
    this.left = left;
    this.right = right;
    this.columns = comparedColumns(left, right);
    this.measures = comparedMeasures(left, right);
    this.#both = this.columns.filter((column) => column.in === 'both').map(({ name }) => name);
  }

  /** Whether the rows of the same places in the plans are compared. */
  get arePlanned(): boolean {
    return this.left.isPlanned === true && this.right.isPlanned === true;
  }

  /** The rows of the longer one. */
  get total(): number {
    return Math.max(this.left.total, this.right.total);
  }

  /** Pairs of consecutive rows, a block at a time; with the conversations that `measures` read. */
  async *pairs(from: number, to: number, measures: readonly RowMeasure[]): AsyncGenerator<readonly RowPair[]> {
    for (let start = from; start < to; start += BLOCK_ROWS) yield await this.#block(start, to, measures);
  }

  /** The same from the last block to the first one. */
  async *pairsBackwards(to: number, from: number, measures: readonly RowMeasure[]): AsyncGenerator<readonly RowPair[]> {
    for (let end = to; end > from; end -= BLOCK_ROWS) {
      yield await this.#block(Math.max(from, end - BLOCK_ROWS), end, measures);
    }
  }

  async #block(start: number, to: number, measures: readonly RowMeasure[]): Promise<readonly RowPair[]> {
    const positions = Array.from({ length: Math.min(BLOCK_ROWS, to - start) }, (_, at) => start + at);
    const names = new Set([...this.columns.map(({ name }) => name), ...measures.map(({ column }) => column)]);
    const read = (side: ComparedDataset): ReturnType<ComparedDataset['at']> =>
      side.at(
        positions,
        side.columns.flatMap(({ name }) => (names.has(name) ? name : [])),
      );
    const [ours, theirs] = await Promise.all([read(this.left), read(this.right)]);
    return positions.map((index, at) => ({ index, left: ours[at], right: theirs[at] }));
  }

  /** The names of the columns of both whose values differ. */
  changed({ left, right }: RowPair): readonly string[] {
    return left && right ? this.#both.filter((name) => !isEqual(left[name], right[name])) : [];
  }
}

function comparedColumns(left: ComparedDataset, right: ComparedDataset): ComparePage['columns'] {
  const [ours, theirs] = [valueColumns(left), valueColumns(right)];
  return [...new Set([...ours.keys(), ...theirs.keys()])].map((name) => {
    const shown = (ours.get(name) ?? theirs.get(name))?.shown ?? 'value';
    return { name, in: !theirs.has(name) ? 'left' : ours.has(name) ? 'both' : 'right', shown };
  });
}

/** Conversations are not compared: they differ in their usage alone. */
function valueColumns({ columns }: ComparedDataset): ReadonlyMap<string, ColumnInfo> {
  return new Map(columns.flatMap((column) => (column.kind === 'trace' ? [] : [[column.name, column] as const])));
}

function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return Object.is(one ?? null, other ?? null);
  return exactJson(one) === exactJson(other);
}

/** JSON text that also tells integers beyond 2^53, NaN and infinities apart. */
function exactJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    const isPlain = typeof part !== 'bigint' && (typeof part !== 'number' || Number.isFinite(part));
    return isPlain ? part : { number: String(part) };
  });
}
