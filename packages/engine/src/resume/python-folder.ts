import { type ArrowField, DataDesignerError, fieldsOf, type Plan, SEED_TABLE, type Segment } from '@data-designer/core';
import { loadPlugins } from '@data-designer/columns';
import { type ColumnRegistry, type DatasetConfig, factsOf, parseDataset, parseRunConfig } from '@data-designer/config';
import {
  type DatasetMetadata,
  type DatasetPaths,
  hasRunRecord,
  readJsonFile,
  RUN_RECORD_VERSION,
  type RunRecord,
  sideFiles,
  storedFields,
} from '@data-designer/dataset';
import { compile, withRowId } from '../compile/compile.ts';

/** The start of a dataset that NeMo Data Designer made: it has no `run.json`, and lists its tools again. */
export interface PythonRecord extends Omit<RunRecord, 'tools'> {
  readonly tools: undefined;
}

/** The rows of a dataset of NeMo Data Designer: it fixes the row groups of the first run, and adds groups for more rows. */
interface PythonMetadata extends DatasetMetadata {
  readonly target_num_records: number;
  readonly buffer_size: number;
}

/** The `metadata.json` of a dataset that NeMo Data Designer made; undefined for any other folder. */
async function pythonMetadata(paths: DatasetPaths): Promise<PythonMetadata | undefined> {
  if (hasRunRecord(paths)) return undefined;
  const metadata = fieldsOf(await readJsonFile(paths.metadata).catch(() => undefined));
  const { target_num_records: target, buffer_size: buffer } = metadata;
  // This tool made the dataset, and its run.json is gone.
  if ('cost' in metadata) return undefined;
  return isCount(target) && isCount(buffer)
    ? { ...metadata, target_num_records: target, buffer_size: buffer }
    : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function segmentsOf({ target_num_records: target, buffer_size: groupSize, ...metadata }: PythonMetadata): Segment[] {
  const { original_target_num_records: first = target } = metadata;
  const added = target > first ? [{ firstRow: first, rows: target - first, groupSize }] : [];
  return [{ firstRow: 0, rows: first, groupSize }, ...added];
}

/**
 * The record of the run that began the dataset, where NeMo Data Designer did: the plan continues it if both make the same
 * rows of it. Undefined for other folders; throws `dataset/incompatible` for another declaration.
 */
export async function continuePython(plan: Plan, paths: DatasetPaths): Promise<PythonRecord | undefined> {
  const metadata = await pythonMetadata(paths);
  if (!metadata) return undefined;
  const { config_hash: hash, preserve_dropped_columns: keepsDropped = true } = metadata;
  const refuse = (reason: string, remedy: string) =>
    new DataDesignerError('dataset/incompatible', { path: paths.folder, reason, remedy });
  if (hash !== plan.fingerprint) {
    const reason = 'NeMo Data Designer made it of another configuration';
    throw refuse(reason, 'Use the configuration in its builder_config.json, or another folder.');
  }
  if (keepsDropped !== (plan.dropped !== null)) {
    const reason = `NeMo Data Designer made it with preserve_dropped_columns: ${keepsDropped}`;
    throw refuse(reason, `Set preserve_dropped_columns: ${keepsDropped}.`);
  }
  return recordOf({ ...(await withDroppedId(plan, paths)), segments: segmentsOf(metadata) });
}

/** The plan with the row id, if the dataset stores it and no other dropped column: both tables need the same rows. */
async function withDroppedId(plan: Plan, paths: DatasetPaths): Promise<Plan> {
  if (plan.dropped?.length !== 0 || (await sideFiles(paths, { processor: null })).length === 0) return plan;
  return withRowId(plan, await loadPlugins([]));
}

function recordOf(plan: Plan): PythonRecord {
  return {
    version: RUN_RECORD_VERSION,
    format: 'parquet',
    tools: undefined,
    plan: { ...plan, layout: 'python' },
    tables: [],
  };
}

/**
 * The record of a dataset that NeMo Data Designer made, to load it: columns that its declaration does not make, or all if it
 * cannot be read here, count as seed columns. Undefined for other folders.
 */
export async function loadPython(paths: DatasetPaths, registry: ColumnRegistry): Promise<PythonRecord | undefined> {
  const metadata = await pythonMetadata(paths);
  if (!metadata) return undefined;
  const fields = await storedFields(paths);
  const config = await configOf(paths, registry);
  const stored = { fields, metadata, registry };
  const plan = planToLoad(config, stored) ?? planToLoad(nothing(config), stored);
  return plan && recordOf(plan);
}

async function configOf({ builderConfig }: DatasetPaths, registry: ColumnRegistry): Promise<DatasetConfig> {
  const document = await readJsonFile(builderConfig).catch(() => undefined);
  return parseDataset(document ?? { columns: [] }, registry).config;
}

function nothing(config: DatasetConfig): DatasetConfig {
  return { ...config, columns: [], processors: [], profilers: [], constraints: [] };
}

interface StoredDataset {
  readonly fields: readonly ArrowField[];
  readonly metadata: PythonMetadata;
  readonly registry: ColumnRegistry;
}

/** Undefined for a declaration that cannot be compiled here, such as one with functions of a Python program. */
function planToLoad(config: DatasetConfig, { fields, metadata, registry }: StoredDataset): Plan | undefined {
  const { target_num_records: numRecords, buffer_size: bufferSize } = metadata;
  const runConfig = parseRunConfig({ bufferSize, seed: 0 }, 'metadata.json');
  try {
    const written = config.columns.flatMap((column) => factsOf(column, registry).writes);
    const made = new Set(written.map(({ name }) => name));
    const seeded = fields.filter(({ name }) => !made.has(name));
    const tables = seeded.length > 0 ? [{ id: SEED_TABLE, fields: seeded }] : [];
    const plan = compile(config, { registry, numRecords, runConfig, modelProviders: [], knownTools: [], tables });
    return { ...plan, fields, segments: segmentsOf(metadata) };
  } catch {
    return undefined;
  }
}
