import { messageOf, Random } from '@data-designer/core';
import { SqlDatabase, SqlFailure } from '@data-designer/environments/sql';
import { failedRun, rowsWithin, type RunProgram, tooLong } from '../../engine.ts';
import { tableStatements } from '../table-statements.ts';

/** Opens SQLite; the first database loads it. */
export async function openSqlite(): Promise<RunProgram> {
  (await SqlDatabase.open()).close();
  return async ({ scripts, tables = {} }, limits) => {
    const database = await SqlDatabase.open();
    const sources = { random: Random.of(0, 'execution').at(0), now: undefined, mostMs: limits.timeoutMs };
    try {
      for (const script of tableStatements(tables)) database.run([script], { ...sources, isOwn: true });
      let value;
      for (const script of scripts) value = database.run([script], sources).rows;
      return rowsWithin(value ?? null, limits);
    } catch (thrown) {
      const isLate = thrown instanceof SqlFailure && (thrown.isLate || /\bsteps of SQLite$/.test(thrown.message));
      return failedRun(isLate ? tooLong(limits) : { kind: 'exception', message: messageOf(thrown) });
    } finally {
      database.close();
    }
  };
}
