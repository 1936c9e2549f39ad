import {
  type Cell,
  type CellValue,
  DataDesignerError,
  type FunctionHandle,
  type MadeCells,
  type WrittenRow,
} from '@data-designer/core';
import { isMembers, kindOf, unboxedRow } from '../cell-members.ts';
import { compileFormatCheck, type MistakeInValue } from './compile-format-check.ts';
import type { GeneratorFunction } from './generator-function.ts';

/** The fields of a custom column that affect its cells. */
interface CustomConfig {
  readonly name: string;
  readonly generatorFunction: GeneratorFunction;
  readonly generationStrategy: 'cell_by_cell' | 'full_column';
  readonly generatorParams: Readonly<Record<string, unknown>> | null;
}

/** Calls the generator function per row, or once per row group. */
export function makeCustom(config: CustomConfig): MadeCells {
  // Plans hold the function's handle here, with the same properties.
  const generator = config.generatorFunction as unknown as GeneratorFunction & FunctionHandle;
  const { requiredColumns, modelAliases: models, toolAliases: tools = [], outputFormats = {} } = generator;
  const use = { given: { params: config.generatorParams ?? {} }, models, tools };
  const names = [config.name, ...generator.sideEffectColumns];
  const held = Object.entries(outputFormats).map(([name, format]) => [name, compileFormatCheck(format, name)] as const);
  const take = (cell: Cell, result: unknown) =>
    taken(result as CellValue | DataDesignerError | undefined, { names, required: requiredColumns, held, cell });
  if (config.generationStrategy === 'cell_by_cell') {
    return {
      cell: async (cell) =>
        take(cell, await cell.run(generator, [unboxedRow(cell, requiredColumns)], { ...use, cells: cell })),
    };
  }
  return {
    group: async (cells) => {
      const rows = cells.map((cell) => unboxedRow(cell, requiredColumns));
      const results = await cells[0]?.run(generator, [rows], { ...use, cells, perRow: true });
      if (!Array.isArray(results))
        throw badResult(config.name, `it must give a list of rows, but gave ${kindOf(results)}`);
      if (results.length !== cells.length) {
        const reason = `it was given ${cells.length} rows and gave ${results.length}`;
        throw badResult(config.name, reason);
      }
      return cells.map((cell, index) => attempt(() => take(cell, results[index])));
    },
  };
}

interface Taking {
  /** The column and its side effects. */
  readonly names: readonly string[];
  readonly required: readonly string[];
  /** What the values of some of these are held against. */
  readonly held: readonly (readonly [name: string, mistakeIn: MistakeInValue])[];
  readonly cell: Cell;
}

/** The declared values of a result. What it holds of the row is no change of the row; other names are told of. */
function taken(
  result: CellValue | DataDesignerError | undefined,
  { names, required, held, cell }: Taking,
): readonly CellValue[] {
  const [column = ''] = names;
  if (result instanceof DataDesignerError) throw result;
  if (!isMembers(result)) {
    throw badResult(column, `it must give an object with '${column}', but gave ${kindOf(result)}`);
  }
  const missing = names.filter((name) => !Object.hasOwn(result, name));
  if (missing.length > 0) {
    const found = Object.keys(result).join(', ') || 'nothing';
    throw badResult(column, `what it gave lacks ${missing.map((name) => `'${name}'`).join(', ')}; it holds ${found}`);
  }
  for (const name of Object.keys(result)) {
    if (names.includes(name) || required.includes(name)) continue;
    cell.note(`its function gives '${name}', which is left out: name it in sideEffectColumns to keep it.`);
  }
  for (const [name, mistakeIn] of held) {
    const mistake = mistakeIn(result[name] ?? null);
    if (mistake !== undefined) throw badResult(column, `what it gave does not keep the output format: ${mistake}`);
  }
  return names.map((name) => result[name] ?? null);
}

function attempt(take: () => WrittenRow): WrittenRow {
  try {
    return take();
  } catch (thrown) {
    return DataDesignerError.fromUnknown(thrown);
  }
}

function badResult(column: string, reason: string): DataDesignerError {
  return new DataDesignerError('column/bad-result', { column, reason });
}
