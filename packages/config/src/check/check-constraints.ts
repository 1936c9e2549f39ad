import type { ArrowType, FieldPath } from '@data-designer/core';
import type { Constraint } from '../schemas/constraint.ts';
import { addAt, type Check, suggest } from './check.ts';

/** Constraints compare sampler columns with numbers and with each other. */
export function checkConstraints(check: Check): void {
  const local = check.facts.filter(({ type }) => 'fill' in type);
  const types = new Map(local.flatMap(({ writes }) => writes.map(({ name, type }) => [name, type] as const)));
  check.config.constraints.forEach((constraint, index) => {
    const { targetColumn, operator, rhs } = constraint;
    const path: FieldPath = ['constraints', index];
    if (typeof rhs === 'number' && !Number.isFinite(rhs) && !holdsAlways(operator, rhs)) addNever(check, path);
    if (rhs === targetColumn) addSelf(check, { path, name: targetColumn });
    const target = asked(check, types, { name: targetColumn, path: [...path, 'targetColumn'] });
    const other = typeof rhs === 'string' ? asked(check, types, { name: rhs, path: [...path, 'rhs'] }) : 'float64';
    if (target === undefined || other === undefined) return;
    const sides = [wordFor(target), wordFor(other)];
    if (sides[0] === sides[1] && sides[0] !== 'mappings') return;
    addAt(check, path, {
      stage: 'run',
      type: 'constraint_types_differ',
      level: 'ERROR',
      column: targetColumn,
      message: `'${targetColumn}' holds ${sides[0]}, and it is compared with ${sides[1]}.`,
      remedy: 'Compare numbers with numbers, times with times.',
    });
  });
}

function wordFor(type: ArrowType): 'text' | 'numbers' | 'mappings' {
  if (type === 'utf8') return 'text';
  return type === 'int64' || type === 'float64' ? 'numbers' : 'mappings';
}

function asked<Type>(
  check: Check,
  types: ReadonlyMap<string, Type>,
  { name, path }: { name: string; path: FieldPath },
): Type | undefined {
  const type = types.get(name);
  if (type !== undefined || check.unreadNames.has(name)) return type;
  const there = check.names.has(name) || check.seedColumns?.has(name) === true;
  addAt(check, path, {
    stage: 'run',
    type: there ? 'constraint_not_on_sampler' : 'unknown_column',
    level: 'ERROR',
    message: there ? `'${name}' is no sampler column.` : `there is no column '${name}'.`,
    remedy: there ? 'Only what is sampled can be held to a constraint.' : suggest(check, name, { among: types.keys() }),
  });
  return undefined;
}

/** Whether every number is on that side of one that is not finite. */
function holdsAlways(operator: Constraint['operator'], rhs: number): boolean {
  return rhs === (operator === 'lt' || operator === 'le' ? Infinity : -Infinity);
}

function addNever(check: Check, path: FieldPath): void {
  addAt(check, [...path, 'rhs'], {
    stage: 'run',
    type: 'constraint_unmet',
    level: 'ERROR',
    message: 'no number keeps it.',
    remedy: 'Compare with a finite number.',
  });
}

function addSelf(check: Check, { path, name }: { path: FieldPath; name: string }): void {
  addAt(check, [...path, 'rhs'], {
    stage: 'run',
    type: 'self_reference',
    level: 'ERROR',
    column: name,
    message: `'${name}' is compared with itself.`,
    remedy: 'Name another column, or a number.',
  });
}
