import type { SchemaTree } from 'hyparquet';
import type { ArrowField, ArrowType } from '@data-designer/core';
import { parquetFooter } from './parquet-footer.ts';

/** The fields with the type `null` where every Parquet file has it: DuckDB takes such columns for integers. */
export async function withNullTypes(
  fields: readonly ArrowField[],
  files: readonly string[],
): Promise<readonly ArrowField[]> {
  const { parquetSchema } = await import('hyparquet');
  let nulls: ReadonlySet<string> | undefined;
  let first: SchemaTree | undefined;
  for (const path of files) {
    const tree = parquetSchema(await parquetFooter(path));
    first ??= tree;
    const found = new Set(nullPaths(tree));
    nulls = nulls?.intersection(found) ?? found;
    if (nulls.size === 0) return fields;
  }
  if (!first || !nulls) return fields;
  return typedMembers(fields, first, nulls);
}

function* nullPaths({ element, path, children }: SchemaTree): Generator<string> {
  if (element.logical_type?.type === 'NULL') yield path.join('.');
  for (const child of children) yield* nullPaths(child);
}

/** Members match those of the schema by position, because DuckDB renames some. */
function typedMembers(
  fields: readonly ArrowField[],
  { children }: SchemaTree,
  nulls: ReadonlySet<string>,
): ArrowField[] {
  return fields.map((field, index) => {
    const tree = children[index];
    return tree && field.json !== true ? { ...field, type: typed(field.type, tree, nulls) } : field;
  });
}

function typed(type: ArrowType, tree: SchemaTree, nulls: ReadonlySet<string>): ArrowType {
  if (nulls.has(tree.path.join('.'))) return 'null';
  if (typeof type === 'string' || 'logical' in type) return type;
  if ('struct' in type) return { struct: typedMembers(type.struct, tree, nulls) };
  const item = tree.children[0]?.children[0];
  return item ? { list: typed(type.list, item, nulls) } : type;
}
