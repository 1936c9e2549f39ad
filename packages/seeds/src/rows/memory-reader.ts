import { isArrowTable, type Mapping, type MemoryRows, type SeedSource } from '@data-designer/config';
import type { ArrowField, Finding } from '@data-designer/core';
import { arrowOfRows, type UnstorableValue } from '../arrow/arrow-of-rows.ts';
import {
  type InspectOptions,
  mixedBytes,
  seedError,
  type SeedInspection,
  type SeedReader,
  seedWarning,
  unreadRows,
} from '../seed-reader.ts';
import type { RowSource } from '../tables/table-source.ts';
import { arrayRows, spooledRows } from './memory-rows.ts';
import { unusableReason } from './spool-rows.ts';

/** Reads `df`: rows of the calling program, as an array, an iterable or an Arrow table. Reads all of them at once. */
export const memoryReader: SeedReader<Extract<SeedSource, { readonly seedType: 'df' }>> = {
  inspect: async ({ rows }, { spools, signal }: InspectOptions) => {
    if (isArrowTable(rows)) {
      const { arrowTableRows } = await import('./arrow-rows.ts');
      const seen = arrowTableRows(rows);
      if ('what' in seen) return unstorable(seen);
      const inspection = found(seen.fields, rows.numRows, seen.rows);
      const mixed = seen.mixed.map((name): Finding => ({ ...mixedBytes(name), field: ['source', 'rows'] }));
      return { ...inspection, findings: [...inspection.findings, ...mixed] };
    }
    if (isArray(rows)) {
      const fields = arrowOfRows(rows);
      return 'what' in fields ? unstorable(fields) : found(fields, rows.length, arrayRows(rows, fields));
    }
    if (!spools) return unreadRows();
    const spooled = await spools.spool(rows, signal);
    if ('what' in spooled) return unstorable(spooled);
    if ('fields' in spooled) return found(spooled.fields, spooled.rows, spooledRows(spooled));
    return refused(
      seedError('seed_unreadable', `${unusableReason(spooled)}.`, 'Pass the rows again, starting with the first one.'),
    );
  },
};

function isArray(rows: MemoryRows): rows is readonly Mapping[] {
  return Array.isArray(rows);
}

function found(columns: readonly ArrowField[], rows: number, source: RowSource): SeedInspection {
  if (columns.length > 0 && rows > 0) return { columns, rows, findings: sameNames(columns), source };
  return refused(seedError('seed_empty', 'the seed has no rows.', 'Pass at least one row.'));
}

function refused(error: Finding, steps: readonly (string | number)[] = []): SeedInspection {
  return unreadRows([{ ...error, field: ['source', 'rows', ...steps] }]);
}

function unstorable(value: UnstorableValue): SeedInspection {
  const { row, column } = value;
  const remedy =
    'Use only text, numbers, booleans, dates, bytes, lists and plain mappings, and in a column of bytes nothing else.';
  const steps = column === undefined ? [row] : [row, column];
  return refused(seedError('seed_unreadable', `${unusableReason(value)}.`, remedy), steps);
}

/** Warns of names that differ only in case: this tool keeps them apart, many readers of the dataset do not. */
function sameNames(columns: readonly ArrowField[]): Finding[] {
  const first = new Map<string, string>();
  const findings: Finding[] = [];
  for (const { name } of columns) {
    const other = first.get(name.toLowerCase());
    first.set(name.toLowerCase(), other ?? name);
    if (other === undefined) continue;
    const message = `the columns '${other}' and '${name}' differ only in upper and lower case.`;
    const warning = seedWarning(
      'seed_column_twice',
      message,
      'Rename one of them, because many readers treat them as the same column.',
    );
    findings.push({ ...warning, field: ['source', 'rows'] });
  }
  return findings;
}
