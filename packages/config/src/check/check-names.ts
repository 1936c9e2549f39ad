import { addToColumn, type Check } from './check.ts';

/** No two columns, side effects included, may write the same name, nor that of a seed column. */
export function checkNames(check: Check): void {
  const owner = new Map<string, string>();
  for (const { column, writes } of check.facts) {
    if (column.name === '') {
      const told = { stage: 'run', type: 'empty_name', level: 'ERROR', message: 'the name is empty.' } as const;
      addToColumn(check, column.name, { field: ['name'], ...told, remedy: 'Give it one.' });
    }
    for (const { name } of writes) {
      const other = owner.get(name);
      if (other !== undefined) {
        addToColumn(check, column.name, {
          field: ['name'],
          stage: 'run',
          type: 'duplicate_name',
          level: 'ERROR',
          message: `'${name}' is also written by '${other}'.`,
          remedy: 'Rename one.',
        });
      }
      owner.set(name, column.name);
    }
    if (!check.seedColumns?.has(column.name)) continue;
    addToColumn(check, column.name, {
      field: ['name'],
      stage: 'validate',
      type: 'seed_column_collision',
      level: 'ERROR',
      message: `the seed rows have a column '${column.name}' too.`,
      remedy: 'Rename this one.',
    });
  }
}
