import type { ValidateFunction } from 'ajv';
import type { CellValue } from '@data-designer/core';
import { describeViolation, type JsonSchema, loadAjv, plainNumbers } from '@data-designer/json-schema';
import { readSchema } from '../answer/discriminator.ts';
import { closedSchema, validationSchema } from '../answer/validation-schema.ts';

/** What is wrong with a value, as a sentence that calls it by its name; undefined where it fits. */
export type MistakeInValue = (value: CellValue) => string | undefined;

/**
 * Compiles a JSON Schema that can be used into what values are held against as they are: texts to the formats that it
 * names, as `date-time`; integers to 64 bits; objects to the members that it names, as far as it can be closed.
 */
export function compileFormatCheck(format: JsonSchema, name: string): MistakeInValue {
  const schema = readSchema(format);
  const checked = closedSchema(schema) ?? validationSchema(schema);
  const isValid = loadAjv(schema['$schema'], { isQuick: true, hasFormats: true }).compile(checked);
  // Where a value stands is told from its column on: a function may write several.
  const step = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  let thorough: ValidateFunction | undefined;
  return (value) => {
    const plain = plainNumbers(value);
    if (isValid(plain)) return undefined;
    // Few runs need it: it is as dear to compile, and slower.
    thorough ??= loadAjv(schema['$schema'], { hasFormats: true }).compile(checked);
    thorough(plain);
    const found = thorough.errors ?? [];
    return describeViolation(
      found.map((error) => ({ ...error, instancePath: `${step}${error.instancePath}` })),
      { [name]: value },
    );
  };
}
