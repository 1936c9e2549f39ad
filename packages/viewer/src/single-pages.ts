import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ColumnProfile, DatasetProfile, ScoreProfile } from '@data-designer/profile';
import type { ColumnInfo } from './api/columns.ts';
import type { ShownRecord } from './api/record.ts';

export { recordInliner } from './server/record/inlined-record.ts';

// Pages that are one file each and load nothing. The build bundles `app/main-single.tsx` for Node, which cannot load TSX.

/** What makes the pages; `main-single.tsx` exports it. */
export interface SinglePages {
  /** Records, one shown at a time, with a search over their values. */
  readonly recordsPage: (records: AsyncIterable<ShownRecord>, page: RecordsPageOptions) => Promise<string>;
  /** A report without scripts, of at most a megabyte; what does not fit is left out, and counted. */
  readonly reportPage: (report: DatasetReport) => string;
  /** The reports of the stages of a workflow, likewise. */
  readonly workflowPage: (report: WorkflowReport) => string;
}

/** How a page of records is made. */
export interface RecordsPageOptions {
  readonly title: string;
  readonly columns: readonly ColumnInfo[];
  /** Default: the reader's system setting. */
  readonly theme?: 'dark' | 'light' | undefined;
}

/** Texts by heading; the first heading names the row. */
export interface ReportTable {
  readonly caption: string;
  readonly headings: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
  /** The headings of text, which wraps. */
  readonly texts: readonly string[];
}

/** A report of a dataset: the sections that are shown. */
export interface DatasetReport {
  readonly name: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly remarks: readonly string[];
  readonly selection: readonly ReportTable[];
  /** The attempts at rows; none without a block. */
  readonly attempts: readonly ReportTable[];
  /** The first rows; none if they are not shown. */
  readonly examples: readonly ReportTable[];
  readonly scores: readonly ScoreProfile[];
  /** The statistics of all columns together; null if they are not shown. */
  readonly whole: Pick<DatasetProfile, 'correlations' | 'nullPatterns' | 'traces'> | null;
  readonly costs: readonly ReportTable[];
  readonly groups: readonly ReportGroup[];
  readonly note: string | null;
}

/** The columns of one type. */
export interface ReportGroup {
  readonly columnType: string;
  readonly title: string;
  readonly facts: ReportTable;
  readonly columns: readonly ColumnProfile[];
}

/** A report of a workflow: what its stages took, and the report of each. */
export interface WorkflowReport {
  readonly name: string;
  readonly stages: ReportTable;
  readonly reports: readonly { readonly stage: string; readonly report: DatasetReport }[];
}

/** Loads what makes the pages from the folder that the build wrote. */
export async function loadSinglePages(folder: string): Promise<SinglePages> {
  return import(pathToFileURL(join(folder, 'single-pages.js')).href);
}
