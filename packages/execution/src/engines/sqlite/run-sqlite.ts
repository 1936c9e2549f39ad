import { messageOf, Random } from '@data-designer/core';
import { SqlDatabase, SqlFailure } from '@data-designer/environments/sql';
import { failedRun, rowsWithin, type RunProgram, tooLong } from '../../engine.ts';
import { tableStatements } from '../table-statements.ts';

/** Opens SQLite; the first database loads it. */
export async function openSqlite(): Promise<RunProgram> {
  (await SqlDatabase.open()).close();
  return async ({ scripts, tables = {} }, limits) => {
    const database = await SqlDatabase.open();
    const sources = {
      random: Random.of(0, 'execution').at(0),
      now: undefined,
      noTime: 'it asks for the time, which differs between runs; write a date in its place',
      mostMs: limits.timeoutMs,
    };
    try {
      for (const script of tableStatements(tables)) database.run([script], { ...sources, isOwn: true });
      let value;
      let memoryBytes = 0;
      for (const script of scripts) {
        value = database.run([script], sources).rows;
        memoryBytes = Math.max(memoryBytes, database.callBytes);
      }
      return { ...rowsWithin(value ?? null, limits), memoryBytes };
    } catch (thrown) {
      const isLate = thrown instanceof SqlFailure && (thrown.isLate || /\bsteps of SQLite$/.test(thrown.message));
      if (isLate) return failedRun(tooLong(limits));
      const message = messageOf(thrown);
      return failedRun({ kind: /\bbytes of memory$|out of memory/.test(message) ? 'memory' : 'exception', message });
    } finally {
      database.close();
    }
  };
}
