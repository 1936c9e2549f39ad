import { type ColumnConfig, type FieldPath, fieldsOf, isFields, itemsOf } from '@data-designer/core';

/** A text that a JSON Schema allows, with the column and the field that write it. */
interface SchemaName {
  readonly name: string;
  readonly column: string;
  readonly field: FieldPath;
}

/** A template that is one column, or a member of one: `{{ plan.calls }}`. */
const ONE_VALUE = /^\s*\{\{\s*([\p{L}_]\w*)((?:\.\w+)*)\s*\}\}\s*$/u;
/** The place of the items of a list among the steps to a value. */
export const ITEMS = Symbol('items');
/** References within references. */
const MOST_REFERENCES = 20;

type Step = string | typeof ITEMS;

/** The texts to which the schema of a structured column limits the value of a template, or a value within it. */
export function schemaNames(
  source: string,
  columns: ReadonlyMap<string, ColumnConfig>,
  within: readonly Step[],
): readonly SchemaName[] {
  const [, column = '', members = ''] = ONE_VALUE.exec(source) ?? [];
  const root: unknown = fieldsOf(columns.get(column))['outputFormat'];
  if (!isFields(root)) return [];
  const steps = [...members.split('.').slice(1), ...within];
  return allowed(root, { root, steps, field: ['outputFormat'], references: 0 }).map((found) => ({ ...found, column }));
}

interface Place {
  readonly root: unknown;
  readonly steps: readonly Step[];
  readonly field: FieldPath;
  readonly references: number;
}

function allowed(schema: unknown, place: Place): readonly Omit<SchemaName, 'column'>[] {
  const { root, steps, field, references } = place;
  const { enum: values, const: value, items, properties, $ref: reference, ...more } = fieldsOf(schema);
  const inner = (part: unknown, ...path: FieldPath) => allowed(part, { ...place, field: [...field, ...path] });
  const branches = ['anyOf', 'oneOf', 'allOf'].flatMap((key) =>
    itemsOf(more[key]).flatMap((branch, at) => inner(branch, key, at)),
  );
  if (typeof reference === 'string' && reference.startsWith('#/') && references < MOST_REFERENCES) {
    const path = reference.slice(2).split('/');
    const target = path.reduce((part: unknown, key) => fieldsOf(part)[key], root);
    branches.push(...allowed(target, { ...place, field: ['outputFormat', ...path], references: references + 1 }));
  }
  const [step, ...others] = steps;
  if (step === undefined) {
    const listed = itemsOf(values).flatMap((one, at) => textAt(one, [...field, 'enum', at]));
    return [...listed, ...textAt(value, [...field, 'const']), ...branches];
  }
  const [part, path] = step === ITEMS ? [items, ['items']] : [fieldsOf(properties)[step], ['properties', step]];
  const found = part === undefined ? [] : allowed(part, { ...place, steps: others, field: [...field, ...path] });
  return [...found, ...branches];
}

function textAt(name: unknown, field: FieldPath): readonly Omit<SchemaName, 'column'>[] {
  return typeof name === 'string' ? [{ name, field }] : [];
}
