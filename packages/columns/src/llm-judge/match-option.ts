import type { CellValue } from '@data-designer/core';
import type { Option } from './score.ts';

/**
 * The option that a model means by its score: the very same, else the only one that reads the same but for case and
 * space around it. Undefined if there is none; `given` has plain numbers, so that 2.0 is 2.
 */
export function matchOption(given: CellValue | undefined, options: readonly Option[]): Option | undefined {
  if (typeof given === 'string' || typeof given === 'number') {
    if (options.includes(given)) return given;
  }
  const text = comparable(given);
  if (text === undefined) return undefined;
  const [match, ...others] = options.filter((option) => comparable(option) === text);
  return others.length === 0 ? match : undefined;
}

function comparable(value: CellValue | undefined): string | undefined {
  if (typeof value === 'object' || value === undefined) return undefined;
  return String(value).trim().toLowerCase();
}
