import type { ValidateFunction } from 'ajv';
import type { CellValue } from '@data-designer/core';
import { describeViolation, type JsonSchema, loadAjv, plainNumbers } from '@data-designer/json-schema';
import { readSchema } from '../answer/discriminator.ts';
import { closedSchema, validationSchema } from '../answer/validation-schema.ts';

/** Describes why a value does not match, as a sentence that names it; undefined if it does. */
export type MistakeInValue = (value: CellValue) => string | undefined;

/**
 * Compiles the strict check of an output format: it enforces string formats such as `date-time` and 64-bit integers,
 * and rejects unknown members where the schema can be closed.
 */
export function compileFormatCheck(format: JsonSchema, name: string): MistakeInValue {
  const schema = readSchema(format);
  const checked = closedSchema(schema) ?? validationSchema(schema);
  const isValid = loadAjv(schema['$schema'], { isQuick: true, hasFormats: true }).compile(checked);
  // Messages name the column first: a function may write several.
  const step = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  let thorough: ValidateFunction | undefined;
  return (value) => {
    const plain = plainNumbers(value);
    if (isValid(plain)) return undefined;
    // Compiled on the first mistake only: it is slower, and as expensive to compile.
    thorough ??= loadAjv(schema['$schema'], { hasFormats: true }).compile(checked);
    thorough(plain);
    const found = thorough.errors ?? [];
    return describeViolation(
      found.map((error) => ({ ...error, instancePath: `${step}${error.instancePath}` })),
      { [name]: value },
    );
  };
}
