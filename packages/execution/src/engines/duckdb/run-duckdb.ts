import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type CellValue, messageOf } from '@data-designer/core';
import { failedRun, rowsWithin, type RunProgram, tooLong } from '../../engine.ts';
import type { Run, RunFailure, RunLimits } from '../../run.ts';
import { tableStatements } from '../table-statements.ts';

const MOST_ROWS = 100_000;
/** Databases that open in other threads while queries run: that takes longer than a small query. */
const OPENED_AHEAD = 2;
const WHOLE = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|DECIMAL.*)$/;

export async function openDuckDB(): Promise<RunProgram> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const open = ({ memoryBytes }: RunLimits) => {
    const database = DuckDBInstance.create(':memory:', {
      threads: '1',
      memory_limit: `${Math.ceil(memoryBytes / 1_000_000)}MB`,
      max_temp_directory_size: '0B',
      temp_directory: '',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      enable_external_access: 'false',
      lock_configuration: 'true',
    });
    // It fails the run that takes it.
    database.catch(() => {});
    return database;
  };
  let next: { readonly memoryBytes: number; readonly databases: Promise<DuckDBInstance>[] } | undefined;
  return async (run, limits) => {
    const { memoryBytes } = limits;
    if (next?.memoryBytes !== memoryBytes) next = { memoryBytes, databases: [] };
    const { databases } = next;
    while (databases.length <= OPENED_AHEAD) databases.push(open(limits));
    const database = await (databases.shift() ?? open(limits));
    const connection = await database.connect();
    const timer = setTimeout(() => connection.interrupt(), limits.timeoutMs);
    const since = performance.now();
    try {
      return rowsWithin(await rowsOf(connection, run), limits);
    } catch (thrown) {
      return failedRun(failureOf(messageOf(thrown), limits, performance.now() - since));
    } finally {
      clearTimeout(timer);
      connection.closeSync();
      database.closeSync();
    }
  };
}

async function rowsOf(connection: DuckDBConnection, { scripts, tables = {} }: Run): Promise<CellValue> {
  for (const statement of tableStatements(tables)) await connection.run(statement);
  const last = scripts.at(-1) ?? '';
  for (const script of scripts.slice(0, -1)) await connection.run(script);
  const reader = await connection.runAndReadUntil(last, MOST_ROWS);
  const names = reader.deduplicatedColumnNames();
  const types = reader.columnTypes().map(String);
  return reader
    .getRowsJson()
    .map((row) => Object.fromEntries(row.map((value, at) => [names[at] ?? '', plain(value as CellValue, types[at])])));
}

/** Whole and decimal numbers are texts in JSON, since some are no numbers of JavaScript. */
function plain(value: CellValue, type = ''): CellValue {
  const isNumber =
    typeof value === 'string' &&
    WHOLE.test(type) &&
    String(Number(value)) === value.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
  return isNumber ? Number(value) : value;
}

function failureOf(text: string, limits: RunLimits, ms: number): RunFailure {
  const [message = ''] = text.split('\n');
  if (ms >= limits.timeoutMs && /interrupt/i.test(message)) return tooLong(limits);
  return { kind: /^Out of Memory/i.test(message) ? 'memory' : 'exception', message };
}
