import { isFields } from '@data-designer/core';
import { isSchema, type JsonSchema } from './json-schema.ts';

/** The values before a schema's defaults and transforms (`input`), or after them (`output`). */
type SchemaSide = 'input' | 'output';

/** The value that a schema accepted, or the reasons why it rejected it. */
type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

/** The members of `~standard` (Standard Schema and Standard JSON Schema) that this project uses. */
export interface StandardProps {
  readonly vendor?: string;
  readonly validate?: (value: unknown) => StandardResult | Promise<StandardResult>;
  readonly jsonSchema?: Readonly<Record<SchemaSide, (options: { readonly target: string }) => unknown>>;
}

/** The `~standard` member of a schema made by a library such as zod; undefined for any other value. */
export function standardOf(value: unknown): StandardProps | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  const props = '~standard' in value ? value['~standard'] : undefined;
  return isStandardProps(props) ? props : undefined;
}

function isStandardProps(value: unknown): value is StandardProps {
  if (!isFields(value)) return false;
  const { validate, jsonSchema } = value;
  const isValidated = validate === undefined || typeof validate === 'function';
  return isValidated && (jsonSchema === undefined || isFields(jsonSchema));
}

/** The JSON Schema of one side of a library's schema; throws an `Error` with the reason if the library offers none. */
export function jsonSchemaOf(standard: StandardProps, side: SchemaSide): JsonSchema {
  const made = standard.jsonSchema?.[side]({ target: 'draft-2020-12' });
  if (!isSchema(made)) throw new Error('its library does not offer one (zod does from 4.2)');
  return { ...made };
}
