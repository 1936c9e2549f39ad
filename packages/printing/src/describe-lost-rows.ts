import type { LostRowsChoice } from '@data-designer/engine';
import { formatCost, pluralize } from './format-numbers.ts';

/** The command that makes lost rows again. */
export const RETRY_COMMAND = 'the same create command with --resume always --retry-lost';

/** What precedes the way to make lost rows again: about what that costs, if it is known. */
export function priceOfRetry(cost: number | null): string {
  return cost === null ? '' : `, for about ${formatCost(cost)}`;
}

/** Says how lost rows are made again, at what cost, or why not; undefined without lost rows. `how` names the command or call. */
export function describeLostRows({ lost, retriable, stay }: LostRowsChoice, how: string): string | undefined {
  if (retriable) {
    const { rows, cost } = retriable;
    return `${pluralize(rows, 'lost row')} can be made again${priceOfRetry(cost)}: ${how}`;
  }
  if (lost === 0) return undefined;
  return `${pluralize(lost, 'lost row')} cannot be made again: ${stay}`;
}
