import { type ArrowType, type FieldPath, printFloat } from '@data-designer/core';
import type { Constraint } from '../schemas/constraint.ts';
import { addAt, type Check, runError, suggest } from './check.ts';

/** Checks that constraints compare sampler columns with numbers and with each other. */
export function checkConstraints(check: Check): void {
  const sampled = check.facts.filter(({ type }) => 'fill' in type);
  const types = new Map(sampled.flatMap(({ writes }) => writes.map(({ name, type }) => [name, type] as const)));
  check.config.constraints.forEach((constraint, index) => {
    const path: FieldPath = ['constraints', index];
    checkRightSide(check, constraint, [...path, 'rhs']);
    const { targetColumn, rhs } = constraint;
    const target = typeOf(check, types, { name: targetColumn, path: [...path, 'targetColumn'] });
    const other = typeof rhs === 'string' ? typeOf(check, types, { name: rhs, path: [...path, 'rhs'] }) : 'float64';
    if (target === undefined || other === undefined) return;
    const sides = [typeText(target), typeText(other)];
    if (sides[0] === sides[1] && sides[0] !== 'mappings') return;
    const message = `'${targetColumn}' contains ${sides[0]}, but the constraint compares it with ${sides[1]}.`;
    const error = runError('constraint_types_differ', message, 'Compare numbers with numbers, and times with times.');
    addAt(check, path, { column: targetColumn, ...error });
  });
}

function checkRightSide(check: Check, { targetColumn, operator, rhs }: Constraint, path: FieldPath): void {
  if (typeof rhs === 'number' && !Number.isFinite(rhs) && !holdsAlways(operator, rhs))
    addAt(
      check,
      path,
      runError(
        'constraint_unmet',
        `no finite number satisfies '${operator} ${printFloat(rhs)}'.`,
        'Compare with a finite number.',
      ),
    );
  if (rhs !== targetColumn) return;
  const message = `'${targetColumn}' is compared with itself.`;
  const error = runError('self_reference', message, 'Compare with another column or with a number.');
  addAt(check, path, { column: targetColumn, ...error });
}

function typeText(type: ArrowType): 'text' | 'numbers' | 'mappings' {
  if (type === 'utf8') return 'text';
  return type === 'int64' || type === 'float64' ? 'numbers' : 'mappings';
}

/** The type of a sampler column; reports a name that is none. */
function typeOf<Type>(
  check: Check,
  types: ReadonlyMap<string, Type>,
  { name, path }: { readonly name: string; readonly path: FieldPath },
): Type | undefined {
  const type = types.get(name);
  if (type !== undefined || check.unreadNames.has(name)) return type;
  if (check.names.has(name) || check.seedColumns?.has(name)) {
    const remedy = 'Use a sampler column; constraints apply only to those.';
    addAt(check, path, runError('constraint_not_on_sampler', `'${name}' is not a sampler column.`, remedy));
  } else {
    const remedy = suggest(check, name, { among: types.keys() });
    addAt(check, path, runError('unknown_column', `there is no column '${name}'.`, remedy));
  }
  return undefined;
}

/** Whether every finite number satisfies a comparison with an infinite one. */
function holdsAlways(operator: Constraint['operator'], rhs: number): boolean {
  return rhs === (operator === 'lt' || operator === 'le' ? Infinity : -Infinity);
}
