import { addToColumn, type Check } from './check.ts';
import { dependenciesOf } from './dependencies.ts';
import { orderColumns } from './order-columns.ts';

/** Columns must not wait for each other. */
export function checkOrder(check: Check): void {
  const sorted = orderColumns(dependenciesOf(check.facts, check.config.constraints));
  if ('order' in sorted) return;
  const [first = ''] = sorted.circle;
  addToColumn(check, first, {
    field: [],
    stage: 'run',
    type: 'circular_reference',
    level: 'ERROR',
    message: `the columns wait for each other: ${sorted.circle.join(' -> ')}.`,
    remedy: 'Take one of these references out.',
  });
}
