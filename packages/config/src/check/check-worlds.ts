import type { Violation } from '@data-designer/core';
import { kindOf } from '@data-designer/environments';
import type { ParsedDataset } from '../parse-dataset.ts';
import { runError } from './check.ts';

/** Finds mistakes in environments that show where their worlds are tried, as SQL that does not compile. */
export async function checkWorlds({ config, pathOf }: ParsedDataset): Promise<readonly Violation[]> {
  const found = await Promise.all(
    (config.environments ?? []).map(async (environment, index) => {
      const mistakes = await kindOf(environment).check(environment);
      return mistakes.map(({ field, message, remedy }): Violation => ({
        path: pathOf('environments', index, ...field),
        ...runError('invalid_environment', message, remedy),
      }));
    }),
  );
  return found.flat();
}
