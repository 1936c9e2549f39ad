import { type CellValue, stringifyJson } from '@data-designer/core';
import { pluralize } from '@data-designer/printing';

type InputRow = Readonly<Record<string, CellValue>>;

/** The rows of a stage that have no partner in every other input of a join. */
export interface UnmatchedRows {
  /** The stage of the rows. */
  readonly stage: string;
  /** The number of rows without a partner. */
  readonly rows: number;
  /** The number of all rows of the stage. */
  readonly of: number;
}

/** The rows of a stage, to be joined with those of others. */
export interface JoinInput {
  readonly stage: string;
  readonly rows: number;
  readonly records: () => AsyncIterable<InputRow>;
}

/** Makes the error of a reason. */
export type Fail = (reason: string) => Error;

/** The rows of a join. */
export interface RowsOfJoin {
  readonly records: AsyncIterable<Record<string, CellValue>>;
  readonly unmatched: readonly UnmatchedRows[];
}

/** Joins each row with those of the same number. */
export function matchByPosition(
  inputs: readonly JoinInput[],
  { shared, fail }: { readonly shared: readonly string[]; readonly fail: Fail },
): RowsOfJoin {
  const [first] = inputs;
  if (inputs.some(({ rows }) => rows !== first?.rows))
    throw fail(
      `join: the stages have different numbers of rows, ${listed(inputs.map(({ stage, rows }) => `${rows} in '${stage}'`))}; join them by a column`,
    );
  return { records: zip(inputs, mergeRows(shared, fail)), unmatched: [] };
}

async function* zip(inputs: readonly JoinInput[], merge: Merge): AsyncGenerator<Record<string, CellValue>> {
  const [first, ...others] = inputs;
  const iterators = others.map(({ records }) => records()[Symbol.asyncIterator]());
  try {
    for await (const row of first?.records() ?? []) {
      const rest = await Promise.all(iterators.map((iterator) => iterator.next()));
      yield merge(
        { stage: first?.stage ?? '', row },
        rest.map(({ value }, index) => ({ stage: others[index]?.stage ?? '', row: value as InputRow })),
      );
    }
  } finally {
    for (const iterator of iterators) await iterator.return?.();
  }
}

/** Joins each row of the first input with the rows of the same key; holds the others in memory. */
export async function matchByKey(
  [first, ...others]: readonly JoinInput[],
  { by, shared, fail }: { readonly by: readonly string[]; readonly shared: readonly string[]; readonly fail: Fail },
): Promise<RowsOfJoin> {
  const tables: KeyedRows[] = [];
  for (const other of others) {
    const table = await readByKey(other, by);
    if (typeof table === 'string') throw fail(table);
    tables.push(table);
  }
  if (!first) throw fail('join: it has no input');
  const unmatched: UnmatchedRows[] = [];
  return { records: lookUp(first, tables, { by, unmatched, merge: mergeRows(shared, fail) }), unmatched };
}

interface RowOfStage {
  readonly stage: string;
  readonly row: InputRow;
}

/** Makes one row of those of several stages. */
type Merge = (first: RowOfStage, others: readonly RowOfStage[]) => Record<string, CellValue>;

/** Merges rows whose shared columns have equal values; fails for others. */
function mergeRows(shared: readonly string[], fail: Fail): Merge {
  return (first, others) => {
    for (const { stage, row } of others)
      for (const name of shared)
        if (
          row[name] !== first.row[name] &&
          stringifyJson(row[name] ?? null) !== stringifyJson(first.row[name] ?? null)
        )
          throw fail(
            `join: the column '${name}' has different values in rows of '${first.stage}' and '${stage}' that belong together; drop it in one of the stages, or join them by a column that identifies their rows`,
          );
    return Object.assign({}, ...others.map(({ row }) => row), first.row) as Record<string, CellValue>;
  };
}

/** The rows of an input by their keys; rows whose key is null have no partner. */
interface KeyedRows {
  readonly input: JoinInput;
  readonly rows: ReadonlyMap<string, InputRow>;
  readonly used: Set<string>;
}

async function readByKey(input: JoinInput, by: readonly string[]): Promise<KeyedRows | string> {
  const rows = new Map<string, InputRow>();
  let repeated = 0;
  let example = '';
  for await (const row of input.records()) {
    const key = keyOf(row, by);
    if (key === undefined) continue;
    if (!rows.has(key)) rows.set(key, row);
    else if (repeated++ === 0) example = by.map((name) => `${name} = ${stringifyJson(row[name] ?? null)}`).join(', ');
  }
  if (repeated === 0) return { input, rows, used: new Set() };
  const { stage } = input;
  return `join: ${pluralize(repeated, 'row')} of '${stage}' ${repeated === 1 ? 'repeats' : 'repeat'} the key of an earlier row, such as ${example}; only the first stage in from may repeat keys`;
}

interface LookUp {
  readonly by: readonly string[];
  readonly unmatched: UnmatchedRows[];
  readonly merge: Merge;
}

async function* lookUp(
  first: JoinInput,
  tables: readonly KeyedRows[],
  { by, unmatched, merge }: LookUp,
): AsyncGenerator<Record<string, CellValue>> {
  let alone = 0;
  for await (const row of first.records()) {
    const key = keyOf(row, by) ?? '';
    const partners = tables.flatMap(({ input: { stage }, rows }) => {
      const partner = rows.get(key);
      return partner ? { stage, row: partner } : [];
    });
    if (partners.length < tables.length) {
      alone++;
      continue;
    }
    for (const { used } of tables) used.add(key);
    yield merge({ stage: first.stage, row }, partners);
  }
  if (alone > 0) unmatched.push({ stage: first.stage, rows: alone, of: first.rows });
  for (const { input, used } of tables) {
    const rows = input.rows - used.size;
    if (rows > 0) unmatched.push({ stage: input.stage, rows, of: input.rows });
  }
}

/** The key of a row as text; undefined if a part of it is null. */
function keyOf(row: InputRow, by: readonly string[]): string | undefined {
  const parts = by.map((name) => row[name] ?? null);
  return parts.includes(null) ? undefined : stringifyJson(parts);
}

function listed(parts: readonly string[]): string {
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
