import { loadRemedies } from './load-remedies.ts';
import { type ColumnConfig, knownNames, nearest, type Violation } from '@data-designer/core';
import type { ColumnRegistry } from './column-registry.ts';
import type { ColumnSchema } from './define-column.ts';
import { ONCE, readForm } from './read-form.ts';
import { given, isMapping, type Mapping } from './spelling.ts';
import { loadError, printPath, type Spelling } from './document-path.ts';
import { booleansAsNumbers, violationsOf, withKnownKeys } from './violations.ts';

/** The document that a part belongs to, and the list for its errors. */
export interface ParseContext {
  readonly prefix: readonly PropertyKey[];
  readonly document: unknown;
  readonly spelling: Spelling;
  readonly violations: Violation[];
}

/** A parsed column, with its position in the document. */
export interface ReadColumn {
  readonly column: ColumnConfig;
  readonly index: number;
  /** The declaration, with keys in camelCase. */
  readonly declared: Mapping;
  /** Whether it has unknown keys, so that what it writes is not sure. */
  readonly isMended?: true;
}

/**
 * Parses a column by the schema of its type, and adds its errors to the context; undefined for one with other errors than
 * unknown keys.
 */
export function parseColumn(
  input: unknown,
  registry: ColumnRegistry,
  { violations, ...at }: ParseContext,
): Omit<ReadColumn, 'index'> | undefined {
  const [name = ''] = textAt(input, 'columnType');
  const [column] = textAt(input, 'name');
  const named = column === undefined ? {} : { column };
  const type = registry.get(name);
  if (!type) {
    violations.push({ ...named, ...unknownType(input, registry, at) });
    const meant = nearest(name, registry.names) ?? '';
    const { schema } = registry.get(meant) ?? {};
    if (!schema || !isMapping(input)) return undefined;
    // The other mistakes of the column are told in the same round.
    const { columnType: _camel, column_type: _snake, ...others } = input;
    const read = parseAs(schema, { ...others, columnType: meant }, { violations, ...at, ...named });
    return read && { ...read, isMended: true };
  }
  return parseAs(type.schema, input, { violations, ...at, ...named });
}

function parseAs(
  schema: ColumnSchema,
  input: unknown,
  { violations, ...at }: ParseContext & Pick<Violation, 'column'>,
): Omit<ReadColumn, 'index'> | undefined {
  const value = readForm(schema, input);
  // A list may be too long to spread into arguments.
  for (const found of booleansAsNumbers(input, value, at)) violations.push(found);
  const parsed = schema.safeParse(value, ONCE);
  if (parsed.success) return { column: parsed.data as unknown as ColumnConfig, declared: value as Mapping };
  const { issues } = parsed.error;
  for (const found of violationsOf(issues, { schema, value, ...at })) violations.push(found);
  const mended = readForm(schema, withKnownKeys(issues, { schema, value, ...at }));
  const rest = schema.safeParse(mended, ONCE);
  if (!rest.success) return undefined;
  return { column: rest.data as unknown as ColumnConfig, declared: mended as Mapping, isMended: true };
}

/** The text under a key of a mapping, if there is one. */
export function textAt(input: unknown, key: string): string[] {
  const text = isMapping(input) ? given(input, key) : undefined;
  return typeof text === 'string' ? [text] : [];
}

function unknownType(
  input: unknown,
  registry: ColumnRegistry,
  { prefix, document, spelling }: Omit<ParseContext, 'violations'>,
): Violation {
  const [name] = textAt(input, 'columnType');
  const misspelt = isMapping(input) && name === undefined ? nearest('column_type', Object.keys(input)) : undefined;
  if (misspelt !== undefined) {
    return loadError(printPath([...prefix, misspelt], document, spelling), {
      type: 'unknown_key',
      message: `unknown key '${misspelt}'.`,
      remedy: `Did you mean '${spelling === 'camel' ? 'columnType' : 'column_type'}'?`,
    });
  }
  const key = spelling === 'camel' ? 'columnType' : 'column_type';
  const message = name === undefined ? `the column has no ${key}.` : `there is no column type '${name}'.`;
  return loadError(printPath(isMapping(input) ? [...prefix, 'columnType'] : prefix, document, spelling), {
    type: 'unknown_column_type',
    message: isMapping(input) ? message : 'a column must be a mapping of keys to values.',
    remedy: isMapping(input)
      ? knownNames(loadRemedies().ourName(name ?? '', registry.names), registry.names)
      : `Declare at least its name and its ${key}.`,
  });
}
