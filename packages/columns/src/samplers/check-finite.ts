import { type Finding, printFloat } from '@data-designer/core';
import { atRun } from './at-run.ts';

/** A finding for each of the named parameters that is infinite or not a number. */
export function checkFinite<Name extends string>(
  params: Readonly<Record<Name, number>>,
  ...names: readonly Name[]
): readonly Finding[] {
  return names
    .filter((name) => !Number.isFinite(params[name]))
    .map((name) => {
      const message = `it must be a finite number, not ${printFloat(params[name])}.`;
      return atRun([name], { message, remedy: 'Nothing can be drawn with it.' });
    });
}
