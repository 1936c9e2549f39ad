import { isSchema, type JsonSchema } from './json-schema.ts';

/** The keyword with which NeMo Data Designer, since 0.10.0, stores the values of a node as JSON text. */
export const STORAGE_MARK = 'x-data-designer-storage';

/** Whether a schema asks for its values to be stored as JSON text. */
export function isStoredAsJson(schema: JsonSchema): boolean {
  return schema[STORAGE_MARK] === 'json';
}

/** The schema without marks of storage, which do not concern a model or the validation of its answers. */
export function withoutStorageMarks(schema: JsonSchema): JsonSchema {
  return holdsMark(schema) ? (withoutMarks(schema) as JsonSchema) : schema;
}

/** The paths of marks with another value than `json`. */
export function storageMistakes(schema: unknown, path: readonly (string | number)[] = []): (string | number)[][] {
  if (Array.isArray(schema)) return schema.flatMap((part, index) => storageMistakes(part, [...path, index]));
  if (!isSchema(schema)) return [];
  return Object.entries(schema).flatMap(([key, part]) =>
    isMark(key, part) ? (part === 'json' ? [] : [[...path, key]]) : storageMistakes(part, [...path, key]),
  );
}

/** A property may have the name of the keyword; its schema is no scalar. */
function isMark(key: string, value: unknown): boolean {
  return key === STORAGE_MARK && (typeof value !== 'object' || value === null);
}

function holdsMark(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(holdsMark);
  return isSchema(schema) && Object.entries(schema).some(([key, part]) => isMark(key, part) || holdsMark(part));
}

function withoutMarks(schema: unknown): unknown {
  if (!holdsMark(schema)) return schema;
  if (Array.isArray(schema)) return schema.map(withoutMarks);
  const parts = Object.entries(schema as JsonSchema).filter(([key, part]) => !isMark(key, part));
  return Object.fromEntries(parts.map(([key, part]) => [key, withoutMarks(part)]));
}
