import { z } from 'zod';
import type { Row } from '@data-designer/core';
import { CODE_LANGUAGES } from '../llm-code/code-recipe.ts';
import type { SqlDialect } from './sql-parsers.ts';

/** A language that a validator can check. */
export type CheckedLanguage = 'python' | `sql:${SqlDialect}`;

const CHECKED_LANGUAGES = CODE_LANGUAGES.filter(
  (language): language is CheckedLanguage => language === 'python' || language.startsWith('sql:'),
);

/** Receives the target columns of a batch and returns one object with `is_valid` per row. */
type ValidationFunction = (rows: readonly Row[]) => readonly Row[] | Promise<readonly Row[]>;

const outputSchema = z
  .record(z.string(), z.unknown())
  .nullable()
  .default(null)
  .describe('A JSON Schema of what comes back; null for any.');

const code = z.strictObject({
  validatorType: z.literal('code').default('code').describe('The code in the target columns is checked.'),
  codeLang: z.enum(CHECKED_LANGUAGES).describe('The language of the code, with its dialect for SQL.'),
});

const localCallable = z.strictObject({
  validatorType: z.literal('local_callable').default('local_callable').describe('A function of the program checks.'),
  validationFunction: z
    .custom<ValidationFunction>((value) => typeof value === 'function', {
      error: 'it must be a function of the calling program: a file cannot name one',
    })
    .describe('The function that checks.'),
  outputSchema,
});

const remote = z.strictObject({
  validatorType: z.literal('remote').default('remote').describe('A server checks.'),
  endpointUrl: z.string().describe('Where the rows are sent.'),
  outputSchema,
  timeout: above(0).default(30).describe('Seconds one request may take.'),
  maxRetries: z.int().min(0).default(3).describe('Further tries of a request that failed.'),
  retryBackoff: above(1).default(2).describe('How many times longer each wait between tries is than the one before.'),
  maxParallelRequests: z.int().min(1).default(4).describe('Requests at a time.'),
});

/** The parameters of a validation by a server. */
export type RemoteParams = z.output<typeof remote>;

/** The parameters of a validator; the type defaults to the column's. */
export const validatorParams = z.discriminatedUnion('validatorType', [code, localCallable, remote]);

/** The types of validators. */
export const VALIDATOR_TYPES = ['code', 'local_callable', 'remote'] as const;

/** A number above a bound, possibly infinite, as in NeMo Data Designer. */
function above(bound: number) {
  return z.union([z.number().gt(bound), z.literal(Infinity)], { error: `it must be a number above ${bound}` });
}
