import type { Requirements } from '@data-designer/core';

/** Whether cells with these requirements use the gateway: they take time, others hardly any. */
export function needsGateway({ models, tools, outside, server }: Requirements): boolean {
  return models.length > 0 || tools.length > 0 || outside === true || server !== undefined;
}
