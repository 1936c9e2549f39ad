import type { Spending } from '@data-designer/core';

/** Whether cells that spend so ask the outside: they take time, others next to none. */
export function needsGateway({ models, tools, outside, server }: Spending): boolean {
  return models.length > 0 || tools.length > 0 || outside === true || server !== undefined;
}
