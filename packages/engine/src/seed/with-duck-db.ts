import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

/** Nothing is kept in a database, and nothing is fetched for it. */
const SETTINGS = {
  threads: '2',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
} as const;

/** For looking at rows: nothing is written to disk. */
const LOOKING = { ...SETTINGS, memory_limit: '1GB', temp_directory: '' } as const;

/** For ordering rows: what does not fit goes to disk. Times are told in UTC, whatever the machine's zone. */
const ORDERING = { ...SETTINGS, memory_limit: '512MB' } as const;

let opening: Promise<DuckDBInstance> | undefined;

async function open(settings: Readonly<Record<string, string>>): Promise<DuckDBInstance> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', settings);
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  await connection.run('SET lock_configuration = true');
  connection.closeSync();
  return instance;
}

/** Lends a connection to this process's DuckDB, which reads files and knows no way to the network; it ends with the use. */
export async function withDuckDb<Result>(use: (connection: DuckDBConnection) => Promise<Result>): Promise<Result> {
  opening ??= open(LOOKING);
  const instance = await opening.catch((thrown: unknown) => {
    opening = undefined;
    throw thrown;
  });
  const connection = await instance.connect();
  try {
    return await use(connection);
  } finally {
    connection.closeSync();
  }
}

/** Where a database that may write to disk does so, and how it is stopped. */
export interface SpillOptions {
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Lends a connection to a DuckDB of its own that sorts more than fits in memory; an abort fails what it is doing. */
export async function withSpillingDuckDb<Result>(
  { folder, signal }: SpillOptions,
  use: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const instance = await open({ ...ORDERING, temp_directory: folder });
  const connection = await instance.connect();
  const interrupt = () => connection.interrupt();
  signal.addEventListener('abort', interrupt);
  try {
    signal.throwIfAborted();
    return await use(connection);
  } finally {
    signal.removeEventListener('abort', interrupt);
    connection.closeSync();
    instance.closeSync();
  }
}
