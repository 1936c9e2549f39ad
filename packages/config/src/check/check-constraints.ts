import { type FieldPath, knownNames } from '@data-designer/core';
import { addAt, type Check, notAvailable } from './check.ts';

/** Constraints compare sampler columns with numbers and with each other. */
export function checkConstraints(check: Check): void {
  const local = check.facts.filter(({ type }) => 'fill' in type);
  const types = new Map(local.flatMap(({ writes }) => writes.map(({ name, type }) => [name, type] as const)));
  check.config.constraints.forEach((constraint, index) => {
    const { targetColumn, rhs } = constraint;
    const path: FieldPath = ['constraints', index];
    addAt(check, path, notAvailable('a constraint'));
    const target = asked(check, types, { name: targetColumn, path: [...path, 'targetColumn'] });
    const other = typeof rhs === 'string' ? asked(check, types, { name: rhs, path: [...path, 'rhs'] }) : 'float64';
    if (target === undefined || other === undefined || isText(target) === isText(other)) return;
    addAt(check, path, {
      stage: 'run',
      type: 'constraint_types_differ',
      level: 'ERROR',
      column: targetColumn,
      message: `'${targetColumn}' holds ${isText(target) ? 'text' : 'numbers'}, and it is compared with ${isText(other) ? 'text' : 'numbers'}.`,
      remedy: 'Compare numbers with numbers, times with times.',
    });
  });
}

const isText = (type: unknown): boolean => type === 'utf8';

function asked<Type>(
  check: Check,
  types: ReadonlyMap<string, Type>,
  { name, path }: { name: string; path: FieldPath },
): Type | undefined {
  const type = types.get(name);
  if (type !== undefined || check.parsed.unread.columns.includes(name)) return type;
  const there = check.names.has(name) || check.seedColumns?.includes(name) === true;
  addAt(check, path, {
    stage: 'run',
    type: there ? 'constraint_not_on_sampler' : 'unknown_column',
    level: 'ERROR',
    message: there ? `'${name}' is no sampler column.` : `there is no column '${name}'.`,
    remedy: there ? 'Only what is sampled can be held to a constraint.' : knownNames(name, [...types.keys()]),
  });
  return undefined;
}
