import type { ArrowField, Batch, Plan, PlannedProcessor } from '@data-designer/core';
import { ROW_ID } from '@data-designer/config';
import { functionsHere } from '../functions/local-functions.ts';
import { applyProcess, type FunctionCaller } from './apply-processor.ts';
import { besideBatch, type MadeRows } from './side-table.ts';
import type { FilledGroup } from './fill-columns.ts';
import type { PreparedPlan } from './prepare-plan.ts';

/** What processors work with. */
export interface ProcessorTools {
  readonly functions?: FunctionCaller | undefined;
  /** Whether rows may come and go before they are written, as in a preview. */
  readonly mayChangeRows?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** The rows of a group as they are written, and the tables beside them in the order of `sideTables`. */
interface ProcessedRows {
  readonly main: Batch;
  readonly beside: readonly Batch[];
}

/** Does with the seed and sampled columns of a group what processors do before its rows open. Throws `processor/*`. */
export async function processFilled(
  prepared: PreparedPlan,
  { columns, positions }: FilledGroup,
  tools: ProcessorTools,
): Promise<void> {
  const { plan, local } = prepared;
  const fields = local.flatMap(({ column }) => (column.name === ROW_ID ? [] : column.writes));
  for (const processor of plan.processors) {
    if (processor.stage !== 'pre_batch') continue;
    const batch = { fields, columns, rows: positions.length };
    const made = await applyProcess(batch, {
      processor,
      functions: callerOf(processor, prepared, tools),
      mayChangeRows: false,
    });
    for (const [name, values] of made.columns) columns.set(name, values);
  }
}

/** Does with the rows of a group what processors do before they are written, in their order. Throws `processor/*`. */
export async function processRows(
  prepared: PreparedPlan,
  made: MadeRows,
  tools: ProcessorTools,
): Promise<ProcessedRows> {
  const { plan, beside: makers, drops } = prepared;
  const { mayChangeRows = false } = tools;
  let current = made;
  let fields = plan.processors.some(({ process }) => process) ? allFields(plan) : [];
  const beside: Batch[] = [];
  for (const processor of plan.processors) {
    if (processor.stage !== 'post_batch') continue;
    fields = fields.filter(({ name }) => !drops(processor, name));
    const batch = { fields, columns: current.columns, rows: current.rows };
    const next = await applyProcess(batch, {
      processor,
      functions: callerOf(processor, prepared, tools),
      mayChangeRows,
    });
    if (next !== batch) current = replaced(current, next);
    if (processor.beside) beside.push(besideBatch(makers, current, processor));
  }
  const { columns, rows } = current;
  const left = plan.dropped && plan.dropped.length > 0 ? [{ fields: plan.dropped, columns, rows }] : [];
  return { main: { fields: plan.fields, columns, rows }, beside: [...left, ...beside] };
}

function allFields({ columns }: Plan): readonly ArrowField[] {
  return columns.flatMap(({ name, writes }) => (name === ROW_ID ? [] : writes));
}

/** What its type has made is called in this thread, what its declaration held where that was. */
function callerOf(
  { process }: PlannedProcessor,
  prepared: PreparedPlan,
  { functions, signal }: ProcessorTools,
): FunctionCaller | undefined {
  if (!process || !prepared.functions.has(process.handle)) return functions;
  const here = functionsHere(prepared.functions, signal);
  // What a function changes in its rows must not change rows that others are made of.
  return { call: (handle, args, use) => here.call(handle, structuredClone(args), use) };
}

/** The rows with what a processor has made of them; rows that came and went have no place in the run any more. */
function replaced(before: MadeRows, { columns, rows }: Batch): MadeRows {
  const rowIndexOf = rows === before.rows ? before.rowIndexOf : (position: number) => position;
  return { ...before, columns: new Map([...before.columns, ...columns]), rows, rowIndexOf };
}
