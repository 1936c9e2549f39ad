import { createHash } from 'node:crypto';
import { canonicalJson, type RegisteredSeed, type SeedSource, writeForm } from '@data-designer/config';
import { DataDesignerError, type Finding } from '@data-designer/core';
import type { OpenTable, RowSource } from '../tables/table-source.ts';
import { abortableRows } from './abortable-rows.ts';
import { spoolTable } from './memory-rows.ts';
import type { PriorSeed } from '../prior-seed.ts';
import type { RowSpools, Spooled } from './row-spools.ts';
import { seedError } from '../seed-error.ts';
import type { SeedInspection } from '../seed-inspection.ts';

/** How the rows of a plug-in's seed are looked at. */
interface PluginSeedOptions {
  readonly type: RegisteredSeed;
  /** Where relative paths start. */
  readonly folder: string;
  /** Keeps the rows. */
  readonly spools: RowSpools;
  /** What the dataset that is gone on with was begun with. */
  readonly prior?: PriorSeed | undefined;
  readonly signal?: AbortSignal | undefined;
}

const NEVER = new AbortController().signal;

/**
 * Reads the rows of a plug-in's seed to their end, once for all runs of a program that declare the same; what is wrong with
 * them is a finding. A dataset that is gone on with was begun with its rows: they are read again only where more of them are
 * needed than it has, and must be the same then.
 */
export async function inspectPluginSeed(source: SeedSource, options: PluginSeedOptions): Promise<SeedInspection> {
  const { type, prior, signal = NEVER } = options;
  const name = `the seed type '${type.type}'`;
  const declared = canonicalJson(writeForm(type.schema, source));
  const sha256 = createHash('sha256').update(declared).digest('hex');
  const known = { name, files: [], hash: () => Promise.resolve(sha256) };
  const read = (stop: AbortSignal) => spool(source, declared, { ...options, signal: stop });
  if (prior?.sha256 === sha256) {
    const open: RowSource['open'] = async (place) => tableOf(await read(place.signal), { name, prior });
    return {
      columns: prior.fields,
      rows: undefined,
      findings: [],
      source: { ...known, revision: prior.revision, open },
    };
  }
  const spooled = await read(signal);
  const reason = reasonIn(spooled) ?? lackOf(spooled, type.columns?.(source as never) ?? []);
  if (reason !== undefined || !('fields' in spooled)) return nothing(name, reason ?? '');
  const { fields, rows } = spooled;
  const open: RowSource['open'] = () => Promise.resolve(spoolTable(spooled.path, fields));
  return { columns: fields, rows, findings: [], source: { ...known, revision: spooled.sha256, open } };
}

function spool(source: SeedSource, declared: string, options: PluginSeedOptions): Promise<Spooled> {
  const { type, folder, spools, signal = NEVER } = options;
  return spools.spoolAnew(`${folder}\n${declared}`, signal, () => {
    const rows: unknown = type.rows(source as never, { signal, folder });
    if (isIterable(rows)) return abortableRows(rows, signal);
    throw new TypeError('its rows must be a list or a generator');
  });
}

function isIterable(rows: unknown): rows is Iterable<unknown> | AsyncIterable<unknown> {
  return typeof rows === 'object' && rows !== null && (Symbol.asyncIterator in rows || Symbol.iterator in rows);
}

/** Rows that were read again, for a dataset that was begun with them. Throws `seed/unreadable` where they are others. */
function tableOf(spooled: Spooled, { name, prior }: { readonly name: string; readonly prior: PriorSeed }): OpenTable {
  const reason = reasonIn(spooled);
  if (reason === undefined && 'fields' in spooled && spooled.sha256 === prior.revision)
    return spoolTable(spooled.path, spooled.fields);
  const changed = 'they are not the rows that the dataset was begun with; begin another one';
  throw new DataDesignerError('seed/unreadable', { source: name, reason: reason ?? changed });
}

/** Why rows cannot be used. */
function reasonIn(spooled: Spooled): string | undefined {
  if ('reason' in spooled) return `the rows broke off after ${spooled.after}: ${spooled.reason.replace(/\.$/, '')}`;
  if ('fields' in spooled) return spooled.rows > 0 && spooled.fields.length > 0 ? undefined : 'there are no rows';
  const { row, column, what } = spooled;
  return column === undefined
    ? `row ${row} is ${what}, not a mapping`
    : `row ${row} has ${what} in '${column}', which is no data`;
}

/** The columns that were told before rows were read must be there. */
function lackOf(spooled: Spooled, told: readonly string[]): string | undefined {
  const names = 'fields' in spooled ? spooled.fields.map(({ name }) => name) : [];
  const missing = told.find((name) => !names.includes(name));
  return missing === undefined ? undefined : `no row has the column '${missing}', which it tells of`;
}

function nothing(name: string, reason: string): SeedInspection {
  const remedy = 'Correct the declaration, or the plug-in.';
  const told: Finding = { ...seedError('seed_unreadable', `${name}: ${reason}.`, remedy), field: ['source'] };
  return { columns: undefined, rows: undefined, findings: [told] };
}
