import type { ValidateFunction } from 'ajv';
import { type CellValue, ParseFailure } from '@data-designer/core';
import {
  describeViolation,
  isValidSchema,
  type JsonSchema,
  loadAjv,
  plainNumbers,
  restoreNumbers,
  withoutStorageMarks,
} from '@data-designer/json-schema';
import { AnswerShape } from './answer-shape.ts';
import { readSchema } from './discriminator.ts';
import { closedSchema, validationSchema } from './validation-schema.ts';

/** Returns a model's JSON without unknown members, or throws a `ParseFailure` with a message for the model. */
export type AcceptAnswer = (value: CellValue) => CellValue;

const NAME = 'answer';

/**
 * Compiles a user's JSON Schema; undefined for one that does not compile or refers to itself without end. The quick check
 * doubles the compile time, and pays after a dozen answers.
 */
export function compileAnswer(
  outputFormat: JsonSchema,
  { hasQuickCheck = true }: { readonly hasQuickCheck?: boolean } = {},
): AcceptAnswer | undefined {
  const schema = readSchema(withoutStorageMarks(outputFormat));
  try {
    const checked = validationSchema(schema);
    if (!isValidSchema(checked, schema['$schema'])) return undefined;
    const parts = compileParts(schema, checked);
    for (const value of [null, [], {}]) parts.validate(parts.shape.prune(value));
    return acceptBy(parts, hasQuickCheck ? compileClosed(schema) : undefined);
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

/** A valid and complete answer passes unchanged; any other is pruned, then validated. */
function acceptBy({ validate, shape }: Parts, isComplete: ValidateFunction | undefined): AcceptAnswer {
  return (value) => {
    const plain = plainNumbers(value);
    if (isComplete?.(plain)) return value;
    const pruned = shape.prune(plain);
    if (!validate(pruned)) throw mismatch(describeViolation(validate.errors ?? [], value));
    return restoreNumbers(shape.round(pruned), value);
  };
}

/**
 * A quick check whether an answer is valid and has no unknown members; it takes a tenth of the time of the full one.
 */
function compileClosed(schema: JsonSchema): ValidateFunction | undefined {
  const closed = closedSchema(schema);
  return closed && loadAjv(schema['$schema'], { isQuick: true }).compile(closed);
}

const compiles = new WeakMap<JsonSchema, boolean>();

/** Whether a schema compiles; cached per schema. */
export function isUsable(outputFormat: JsonSchema): boolean {
  const known = compiles.get(outputFormat) ?? compileAnswer(outputFormat) !== undefined;
  compiles.set(outputFormat, known);
  return known;
}

/** The failure for JSON that does not match the schema. */
function mismatch(reason: string): ParseFailure {
  return new ParseFailure(
    `Response doesn't match requested <response_schema>\n${reason} Answer again with the whole JSON, corrected.`,
  );
}
