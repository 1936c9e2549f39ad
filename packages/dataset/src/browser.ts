import { csv } from './formats/csv/csv.ts';
import type { ExportPart } from './formats/dataset-format.ts';
import type { ExportFormat } from './formats/formats.ts';
import { jsonl } from './formats/jsonl/jsonl.ts';

// What a browser can run of this package: pages read and write rows in it without Node.
export { type PlainRow, rowDecoder } from './encode/decode-row.ts';
export { chunksOf } from './encode/row-chunks.ts';
export type { Append, BatchedTable, Records } from './formats/dataset-format.ts';
export { editedRow, reviewColumns, withReviewFields } from './reviews/review-columns.ts';
export { FIELDS_KEY } from './formats/parquet/parquet-schema.ts';
export {
  type OpenParquet,
  readPositions,
  readRange,
  type RowRange,
  rowGroupRanges,
} from './formats/parquet/read-ranges.ts';

/** The formats in which a browser writes rows; what writes tables is loaded on first use. */
export const browserExports: Readonly<Record<ExportFormat, ExportPart>> = {
  jsonl: jsonl.export,
  csv: csv.export,
  parquet: {
    isText: false,
    loadWriter: async () => (await import('./formats/parquet/write-parquet.ts')).writeParquet,
  },
  arrow: { isText: false, loadWriter: async () => (await import('./formats/arrow/write-arrow.ts')).writeArrow },
};
