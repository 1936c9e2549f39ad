import type { Engine } from './engine.ts';
import type { EngineName } from './engine-names.ts';
import { duckdb } from './engines/duckdb/duckdb.ts';
import { javascript } from './engines/javascript/javascript.ts';
import { python } from './engines/python/python.ts';
import { sqlite } from './engines/sqlite/sqlite.ts';

/** All engines. */
export const ENGINES: Readonly<Record<EngineName, Engine>> = { javascript, python, sqlite, duckdb };
