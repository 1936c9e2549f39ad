import type { CellValue } from '@data-designer/core';
import type { Option } from './score.ts';

/**
 * Finds the option for a model's score: an equal option, else the only option that is equal apart from case and
 * surrounding white space; otherwise undefined. `given` is unboxed, so 2.0 equals 2.
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
