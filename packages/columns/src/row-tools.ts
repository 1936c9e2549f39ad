import { type Cell, type CellValue, DataDesignerError, isList, stringifyJson, tryParse } from '@data-designer/core';
import { compileValue, type TemplateMode } from '@data-designer/template';

/** Compiles a template into the function that gives the tools of a row; it throws `column/bad-tools`. */
export function rowTools(template: string, mode: TemplateMode): (column: string, cell: Cell) => readonly string[] {
  const valueOf = compileValue(template, { mode });
  return (column, cell) => {
    const value = valueOf(cell.row);
    const list = typeof value === 'string' ? tryParse(value, (text) => JSON.parse(text) as CellValue) : value;
    if (isList(list ?? null) && (list as readonly CellValue[]).every((name) => typeof name === 'string')) {
      return [...new Set(list as readonly string[])];
    }
    throw new DataDesignerError('column/bad-tools', { column, found: stringifyJson(value).slice(0, 100) });
  };
}
