import { addToColumn, type Check, runError } from './check.ts';

/** Checks that no two columns, side effects included, write the same name, nor that of a seed column. */
export function checkNames(check: Check): void {
  const owner = new Map<string, string>();
  for (const { column, writes } of check.facts) {
    const add = (error: ReturnType<typeof runError>) => addToColumn(check, column.name, { field: ['name'], ...error });
    if (column.name === '') add(runError('empty_name', 'the name is empty.', 'Give it one.'));
    for (const { name } of writes) {
      const other = owner.get(name);
      const message = `'${name}' is also written by '${other}'.`;
      if (other !== undefined) add(runError('duplicate_name', message, 'Rename one.'));
      owner.set(name, column.name);
    }
    if (!check.seedColumns?.has(column.name)) continue;
    const message = `the seed rows have a column '${column.name}' too.`;
    add({ ...runError('seed_column_collision', message, 'Rename this one.'), stage: 'validate' });
  }
}
