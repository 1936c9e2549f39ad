import {
  type ArrowField,
  type Cell,
  type ColumnData,
  DataDesignerError,
  type FilledColumn,
  ParseFailure,
  type RowRange,
  Shortfall,
  type UnfilledRows,
  type WrittenRow,
} from '@data-designer/core';
import type { RegisteredColumn } from '@data-designer/config';
import { kindOf } from '../custom/function-rows.ts';
import { UnfilledCells } from '../sampler/unfilled-cells.ts';
import { compileFit, type MistakeInCell } from './compile-fit.ts';

/** Any function of a column type from an untyped module. */
type Called = (...given: readonly unknown[]) => unknown;
type Config = Readonly<Record<'name', string>>;

/** The checks of the written fields. */
type Fits = readonly MistakeInCell[];

/** The plug-in behind a declared column; undefined if it is built in. */
type PluginOf = (config: Config) => string | undefined;

/** The members of a column type that receive a declaration, and its makers. */
const TOLD = ['templates', 'reads', 'writes', 'requires', 'collections', 'shownAs', 'distribution', 'check'];
const MAKINGS = ['cell', 'group', 'fill', 'made'];

/**
 * Wraps a plug-in's column type so that failures name the plug-in and the column: a thrown error is `plugin/threw`, a cell
 * that does not fit `writes` is `column/bad-result`.
 */
export function guardedColumn(column: RegisteredColumn, pluginOf: PluginOf): RegisteredColumn {
  const members = column as unknown as Readonly<Record<string, unknown>>;
  const guarded: Record<string, Called> = {};
  const guardOf = (config: Config, plugin: string) =>
    new Guard({ plugin, column: config.name, writes: () => column.writes(config as never) });
  for (const key of [...TOLD, ...MAKINGS]) {
    const member = members[key];
    if (typeof member !== 'function') continue;
    const called: Called = (...given) => Reflect.apply(member, column, given) as unknown;
    const isMaking = MAKINGS.includes(key);
    guarded[key] = (config, ...more) => {
      const plugin = pluginOf(config as Config);
      const work = () => called(config, ...more);
      if (plugin === undefined) return work();
      const guard = guardOf(config as Config, plugin);
      return isMaking ? guard.making(key, work) : guard.run(work);
    };
  }
  const prototype = Object.getPrototypeOf(column) as object | null;
  return Object.assign(Object.create(prototype), column, guarded) as RegisteredColumn;
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
  making(key: string, make: () => unknown): unknown {
    const made = this.run(make);
    const fits = this.run(this.#writes).map(compileFit);
    if (key === 'cell') return this.#cell(made as Called, fits);
    if (key === 'group') return this.#group(made as Called, fits);
    if (key === 'fill') return this.#fill(made as Called, fits);
    const { cell, group } = made as { readonly cell?: Called; readonly group?: Called };
    return cell ? { cell: this.#cell(cell, fits) } : { group: this.#group(group as Called, fits) };
  }

  #cell(make: Called, fits: Fits): Called {
    const check = (written: unknown): unknown => this.#fitting(written, fits);
    const fail = (thrown: unknown): never => {
      throw this.#named(thrown);
    };
    return (cell) => {
      const written = this.run(() => make(cell));
      return written instanceof Promise ? written.then(check).catch(fail) : check(written);
    };
  }

  #group(make: Called, fits: Fits): Called {
    return async (cells) => {
      let rows: unknown;
      try {
        rows = await make(cells);
      } catch (thrown) {
        throw this.#named(thrown);
      }
      const { length } = cells as readonly Cell[];
      if (!Array.isArray(rows)) throw this.#bad(`it must give a list of rows, but gave ${kindOf(rows)}`);
      if (rows.length !== length) throw this.#bad(`it was given ${length} rows and gave ${rows.length}`);
      return rows.map((row: unknown) => this.#row(row, fits));
    };
  }

  #row(row: unknown, fits: Fits): WrittenRow {
    if (row instanceof DataDesignerError || row instanceof Shortfall) return row;
    try {
      return this.#fitting(row, fits) as WrittenRow;
    } catch (thrown) {
      return DataDesignerError.fromUnknown(thrown);
    }
  }

  #fill(fill: Called, fits: Fits): Called {
    return (range, ...more) => {
      const filled = this.run(() => fill(range, ...more)) as Partial<FilledColumn> | undefined;
      const lists = this.#written(filled?.written, fits.length) as readonly Partial<ColumnData>[];
      const { rows, firstRow } = range as RowRange;
      const wrong = lists.find((values) => values?.length !== rows);
      if (wrong === undefined) {
        const misfits = this.#misfits(lists as readonly ColumnData[], fits).list(firstRow);
        return this.#withNames(filled as FilledColumn, misfits);
      }
      throw this.#bad(`it was to fill ${rows} rows, but filled ${wrong?.length ?? 'none'}`);
    };
  }

  /** Names the plug-in in the failures of single rows. */
  #withNames(filled: FilledColumn, misfits: readonly UnfilledRows[]): FilledColumn {
    const { unfilled = [] } = filled;
    if (unfilled.length + misfits.length === 0) return filled;
    const named = unfilled.map((rows) => ({ ...rows, failure: this.#named(rows.failure) as DataDesignerError }));
    return { ...filled, unfilled: [...named, ...misfits] };
  }

  /** The rows with cells that do not fit their field. */
  #misfits(lists: readonly ColumnData[], fits: Fits): UnfilledCells {
    const misfits = new UnfilledCells(this.#column);
    for (const [index, values] of lists.entries()) {
      const mistakeIn = fits[index] as MistakeInCell;
      for (let position = 0; position < values.length; position++) {
        const mistake = mistakeIn(values[position]);
        if (mistake !== undefined) misfits.add(position, this.#bad(mistake));
      }
    }
    return misfits;
  }

  /** The values of a cell, after the check of each. */
  #fitting(written: unknown, fits: Fits): unknown {
    const values = this.#written(written, fits.length) as readonly unknown[];
    for (let index = 0; index < fits.length; index++) {
      const mistake = fits[index]?.(values[index]);
      if (mistake !== undefined) throw this.#bad(mistake);
    }
    return values;
  }

  /** The values of a cell: one for each field that the column writes. */
  #written(written: unknown, width: number): unknown {
    if (!Array.isArray(written)) {
      throw this.#bad(`it must give a list with a value for each field that it writes, but gave ${kindOf(written)}`);
    }
    if (written.length === width && !written.includes(undefined)) return written;
    const found = written.filter((value) => value !== undefined).length;
    throw this.#bad(`it writes ${width} ${width === 1 ? 'field' : 'fields'}, but gave ${found} values`);
  }

  #bad(reason: string): DataDesignerError {
    return new DataDesignerError('column/bad-result', { column: this.#column, reason });
  }

  #named(thrown: unknown): unknown {
    if (thrown instanceof Shortfall || thrown instanceof ParseFailure) return thrown;
    const failure = DataDesignerError.fromUnknown(thrown);
    if (failure.code !== 'internal/unexpected') return failure;
    const { reason } = failure.data as { readonly reason: string };
    const data = { module: this.#plugin, column: this.#column, reason };
    return new DataDesignerError('plugin/threw', data, { cause: thrown });
  }
}
