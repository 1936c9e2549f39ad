import {
  type Cell,
  type CellValue,
  DataDesignerError,
  type FunctionHandle,
  type MadeCells,
  type WrittenRow,
} from '@data-designer/core';
import { badResult, isMembers, kindOf, resultPerRow, unboxedRow } from '../cell-members.ts';
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
  const checks = Object.entries(outputFormats).map(
    ([name, format]) => [name, compileFormatCheck(format, name)] as const,
  );
  const take = (cell: Cell, result: unknown) =>
    declaredValues(result as CellValue | DataDesignerError | undefined, {
      names,
      required: requiredColumns,
      checks,
      cell,
    });
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
      const perRow = resultPerRow(results, cells.length, config.name);
      return cells.map((cell, index) => attempt(() => take(cell, perRow[index])));
    },
  };
}

interface ResultContext {
  /** The column and its side effects. */
  readonly names: readonly string[];
  readonly required: readonly string[];
  /** The checks of the output formats. */
  readonly checks: readonly (readonly [name: string, mistakeIn: MistakeInValue])[];
  readonly cell: Cell;
}

/** The declared values of a result. It may repeat columns of the row unchanged; other names are logged. */
function declaredValues(
  result: CellValue | DataDesignerError | undefined,
  { names, required, checks, cell }: ResultContext,
): readonly CellValue[] {
  const [column = ''] = names;
  if (result instanceof DataDesignerError) throw result;
  if (!isMembers(result)) {
    throw badResult(column, `it must return an object with '${column}', but returned ${kindOf(result)}`);
  }
  const missing = names.filter((name) => !Object.hasOwn(result, name));
  if (missing.length > 0) {
    const found = Object.keys(result).join(', ') || 'nothing';
    throw badResult(
      column,
      `its result has no value for ${missing.map((name) => `'${name}'`).join(', ')}; it has ${found}`,
    );
  }
  for (const name of Object.keys(result)) {
    if (names.includes(name) || required.includes(name)) continue;
    cell.note(
      `its function returns the undeclared member '${name}', which is dropped; list it in sideEffectColumns to keep it.`,
    );
  }
  for (const [name, mistakeIn] of checks) {
    const mistake = mistakeIn(result[name] ?? null);
    if (mistake !== undefined) throw badResult(column, `its result does not match the output format: ${mistake}`);
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
