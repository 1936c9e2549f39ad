import {
  fixedSeedColumns,
  type FolderSource,
  listSeedFiles,
  localSeed,
  sayLeftOut,
  type SeedConfig,
  seedFolder,
  type SeedSource,
} from '@data-designer/config';
import { type Finding, isFailure } from '@data-designer/core';
import { folderRows } from './files/folder-rows.ts';
import { inspectMemory } from './rows/memory-reader.ts';
import { inspectRollouts } from './rollouts/inspect-rollouts.ts';
import { inspectTable } from './files/inspect-table.ts';
import type { RowSpools } from './rows/row-spools.ts';
import { seedError } from './seed-error.ts';
import type { SeedInspection } from './seed-inspection.ts';

/** A source of the Hub. */
export type HubSource = Extract<SeedSource, { seedType: 'hf' }>;

/** What looking at a seed may do. */
export interface InspectOptions {
  /** Where relative paths start. */
  readonly folder: string;
  /** Keeps rows that come one after the other; they are not read where there is none. */
  readonly spools?: RowSpools;
  /** Looks at a table of the Hub; nothing is known of it where there is none. */
  readonly inspectHub?: (source: HubSource, options: { readonly isCounted: boolean }) => Promise<SeedInspection>;
  /** Looks at the rows of a source that is a plug-in's, instead of all else. */
  readonly inspectOwn?: () => Promise<SeedInspection>;
  readonly signal?: AbortSignal;
}

/**
 * Looks at the rows of a seed: which columns of which types they have, that there are some, and that the selection
 * lies within them. For sources in which `checkSeedSource` found no error. What is wrong is a finding; only what
 * `inspectHub` and `inspectOwn` throw is thrown, and the reason of an abort.
 */
export async function inspectSeed(
  { source, selectionStrategy }: SeedConfig,
  options: InspectOptions,
): Promise<SeedInspection> {
  const seen = await look(source, { ...options, isCounted: selectionStrategy !== null });
  return { ...seen, findings: [...seen.findings, ...checkSelection(selectionStrategy, seen.rows)] };
}

const NEVER = new AbortController().signal;

const NOTHING = { columns: undefined, rows: undefined, findings: [] } as const;

async function look(
  source: SeedSource,
  options: InspectOptions & { readonly isCounted: boolean },
): Promise<SeedInspection> {
  const { folder, isCounted, inspectHub, inspectOwn } = options;
  if (inspectOwn) return inspectOwn();
  if (source.seedType === 'hf') return (await inspectHub?.(source, { isCounted })) ?? NOTHING;
  if (source.seedType === 'df') return inspectMemory(source.rows, options);
  if (source.seedType !== 'local') return inspectFolder(source, folder, options);
  const seed = localSeed(source.path, folder);
  if ('files' in seed) return inspectTable(seed.files, { format: seed.format, isCounted });
  return { ...NOTHING, findings: [seedError('seed_unreadable', seed.message, seed.remedy)] };
}

async function inspectFolder(
  source: FolderSource,
  path: string,
  { signal = NEVER }: Pick<InspectOptions, 'signal'>,
): Promise<SeedInspection> {
  const folder = seedFolder(source, path);
  const columns = fixedSeedColumns(source);
  try {
    const { files, leftOut } = listSeedFiles(folder);
    const said = sayLeftOut(leftOut);
    if (files.length === 0) {
      const message = `no file of ${folder.root} makes a row (looked for '${folder.pattern}').`;
      return { columns, rows: 0, findings: [seedError('seed_empty', message, said ?? 'Correct the path or pattern.')] };
    }
    const told = seedError('seed_files_left_out', `not every file of ${folder.root} makes a row.`, said ?? '');
    const findings: Finding[] = said === undefined ? [] : [{ ...told, level: 'WARNING' }];
    if (source.seedType === 'agent_rollout') {
      const seen = await inspectRollouts({ source, folder, files, columns }, signal);
      return { ...seen, findings: [...findings, ...seen.findings] };
    }
    return { columns, rows: files.length, findings, source: folderRows({ source, folder, files, fields: columns }) };
  } catch (thrown) {
    signal.throwIfAborted();
    return { ...NOTHING, findings: [unreadable(folder.root, thrown)] };
  }
}

function unreadable(folder: string, thrown: unknown): Finding {
  const { source, reason } = isFailure(thrown, 'seed/unreadable')
    ? thrown.data
    : { source: folder, reason: thrown instanceof Error ? thrown.message : String(thrown) };
  return seedError('seed_unreadable', `${source} cannot be read: ${reason}.`, 'Check path and rights.');
}

/** A range must end within the rows, and there can be no more parts than rows. */
function checkSelection(selection: SeedConfig['selectionStrategy'], rows: number | undefined): Finding[] {
  if (selection === null || rows === undefined || rows === 0) return [];
  const [key, found] =
    'end' in selection ? (['end', selection.end + 1] as const) : (['numPartitions', selection.numPartitions] as const);
  if (found <= rows) return [];
  const [message, remedy] =
    key === 'end'
      ? [`row ${found - 1} is outside the seed, whose last row is ${rows - 1}.`, `Let 'end' be at most ${rows - 1}.`]
      : [`${found} parts cannot be made of ${rows} rows.`, `Let 'num_partitions' be at most ${rows}.`];
  return [{ ...seedError('selection_outside', message, remedy), field: ['selectionStrategy', key] }];
}
