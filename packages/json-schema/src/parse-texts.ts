import type { ErrorObject } from 'ajv';
import { type CellValue, Float, isNestedTooDeeply, parseJson, tryParse } from '@data-designer/core';
import { isList } from './plain-numbers.ts';

/**
 * A copy in which texts are replaced by the JSON that they hold, where a type error asks for a value of that kind: a list, an
 * object, null, or a boolean in any case. The value itself if no error is of this kind.
 */
export function withParsedTexts(value: CellValue, errors: readonly ErrorObject[]): CellValue {
  const parsed = new Map<string, CellValue>();
  for (const error of errors) {
    const replacement = error.keyword === 'type' ? parsedFor(error) : undefined;
    if (replacement !== undefined) parsed.set(error.instancePath, replacement);
  }
  return parsed.size === 0 ? value : replaced(value, parsed, '');
}

/** A JSON pointer's form of a key. */
export function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function parsedFor({ data, params }: ErrorObject): CellValue | undefined {
  if (typeof data !== 'string' || isNestedTooDeeply(data)) return undefined;
  const text = /^\s*(?:true|false)\s*$/i.test(data) ? data.toLowerCase() : data;
  const parsed = tryParse(text, parseJson);
  const wanted: readonly unknown[] = [params['type']].flat();
  return parsed !== undefined && wanted.includes(kindOf(parsed)) ? parsed : undefined;
}

/** The name of a kind in a schema; undefined for numbers and texts, which ajv converts itself. */
function kindOf(value: CellValue): string | undefined {
  if (value === null) return 'null';
  if (isList(value)) return 'array';
  if (value instanceof Float) return undefined;
  return typeof value === 'object' || typeof value === 'boolean' ? typeof value : undefined;
}

function replaced(value: CellValue, by: ReadonlyMap<string, CellValue>, at: string): CellValue {
  const own = by.get(at);
  if (own !== undefined) return own;
  if (typeof value !== 'object' || value === null || value instanceof Float) return value;
  if (isList(value)) return value.map((item, index) => replaced(item, by, `${at}/${index}`));
  const entries = Object.entries(value).map(([key, part]) => [key, replaced(part, by, `${at}/${escaped(key)}`)]);
  return Object.fromEntries(entries);
}
