import type { ColumnRegistry } from '@data-designer/config';
import type { Plan, UserFunction } from '@data-designer/core';

/**
 * The processor functions that processor types make, by their handles in the plan. Every thread can make them, unlike
 * functions that a declaration holds.
 */
export function processorFunctions(
  { processors }: Pick<Plan, 'processors'>,
  registry: ColumnRegistry,
): ReadonlyMap<string, UserFunction> {
  const functions = new Map<string, UserFunction>();
  for (const { config, process } of processors) {
    const made = process && registry.processorOf(config).process?.(config);
    if (process && typeof made === 'function') functions.set(process.handle, made);
  }
  return functions;
}
