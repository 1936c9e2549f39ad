import { DataDesignerError, type Plan, type ToolSchema } from '@data-designer/core';
import type { DatasetPaths } from './dataset-paths.ts';
import { BATCH_FORMATS, type BatchFormat, isBatchFormat } from './formats/formats.ts';
import { readJsonFile } from './files/json-file.ts';

/** What models are told of the tools, by provider: learned at the start, the same for the whole life of a dataset. */
export type FrozenTools = Readonly<Record<string, readonly ToolSchema[]>>;

/** A file as it was at some time. */
export interface FileStamp {
  readonly size: number;
  readonly mtimeMs: number;
}

/** A file that rows were made of, as `run.json` records it; the hash is null where its content makes no row. */
export interface FileState extends FileStamp {
  readonly path: string;
  readonly sha256: string | null;
}

/** What a table's rows were made of, as `run.json` records it. */
export interface SourceState {
  readonly files: readonly FileState[];
  /** The state of their origin that the files are of. */
  readonly revision?: string;
  /** The hash of rows that are in no file. */
  readonly sha256?: string;
}

/** A table of a run, as `run.json` records it. */
export interface TableRecord {
  readonly id: string;
  readonly rows: number;
  /** For how many rows of the run it was made. */
  readonly covers: number;
  readonly bytes: number;
  readonly source: SourceState;
}

/** What a run leaves for those that continue it: `run.json`. */
export interface RunRecord {
  readonly version: 2;
  readonly format: BatchFormat;
  readonly tools: FrozenTools;
  readonly plan: Plan;
  /** What stood beside the run. */
  readonly tables: readonly TableRecord[];
}

/** Reads what an earlier run fixed; throws `dataset/damaged`. */
export async function readRunRecord({ run: path }: Pick<DatasetPaths, 'run'>): Promise<RunRecord> {
  const record = (await readJsonFile(path, { exact: false })) as
    (Omit<RunRecord, 'tables'> & Partial<RunRecord>) | undefined;
  if (record?.version === 2 && record.plan) {
    if (!isBatchFormat(record.format)) {
      const reason = `its files are of the format '${String(record.format)}', and this program reads ${BATCH_FORMATS.join(' and ')}`;
      throw new DataDesignerError('dataset/damaged', { path, reason });
    }
    return { ...record, plan: inPresentTerms(record.plan), tables: record.tables ?? [] };
  }
  const reason = record
    ? `it is of version ${String(record.version)}, and this program continues version 2`
    : 'it is not there';
  throw new DataDesignerError('dataset/damaged', { path, reason });
}

/** A column as version 0.1 recorded it: what it requires was called `spends`. */
type RecordedColumn = Plan['columns'][number] & { readonly spends?: Plan['columns'][number]['requires'] };
/** A model as version 0.1 recorded it: its protocol was called `wire`. */
type RecordedModel = Plan['models'][string] & { readonly wire?: string };

function inPresentTerms(plan: Plan): Plan {
  const columns = plan.columns.map(({ spends, ...column }: RecordedColumn) =>
    spends === undefined ? column : { ...column, requires: spends },
  );
  const models = Object.entries(plan.models).map(([alias, { wire, ...model }]: [string, RecordedModel]) => {
    return [alias, wire === undefined ? model : { ...model, protocol: wire }] as const;
  });
  return { ...plan, columns, models: Object.fromEntries(models) };
}
