import { defineEngine } from '../../engine.ts';

/** SQLite, as environments use it: a database in memory, whose statements reach nothing else. */
export const sqlite = defineEngine({
  open: async () => (await import('./run-sqlite.ts')).openSqlite(),
  isReusable: true,
  blocks: true,
  packages: ['@sqlite.org/sqlite-wasm'],
  flags: ['--disallow-code-generation-from-strings'],
});
