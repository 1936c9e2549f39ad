import { z } from 'zod';
import {
  type ArrowField,
  type Cell,
  type DeclaredTemplate,
  field,
  type Finding,
  type MadeCells,
  type Reference,
  type Setting,
  type Surroundings,
  type TypeFunction,
  valueType,
  type WrittenValues,
} from '@data-designer/core';
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
import type { JsonSchema } from '@data-designer/json-schema';
import { isUsable } from '../answer/compile-answer.ts';
import { checkTargets } from './check-targets.ts';
import { validateLocally } from './validate-locally.ts';
import { resultsSchema } from './results-schema.ts';
import { codeField, validateCode } from './validate-code.ts';
import { serverUse, validateRemotely } from './validate-remotely.ts';
import { isTemplate } from '@data-designer/template';
import { STATE, stateField, withBraces } from './state-rules.ts';
import { trajectoryField, validateTrajectory } from './validate-trajectory.ts';
import { type StateParams, type TrajectoryParams, VALIDATOR_TYPES, validatorParams } from './validator-params.ts';
import { runFinding } from '../run-finding.ts';
import type { StateValidation } from './validate-state.ts';

const schema = z
  .strictObject({
    ...columnFields('validation'),
    targetColumns: z.array(z.string()).describe('The columns to validate.'),
    validatorType: z
      .enum(VALIDATOR_TYPES)
      .describe(
        'The validator: `code` checks code, `local_callable` calls a function, `remote` asks a server, `trajectory` checks lists of messages, `state` checks the states that environments left.',
      ),
    validatorParams: validatorParams.describe('The parameters of the validator.'),
    batchSize: z.int().min(1).default(10).describe('Number of rows in one call of the validator.'),
  })
  .describe('Checks the values of other columns. The cell contains `is_valid` and what the validator found.');

// No interface: declaration files of configs name it by its members.
type Verdict = { is_valid: boolean | null; [key: string]: unknown };

/** A verdict, or with several columns of code, messages or states one per column. */
export interface CheckedValue extends TypeFunction {
  readonly type: this['config'] extends {
    readonly validatorType: 'code' | 'trajectory' | 'state';
    readonly targetColumns: readonly [unknown, unknown, ...unknown[]];
  }
    ? Record<this['config']['targetColumns'][number] & string, Verdict>
    : Verdict;
}

/** Checks other columns as code or messages, by a function or by a server; the cell holds `is_valid` and the details. */
export const validation = defineColumn({
  type: 'validation',
  schema: readsAs(schema, withValidatorType),
  row: valueType<RowWith<CheckedValue>>(),
  templates: templatesOf,
  reads: readsOf,
  writes: (config) => [fieldOf(config)],
  check: checkValidation,
  requires: ({ validatorParams: params }) => ({
    models: [],
    tools: params.validatorType === 'trajectory' && params.toolAlias !== null ? [params.toolAlias] : [],
    ...(params.validatorType === 'remote' ? { server: serverUse(params) } : {}),
  }),
  shownAs: () => ({ as: 'verdict' }),
  made: makeCheck,
});

function readsOf({ targetColumns, validatorParams: params }: z.output<typeof schema>): Reference[] {
  const targets = targetColumns.map((name, index) => ({ name, field: ['targetColumns', index] }));
  if (params.validatorType !== 'trajectory' || params.toolsColumn === null) return targets;
  return [...targets, { name: params.toolsColumn, field: ['validatorParams', 'toolsColumn'] }];
}

function fieldOf({ name, targetColumns, validatorParams: params }: z.output<typeof schema>): ArrowField {
  if (params.validatorType === 'code') return codeField(name, { targetColumns, codeLang: params.codeLang });
  if (params.validatorType === 'trajectory') return trajectoryField(name, targetColumns);
  if (params.validatorType === 'state') return stateField(name, targetColumns);
  return field(name, 'utf8', { json: true });
}

function makeCheck(
  { name, targetColumns, batchSize, validatorParams: params }: z.output<typeof schema>,
  setting: Setting,
): MadeCells {
  if (params.validatorType === 'code') return { cell: validateCode({ targetColumns, codeLang: params.codeLang }) };
  if (params.validatorType === 'trajectory') return { cell: validateTrajectory({ targetColumns, ...params }) };
  if (params.validatorType === 'state') return { cell: stateCell({ targetColumns, ...params }, setting) };
  if (params.validatorType === 'local_callable') return validateLocally({ name, targetColumns, batchSize, ...params });
  return { group: validateRemotely({ targetColumns, batchSize, params }) };
}

/** The cell of a validation of states; every worker loads this file, and few datasets have states. */
function stateCell(params: StateValidation, setting: Setting): (cell: Cell) => Promise<WrittenValues> {
  let loaded: Promise<(cell: Cell) => Promise<WrittenValues>> | undefined;
  return async (cell) => {
    loaded ??= import('./validate-state.ts').then(({ validateState }) => validateState(params, setting));
    return (await loaded)(cell);
  };
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
  if (params.validatorType === 'code') return checkTargets(targetColumns, params.codeLang, dataset);
  if (params.validatorType === 'trajectory') return checkTools(params);
  if (params.validatorType === 'state') return checkRules(params);
  return checkOutputSchema(params.outputSchema);
}

/** A validation without rules would accept every state. */
function checkRules({ checks, sameAs, ignore }: StateParams): Finding[] {
  const mistakes: Finding[] = [];
  if (checks.length === 0 && sameAs === null) {
    const message = 'there are no rules, so that every state would be valid.';
    mistakes.push(runFinding(['validatorParams'], { message, remedy: 'Add checks or same_as.' }));
  }
  if (ignore.length > 0 && sameAs === null) {
    const message = "'ignore' has no effect without same_as.";
    mistakes.push(runFinding(['validatorParams', 'ignore'], { message, remedy: 'Remove it, or add same_as.' }));
  }
  return mistakes;
}

/** The expressions of a validation of states; `state` in them is no column. */
function templatesOf({ validatorParams: params }: z.output<typeof schema>): DeclaredTemplate[] {
  if (params.validatorType !== 'state') return [];
  return [
    ...(params.sameAs === null ? [] : [ruleTemplate(params.sameAs, ['sameAs'])]),
    ...params.checks.flatMap(({ sql, expr, equals }, at) => [
      ...(sql !== undefined && isTemplate(sql) ? [ruleTemplate(sql, ['checks', at, 'sql'])] : []),
      ...(expr === undefined ? [] : [ruleTemplate(withBraces(expr), ['checks', at, 'expr'])]),
      ...(typeof equals === 'string' && isTemplate(equals) ? [ruleTemplate(equals, ['checks', at, 'equals'])] : []),
    ]),
  ];
}

function ruleTemplate(source: string, place: readonly (string | number)[]): DeclaredTemplate {
  return { source, field: ['validatorParams', ...place], role: 'expression', known: [STATE] };
}

/** Tools of every row, or of each row. */
function checkTools({ toolAlias, toolsColumn }: TrajectoryParams): Finding[] {
  if (toolAlias === null || toolsColumn === null) return [];
  return [
    runFinding(['validatorParams', 'toolsColumn'], {
      message: 'the tools are given twice, by tool_alias and by tools_column.',
      remedy: 'Remove one of them.',
    }),
  ];
}

/** An empty list loads, as in NeMo Data Designer, but cannot run. */
function noTargets(): Finding {
  return runFinding(['targetColumns'], {
    type: 'no_targets',
    message: 'the list of columns to validate is empty.',
    remedy: 'Add at least one column.',
  });
}

function checkOutputSchema(declared: JsonSchema | null): Finding[] {
  if (declared === null) return [];
  if (!isUsable(declared)) return [unusableSchema()];
  return resultsSchema(declared).isClosed ? [] : [openSchema()];
}

/** Closing the parts of `not` or `if` would change their meaning. */
function openSchema(): Finding {
  return runFinding(['validatorParams', 'outputSchema'], {
    type: 'open_schema',
    level: 'WARNING',
    message:
      'the schema cannot be restricted to its declared properties, because it uses keywords such as not, if or contains.',
    remedy: "Add 'additionalProperties: false' where needed, or remove these keywords.",
  });
}

function unusableSchema(): Finding {
  return runFinding(['validatorParams', 'outputSchema'], {
    type: 'unusable_schema',
    message: 'this is not a valid JSON Schema, so answers cannot be validated.',
    remedy: 'Correct or remove the schema.',
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
