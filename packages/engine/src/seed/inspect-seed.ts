import {
  fixedSeedColumns,
  listSeedFiles,
  localSeed,
  sayLeftOut,
  type SeedConfig,
  seedFolder,
  type SeedSource,
} from '@data-designer/config';
import type { ArrowField, Finding } from '@data-designer/core';
import { arrowOfRows } from './arrow-of-rows.ts';
import { inspectTable } from './inspect-table.ts';
import { seedError } from './seed-error.ts';
import type { SeedInspection } from './seed-inspection.ts';

/**
 * Looks at the rows of a seed: which columns of which types they have, that there are some, and that the selection
 * lies within them. For sources in which `checkSeedSource` found no error; `folder` is where relative paths start.
 * What is wrong is a finding, never an exception. Nothing is fetched: of a table on the Hub nothing is known.
 */
export async function inspectSeed(
  { source, selectionStrategy }: SeedConfig,
  { folder }: { readonly folder: string },
): Promise<SeedInspection> {
  const seen = await look(source, { folder, isCounted: selectionStrategy !== null });
  return { ...seen, findings: [...seen.findings, ...checkSelection(selectionStrategy, seen.rows)] };
}

async function look(
  source: SeedSource,
  { folder, isCounted }: { folder: string; isCounted: boolean },
): Promise<SeedInspection> {
  if (source.seedType === 'hf') return { columns: undefined, rows: undefined, findings: [] };
  if (source.seedType === 'df') return inspectRows(source.rows);
  if (source.seedType !== 'local') return inspectFolder(source, folder);
  const seed = localSeed(source.path, folder);
  if ('files' in seed) return inspectTable(seed.files, seed.format, { isCounted });
  return nothing(seedError('seed_unreadable', seed.message, seed.remedy));
}

function nothing(finding: Finding): SeedInspection {
  return { columns: undefined, rows: undefined, findings: [finding] };
}

function inspectRows(rows: Extract<SeedSource, { seedType: 'df' }>['rows']): SeedInspection {
  const columns = arrowOfRows(rows);
  if ('what' in columns) {
    const { row, column, what } = columns;
    const message = `row ${row} has ${what} in '${column}', which is no data.`;
    const remedy = 'Give text, numbers, truth values, dates, lists and plain mappings.';
    return nothing({ ...seedError('seed_unreadable', message, remedy), field: ['source', 'rows', row, column] });
  }
  if (columns.length > 0) return { columns, rows: rows.length, findings: sameNames(columns) };
  return nothing({ ...seedError('seed_empty', 'there are no rows.', 'Give at least one.'), field: ['source', 'rows'] });
}

/** Names that differ in case only stay two columns here, but many readers of the dataset take them for one. */
function sameNames(columns: readonly ArrowField[]): Finding[] {
  const first = new Map<string, string>();
  const findings: Finding[] = [];
  for (const { name } of columns) {
    const other = first.get(name.toLowerCase());
    first.set(name.toLowerCase(), other ?? name);
    if (other === undefined) continue;
    const message = `the columns '${other}' and '${name}' differ in large and small letters only.`;
    const told = seedError('seed_column_twice', message, 'Rename one: many readers take them for one column.');
    findings.push({ ...told, level: 'WARNING', field: ['source', 'rows'] });
  }
  return findings;
}

function inspectFolder(
  source: Exclude<SeedSource, { seedType: 'hf' | 'df' | 'local' }>,
  folder: string,
): SeedInspection {
  const wanted = seedFolder(source, folder);
  try {
    const { files, leftOut } = listSeedFiles(wanted);
    const columns = fixedSeedColumns(source);
    const said = sayLeftOut(leftOut);
    if (files.length === 0) {
      const message = `no file of ${wanted.root} makes a row (looked for '${wanted.pattern}').`;
      return { columns, rows: 0, findings: [seedError('seed_empty', message, said ?? 'Correct the path or pattern.')] };
    }
    if (said === undefined) return { columns, rows: files.length, findings: [] };
    const told = seedError('seed_files_left_out', `not every file of ${wanted.root} makes a row.`, said);
    return { columns, rows: files.length, findings: [{ ...told, level: 'WARNING' }] };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return nothing(seedError('seed_unreadable', `${wanted.root} cannot be read: ${reason}.`, 'Check path and rights.'));
  }
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
