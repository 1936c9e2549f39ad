import type { TracePage } from './api/conversation.ts';
import type { ConfigAnswer } from './api/config.ts';
import type { Media } from './api/cells.ts';
import type { DatasetList } from './api/datasets.ts';
import type { FailedCellsPage, FailureList, RefusalsPage } from './api/failures.ts';
import type { Overview, ProfileAnswer } from './api/overview.ts';
import type { RecordAnswer } from './api/record.ts';
import type { RowReview } from './api/reviews.ts';
import type { ColumnStats } from './api/table.ts';

// The files of a static copy, next to the app: the server's answers of the moment it was written, and the rows as Parquet.

/** `data/datasets.json`: the copied datasets; the files of each are in `data/` and its position. */
export interface CopyIndex extends DatasetList {
  /** Whether reviews of rows were copied. */
  readonly hasReviews: boolean;
}

/** `copy.json`: the answers about a dataset that do not depend on a filter. */
export interface CopyData {
  readonly overview: Overview;
  readonly profile: ProfileAnswer;
  readonly failures: FailureList;
  readonly failedCells: FailedCellsPage;
  readonly refusals: RefusalsPage;
  readonly config: ConfigAnswer;
  readonly stats: readonly ColumnStats[];
  readonly reviews: readonly RowReview[];
  /** The bytes of the Parquet file. */
  readonly bytes: number;
  /** The records in each file of records; 0 for a dataset whose records have nothing beside their values. */
  readonly recordsPerFile: number;
  /** Whether cells have media, which a table reads from the files of `media`. */
  readonly hasMedia: boolean;
}

/** What a copy holds of a row beside its values: answers, outputs of processors, and the files of its media by column. */
export interface CopiedRecord extends Pick<RecordAnswer, 'row' | 'answers' | 'attempts' | 'states' | 'processed'> {
  readonly media: Readonly<Record<string, readonly Media[]>>;
  /** The conversations of columns that no answer shows, by column. */
  readonly conversations: Readonly<Record<string, TracePage>>;
}

/** A file of records: those of consecutive rows. */
export type CopiedRecords = readonly CopiedRecord[];

/** A file of the media of the same rows, for tables, which need nothing else of their records. */
export type CopiedMedia = readonly CopiedRecord['media'][];

/** The list of the datasets, relative to the page. */
export const COPY_INDEX = 'data/datasets.json';

/** Web hosts limit the files of a folder. */
const FILES_PER_FOLDER = 1000;

/** The paths of the files of a dataset, relative to the page. */
export function copyFiles(dataset: number) {
  const folder = `data/${dataset}`;
  const part = (of: string, file: number): string =>
    `${folder}/${of}/${Math.floor(file / FILES_PER_FOLDER)}/${file}.json`;
  return {
    data: `${folder}/copy.json`,
    rows: `${folder}/rows.parquet`,
    media: `${folder}/media`,
    records: (file: number): string => part('records', file),
    mediaOf: (file: number): string => part('media-of-rows', file),
  } as const;
}
