import type { ArrowField, ArrowType } from '@data-designer/core';
import type { SeedInspection, TableReading } from '@data-designer/seeds';
import { pluralize } from '@data-designer/printing';

/** How the files of a seed are read, and what they hold. */
export interface SeedReport extends TableReading {
  /** The number of rows. */
  readonly rows: number | null;
  /** The columns with their types, in the words of `types` of a seed's source where it has one. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** The report of a seed in files; undefined for other seeds, and for files that cannot be read. */
export function seedReport({ reading, columns, rows }: SeedInspection): SeedReport | undefined {
  if (!reading || !columns) return undefined;
  return {
    ...reading,
    rows: rows ?? null,
    columns: columns.map((field) => ({ name: field.name, type: fieldType(field) })),
  };
}

/** The report in one line, without its columns, and the columns in another. */
export function printSeed({ format, files, encoding, delimiter, quote, header, rows, columns }: SeedReport): string {
  const parts = [
    pluralize(files, `${format} file`),
    ...(rows === null ? [] : [pluralize(rows, 'row')]),
    ...(encoding === undefined ? [] : [`encoding ${encoding}`]),
    ...(delimiter === undefined ? [] : [`delimiter ${JSON.stringify(delimiter)}`]),
    ...(quote === undefined || quote === '"' ? [] : [`quote ${quote}`]),
    ...(header === undefined ? [] : [header ? 'names in the first line' : 'no names in the first line']),
  ];
  return `Seed: ${parts.join(', ')}\nSeed columns: ${columns.map(({ name, type }) => `${name} (${type})`).join(', ')}\n`;
}

const SCALARS: Readonly<Record<string, string>> = {
  utf8: 'text',
  int64: 'integer',
  float64: 'float',
  bool: 'boolean',
  null: 'only nulls',
};

function fieldType({ type, json }: Pick<ArrowField, 'type' | 'json'>): string {
  return json === true ? 'values of several types, or a map' : typeName(type);
}

function typeName(type: ArrowType): string {
  if (typeof type === 'string') return SCALARS[type] ?? type;
  if ('logical' in type) return type.logical;
  return 'list' in type ? `list of ${typeName(type.list)}` : 'mapping';
}
