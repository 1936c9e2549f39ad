import { isArrowTable, type MemoryRows } from '@data-designer/config';
import type { ArrowField, Finding } from '@data-designer/core';
import type { RowSource } from '../tables/table-source.ts';
import { arrowOfRows, type NoData } from '../arrow/arrow-of-rows.ts';
import type { Row } from './serializable-row.ts';
import { arrayRows, spooledRows } from './memory-rows.ts';
import type { RowSpools, Stream } from './row-spools.ts';
import { seedError } from '../seed-error.ts';
import type { SeedInspection } from '../seed-inspection.ts';
import type { BrokenRows } from './spool-rows.ts';

/** How rows in memory are looked at. */
export interface MemoryOptions {
  /** Keeps rows that come one after the other; they are not read where there is none. */
  readonly spools?: RowSpools;
  readonly signal?: AbortSignal;
}

const NEVER = new AbortController().signal;

/** Looks at rows of the calling program, all of them. What is wrong with them is a finding. */
export async function inspectMemory(rows: MemoryRows, options: MemoryOptions): Promise<SeedInspection> {
  const { spools, signal = NEVER } = options;
  if (isArrowTable(rows)) return inspectArrow(rows);
  if (Array.isArray(rows)) return inspectArray(rows as readonly Row[]);
  if (!spools) return { columns: undefined, rows: undefined, findings: [] };
  const spooled = await spools.spool(rows as Stream, signal);
  if ('what' in spooled) return noData(spooled);
  if ('reason' in spooled) return broken(spooled);
  return found(spooled.fields, spooled.rows, spooledRows(spooled));
}

async function inspectArrow(table: Extract<MemoryRows, { readonly numRows: number }>): Promise<SeedInspection> {
  const { arrowTableRows } = await import('../arrow/arrow-rows.ts');
  const seen = arrowTableRows(table);
  return 'what' in seen ? noData(seen) : found(seen.fields, table.numRows, seen.rows);
}

function inspectArray(rows: readonly Row[]): SeedInspection {
  const columns = arrowOfRows(rows);
  return 'what' in columns ? noData(columns) : found(columns, rows.length, arrayRows(rows, columns));
}

function found(columns: readonly ArrowField[], rows: number, source: RowSource): SeedInspection {
  if (columns.length > 0 && rows > 0) return { columns, rows, findings: sameNames(columns), source };
  return nothing({ ...seedError('seed_empty', 'there are no rows.', 'Give at least one.'), field: ['source', 'rows'] });
}

function nothing(finding: Finding): SeedInspection {
  return { columns: undefined, rows: undefined, findings: [finding] };
}

function noData({ row, column, what }: NoData): SeedInspection {
  const field = ['source', 'rows', row, ...(column === undefined ? [] : [column])];
  const message =
    column === undefined
      ? `row ${row} is ${what}, not a mapping.`
      : `row ${row} has ${what} in '${column}', which is no data.`;
  const remedy = 'Give text, numbers, truth values, dates, lists and plain mappings.';
  return nothing({ ...seedError('seed_unreadable', message, remedy), field });
}

function broken({ after, reason }: BrokenRows): SeedInspection {
  const message = `the rows broke off after ${after}: ${reason.replace(/\.$/, '')}.`;
  const remedy = 'Give them anew, from the first on.';
  return nothing({ ...seedError('seed_unreadable', message, remedy), field: ['source', 'rows'] });
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
