import { DataDesignerError, type Plan, type ToolSchema } from '@data-designer/core';
import type { DatasetPaths } from './dataset-paths.ts';
import { BATCH_FORMATS, type BatchFormat, isBatchFormat } from './formats/formats.ts';
import type { FileStamp } from './files/file-stamp.ts';
import { readJsonFile } from './files/json-file.ts';

/** The tool schemas that models receive, by provider; listed once and the same for the whole life of a dataset. */
export type FrozenTools = Readonly<Record<string, readonly ToolSchema[]>>;

/** A source file as `run.json` records it; the hash is null if no row is made from its content. */
export interface FileState extends FileStamp {
  readonly path: string;
  readonly sha256: string | null;
}

/** The source of a table's rows as `run.json` records it. */
export interface SourceState {
  readonly files: readonly FileState[];
  /** The version of the source, such as a commit on the Hub. */
  readonly revision?: string;
  /** The hash of rows that come from no file. */
  readonly sha256?: string;
}

/** A table of a run, as `run.json` records it. */
export interface TableRecord {
  readonly id: string;
  readonly rows: number;
  /** The number of rows of the run that it was made for. */
  readonly covers: number;
  readonly bytes: number;
  readonly source: SourceState;
}

/** The content of `run.json`, which continued runs read. */
export interface RunRecord {
  readonly version: 2;
  readonly format: BatchFormat;
  readonly tools: FrozenTools;
  readonly plan: Plan;
  /** The seed tables and collections of the run. */
  readonly tables: readonly TableRecord[];
  /** The finished dataset that the rows were selected from; absent for a dataset that a run made. */
  readonly selectedFrom?: string;
  /** What the rules of a selection compared rows with; absent without such a rule, and in datasets of earlier versions. */
  readonly compared?: ComparedInputs;
}

/** Digests of the files and datasets that a selection compares rows with. */
export interface ComparedInputs {
  /** Of the benchmark items of `not_in`. */
  readonly notIn?: string;
  /** Of the compared cells in each dataset of `unique_against`, by the folder as it is declared. */
  readonly uniqueAgainst: Readonly<Record<string, string>>;
}

/** Reads `run.json`; throws `dataset/damaged` if it is missing or cannot be used. */
export async function readRunRecord({ run: path }: Pick<DatasetPaths, 'run'>): Promise<RunRecord> {
  const record = (await readJsonFile(path, { exact: false })) as
    | (Omit<RunRecord, 'tables'> & Partial<RunRecord>)
    | undefined;
  if (record?.version === 2 && record.plan) {
    if (!isBatchFormat(record.format)) {
      const reason = `the format of its files is '${String(record.format)}', but this version reads only ${BATCH_FORMATS.join(' and ')}`;
      throw new DataDesignerError('dataset/damaged', { path, reason });
    }
    return { ...record, plan: withCurrentNames(record.plan), tables: record.tables ?? [] };
  }
  const reason = record
    ? `it is of version ${String(record.version)}, and this program continues version 2`
    : 'it is not there';
  throw new DataDesignerError('dataset/damaged', { path, reason });
}

/** A column as version 0.1 recorded it, with `spends` for `requires`. */
type RecordedColumn = Plan['columns'][number] & { readonly spends?: Plan['columns'][number]['requires'] };
/** A model as version 0.1 recorded it, with `wire` for `protocol`. */
type RecordedModel = Plan['models'][string] & { readonly wire?: string };

function withCurrentNames(plan: Plan): Plan {
  const columns = plan.columns.map(({ spends, ...column }: RecordedColumn) =>
    spends === undefined ? column : { ...column, requires: spends },
  );
  const models = Object.entries(plan.models).map(([alias, { wire, ...model }]: [string, RecordedModel]) => {
    return [alias, wire === undefined ? model : { ...model, protocol: wire }] as const;
  });
  return { ...plan, columns, models: Object.fromEntries(models) };
}
