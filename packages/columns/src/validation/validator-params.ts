import { z } from 'zod';
import type { Row } from '@data-designer/core';
import { ENGINE_NAMES, type EngineName } from '@data-designer/execution/options';
import { FINDING_KINDS, LANGUAGE_CODES, MAX_EQUAL_CALLS } from '@data-designer/trajectory';
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
  .describe('A JSON Schema for the results of the validator; null to accept any.');

const code = z.strictObject({
  validatorType: z.literal('code').default('code').describe('Check the syntax and style of code.'),
  codeLang: z
    .enum(CHECKED_LANGUAGES)
    .describe('The language of the code; for SQL with the dialect, such as `sql:postgres`.'),
});

const localCallable = z.strictObject({
  validatorType: z
    .literal('local_callable')
    .default('local_callable')
    .describe('Call a function of the TypeScript program.'),
  validationFunction: z
    .custom<ValidationFunction>((value) => typeof value === 'function', {
      error: 'expected a function; only a TypeScript or JavaScript program can provide one',
    })
    .describe('The function to call. A YAML or JSON file cannot name one.'),
  outputSchema,
});

const remote = z.strictObject({
  validatorType: z.literal('remote').default('remote').describe('Send the rows to a server.'),
  endpointUrl: z.string().describe('Address that receives the rows as JSON in POST requests.'),
  outputSchema,
  timeout: above(0).default(30).describe('Time limit of a request, in seconds.'),
  maxRetries: z.int().min(0).default(3).describe('Number of retries after a failed request.'),
  retryBackoff: above(1).default(2).describe('Factor by which the wait grows from retry to retry.'),
  maxParallelRequests: z.int().min(1).default(4).describe('Maximum number of requests in parallel.'),
});

const trajectory = z.strictObject({
  validatorType: z.literal('trajectory').default('trajectory').describe('Check lists of messages for faults.'),
  toolAlias: z
    .string()
    .nullable()
    .default(null)
    .describe('Alias of the tools that the assistant may call, from `tool_configs`. No model is asked.'),
  toolsColumn: z
    .string()
    .nullable()
    .default(null)
    .describe(
      'The column with the tools of each row: a list in the form of OpenAI or MCP, or of names, also as JSON text.',
    ),
  maxEqualCalls: z
    .int()
    .min(1)
    .default(MAX_EQUAL_CALLS)
    .describe('Maximum number of tool calls with equal arguments and equal results.'),
  language: z
    .enum(LANGUAGE_CODES)
    .nullable()
    .default(null)
    .describe('The language of user and assistant, such as `en`; null to accept any.'),
  identity: z
    .array(z.string())
    .default([])
    .describe('Names of models and vendors that the assistant may use for itself.'),
  ignore: z.array(z.enum(FINDING_KINDS)).default([]).describe('The kinds of faults that are not reported.'),
});

const expression = z.string().regex(/\S/, { error: 'the text must not be blank; write a text' });

const stateCheck = z
  .strictObject({
    name: z.string().min(1).describe('The name of the check in `differences`.'),
    sql: expression
      .exactOptional()
      .describe(
        'A query over the tables of the state; a template over the row. Its value is the first column of the first row.',
      ),
    expr: expression
      .exactOptional()
      .describe('A Jinja expression over the row, in which `state` is the state of the column.'),
    equals: z.unknown().optional().describe('The expected value, or a template over the row that gives it.'),
    isTrue: z.boolean().exactOptional().describe('Whether the value must be true, or false; default true.'),
  })
  .refine(({ sql, expr }) => (sql === undefined) !== (expr === undefined), {
    error: 'a check needs either sql or expr',
  })
  .refine(({ equals, isTrue }) => equals === undefined || isTrue === undefined, {
    error: 'a check has either equals or is_true',
  });

const state = z.strictObject({
  validatorType: z.literal('state').default('state').describe('Check the states of environments.'),
  checks: z.array(stateCheck).default([]).describe('Values that the state must have.'),
  sameAs: expression
    .nullable()
    .default(null)
    .describe('A template over the row that gives the expected state, as in {{ expected_state }}.'),
  ignore: z
    .array(z.string())
    .default([])
    .describe('Paths that are not compared, such as account[*].note; `*` stands for any key or position.'),
});

const codeTest = z.string().describe('Code that fails, as by an exception, where the program is wrong.');
const ioTest = z.strictObject({
  input: z.string().describe('What the program reads.'),
  output: z.string().describe('The expected output; white space at the ends of lines is ignored.'),
});
const callTest = z.strictObject({
  args: z.array(z.unknown()).describe('The arguments of the function.'),
  returns: z.unknown().describe('The expected result of the function.'),
});

/** Tests as they are written; a template may give others in these forms. */
export const programTests = z.array(z.union([codeTest, ioTest, callTest]));

/** The languages with a sandbox. */
export const LANGUAGES = ['javascript', 'python', 'sql'] as const;

const execution = z.strictObject({
  validatorType: z.literal('execution').default('execution').describe('Run programs and queries in a sandbox.'),
  language: z
    .union([z.enum(LANGUAGES), z.string().min(1)])
    .describe(
      'The language: `javascript`, `python` (with the package `pyodide`) or `sql`; with a provider, any language that the provider supports.',
    ),
  provider: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('The execution provider whose command runs the programs; null for a sandbox.'),
  engine: z
    .enum(['duckdb', 'sqlite'])
    .nullable()
    .default(null)
    .describe('The database that runs SQL; `duckdb` by default.'),
  setup: z
    .string()
    .nullable()
    .default(null)
    .describe(
      'Code that runs before each program or query, such as statements that make tables; a template over the row.',
    ),
  tables: z
    .record(z.string().min(1), z.string())
    .default({})
    .describe('Tables that queries read, by name: a template over the row that gives a list of objects.'),
  tests: z
    .union([z.string(), programTests])
    .nullable()
    .default(null)
    .describe(
      'The tests: code; a list of code, of inputs with outputs, or of arguments with results; or a template over the row that gives the tests.',
    ),
  call: z.string().min(1).nullable().default(null).describe('The function for tests with `args`.'),
  expected: z
    .unknown()
    .default(null)
    .describe(
      'The expected output of the program, or the expected rows of the query: a list of objects, a query, or a template over the row.',
    ),
  ordered: z.boolean().default(false).describe('Whether the rows must be in the expected order.'),
  timeoutSec: z.number().min(0.1).max(300).default(5).describe('The time of one run, in seconds.'),
  memoryMb: z.number().min(16).max(2048).default(128).describe('The memory that one run may take, in megabytes.'),
  maxOutputKb: z.number().min(1).max(4096).default(64).describe('Maximum output of one run, in kilobytes.'),
});

/** The parameters of a validation by execution. */
export type ExecutionParams = z.output<typeof execution>;

/** What runs its programs; undefined for a language without a sandbox. */
export function engineOf({ language, engine }: ExecutionParams): EngineName | undefined {
  return language === 'sql' ? (engine ?? 'duckdb') : ENGINE_NAMES.find((name) => name === language);
}

/** The parameters of a validation of states. */
export type StateParams = z.output<typeof state>;

/** The parameters of a validation of conversations. */
export type TrajectoryParams = z.output<typeof trajectory>;

/** The parameters of a validation by a server. */
export type RemoteParams = z.output<typeof remote>;

/** The parameters of a validator; the type defaults to the column's. */
export const validatorParams = z.discriminatedUnion('validatorType', [
  code,
  localCallable,
  remote,
  trajectory,
  state,
  execution,
]);

/** The parameters of a validator, checked. */
export type ValidatorParams = z.output<typeof validatorParams>;

/** The types of validators. */
export const VALIDATOR_TYPES = ['code', 'local_callable', 'remote', 'trajectory', 'state', 'execution'] as const;

/** A number above a bound, possibly infinite, as in NeMo Data Designer. */
function above(bound: number) {
  return z.union([z.number().gt(bound), z.literal(Infinity)], { error: `expected a number above ${bound}` });
}
