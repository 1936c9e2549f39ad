import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

/** One database serves the process: nothing is kept in it, written to disk, or fetched for it. */
const SETTINGS = {
  threads: '2',
  memory_limit: '1GB',
  temp_directory: '',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
} as const;

let opening: Promise<DuckDBInstance> | undefined;

async function open(): Promise<DuckDBInstance> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', SETTINGS);
  const connection = await instance.connect();
  await connection.run('SET lock_configuration = true');
  connection.closeSync();
  return instance;
}

/** Lends a connection to this process's DuckDB, which reads files and knows no way to the network; it ends with the use. */
export async function withDuckDb<Result>(use: (connection: DuckDBConnection) => Promise<Result>): Promise<Result> {
  opening ??= open();
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
