import {
  type ArrowField,
  type ColumnConfig,
  encodedField,
  type FunctionHandle,
  type Plan,
  type PlannedProcessor,
  type UserFunction,
} from '@data-designer/core';
import { type ColumnFacts, type ColumnRegistry, type Processor, ROW_ID } from '@data-designer/config';
import { withHandles } from '../functions/plan-functions.ts';
import { processorFailure } from '../functions/processor-functions.ts';
import { withLargeFloats } from './large-floats.ts';

/**
 * Plans the processors, and the fields of the written table: seed columns, sampled columns, then the others as they are
 * declared. A column marked as dropped keeps its side effects.
 */
export function planProcessors(
  facts: readonly ColumnFacts[],
  processors: readonly Processor[],
  { keepsDropped, registry }: { readonly keepsDropped: boolean; readonly registry: ColumnRegistry },
): Pick<Plan, 'fields' | 'dropped' | 'processors'> {
  const isDroppedByOne = (name: string) => processors.some((one) => registry.processorOf(one).drops?.(one, name));
  const fields: ArrowField[] = [];
  const dropped: ArrowField[] = [];
  for (const { column, writes } of facts.toSorted((one, other) => placeOf(one) - placeOf(other))) {
    if (column.name === ROW_ID) continue;
    for (const field of writes) {
      const isDropped = (column.drop && field.name === column.name) || isDroppedByOne(field.name);
      (isDropped ? dropped : fields).push(storedField(column, field));
    }
  }
  // Those of the stage `pre_batch` are columns of the plan.
  const late = processors.filter((one) => registry.stageOf(one) !== 'pre_batch');
  const added = late.flatMap((one) => registry.processorOf(one).adds?.(one) ?? []);
  for (const field of added) {
    (isDroppedByOne(field.name) ? dropped : fields).push(field);
  }
  const read = new Map([...facts.flatMap(({ writes }) => writes), ...added].map((field) => [field.name, field]));
  const planned = processors.map((one) => triedPlanning(one, { registry, read }));
  return { fields, dropped: keepsDropped ? dropped : null, processors: planned };
}

/** The field under which files have a column: side effects keep their own. */
function storedField({ name, storageEncoding }: ColumnConfig, field: ArrowField): ArrowField {
  return storageEncoding === 'json' && field.name === name ? encodedField(name) : field;
}

/** Sorts seed columns first and sampled ones second. */
function placeOf({ type }: ColumnFacts): number {
  if (type.ofSeed) return 0;
  return 'fill' in type ? 1 : 2;
}

interface KnownParts {
  readonly registry: ColumnRegistry;
  /** The fields of all columns, by name. */
  readonly read: ReadonlyMap<string, ArrowField>;
}

/** An error thrown by a plug-in names its processor. */
function triedPlanning(one: Processor, known: KnownParts): PlannedProcessor {
  try {
    return plannedProcessor(one, known);
  } catch (thrown) {
    throw processorFailure(one.name, null, thrown);
  }
}

function plannedProcessor(processor: Processor, { registry, read }: KnownParts): PlannedProcessor {
  const { sideTable, process } = registry.processorOf(processor);
  const config = processor as never;
  const planned = withHandles(withLargeFloats(processor), processorHandle(processor.name));
  return {
    config: planned,
    stage: registry.stageOf(processor),
    sideTable: sideTable ? { fields: sideTable.fields(config, read), reads: sideTable.reads(config) } : null,
    process: handleOf(process?.(planned), processor.name),
  };
}

/** The handle of a processor's function, declared or made by its type. */
function handleOf(made: FunctionHandle | UserFunction | undefined, name: string): FunctionHandle | null {
  return typeof made === 'function' ? { handle: processorHandle(name) } : (made ?? null);
}

/** The path of a processor's functions in a declaration. */
export function processorHandle(name: string): string {
  return `processors.${name}`;
}
