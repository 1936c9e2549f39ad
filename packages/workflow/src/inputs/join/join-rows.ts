import { type ArrowField, cellType, type CellValue, stringifyJson } from '@data-designer/core';
import { pluralize } from '@data-designer/printing';

type InputRow = Readonly<Record<string, CellValue>>;

/** How the rows of several stages become one row: by equal values of columns, or each with the row of the same number. */
export type JoinOptions =
  | 'position'
  | {
      /** The column, or columns, whose values the rows share; every input has them. */
      readonly by: string | readonly string[];
    };

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
interface JoinInput {
  readonly stage: string;
  readonly rows: number;
  readonly records: () => AsyncIterable<InputRow>;
}

/** A join of rows with known types. */
export interface JoinedRows {
  readonly fields: readonly ArrowField[];
  /** Joins the inputs, or throws what `fail` makes of the reason. `unmatched` is complete after the last row. */
  readonly join: (inputs: readonly JoinInput[], fail: Fail) => Promise<RowsOfJoin>;
}

type Fail = (reason: string) => Error;

interface RowsOfJoin {
  readonly records: AsyncIterable<Record<string, CellValue>>;
  readonly unmatched: readonly UnmatchedRows[];
}

/** The columns of a stage. */
type Columns = Pick<JoinInput, 'stage'> & {
  readonly fields: readonly ArrowField[];
  /** The stage that has made each column. */
  readonly origins: ReadonlyMap<string, string>;
};

/** How rows of these stages are joined; a text says why they cannot be. */
export function joinRows(inputs: readonly Columns[], options: JoinOptions): JoinedRows | string {
  if (options === 'position') return joinByPosition(inputs);
  return joinByKey(inputs, typeof options.by === 'string' ? [options.by] : options.by);
}

function joinByPosition(inputs: readonly Columns[]): JoinedRows | string {
  const shared = sharedColumns(inputs, []);
  if (typeof shared === 'string') return shared;
  return {
    fields: fieldsOf(inputs),
    join: async (given, fail) => {
      const [first] = given;
      if (given.some(({ rows }) => rows !== first?.rows))
        throw fail(
          `join: the stages have different numbers of rows, ${listed(given.map(({ stage, rows }) => `${rows} in '${stage}'`))}; join them by a column`,
        );
      return { records: zip(given, mergeRows(shared, fail)), unmatched: [] };
    },
  };
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

/** Each row of the first input with the row of every other input that has the same key; holds the others in memory. */
function joinByKey(inputs: readonly Columns[], by: readonly string[]): JoinedRows | string {
  if (by.length === 0) return 'join: by names no column';
  const wrong = wrongKey(inputs, by);
  if (wrong !== undefined) return wrong;
  const shared = sharedColumns(inputs, by);
  if (typeof shared === 'string') return shared;
  return {
    fields: fieldsOf(inputs),
    join: async ([first, ...others], fail) => {
      const tables: KeyedRows[] = [];
      for (const other of others) {
        const table = await readByKey(other, by);
        if (typeof table === 'string') throw fail(table);
        tables.push(table);
      }
      if (!first) throw fail('join: it has no input');
      const unmatched: UnmatchedRows[] = [];
      return { records: lookUp(first, tables, { by, unmatched, merge: mergeRows(shared, fail) }), unmatched };
    },
  };
}

/** The columns of all inputs, each once. */
function fieldsOf(inputs: readonly Columns[]): readonly ArrowField[] {
  const known = new Set<string>();
  return inputs.flatMap(({ fields }) => fields).filter(({ name }) => !known.has(name) && known.add(name));
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

/** Why the key columns do not fit. */
function wrongKey(inputs: readonly Columns[], by: readonly string[]): string | undefined {
  for (const name of by) {
    const found = inputs.map(({ stage, fields }) => ({ stage, of: fields.find((one) => one.name === name), fields }));
    const missing = found.find(({ of }) => !of);
    if (missing)
      return `join: the stage '${missing.stage}' has no column '${name}'; its columns: ${missing.fields.map((one) => one.name).join(', ')}`;
    const types = found.map(({ stage, of }) => ({ stage, type: of ? typeName(of) : '' }));
    const other = types.find(({ type }) => type !== types[0]?.type);
    if (other)
      return `join: the column '${name}' has the type ${types[0]?.type} in '${types[0]?.stage}' and ${other.type} in '${other.stage}'`;
  }
  return undefined;
}

function typeName({ type, json }: ArrowField): string {
  const cells = cellType(type);
  return json ? 'json' : typeof cells === 'string' ? cells : stringifyJson(cells);
}

/** The columns besides the keys that several inputs have from one stage; a text names one that they have made themselves. */
function sharedColumns(inputs: readonly Columns[], by: readonly string[]): readonly string[] | string {
  const owners = new Map<string, Columns>();
  const shared = new Set<string>();
  for (const input of inputs) {
    for (const { name } of input.fields) {
      const owner = owners.get(name);
      owners.set(name, owner ?? input);
      if (!owner || by.includes(name)) continue;
      if (originOf(owner, name) !== originOf(input, name))
        return `join: '${owner.stage}' and '${input.stage}' both have a column '${name}' of their own; drop it in one of them, or give it another name`;
      shared.add(name);
    }
  }
  return [...shared];
}

function originOf({ stage, origins }: Columns, name: string): string {
  return origins.get(name) ?? stage;
}

function listed(parts: readonly string[]): string {
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
