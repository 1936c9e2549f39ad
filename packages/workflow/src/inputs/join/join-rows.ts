import { type ArrowField, cellType, stringifyJson } from '@data-designer/core';
import type { Fail, JoinInput, RowsOfJoin } from './match-rows.ts';

/** How the rows of several stages become one row: by equal values of columns, or each with the row of the same number. */
export type JoinOptions =
  | 'position'
  | {
      /** The column, or columns, whose values the rows share; every input has them. */
      readonly by: string | readonly string[];
    };

/** A join of rows with known types. */
export interface JoinedRows {
  readonly fields: readonly ArrowField[];
  /** Joins the inputs, or throws what `fail` makes of the reason. `unmatched` is complete after the last row. */
  readonly join: (inputs: readonly JoinInput[], fail: Fail) => Promise<RowsOfJoin>;
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
    join: async (given, fail) => (await import('./match-rows.ts')).matchByPosition(given, { shared, fail }),
  };
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
    join: async (given, fail) => (await import('./match-rows.ts')).matchByKey(given, { by, shared, fail }),
  };
}

/** The columns of all inputs, each once. */
function fieldsOf(inputs: readonly Columns[]): readonly ArrowField[] {
  const known = new Set<string>();
  return inputs.flatMap(({ fields }) => fields).filter(({ name }) => !known.has(name) && known.add(name));
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
