import type { ColumnRegistry } from '@data-designer/config';
import { DataDesignerError, type Plan, type UserFunction } from '@data-designer/core';

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

/** The failure of a processor, in a row or in none, that a thrown value means. */
export function processorFailure(processor: string, row: number | null, thrown: unknown): DataDesignerError {
  const { code, message: reason } = DataDesignerError.fromUnknown(thrown);
  return new DataDesignerError('processor/failed', { processor, row, code, reason }, { cause: thrown });
}
