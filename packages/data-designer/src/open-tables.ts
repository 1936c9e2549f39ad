import { join } from 'node:path';
import {
  type CheckOptions,
  checkPluginSeed,
  checkSeedSource,
  type ColumnRegistry,
  type DatasetConfig,
  type Home,
  type ParsedDataset,
  pluginSeedColumns,
  type RegisteredSeed,
  type SeedCheckOptions,
  type SeedConfig,
  typeOf,
} from '@data-designer/config';
import type { CollectionRequest, Violation } from '@data-designer/core';
import {
  inspectCollection,
  inspectHubSeed,
  inspectPluginSeed,
  inspectSeed,
  type PriorSeed,
  type RowSpools,
  seedSource,
  type TableSource,
} from '@data-designer/seeds';

/** What tables beside a run are looked at with. */
export interface TableOptions {
  readonly registry: ColumnRegistry;
  readonly home: Home;
  /** What a seed may touch, and whether the Hub may be a server of this machine. */
  readonly permissions: SeedCheckOptions & { readonly privateAddresses: boolean };
  readonly spools: RowSpools;
  /** Rows of the run; undefined where nothing is fetched, and no more than one row of a collection is asked for. */
  readonly run?: {
    readonly rows: number;
    /** What an earlier part of the run took its seed from. */
    readonly prior?: PriorSeed | undefined;
  };
  readonly signal?: AbortSignal;
}

/** Tables that columns of a declaration take their values from, as far as they are in order. */
export interface OpenedTables {
  readonly seedRows: CheckOptions['seedRows'];
  readonly sources: readonly TableSource[];
  readonly violations: readonly Violation[];
}

/** Looks at the seed rows and the collections that a declaration takes values from. Throws what fetching throws. */
export async function openTables(parsed: ParsedDataset, options: TableOptions): Promise<OpenedTables> {
  const seed = await openSeed(parsed.config.seedConfig, options);
  const collections = await openCollections(parsed, options);
  return {
    seedRows: seed?.seedRows,
    sources: [...(seed?.source ? [seed.source] : []), ...collections.sources],
    violations: collections.violations,
  };
}

/** The rows of a seed, as far as they are in order. */
interface OpenedSeed {
  readonly seedRows: CheckOptions['seedRows'];
  readonly source: TableSource | undefined;
}

/** What the rows of a seed hold; they are not looked at where even their source is at fault. */
async function openSeed(seed: DatasetConfig['seedConfig'], options: TableOptions): Promise<OpenedSeed | undefined> {
  const { permissions, spools, signal, registry, run } = options;
  if (!seed) return undefined;
  const own = registry.seedOf(seed.source);
  const findings = own ? checkPluginSeed(own, permissions) : checkSeedSource(seed.source, permissions);
  if (findings.some(({ level }) => level === 'ERROR')) return undefined;
  if (own && !run) return untouched(own, seed);
  const inspection = await inspectSeed(seed, {
    folder: permissions.folder,
    spools,
    ...hubOptions(options),
    ...(own ? { inspectOwn: () => inspectOwn(own, seed, options) } : {}),
    ...(signal ? { signal } : {}),
  });
  const { columns } = inspection;
  return {
    seedRows: { columns: columns?.map(({ name }) => name), findings: inspection.findings },
    source: seedSource(seed, inspection),
  };
}

/** The rows of a plug-in are read for a run only. */
function untouched(own: RegisteredSeed, { source }: SeedConfig): OpenedSeed {
  return { seedRows: { columns: pluginSeedColumns(own, source), findings: [] }, source: undefined };
}

function inspectOwn(type: RegisteredSeed, { source }: SeedConfig, options: TableOptions) {
  const { permissions, spools, run, signal } = options;
  return inspectPluginSeed(source, { type, folder: permissions.folder, spools, prior: run?.prior, signal });
}

/** How a seed of the Hub is fetched, where there is a run that needs it. */
function hubOptions({
  run,
  home,
  permissions,
  signal,
}: TableOptions): Pick<Parameters<typeof inspectSeed>[1], 'inspectHub'> {
  if (!run) return {};
  const commit = run.prior?.sha256 === undefined ? run.prior?.revision : undefined;
  return {
    inspectHub: (source, { isCounted }) =>
      inspectHubSeed(source, {
        isCounted,
        cacheFolder: join(home.folder.path, 'hub'),
        allowPrivate: permissions.privateAddresses,
        ...(commit === undefined ? {} : { commit }),
        ...(signal ? { signal } : {}),
      }),
  };
}

async function openCollections(
  { config, columnPlace }: ParsedDataset,
  { registry, home, run }: TableOptions,
): Promise<{ readonly sources: TableSource[]; readonly violations: Violation[] }> {
  const folder = join(home.folder.managedAssets, 'datasets');
  const sources: TableSource[] = [];
  const violations: Violation[] = [];
  for (const { column, request } of requestsOf(config, registry)) {
    const seen = await inspectCollection(request, { folder, ...(run ? { rows: run.rows } : {}) });
    if ('source' in seen) sources.push(seen.source);
    else
      violations.push({ stage: 'run', level: 'ERROR', column, path: columnPlace(column, 'params'), ...seen.finding });
  }
  return { sources, violations };
}

function requestsOf(
  { columns }: DatasetConfig,
  registry: ColumnRegistry,
): readonly { readonly column: string; readonly request: CollectionRequest }[] {
  return columns.flatMap((column) => {
    const requests = typeOf(column, registry).collections?.(column as never) ?? [];
    return requests.map((request) => ({ column: column.name, request }));
  });
}
