import { totalmem } from 'node:os';
import type { DuckDBConnection, DuckDBInstance, DuckDBPreparedStatement } from '@duckdb/node-api';
import { messageOf } from '@data-designer/core';
import { quotedText } from './sql-text.ts';

/** DuckDB downloads no extensions. */
const SETTINGS = {
  threads: '2',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
} as const;

/** For inspecting rows: writes nothing to disk. */
const INSPECTING = { ...SETTINGS, memory_limit: '1GB', temp_directory: '' } as const;

/** For ordering rows: spills to disk; one thread writes rows as they come, so that row groups can end by their bytes. */
const ORDERING = { ...SETTINGS, threads: '1', preserve_insertion_order: 'false' } as const;

/** Memory for ordering; each further attempt has more, for long rows. */
const MEGABYTES = [512, 2048, Math.floor(totalmem() / 2 ** 21)].filter((size, at, all) => size > (all[at - 1] ?? 0));

let opening: Promise<DuckDBInstance> | undefined;

async function open(
  settings: Readonly<Record<string, string>>,
  statements: readonly string[] = [],
): Promise<DuckDBInstance> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', settings);
  const connection = await instance.connect();
  for (const statement of ["SET TimeZone = 'UTC'", ...statements]) await connection.run(statement);
  await connection.run('SET lock_configuration = true');
  connection.closeSync();
  return instance;
}

/**
 * Runs `use` with a connection to this process's DuckDB, which reads files and has no network access. Runs it again, with
 * another DuckDB, where an error of another use has ended this one.
 */
export async function withDuckDb<Result>(use: (connection: DuckDBConnection) => Promise<Result>): Promise<Result> {
  const shared = (opening ??= open(INSPECTING));
  try {
    return await withConnection(await shared, use);
  } catch (thrown) {
    const isOver = isInternal(thrown) || isEnded(thrown);
    const isOpen = await shared.then(
      () => true,
      () => false,
    );
    if ((isOver || !isOpen) && opening === shared) opening = undefined;
    if (!isEnded(thrown)) throw thrown;
    return withConnection(await (opening ??= open(INSPECTING)), use);
  }
}

/** Whether a mistake within DuckDB has ended it. */
export function isInternal(thrown: unknown): boolean {
  return /^(?:INTERNAL|FATAL) Error/.test(messageOf(thrown)) && !isEnded(thrown);
}

function isEnded(thrown: unknown): boolean {
  return messageOf(thrown).includes('database has been invalidated');
}

/** Where DuckDB spills, and what interrupts it. */
export interface SpillOptions {
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Whether to give up when the first attempt runs out of memory. */
  readonly isOnce?: boolean;
}

/** Runs `use` with a DuckDB that sorts more than fits in memory, again with more memory if that runs out. */
export async function withSpillingDuckDb<Result>(
  options: SpillOptions,
  use: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const [least = 0, ...more] = options.isOnce === true ? MEGABYTES.slice(0, 1) : MEGABYTES;
  let tried = trySpilling(least, options, use);
  for (const megabytes of more) {
    tried = tried.catch((thrown: unknown) => {
      if (!isOutOfMemory(thrown)) throw thrown;
      return trySpilling(megabytes, options, use);
    });
  }
  return tried;
}

/** For counting over whole datasets: rows keep their order, and DuckDB spills to disk. */
const COUNTING = { ...SETTINGS, preserve_insertion_order: 'true' } as const;

/** Runs `use` with a connection to a DuckDB that has limited memory and spills into a folder. */
export async function withBoundedDuckDb<Result>(
  { folder, megabytes }: { readonly folder: string; readonly megabytes: number },
  use: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  // Its cache would hold all bytes of a dataset that it has read.
  const settings = { ...COUNTING, memory_limit: `${megabytes}MB`, temp_directory: folder };
  return withOwnDuckDb({ ...settings, enable_external_file_cache: 'false' }, use);
}

/** Where a DuckDB for conditions of strangers may read and spill, and its memory. */
export interface ConfinedOptions {
  /** The folders whose files it may read; it reaches no other file. */
  readonly readable: readonly string[];
  /** Where it spills. */
  readonly folder: string;
  readonly megabytes: number;
}

/** Opens a DuckDB that reads files of some folders only, and in which no statement can change that. */
export function openConfinedDuckDb({ readable, folder, megabytes }: ConfinedOptions): Promise<DuckDBInstance> {
  const settings = { ...COUNTING, memory_limit: `${megabytes}MB`, temp_directory: folder };
  const folders = readable.map((path) => quotedText(path)).join(', ');
  return open(settings, [`SET allowed_directories = [${folders}]`, 'SET enable_external_access = false']);
}

/**
 * Prepares one statement that only reads: DuckDB lets others write to the folders that it may read. Throws for several
 * statements and for any other kind.
 */
export async function prepareSelect(connection: DuckDBConnection, sql: string): Promise<DuckDBPreparedStatement> {
  const prepared = await connection.prepare(sql);
  const { StatementType } = await import('@duckdb/node-api');
  if (prepared.statementType === StatementType.SELECT) return prepared;
  prepared.destroySync();
  throw new Error('Only a condition is allowed.');
}

/** Runs `use` with the only connection to a DuckDB of its own. */
async function withOwnDuckDb<Result>(
  settings: Readonly<Record<string, string>>,
  use: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const instance = await open(settings);
  try {
    return await withConnection(instance, use);
  } finally {
    instance.closeSync();
  }
}

async function withConnection<Result>(
  instance: DuckDBInstance,
  use: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const connection = await instance.connect();
  try {
    return await use(connection);
  } finally {
    connection.closeSync();
  }
}

/** Whether DuckDB ran out of memory. */
export function isOutOfMemory(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.startsWith('Out of Memory');
}

async function trySpilling<Result>(
  megabytes: number,
  { folder, signal }: SpillOptions,
  use: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const settings = { ...ORDERING, memory_limit: `${megabytes}MB`, temp_directory: folder };
  return withOwnDuckDb(settings, async (connection) => {
    const interrupt = () => connection.interrupt();
    signal.addEventListener('abort', interrupt);
    try {
      signal.throwIfAborted();
      return await use(connection);
    } finally {
      signal.removeEventListener('abort', interrupt);
    }
  });
}
