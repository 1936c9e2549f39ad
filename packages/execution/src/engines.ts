import type { Engine } from './engine.ts';
import type { AnyEngineName } from './engine-names.ts';
import { command } from './engines/command/command.ts';
import { duckdb } from './engines/duckdb/duckdb.ts';
import { javascript } from './engines/javascript/javascript.ts';
import { python } from './engines/python/python.ts';
import { sqlite } from './engines/sqlite/sqlite.ts';

/** All engines. */
export const ENGINES: Readonly<Record<AnyEngineName, Engine>> = { javascript, python, sqlite, duckdb, command };
