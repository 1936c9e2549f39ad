import { type ArrowField, SEED_TABLE } from '@data-designer/core';
import { countRows } from '@data-designer/dataset';
import { tablesReader } from './table-reader.ts';
import { TableWriter } from './table-writer.ts';

/** Rows go to a file in groups of at most so many rows, and about so many characters. */
const GROUP_ROWS = 10_240;
const GROUP_CHARACTERS = 16 * 1024 * 1024;
/** Rows of which is known what they are made of are read so many at a time. */
const AT_A_TIME = 1024;

/** A table that stands in its order with its first columns, and the one with all that is made of it. */
export interface Unfinished {
  readonly ordered: string;
  readonly destination: string;
  /** All columns. */
  readonly fields: readonly ArrowField[];
  /** The first of them, which are texts. */
  readonly known: readonly ArrowField[];
}

/** How rows are made of what is known of them. */
export interface Completion {
  /** The values of all columns, and about how many characters they have. */
  readonly rowOf: (
    known: readonly string[],
  ) => Promise<{ readonly values: readonly unknown[]; readonly characters: number }>;
  readonly signal: AbortSignal;
}

/** Writes the rows of a file once more, in their order and with all their columns; gives how many there are. */
export async function completeRows(
  { ordered, destination, fields, known }: Unfinished,
  { rowOf, signal }: Completion,
): Promise<number> {
  using writer = new TableWriter(destination, fields, { isPacked: true });
  let group: unknown[][] = fields.map(() => []);
  let [rows, held] = [0, 0];
  for await (const row of knownRows(ordered, known)) {
    signal.throwIfAborted();
    const { values, characters } = await rowOf(row);
    values.forEach((value, index) => group[index]?.push(value));
    rows++;
    held += characters;
    if (held < GROUP_CHARACTERS && (group[0]?.length ?? 0) < GROUP_ROWS) continue;
    writer.write(group);
    group = fields.map(() => []);
    held = 0;
  }
  writer.write(group);
  writer.finish();
  return rows;
}

async function* knownRows(path: string, fields: readonly ArrowField[]): AsyncGenerator<readonly string[]> {
  const rows = await countRows(path);
  const read = tablesReader([{ id: SEED_TABLE, fields }], [{ id: SEED_TABLE, path, rows }]);
  for (let firstRow = 0; firstRow < rows; firstRow += AT_A_TIME) {
    const count = Math.min(AT_A_TIME, rows - firstRow);
    const columns = [...((await read({ firstRow, rows: count })).get(SEED_TABLE)?.values() ?? [])];
    for (let row = 0; row < count; row++) yield columns.map((column) => column[row] as string);
  }
}
