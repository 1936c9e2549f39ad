import { join } from 'node:path';

/** Where everything of a dataset stands, in the names of NeMo Data Designer. */
export interface DatasetPaths {
  readonly folder: string;
  readonly builderConfig: string;
  readonly metadata: string;
  readonly run: string;
  readonly lock: string;
  readonly parquetFiles: string;
  readonly partialFiles: string;
  readonly droppedColumns: string;
  readonly processorsFiles: string;
  readonly images: string;
  readonly journals: string;
  /** The committed file of a row group. */
  readonly batch: (group: number, format?: BatchFormat) => string;
  /** The same file while it is written. */
  readonly partialBatch: (group: number, format?: BatchFormat) => string;
  readonly journal: (group: number) => string;
}

/** How batches are stored. */
export type BatchFormat = 'parquet' | 'arrow';

/** Lays out the paths below a dataset folder; creates nothing. */
export function datasetPaths(folder: string): DatasetPaths {
  const parquetFiles = join(folder, 'parquet-files');
  const partialFiles = join(folder, 'tmp-partial-parquet-files');
  const journals = join(folder, 'journal');
  return {
    folder,
    builderConfig: join(folder, 'builder_config.json'),
    metadata: join(folder, 'metadata.json'),
    run: join(folder, 'run.json'),
    lock: join(folder, '.lock'),
    parquetFiles,
    partialFiles,
    droppedColumns: join(folder, 'dropped-columns-parquet-files'),
    processorsFiles: join(folder, 'processors-files'),
    images: join(folder, 'images'),
    journals,
    batch: (group, format = 'parquet') => join(parquetFiles, batchName(group, format)),
    partialBatch: (group, format = 'parquet') => join(partialFiles, batchName(group, format)),
    journal: (group) => join(journals, `group_${digits(group)}.journal`),
  };
}

/** The name of a row group's file. */
export function batchName(group: number, format: BatchFormat = 'parquet'): string {
  return `batch_${digits(group)}.${format}`;
}

/** The row group that a file name stands for; undefined if it is not the name of a batch. */
export function groupOf(fileName: string): number | undefined {
  const digitsOfName = /^batch_(\d+)\.(?:parquet|arrow)$/.exec(fileName)?.[1];
  return digitsOfName === undefined ? undefined : Number(digitsOfName);
}

function digits(group: number): string {
  return String(group).padStart(5, '0');
}
