import type { Append, BatchedTable, DatasetFormat } from '../dataset-format.ts';

const loadWriter = async () => {
  const [{ writeParquet }, { pageCodec }] = await Promise.all([
    import('./write-parquet.ts'),
    import('./parquet-codec.ts'),
  ]);
  return (table: BatchedTable, append: Append): Promise<void> =>
    writeParquet(table, append, table.isForBrowsers ? undefined : pageCodec());
};

/** Apache Parquet: compressed pages, and statistics of each row group. */
export const parquet = {
  storage: {
    loadWriter,
    loadReader: async () => (await import('./read-parquet.ts')).parquetReader,
    loadMerge: async () => (await import('./merge-parquet.ts')).mergeParquet,
  },
  export: { isText: false, loadWriter },
} as const satisfies DatasetFormat;
