import type { ColumnRegistry } from '@data-designer/config';
import type { Plan, UserFunction } from '@data-designer/core';

/**
 * The functions that types of processors make of the declarations in a plan, by the handles that the plan has of them:
 * every thread that has the type has them, unlike those that a declaration holds.
 */
export function processorFunctions(
  { processors }: Pick<Plan, 'processors'>,
  registry: ColumnRegistry,
): ReadonlyMap<string, UserFunction> {
  const functions = new Map<string, UserFunction>();
  for (const { config, process } of processors) {
    const made = process && registry.processorOf(config).process?.(config as never);
    if (process && typeof made === 'function') functions.set(process.handle, made);
  }
  return functions;
}
