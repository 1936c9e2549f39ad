import { defineEngine } from '../../engine.ts';

const BINDINGS = '@duckdb/node-bindings';
const PLATFORM = `${BINDINGS}-${process.platform}-${process.arch}`;

/** DuckDB: each run has a database in memory that may read no file, load no extension and change no setting. */
export const duckdb = defineEngine({
  open: async () => (await import('./run-duckdb.ts')).openDuckDB(),
  isReusable: true,
  blocks: true,
  packages: ['@duckdb/node-api', BINDINGS, PLATFORM, `${PLATFORM}-musl`, 'detect-libc'],
  flags: ['--allow-addons', '--disallow-code-generation-from-strings'],
});
