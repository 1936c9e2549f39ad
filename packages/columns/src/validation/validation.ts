import { z } from 'zod';
import { type Finding, type Reference, type Surroundings, type TypeFunction, valueType } from '@data-designer/core';
import {
  columnFields,
  defineColumn,
  given,
  isGiven,
  isMapping,
  type Mapping,
  readsAs,
  type RowWith,
} from '@data-designer/config';
import { VALIDATOR_TYPES, validatorParams } from './validator-params.ts';
import type { Validation, ValidatorType } from './validators/validator.ts';
import { validatorOf } from './validators/validators.ts';
import { runFinding } from '../run-finding.ts';

const schema = z
  .strictObject({
    ...columnFields('validation'),
    targetColumns: z.array(z.string()).describe('The columns to validate.'),
    validatorType: z
      .enum(VALIDATOR_TYPES)
      .describe(
        'The validator: `code` checks code, `local_callable` calls a function, `remote` asks a server, `trajectory` checks lists of messages, `state` checks the states of environments, `execution` runs programs and queries.',
      ),
    validatorParams: validatorParams.describe('The parameters of the validator.'),
    batchSize: z.int().min(1).default(10).describe('Number of rows in one call of the validator.'),
  })
  .describe('Checks the values of other columns. The cell contains `is_valid` and the findings of the validator.');

// No interface: declaration files of configs name it by its members.
type Verdict = { is_valid: boolean | null; [key: string]: unknown };

/** What a program did, and what each of its tests found. */
type ExecutionVerdict = {
  is_valid: boolean | null;
  failure: 'exception' | 'timeout' | 'memory' | 'output' | 'wrong' | null;
  error: string | null;
  output: string | null;
  result: string | null;
  seconds: number | null;
  memory_mb: number | null;
  tests: { test: number; passed: boolean; error: string | null; output: string }[];
};

/** The verdict of a validator by its type. */
type VerdictOf<Config> = Config extends { readonly validatorType: 'execution' } ? ExecutionVerdict : Verdict;

/** A verdict, or with several columns of code, messages, states or programs one per column. */
export interface CheckedValue extends TypeFunction {
  readonly type: this['config'] extends {
    readonly validatorType: 'code' | 'trajectory' | 'state' | 'execution';
    readonly targetColumns: readonly [unknown, unknown, ...unknown[]];
  }
    ? Record<this['config']['targetColumns'][number] & string, VerdictOf<this['config']>>
    : VerdictOf<this['config']>;
}

/** Checks other columns as code or messages, by a function or by a server; the cell holds `is_valid` and the details. */
export const validation = defineColumn({
  type: 'validation',
  schema: readsAs(schema, withValidatorType),
  row: valueType<RowWith<CheckedValue>>(),
  templates: ({ validatorParams: params }) => validatorOf(params.validatorType).templates?.(params) ?? [],
  reads: readsOf,
  writes: (config) => [validatorOf(config.validatorParams.validatorType).field(validationOf(config))],
  stateQueries: (config) =>
    validatorOf(config.validatorParams.validatorType).stateQueries?.(validationOf(config)) ?? [],
  check: checkValidation,
  requires: ({ validatorParams: params }) => ({
    models: [],
    tools: [],
    ...validatorOf(params.validatorType).requires?.(params),
  }),
  shownAs: ({ validatorParams: params }) => ({
    as: 'verdict',
    ofPrograms: validatorOf(params.validatorType).runsPrograms === true,
  }),
  made: (config, setting) => validatorOf(config.validatorParams.validatorType).make(validationOf(config), setting),
});

function validationOf({
  name,
  targetColumns,
  batchSize,
  validatorParams: params,
}: z.output<typeof schema>): Validation<ValidatorType> {
  return { name, targetColumns, batchSize, params };
}

function readsOf({ targetColumns, validatorParams: params }: z.output<typeof schema>): Reference[] {
  const targets = targetColumns.map((name, index) => ({ name, field: ['targetColumns', index] }));
  return [...targets, ...(validatorOf(params.validatorType).reads?.(params) ?? [])];
}

/** Adds the column's validator type to parameters that name none. */
function withValidatorType(column: Mapping): Mapping {
  const params = given(column, 'validatorParams');
  const validatorType = given(column, 'validatorType');
  if (!isMapping(params) || isGiven(params, 'validatorType') || validatorType === undefined) return column;
  const key = Object.hasOwn(column, 'validatorParams') ? 'validatorParams' : 'validator_params';
  return { ...column, [key]: { validatorType, ...params } };
}

function checkValidation(config: z.output<typeof schema>, dataset: Surroundings): Finding[] {
  const { targetColumns, validatorType, validatorParams: params } = config;
  if (params.validatorType !== validatorType) return [contradiction(validatorType, params.validatorType)];
  if (targetColumns.length === 0) return [noTargets()];
  return validatorOf(validatorType).check(validationOf(config), dataset);
}

/** An empty list loads, as in NeMo Data Designer, but cannot run. */
function noTargets(): Finding {
  return runFinding(['targetColumns'], {
    type: 'no_targets',
    message: 'the list of columns to validate is empty.',
    remedy: 'Add at least one column.',
  });
}

/** Parameters of another validator load, as in NeMo Data Designer, but cannot run. */
function contradiction(column: string, params: string): Finding {
  return runFinding(['validatorParams', 'validatorType'], {
    type: 'validator_mismatch',
    message: `the parameters are for the validator type '${params}', but the column has the type '${column}'.`,
    remedy: 'Remove it here, or correct the validator_type of the column.',
  });
}
