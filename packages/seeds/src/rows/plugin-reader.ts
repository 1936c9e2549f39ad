import { createHash } from 'node:crypto';
import {
  canonicalJson,
  pluginSeedColumns,
  type RegisteredSeed,
  type SeedSource,
  writeForm,
} from '@data-designer/config';
import { DataDesignerError } from '@data-designer/core';
import type { PriorSeed } from '../prior-seed.ts';
import { type InspectOptions, seedError, type SeedInspection, type SeedReader, unreadRows } from '../seed-reader.ts';
import type { OpenTable, RowSource } from '../tables/table-source.ts';
import { abortableRows } from './abortable-rows.ts';
import { spoolTable } from './memory-rows.ts';
import type { RowSpools, SpoolOutcome } from './row-spools.ts';
import { unusableReason } from './spool-rows.ts';

/** Reads a plug-in's rows once per program and declaration; a continued dataset reads them again only if it needs more. */
export function pluginReader(type: RegisteredSeed): SeedReader<SeedSource> {
  return {
    inspect: (source, options) => {
      const { run, spools } = options;
      if (!run || !spools) return Promise.resolve({ ...unreadRows(), names: pluginSeedColumns(type, source) });
      return inspectRows({ type, source, spools }, run.prior, options);
    },
  };
}

interface PluginSeed {
  readonly type: RegisteredSeed;
  readonly source: SeedSource;
  readonly spools: RowSpools;
}

async function inspectRows(
  seed: PluginSeed,
  prior: PriorSeed | undefined,
  { folder, signal }: InspectOptions,
): Promise<SeedInspection> {
  const { type, source } = seed;
  const name = `the seed type '${type.type}'`;
  const declared = canonicalJson(writeForm(type.schema, source));
  const sha256 = createHash('sha256').update(declared).digest('hex');
  const known = { name, files: [], hash: () => Promise.resolve(sha256) };
  const spool = (stop: AbortSignal) => spoolPluginRows(seed, `${folder}\n${declared}`, { folder, signal: stop });
  if (prior?.sha256 === sha256) {
    const open: RowSource['open'] = async (context) => sameRows(await spool(context.signal), { name, prior });
    return {
      columns: prior.fields,
      rows: undefined,
      findings: [],
      source: { ...known, revision: prior.revision, open },
    };
  }
  const spooled = await spool(signal);
  const reason = rowsFault(spooled) ?? missingColumn(spooled, pluginSeedColumns(type, source) ?? []);
  if (reason !== undefined || !('fields' in spooled)) {
    const error = seedError('seed_unreadable', `${name}: ${reason}.`, 'Correct the declaration, or the plug-in.');
    return unreadRows([{ ...error, field: ['source'] }]);
  }
  const { fields, rows } = spooled;
  const open: RowSource['open'] = () => Promise.resolve(spoolTable(spooled.path, fields));
  return {
    columns: fields,
    rows,
    findings: [],
    source: { ...known, rowBytes: spooled.rowBytes, revision: spooled.sha256, open },
  };
}

function spoolPluginRows(
  { type, source, spools }: PluginSeed,
  key: string,
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): Promise<SpoolOutcome> {
  return spools.spoolAnew(key, signal, () => {
    const rows: unknown = type.rows(source as never, { signal, folder });
    if (isIterable(rows)) return abortableRows(rows, signal);
    throw new TypeError('its rows must be a list or a generator');
  });
}

function isIterable(rows: unknown): rows is Iterable<unknown> | AsyncIterable<unknown> {
  return typeof rows === 'object' && rows !== null && (Symbol.asyncIterator in rows || Symbol.iterator in rows);
}

/** The table of rows that were read again. Throws `seed/unreadable` unless the dataset was begun with the same rows. */
function sameRows(
  spooled: SpoolOutcome,
  { name, prior }: { readonly name: string; readonly prior: PriorSeed },
): OpenTable {
  const reason = rowsFault(spooled);
  if (reason === undefined && 'fields' in spooled && spooled.sha256 === prior.revision)
    return spoolTable(spooled.path, spooled.fields);
  const changed = 'these are not the rows that the dataset was started with; start another dataset';
  throw new DataDesignerError('seed/unreadable', { source: name, reason: reason ?? changed });
}

/** Why rows cannot be used. */
function rowsFault(spooled: SpoolOutcome): string | undefined {
  if (!('fields' in spooled)) return unusableReason(spooled);
  return spooled.rows > 0 && spooled.fields.length > 0 ? undefined : 'there are no rows';
}

/** Columns that the declaration gives must be among the rows' columns. */
function missingColumn(spooled: SpoolOutcome, declared: readonly string[]): string | undefined {
  const names = 'fields' in spooled ? spooled.fields.map(({ name }) => name) : [];
  const missing = declared.find((name) => !names.includes(name));
  return missing === undefined ? undefined : `no row has the declared column '${missing}'`;
}
