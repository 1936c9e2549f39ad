import { DataDesignerError, type Random, type Row } from '@data-designer/core';
import { compileTemplate, type TemplateMode } from '@data-designer/template';

/** The largest number of turns of a conversation. */
export const MOST_TURNS = 1000;

/** The turns of a declaration: a number, a template of one, or bounds. */
export type Turns = number | string | { readonly min: number; readonly max: number };

/** Whether a text is a number of turns. */
export function isTurnCount(text: string): boolean {
  const count = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isInteger(count) && count >= 1 && count <= MOST_TURNS;
}

/** Returns the function that gives the number of turns of a row. It throws `column/bad-turns`. */
export function turnCount(turns: Turns, column: string, mode: TemplateMode): (row: Row, random: Random) => number {
  if (typeof turns === 'number') return () => turns;
  if (typeof turns === 'object') return (_, random) => turns.min + random.below(turns.max - turns.min + 1);
  const render = compileTemplate(turns, { mode });
  return (row, random) => {
    const found = render(row, () => random.float()).trim();
    if (isTurnCount(found)) return Number(found);
    throw new DataDesignerError('column/bad-turns', { column, found: `'${found.slice(0, 100)}'`, most: MOST_TURNS });
  };
}
