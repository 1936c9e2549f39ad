import type { RetriableRows } from '@data-designer/engine';
import { formatCost, pluralize } from './format-numbers.ts';

/** What a user can do about lost rows. */
interface LostRowsChoice {
  /** How many rows are lost. */
  readonly lost: number;
  /** Those that can be made again. */
  readonly retriable: RetriableRows | null;
  /** Why the others stay lost; null where the plan allows to make them again. */
  readonly stay: string | null;
}

/** Says how lost rows are made again, at what cost, or why not; undefined without lost rows. `how` names the command or call. */
export function describeLostRows({ lost, retriable, stay }: LostRowsChoice, how: string): string | undefined {
  if (retriable) {
    const { rows, cost } = retriable;
    const price = cost === null ? '' : `, for about ${formatCost(cost)}`;
    return `${pluralize(rows, 'lost row')} can be made again${price}: ${how}`;
  }
  if (lost === 0 || stay === null) return undefined;
  return `${pluralize(lost, 'lost row')} cannot be made again: ${stay}`;
}
