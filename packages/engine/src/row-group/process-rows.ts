import type { ArrowField, Batch, Plan, PlannedProcessor } from '@data-designer/core';
import { ROW_ID } from '@data-designer/config';
import { localFunctions } from '../functions/local-functions.ts';
import type { Functions } from '../functions/functions.ts';
import { applyProcessor } from './apply-processor.ts';
import type { FilledGroup } from './fill-columns.ts';
import type { RowGroupContext } from './group-context.ts';
import type { PreparedPlan } from './prepare-plan.ts';
import { batchAt, type MadeRows, type RefusedRow, rowsAt, sideTableRows } from './side-table.ts';

type ProcessorContext = Pick<RowGroupContext, 'functions' | 'signal' | 'mayChangeRows'>;

/** The rows of a group as they are written, and their side tables in the order of `sideTables`. */
interface ProcessedRows {
  readonly main: Batch;
  readonly sideTables: readonly Batch[];
  /** The rows that a processor cannot make: no table has them. */
  readonly refused: readonly RefusedRow[];
}

/** Runs the pre-batch processors on the seed and sampled columns of a group. Throws `processor/*`. */
export async function processFilled(
  prepared: PreparedPlan,
  { columns, positions }: FilledGroup,
  context: ProcessorContext,
): Promise<void> {
  const { plan, local, drops, adds } = prepared;
  const first = plan.processors.filter(({ stage }) => stage === 'pre_batch');
  const added = new Set(first.flatMap(adds).map(({ name }) => name));
  let fields = local.flatMap(({ column }) =>
    column.name === ROW_ID ? [] : column.writes.filter(({ name }) => !added.has(name)),
  );
  for (const processor of first) {
    const batch = { fields, columns, rows: positions.length };
    fields = [...fields.filter(({ name }) => !drops(processor, name)), ...adds(processor)];
    const made = await applyProcessor(batch, {
      processor,
      fields,
      functions: callerOf(processor, prepared, context),
      mayChangeRows: false,
    });
    for (const [name, values] of made.columns) columns.set(name, values);
  }
}

/** Runs the post-batch processors on the finished rows of a group, in order. Throws `processor/*`. */
export async function processRows(
  prepared: PreparedPlan,
  made: MadeRows,
  context: ProcessorContext,
): Promise<ProcessedRows> {
  const { plan, sideTables: makers, drops, adds } = prepared;
  const isRemoved = (name: string) => plan.processors.some((one) => one.stage === 'pre_batch' && drops(one, name));
  const { mayChangeRows = false } = context;
  let current = made;
  let fields = plan.processors.some(({ process }) => process)
    ? allFields(plan).filter(({ name }) => !isRemoved(name))
    : [];
  let sideTables: readonly Batch[] = [];
  const refused: RefusedRow[] = [];
  for (const processor of plan.processors) {
    if (processor.stage !== 'post_batch') continue;
    const batch = { fields, columns: current.columns, rows: current.rows };
    fields = [...fields.filter(({ name }) => !drops(processor, name)), ...adds(processor)];
    const next = await applyProcessor(batch, {
      processor,
      fields,
      functions: callerOf(processor, prepared, context),
      mayChangeRows,
    });
    if (next !== batch) current = replaced(current, next);
    if (!processor.sideTable) continue;
    const table = await sideTableRows(makers, current, processor);
    if (table.refused.length > 0) {
      current = rowsAt(current, table.kept);
      sideTables = sideTables.map((one) => batchAt(one, table.kept));
      refused.push(...table.refused);
    }
    sideTables = [...sideTables, table.batch];
  }
  const { columns, rows } = current;
  const dropped = plan.dropped && plan.dropped.length > 0 ? [{ fields: plan.dropped, columns, rows }] : [];
  return { main: { fields: plan.fields, columns, rows }, sideTables: [...dropped, ...sideTables], refused };
}

function allFields({ columns }: Plan): readonly ArrowField[] {
  return columns.flatMap(({ name, writes }) => (name === ROW_ID ? [] : writes));
}

/** A function that the processor's type made runs in this thread; one that the declaration held runs where it was declared. */
function callerOf(
  { process }: PlannedProcessor,
  prepared: PreparedPlan,
  { functions, signal }: ProcessorContext,
): Pick<Functions, 'call'> | undefined {
  if (!process || !prepared.functions.has(process.handle)) return functions;
  const here = localFunctions(prepared.functions, { signal });
  // A function may change its arguments, and other tables are made of the same rows.
  return { call: (handle, args, use) => here.call(handle, structuredClone(args), use) };
}

/** The rows with a processor's result; rows that it added or removed have no index in the run. */
function replaced(before: MadeRows, { columns, rows }: Batch): MadeRows {
  const rowIndexOf = rows === before.rows ? before.rowIndexOf : (position: number) => position;
  return { ...before, columns: new Map([...before.columns, ...columns]), rows, rowIndexOf };
}
