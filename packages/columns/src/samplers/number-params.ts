import { type Finding, printFloat } from '@data-designer/core';
import { z } from 'zod';
import { runFinding } from '../run-finding.ts';

/** A finding for each of the named parameters that is infinite or not a number. */
export function checkFinite<Name extends string>(
  params: Readonly<Record<Name, number>>,
  ...names: readonly Name[]
): readonly Finding[] {
  return names
    .filter((name) => !Number.isFinite(params[name]))
    .map((name) => {
      const message = `the value must be a finite number, but is ${printFloat(params[name])}.`;
      return runFinding([name], { message, remedy: 'Use a finite number.' });
    });
}

const error = ({ input }: { readonly input?: unknown }) =>
  `a probability must be between 0 and 1, but is ${String(input)}; use a number from 0 to 1`;

/** The schema of a probability: a number from 0 to 1. */
export const probability = z.number().min(0, { error }).max(1, { error });

/** The field that rounds drawn values. */
export const decimalPlaces = z
  .int()
  .nullable()
  .default(null)
  .describe('Number of decimal places to round to; a negative number rounds to tens or hundreds, null does not round.');
