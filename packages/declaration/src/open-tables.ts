import { join } from 'node:path';
import {
  type CheckOptions,
  checkSeedSource,
  type ColumnRegistry,
  type DatasetConfig,
  type Home,
  type ParsedDataset,
  type SeedCheckOptions,
  typeOf,
} from '@data-designer/config';
import type { CollectionRequest, Violation } from '@data-designer/core';
import { seedReport, type SeedReport } from './seed-report.ts';
import type { PriorSeed, RowSpools, TableSource } from '@data-designer/seeds';

/** The options to inspect the tables that a declaration reads. */
export interface TableOptions {
  readonly registry: ColumnRegistry;
  readonly home: Home;
  /** What a seed may read, and whether the Hub may be at a private address. */
  readonly permissions: SeedCheckOptions & { readonly privateAddresses: boolean };
  readonly spools: RowSpools;
  /** The run; if undefined, nothing is downloaded, and a collection needs one row only. */
  readonly run?: {
    readonly rows: number;
    /** The seed of the dataset to continue. */
    readonly prior?: PriorSeed | undefined;
  };
  readonly signal?: AbortSignal;
}

/** The tables without errors that a declaration reads. */
export interface OpenedTables {
  readonly seedRows: CheckOptions['seedRows'];
  /** How the files of the seed are read. */
  readonly seed?: SeedReport | undefined;
  readonly sources: readonly TableSource[];
  readonly violations: readonly Violation[];
}

/** Inspects the seed rows and the collections that a declaration reads. Throws `hub/*`. */
export async function openTables(parsed: ParsedDataset, options: TableOptions): Promise<OpenedTables> {
  const seed = await openSeed(parsed.config.seedConfig, options);
  const collections = await openCollections(parsed, options);
  // A run reads what its selection compares rows with itself, before its first request.
  const isCompared = !options.run && parsed.config.select && options.permissions.localFiles;
  const compared = isCompared ? (await import('./inspect-compared.ts')).inspectCompared(parsed) : [];
  return {
    seedRows: seed?.seedRows,
    seed: seed?.report,
    sources: [...(seed?.source ? [seed.source] : []), ...collections.sources],
    violations: [...collections.violations, ...(await compared)],
  };
}

interface OpenedSeed {
  readonly seedRows: CheckOptions['seedRows'];
  readonly report: SeedReport | undefined;
  readonly source: TableSource | undefined;
}

/** Inspects the rows of a seed, unless its source has errors. */
async function openSeed(
  seed: DatasetConfig['seedConfig'],
  { permissions, spools, signal, registry, home, run }: TableOptions,
): Promise<OpenedSeed | undefined> {
  if (!seed) return undefined;
  const findings = checkSeedSource(seed.source, registry, permissions);
  if (findings.some(({ level }) => level === 'ERROR')) return undefined;
  const { folder, privateAddresses: allowPrivate } = permissions;
  const cacheFolder = join(home.folder.path, 'hub');
  const { inspectSeed, seedSource } = await import('@data-designer/seeds');
  const inspection = await inspectSeed(seed, {
    folder,
    spools,
    plugin: registry.seedOf(seed.source),
    // A report of the seed names the number of its rows.
    isCounted: !run,
    ...(run ? { run: { cacheFolder, allowPrivate, prior: run.prior } } : {}),
    ...(signal ? { signal } : {}),
  });
  const columns = inspection.columns?.map(({ name }) => name) ?? inspection.names;
  const { columns: fields, findings: inRows } = inspection;
  const report = seedReport(inspection);
  return { seedRows: { columns, fields, findings: inRows }, report, source: seedSource(seed, inspection) };
}

async function openCollections(
  { config, columnPath }: ParsedDataset,
  { registry, home, run }: TableOptions,
): Promise<{ readonly sources: TableSource[]; readonly violations: Violation[] }> {
  const folder = join(home.folder.managedAssets, 'datasets');
  const sources: TableSource[] = [];
  const violations: Violation[] = [];
  for (const { column, request } of requestsOf(config, registry)) {
    const { inspectCollection } = await import('@data-designer/seeds');
    const seen = await inspectCollection(request, { folder, ...(run ? { rows: run.rows } : {}) });
    if ('source' in seen) sources.push(seen.source);
    else violations.push({ stage: 'run', level: 'ERROR', column, path: columnPath(column, 'params'), ...seen.finding });
  }
  return { sources, violations };
}

function requestsOf(
  { columns }: DatasetConfig,
  registry: ColumnRegistry,
): readonly { readonly column: string; readonly request: CollectionRequest }[] {
  return columns.flatMap((column) => {
    const requests = typeOf(column, registry).collections?.(column) ?? [];
    return requests.map((request) => ({ column: column.name, request }));
  });
}
