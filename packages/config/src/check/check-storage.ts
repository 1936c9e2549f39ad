import { type ArrowField, type ArrowType, printNames, type Violation } from '@data-designer/core';
import type { ColumnRegistry } from '../column-registry.ts';
import type { ParsedDataset } from '../parse-dataset.ts';
import { isMapping, partOf } from '../spelling.ts';
import { factsOf } from './column-facts.ts';

/** Findings name at most this many parts of a schema. */
const MAX_NAMED = 5;

/**
 * Warns of schemas with values that Parquet cannot store as they are, unless the declaration asks for JSON text there, or
 * something else has been found in the schema. A run does the same without the warning.
 */
export function storageWarnings(
  { config, columnPath }: Pick<ParsedDataset, 'config' | 'columnPath'>,
  { found, registry }: { readonly found: readonly Violation[]; readonly registry: ColumnRegistry },
): readonly Violation[] {
  return config.columns.flatMap((column): Violation[] => {
    const path = columnPath(column.name, 'outputFormat');
    const own = factsOf(column, registry).writes.find(({ name }) => name === column.name);
    if (!own || column.storageEncoding === 'json' || !isMapping(partOf(column, 'outputFormat'))) return [];
    const parts = found.some((one) => one.path === path) ? [] : partsWithoutType(own, []);
    if (parts.length === 0) return [];
    const named = printNames(
      parts.map((part) => (part === '' ? 'the whole answer' : `'${part}'`)),
      MAX_NAMED,
    );
    const message = `Parquet has no type for ${named}, so the files have JSON text there.`;
    const remedy =
      "To say so in the schema, which NeMo Data Designer 0.10 requires, add 'x-data-designer-storage: json'.";
    return [{ stage: 'run', type: 'json_storage', level: 'WARNING', column: column.name, path, message, remedy }];
  });
}

/** The paths of the parts that are JSON text only because they have no type; `` for the field itself. */
function partsWithoutType({ type, json, encoded }: ArrowField, path: readonly string[]): string[] {
  if (json === true) return encoded === true ? [] : [path.join('.')];
  return partsOfType(type, path);
}

function partsOfType(type: ArrowType, path: readonly string[]): string[] {
  if (typeof type === 'string' || 'logical' in type) return [];
  if ('struct' in type) return type.struct.flatMap((member) => partsWithoutType(member, [...path, member.name]));
  const [last = '', ...before] = path.toReversed();
  return partsOfType(type.list, [...before.toReversed(), `${last}[]`]);
}
