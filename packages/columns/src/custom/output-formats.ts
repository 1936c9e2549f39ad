import { type ArrowField, field, type Finding, type SkipRule } from '@data-designer/core';
import type { JsonSchema } from '@data-designer/json-schema';
import { isUsable } from '../answer/compile-answer.ts';
import { fieldOfSchema } from '../llm-structured/arrow-of-schema.ts';
import { compileFormatCheck } from './compile-format-check.ts';

/** JSON Schemas by the names of the columns that a function writes. */
export type OutputFormats = Readonly<Record<string, JsonSchema>>;

/** The field of a column that a function writes: typed if its format has an Arrow type, else JSON text. */
export function fieldOf(name: string, formats: OutputFormats): ArrowField {
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  return format && isUsable(format) ? fieldOfSchema(name, format) : field(name, 'utf8', { json: true });
}

/** The declarations of a custom column that affect its written columns. */
interface Declared {
  readonly name: string;
  readonly skip: SkipRule | null;
  readonly written: readonly string[];
  readonly formats: OutputFormats;
}

/** Finds formats of unknown columns, invalid schemas, and a skip value that does not match. */
export function checkFormats({ name, skip, written, formats }: Declared): readonly Finding[] {
  const strangers = Object.keys(formats).filter((key) => !written.includes(key));
  const unusable = Object.keys(formats).filter((key) => !isUsable(formats[key] ?? {}));
  return [
    ...strangers.map((key) => unknownColumn(key, written)),
    ...unusable.map(unusableFormat),
    ...(Object.hasOwn(formats, name) && !unusable.includes(name) ? checkSkipValue(skip, formats, name) : []),
  ];
}

const AT = { stage: 'run', level: 'ERROR', field: ['generatorFunction'] } as const;

function unknownColumn(key: string, written: readonly string[]): Finding {
  const message = `outputFormats has the column '${key}', which the function does not write.`;
  return { ...AT, type: 'unknown_column', message, remedy: `Use one of: ${written.join(', ')}.` };
}

function unusableFormat(key: string): Finding {
  const message = `the output format of '${key}' is not a valid JSON Schema.`;
  return { ...AT, type: 'unusable_schema', message, remedy: 'Correct or remove the format.' };
}

/** A skip value must match a scalar format; null always may. */
function checkSkipValue(skip: SkipRule | null, formats: OutputFormats, name: string): readonly Finding[] {
  const { type, json = false } = fieldOf(name, formats);
  // The check of all columns reports lists and objects.
  if ((skip?.value ?? null) === null || json || typeof type !== 'string') return [];
  const mistake = compileFormatCheck(formats[name] ?? {}, name)(skip?.value ?? null);
  if (mistake === undefined) return [];
  const message = `the value of skipped cells does not match the output format: ${mistake}`;
  const remedy = 'Change or remove the value; without one, skipped cells are null.';
  return [{ ...AT, field: ['skip', 'value'], type: 'skip_value_misfit', message, remedy }];
}
