import { isSchema, type JsonSchema } from './json-schema.ts';

/** Which side of a schema is meant: what it takes, or what it gives after its defaults and transforms. */
type SchemaSide = 'input' | 'output';

/** A value as a schema took it, or what is wrong with it. */
type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

/** What a schema library gives under the key `~standard` (Standard Schema and Standard JSON Schema), as far as it is used. */
export interface StandardProps {
  readonly vendor?: string;
  readonly validate?: (value: unknown) => StandardResult | Promise<StandardResult>;
  readonly jsonSchema?: Readonly<Record<SchemaSide, (options: { readonly target: string }) => unknown>>;
}

/** What the schema of a library says of itself: zod's, and any that follows the Standard Schema; undefined for all else. */
export function standardOf(value: unknown): StandardProps | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  return '~standard' in value ? (value['~standard'] as StandardProps) : undefined;
}

/** The JSON Schema of one side of a library's schema; throws an `Error` that says why where there is none. */
export function jsonSchemaOf(standard: StandardProps, side: SchemaSide): JsonSchema {
  const made = standard.jsonSchema?.[side]({ target: 'draft-2020-12' });
  if (!isSchema(made)) throw new Error('its library does not offer one (zod does from 4.2)');
  return { ...made };
}
