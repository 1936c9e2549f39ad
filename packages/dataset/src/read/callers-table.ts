import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type Table, tableToIPC } from 'apache-arrow';

/**
 * The table as one of the apache-arrow that the calling program imports: the published package carries a copy of the
 * library, and a copy's `instanceof` refuses the tables of another.
 */
export function callersTable(table: Table): Table {
  const path = fileURLToPath(import.meta.resolve('apache-arrow'));
  const arrow: typeof import('apache-arrow') = createRequire(import.meta.url)(path);
  return table instanceof arrow.Table ? table : arrow.tableFromIPC(tableToIPC(table));
}
