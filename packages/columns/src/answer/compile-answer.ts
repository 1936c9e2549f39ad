import type { ValidateFunction } from 'ajv';
import { type CellValue, ParseFailure } from '@data-designer/core';
import {
  describeViolation,
  isValidSchema,
  type JsonSchema,
  loadAjv,
  plainNumbers,
  restoreNumbers,
} from '@data-designer/json-schema';
import { AnswerShape } from './answer-shape.ts';
import { readSchema } from './discriminator.ts';
import { closedSchema, validationSchema } from './validation-schema.ts';

/** Takes a model's JSON: the value without what the schema does not know, or a `ParseFailure` in words for the model. */
export type AcceptAnswer = (value: CellValue) => CellValue;

/** The name of the schema within its ajv. */
const NAME = 'answer';

/**
 * Compiles a user's JSON Schema into what accepts an answer. Undefined for a schema that does not compile, or that
 * refers to itself without end: its answers are taken as they come.
 */
export function compileAnswer(outputFormat: JsonSchema): AcceptAnswer | undefined {
  const schema = readSchema(outputFormat);
  try {
    const checked = validationSchema(schema);
    if (!isValidSchema(checked, schema['$schema'])) return undefined;
    const parts = compileParts(schema, checked);
    for (const value of [null, [], {}]) parts.validate(parts.shape.prune(value));
    return acceptBy(parts, compileClosed(schema));
  } catch {
    return undefined;
  }
}

interface Parts {
  readonly validate: ValidateFunction;
  readonly shape: AnswerShape;
}

function compileParts(schema: JsonSchema, checked: JsonSchema): Parts {
  const ajv = loadAjv(schema['$schema']).addSchema(checked, NAME);
  const validateAt = (pointer: string) => ajv.compile({ $ref: `${NAME}#${pointer}` });
  const branches = new Map<string, ValidateFunction>();
  const shape = new AnswerShape(schema, (pointer, value) => {
    const known = branches.get(pointer) ?? validateAt(pointer);
    branches.set(pointer, known);
    return known(value);
  });
  return { validate: validateAt(''), shape };
}

/** An answer that is valid and complete is given on as it came; else members are taken out, and mistakes looked for. */
function acceptBy({ validate, shape }: Parts, isComplete: ValidateFunction | undefined): AcceptAnswer {
  return (value) => {
    const plain = plainNumbers(value);
    if (isComplete?.(plain)) return value;
    const pruned = shape.prune(plain);
    if (!validate(pruned)) throw mismatch(describeViolation(validate.errors ?? [], value));
    return restoreNumbers(shape.round(pruned), value);
  };
}

/** Whether an answer is valid and holds nothing beyond the schema, told in a tenth of the time that all else takes. */
function compileClosed(schema: JsonSchema): ValidateFunction | undefined {
  const closed = closedSchema(schema);
  return closed && loadAjv(schema['$schema'], { isQuick: true }).compile(closed);
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
    `Response doesn't match requested <response_schema>\n${reason} Answer again with the whole JSON, corrected.`,
  );
}
