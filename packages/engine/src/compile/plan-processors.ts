import type { ArrowField, FunctionHandle, PlannedProcessor, Plan } from '@data-designer/core';
import { type ColumnFacts, type Processor, processorOf, ROW_ID } from '@data-designer/config';
import { withHandles } from '../functions/plan-functions.ts';
import { withLargeFloats } from './large-floats.ts';

/**
 * What is done with rows before they are written, and which columns stand where: those that a processor drops, or that are
 * marked so, are not in the written table. A column that is marked keeps its side effects.
 */
export function planProcessors(
  facts: readonly ColumnFacts[],
  processors: readonly Processor[],
  { keepsDropped }: { readonly keepsDropped: boolean },
): Pick<Plan, 'fields' | 'dropped' | 'processors'> {
  const fields: ArrowField[] = [];
  const dropped: ArrowField[] = [];
  for (const { column, writes } of facts) {
    if (column.name === ROW_ID) continue;
    for (const field of writes) {
      const isDropped = (column.drop && field.name === column.name) || isDroppedBy(processors, field.name);
      (isDropped ? dropped : fields).push(field);
    }
  }
  return { fields, dropped: keepsDropped ? dropped : null, processors: processors.map(plannedProcessor) };
}

function isDroppedBy(processors: readonly Processor[], name: string): boolean {
  return processors.some((one) => processorOf(one).drops?.(one as never, name));
}

function plannedProcessor(processor: Processor): PlannedProcessor {
  const { stage, beside, process } = processorOf(processor);
  const config = processor as never;
  const planned = withHandles(withLargeFloats(processor), processorPlace(processor.name));
  return {
    config: planned,
    stage: typeof stage === 'function' ? stage(config) : stage,
    beside: beside ? { fields: beside.fields(config), reads: beside.reads(config) } : null,
    // In the plan a handle stands in the function's place.
    process: (process?.(planned as never) as unknown as FunctionHandle | undefined) ?? null,
  };
}

/** The place of a processor's functions in a declaration. */
export function processorPlace(name: string): string {
  return `processors.${name}`;
}
