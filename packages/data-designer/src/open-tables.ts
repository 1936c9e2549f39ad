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
import {
  inspectCollection,
  inspectHubSeed,
  inspectSeed,
  type RowSpools,
  seedSource,
  type TableSource,
} from '@data-designer/engine';

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
    /** The commit of the Hub that an earlier part of the run took its seed from. */
    readonly commit?: string | undefined;
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

/** What the rows of a seed hold; they are not looked at where even their source is at fault. */
async function openSeed(
  seed: DatasetConfig['seedConfig'],
  options: TableOptions,
): Promise<{ readonly seedRows: CheckOptions['seedRows']; readonly source: TableSource | undefined } | undefined> {
  const { permissions, spools, signal } = options;
  if (!seed || checkSeedSource(seed.source, permissions).some(({ level }) => level === 'ERROR')) return undefined;
  const inspection = await inspectSeed(seed, {
    folder: permissions.folder,
    spools,
    ...hubOptions(options),
    ...(signal ? { signal } : {}),
  });
  const { columns, findings } = inspection;
  return {
    seedRows: { columns: columns?.map(({ name }) => name), findings },
    source: seedSource(seed, inspection),
  };
}

/** How a seed of the Hub is fetched, where there is a run that needs it. */
function hubOptions({
  run,
  home,
  permissions,
  signal,
}: TableOptions): Pick<Parameters<typeof inspectSeed>[1], 'inspectHub'> {
  if (!run) return {};
  return {
    inspectHub: (source, { isCounted }) =>
      inspectHubSeed(source, {
        isCounted,
        cacheFolder: join(home.folder.path, 'hub'),
        allowPrivate: permissions.privateAddresses,
        ...(run.commit === undefined ? {} : { commit: run.commit }),
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
