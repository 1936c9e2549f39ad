import {
  type ArrowField,
  type ColumnData,
  DataDesignerError,
  fieldsOf,
  type FilledColumn,
  isFailure,
  itemsOf,
  ParseFailure,
  type RowRange,
  Shortfall,
  type UnfilledRows,
  type WrittenValues,
  type WrittenRow,
} from '@data-designer/core';
import type { RegisteredColumn } from '@data-designer/config';
import { badResult, kindOf, resultPerRow } from '../cell-members.ts';
import { UnfilledCells } from '../sampler/unfilled-cells.ts';
import { compileFieldCheck, type MistakeInCell } from './compile-field-check.ts';

type Config = Readonly<Record<'name', string>>;
/** A member of a column type that receives a declaration. */
type Member = (config: Config, ...more: readonly unknown[]) => unknown;
/** A function that a maker of an untyped module returns. */
type Made = (...given: readonly unknown[]) => unknown;

function isMade(value: unknown): value is Made {
  return typeof value === 'function';
}

function isColumnData(value: unknown): value is ColumnData {
  return Array.isArray(value) || ArrayBuffer.isView(value);
}

/** The checks of the written fields. */
type FieldChecks = readonly MistakeInCell[];

/** The plug-in behind a declared column; undefined if it is built in. */
type PluginOf = (config: Config) => string | undefined;

/** The members of a column type that receive a declaration, and its makers. */
const CONFIG_MEMBERS = [
  'templates',
  'reads',
  'writes',
  'requires',
  'collections',
  'shownAs',
  'distribution',
  'choices',
  'listed',
  'chats',
  'check',
];
const MAKERS = ['cell', 'group', 'fill', 'made'];

/** Wraps a plug-in's column type: a thrown error becomes `plugin/threw`, a misfit of `writes` `column/bad-result`. */
export function guardedColumn(column: RegisteredColumn, pluginOf: PluginOf): RegisteredColumn {
  const members = fieldsOf(column);
  const guarded: Record<string, Member> = {};
  const guardOf = (config: Config, plugin: string) =>
    new Guard({ plugin, column: config.name, writes: () => column.writes(config as never) });
  for (const key of [...CONFIG_MEMBERS, ...MAKERS]) {
    const member = members[key];
    if (typeof member !== 'function') continue;
    const isMaker = MAKERS.includes(key);
    guarded[key] = (config, ...more) => {
      const plugin = pluginOf(config);
      const work = (): unknown => Reflect.apply(member, column, [config, ...more]);
      if (plugin === undefined) return work();
      const guard = guardOf(config, plugin);
      return isMaker ? guard.guardMaker(key, work) : guard.run(work);
    };
  }
  return withMembers(column, guarded);
}

/** A copy of a plug-in's type, with the same prototype, in which some members are replaced. */
export function withMembers<Type extends object>(original: Type, members: object): Type {
  const prototype: object | null = Object.getPrototypeOf(original);
  const copy: Type = Object.create(prototype);
  return Object.assign(copy, original, members);
}

/** One column of a plug-in. */
class Guard {
  readonly #plugin: string;
  readonly #column: string;
  readonly #writes: () => readonly ArrowField[];

  constructor({ plugin, column, writes }: { plugin: string; column: string; writes: () => readonly ArrowField[] }) {
    this.#plugin = plugin;
    this.#column = column;
    this.#writes = writes;
  }

  run<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (thrown) {
      throw this.#named(thrown);
    }
  }

  /** Wraps the function that a maker returns. */
  guardMaker(key: string, make: () => unknown): unknown {
    const made = this.run(make);
    const checks = this.run(this.#writes).map(compileFieldCheck);
    if (key === 'cell') return this.#cell(made, checks);
    if (key === 'group') return this.#group(made, checks);
    if (key === 'fill') return this.#fill(made, checks);
    const { cell, group } = fieldsOf(made);
    return cell ? { cell: this.#cell(cell, checks) } : { group: this.#group(group, checks) };
  }

  #cell(made: unknown, checks: FieldChecks): Made {
    const make = this.#function(made);
    const check = (written: unknown): unknown => this.#fitting(written, checks);
    const fail = (thrown: unknown): never => {
      throw this.#named(thrown);
    };
    return (cell) => {
      const written = this.run(() => make(cell));
      return written instanceof Promise ? written.then(check).catch(fail) : check(written);
    };
  }

  #group(made: unknown, checks: FieldChecks): Made {
    const make = this.#function(made);
    return async (cells) => {
      let rows: unknown;
      try {
        rows = await make(cells);
      } catch (thrown) {
        throw this.#named(thrown);
      }
      const { length } = itemsOf(cells);
      return resultPerRow(rows, length, this.#column).map((row) => this.#row(row, checks));
    };
  }

  #row(row: unknown, checks: FieldChecks): WrittenRow {
    if (row instanceof DataDesignerError || row instanceof Shortfall) return row;
    try {
      return this.#fitting(row, checks);
    } catch (thrown) {
      return DataDesignerError.fromUnknown(thrown);
    }
  }

  #fill(made: unknown, checks: FieldChecks): (range: RowRange, ...more: readonly unknown[]) => FilledColumn {
    const fill = this.#function(made);
    return (range, ...more) => {
      const filled = this.run(() => fill(range, ...more));
      const lists = this.#written(fieldsOf(filled)['written'], checks.length);
      const { rows, firstRow } = range;
      const lengths = lists.map((values) => (isColumnData(values) ? values.length : 'none'));
      const wrong = lengths.find((length) => length !== rows);
      if (wrong !== undefined) throw this.#bad(`it must fill ${rows} rows, but filled ${wrong}`);
      const misfits = this.#misfits(lists.filter(isColumnData), checks).list(firstRow);
      return this.#withNames(filled as FilledColumn, misfits);
    };
  }

  /** Names the plug-in in the failures of single rows. */
  #withNames(filled: FilledColumn, misfits: readonly UnfilledRows[]): FilledColumn {
    const { unfilled = [] } = filled;
    if (unfilled.length + misfits.length === 0) return filled;
    const named = unfilled.map((rows) => ({
      ...rows,
      failure: DataDesignerError.fromUnknown(this.#named(rows.failure)),
    }));
    return { ...filled, unfilled: [...named, ...misfits] };
  }

  /** The rows with cells that do not fit their field. */
  #misfits(lists: readonly ColumnData[], checks: FieldChecks): UnfilledCells {
    const misfits = new UnfilledCells(this.#column);
    for (const [index, values] of lists.entries()) {
      const mistakeIn = checks[index];
      for (let position = 0; position < values.length; position++) {
        const mistake = mistakeIn?.(values[position]);
        if (mistake !== undefined) misfits.add(position, this.#bad(mistake));
      }
    }
    return misfits;
  }

  /** The values of a cell, after the check of each. */
  #fitting(written: unknown, checks: FieldChecks): WrittenValues {
    const values = this.#written(written, checks.length);
    for (let index = 0; index < checks.length; index++) {
      const mistake = checks[index]?.(values[index]);
      if (mistake !== undefined) throw this.#bad(mistake);
    }
    return values as WrittenValues;
  }

  /** The values of a cell: one for each field that the column writes. */
  #written(written: unknown, width: number): readonly unknown[] {
    if (!Array.isArray(written)) {
      throw this.#bad(
        `it must return a list with a value for each field that it writes, but returned ${kindOf(written)}`,
      );
    }
    if (written.length === width && !written.includes(undefined)) return written;
    const found = written.filter((value) => value !== undefined).length;
    throw this.#bad(`it writes ${width} ${width === 1 ? 'field' : 'fields'}, but returned ${found} values`);
  }

  #function(made: unknown): Made {
    if (isMade(made)) return made;
    throw this.#bad(`its maker must return a function, but returned ${kindOf(made)}`);
  }

  #bad(reason: string): DataDesignerError {
    return badResult(this.#column, reason);
  }

  #named(thrown: unknown): unknown {
    if (thrown instanceof Shortfall || thrown instanceof ParseFailure) return thrown;
    const failure = DataDesignerError.fromUnknown(thrown);
    if (!isFailure(failure, 'internal/unexpected')) return failure;
    const { reason } = failure.data;
    const data = { module: this.#plugin, column: this.#column, reason };
    return new DataDesignerError('plugin/threw', data, { cause: thrown });
  }
}
