import type { TableFormat } from '@data-designer/config';
import { seedTable } from '../duck-db/sql-text.ts';
import type { RowSource, SourceFile } from '../tables/table-source.ts';

/** A table in files, as it was looked at. */
export interface TableInFiles {
  readonly format: TableFormat;
  /** In their order. */
  readonly files: readonly SourceFile[];
  /** The columns that are wanted. */
  readonly columns: readonly string[];
}

/** The rows of tables in files, one after the other; empty files among others are passed over. */
export function fileRows({ format, files, columns }: TableInFiles): RowSource {
  const paths = files.filter(({ stamp }) => stamp?.size !== 0).map(({ path }) => path);
  return {
    name: nameOf(files),
    files,
    open: () => Promise.resolve({ sql: seedTable(paths, format), columns }),
  };
}

/** One file by its name, several by the first and their number. */
function nameOf(files: readonly SourceFile[]): string {
  const first = String(files[0]?.name);
  return files.length === 1 ? first : `${first} and ${files.length - 1} more`;
}
