import type { DatasetFormat } from '../dataset-format.ts';

const loadWriter = async () => (await import('./write-parquet.ts')).writeParquet;

/** Apache Parquet: compressed pages, and statistics of each row group. */
export const parquet = {
  storage: {
    loadWriter,
    loadReader: async () => (await import('./read-parquet.ts')).parquetReader,
    loadMerge: async () => (await import('./merge-parquet.ts')).mergeParquet,
  },
  export: { isText: false, loadWriter },
} as const satisfies DatasetFormat;
