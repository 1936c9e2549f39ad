import { type CellValue, ParseFailure } from '@data-designer/core';
import type { ValidateFunction } from 'ajv';
import { AnswerShape } from './answer-shape.ts';
import { withNamedBranches } from './discriminator.ts';
import { describeViolation } from './describe-violation.ts';
import type { JsonSchema } from './json-schema.ts';
import { isJsonSchema, loadAjv } from './load-ajv.ts';
import { plainNumbers, restoreNumbers } from './plain-numbers.ts';
import { validationSchema } from './validation-schema.ts';

/** Takes a model's JSON: the value without what the schema does not know, or a `ParseFailure` in words for the model. */
export type AcceptAnswer = (value: CellValue) => CellValue;

/** The name of the schema within its ajv. */
const NAME = 'answer';

/**
 * Compiles a user's JSON Schema into what accepts an answer. Undefined for a schema that does not compile: its answers
 * are taken as they come.
 */
export function compileAnswer(outputFormat: JsonSchema): AcceptAnswer | undefined {
  const schema = withNamedBranches(plainNumbers(outputFormat as CellValue) as JsonSchema);
  const ajv = loadAjv(schema['$schema']);
  const validateAt = (pointer: string) => ajv.compile({ $ref: `${NAME}#${pointer}` });
  let validate: ValidateFunction;
  try {
    const checked = validationSchema(schema);
    if (!isJsonSchema(checked, schema['$schema'])) return undefined;
    ajv.addSchema(checked, NAME);
    validate = validateAt('');
  } catch {
    return undefined;
  }
  const branches = new Map<string, ValidateFunction>();
  const shape = new AnswerShape(schema, (pointer, value) => {
    const known = branches.get(pointer) ?? validateAt(pointer);
    branches.set(pointer, known);
    return known(value);
  });
  return (value) => {
    const plain = plainNumbers(value);
    const pruned = shape.prune(plain);
    if (!validate(pruned)) throw mismatch(describeViolation(validate.errors ?? []));
    return restoreNumbers(shape.round(pruned), value);
  };
}

const compiles = new WeakMap<JsonSchema, boolean>();

/** Whether answers can be held against a schema; asked once of each. */
export function isUsable(outputFormat: JsonSchema): boolean {
  const known = compiles.get(outputFormat) ?? compileAnswer(outputFormat) !== undefined;
  compiles.set(outputFormat, known);
  return known;
}

/** The failure for an answer that is JSON but not as asked for. */
function mismatch(reason: string): ParseFailure {
  return new ParseFailure(
    `The answer does not match the requested <response_schema>: ${reason} Answer again with the whole JSON, corrected.`,
  );
}
