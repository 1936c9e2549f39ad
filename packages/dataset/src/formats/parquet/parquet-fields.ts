import { parquetSchema } from 'hyparquet';
import { type ArrowField, commonField, field, TRACE_MESSAGE } from '@data-designer/core';
import type { DatasetPaths } from '../../dataset-paths.ts';
import { isTraceName } from '../../encode/trace-layout.ts';
import { batchFiles } from '../batch-files.ts';
import { orDamaged } from '../../files/damaged-file.ts';
import { parquetFile, parquetMetadata } from './parquet-file.ts';
import { fieldOf } from './parquet-types.ts';

/**
 * The columns of Parquet files that any tool wrote, in the order in which they first appear: a type that holds the values of
 * all files, or JSON text. Throws `dataset/damaged`.
 */
export async function storedFields(paths: DatasetPaths): Promise<readonly ArrowField[]> {
  const fields = new Map<string, ArrowField>();
  for (const { path } of await batchFiles(paths)) {
    const metadata = await orDamaged(path, async () => parquetMetadata(await parquetFile(path)));
    for (const own of parquetSchema(metadata).children.map((tree) => inOurLayout(fieldOf(tree)))) {
      const known = fields.get(own.name);
      fields.set(own.name, known ? commonField(known, own) : own);
    }
  }
  const { withDeclaredJson } = await import('./declared-json.ts');
  return withDeclaredJson(paths.folder, [...fields.values()]);
}

/** Traces are read in the form of this project. */
function inOurLayout(own: ArrowField): ArrowField {
  const { name, type } = own;
  const isTrace = isTraceName(name) && typeof type === 'object' && 'list' in type;
  return isTrace ? field(name, { list: TRACE_MESSAGE }) : own;
}
