import { z } from 'zod';
import type { Finding } from '@data-designer/core';
import { runFinding } from '../run-finding.ts';

const OLDEST = 114;

/** The day to which ages refer; fixed, because cells must not depend on the clock. */
export const REFERENCE_DAY = '2026-01-01';

/** The values of the `sex` parameter. */
export type Sex = 'Male' | 'Female';

/** The filter parameters of both person samplers. */
export const personFilterFields = {
  sex: z.enum(['Male', 'Female']).nullable().default(null).describe('The sex of the people; null for both.'),
  city: z
    .union([z.string(), z.array(z.string())])
    .nullable()
    .default(null)
    .describe('The city of the people, or a list of cities to draw from; null for any.'),
  ageRange: z
    .tuple([z.int().min(0), z.int().max(OLDEST)], {
      error: ({ code }) => (code === 'invalid_type' ? undefined : 'expected two ages: the lowest and the highest'),
    })
    .refine(([youngest, oldest]) => youngest < oldest, {
      error: 'the lowest age must be below the highest; write [lowest, highest]',
    })
    .default([18, OLDEST])
    .describe(`The lowest and the highest age in years, both included, from 0 to ${OLDEST}.`),
} as const;

/** Finds an empty list of cities. */
export function checkCity({ city }: { readonly city: string | readonly string[] | null }): readonly Finding[] {
  if (city === null || city.length > 0 || typeof city === 'string') return [];
  return [
    runFinding(['city'], {
      message: 'the list of cities is empty.',
      remedy: 'Add a city, or remove the key to allow all cities.',
    }),
  ];
}
