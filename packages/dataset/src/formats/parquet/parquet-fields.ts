import { parquetSchema, type SchemaElement, type SchemaTree } from 'hyparquet';
import {
  type ArrowField,
  type ArrowScalar,
  type ArrowType,
  commonField,
  fieldOrJson,
  TRACE_MESSAGE,
} from '@data-designer/core';
import type { DatasetPaths } from '../../dataset-paths.ts';
import { isTraceName } from '../../encode/trace-layout.ts';
import { batchFiles } from '../../read/batch-files.ts';
import { orDamaged } from '../../repair/damaged-file.ts';
import { parquetFile, parquetMetadata } from './parquet-file.ts';

/**
 * The columns of Parquet files that any tool wrote, in the order in which they first appear: a type that holds the values of
 * all files, or JSON text. Throws `dataset/damaged`.
 */
export async function storedFields(paths: DatasetPaths): Promise<readonly ArrowField[]> {
  const fields = new Map<string, ArrowField>();
  for (const { path } of await batchFiles(paths)) {
    const { children } = await orDamaged(path, async () =>
      parquetSchema(await parquetMetadata(await parquetFile(path))),
    );
    for (const own of children.map(fieldOf)) {
      const known = fields.get(own.name);
      fields.set(own.name, known ? commonField(known, own) : own);
    }
  }
  return [...fields.values()];
}

function fieldOf(tree: SchemaTree): ArrowField {
  return fieldWith(tree.element.name, typeOf(tree));
}

/** Traces are read in the form of this project. */
function fieldWith(name: string, type: ArrowType | undefined): ArrowField {
  const isTrace = isTraceName(name) && typeof type === 'object' && 'list' in type;
  return fieldOrJson(name, isTrace ? { list: TRACE_MESSAGE } : type);
}

/** The type of a column; undefined for maps and for lists that no current writer makes. */
function typeOf({ element, children }: SchemaTree): ArrowType | undefined {
  if (children.length === 0) return scalarOf(element);
  const kind = element.logical_type?.type ?? element.converted_type;
  if (kind === 'MAP' || kind === 'MAP_KEY_VALUE') return undefined;
  if (kind !== 'LIST') return { struct: children.map(fieldOf) };
  const item = children[0]?.children[0];
  const type = item && typeOf(item);
  return type && { list: type };
}

/** The logical types whose values are read as text. */
const TEXTS = new Set([
  'DATE',
  'TIMESTAMP_MILLIS',
  'TIMESTAMP_MICROS',
  'TIME_MILLIS',
  'TIME_MICROS',
  'TIMESTAMP',
  'TIME',
]);

function scalarOf({ type, logical_type: logical, converted_type: converted }: SchemaElement): ArrowScalar {
  const kind = logical?.type ?? converted ?? '';
  if (kind === 'NULL') return 'null';
  if (kind === 'DECIMAL' || kind === 'FLOAT16') return 'float64';
  if (TEXTS.has(kind)) return 'utf8';
  if (type === 'BOOLEAN') return 'bool';
  if (type === 'INT32' || type === 'INT64') return 'int64';
  return type === 'FLOAT' || type === 'DOUBLE' ? 'float64' : 'utf8';
}
