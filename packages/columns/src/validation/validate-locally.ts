import type { ErrorObject } from 'ajv';
import {
  type Cell,
  type CellValue,
  DataDesignerError,
  type FunctionHandle,
  type WrittenRow,
} from '@data-designer/core';
import { describeViolation, isValidSchema, type JsonSchema, loadAjv, plainNumbers } from '@data-designer/json-schema';
import { badResult, isMembers, kindOf, resultPerRow, unboxedRow } from '../cell-members.ts';
import { resultsSchema } from './results-schema.ts';

/** Concurrent batches: a function that waits for I/O need not wait for each. */
const BATCHES_AT_A_TIME = 4;

/** The fields of a validation by a function. */
export interface LocalValidation {
  readonly name: string;
  readonly targetColumns: readonly string[];
  readonly batchSize: number;
  /** In a plan, the handle of the function. */
  readonly validationFunction: unknown;
  readonly outputSchema: JsonSchema | null;
}

/** Calls the validation function with batches of rows; a failed batch loses its rows, a bad result its row. */
export function validateLocally(check: LocalValidation): (cells: readonly Cell[]) => Promise<readonly WrittenRow[]> {
  const { name, batchSize } = check;
  const fits = check.outputSchema === null ? undefined : compileOutput(check.outputSchema);
  const one = async (cells: readonly Cell[]): Promise<readonly WrittenRow[]> => {
    try {
      const rows = cells.map((cell) => unboxedRow(cell, check.targetColumns));
      const results = await cells[0]?.run(check.validationFunction as FunctionHandle, [rows], { perRow: true });
      return judged(results, { name, rows: cells.length, fits });
    } catch (thrown) {
      const failure = DataDesignerError.fromUnknown(thrown);
      return cells.map(() => failure);
    }
  };
  return async (cells) => (await inLanes(batchesOf(cells, batchSize), one)).flat();
}

/** What is wrong with `{ data: rows }`, or with one of the rows where its index is given; undefined where nothing is. */
type Fits = (rows: readonly CellValue[], index?: number) => string | undefined;

/** Compiles `output_schema`; undefined for an invalid one, which the check before the run reports. */
function compileOutput(schema: JsonSchema): Fits | undefined {
  if (!isValidSchema(schema, schema['$schema'])) return undefined;
  const validate = loadAjv(schema['$schema']).compile(resultsSchema(schema).schema);
  return (rows, index) => {
    const looked = { data: index === undefined ? rows : [rows[index] ?? null] };
    if (validate(plainNumbers(looked))) return undefined;
    const errors = validate.errors ?? [];
    const own = index === undefined ? errors : ofRow(errors, index);
    return own.length === 0 ? undefined : describeViolation(own, { data: rows }, 'what it gave');
  };
}

/** The errors of one row, moved to its index in the batch. */
function ofRow(errors: readonly ErrorObject[], index: number): readonly ErrorObject[] {
  return errors
    .filter(({ instancePath }) => FIRST_ROW.test(instancePath))
    .map((error) => ({ ...error, instancePath: error.instancePath.replace(FIRST_ROW, `/data/${index}`) }));
}

const FIRST_ROW = /^\/data\/0(?=\/|$)/;

/** The results of a batch; unusable ones become failures of their rows. */
function judged(
  results: unknown,
  { name, rows, fits }: { readonly name: string; readonly rows: number; readonly fits: Fits | undefined },
): readonly WrittenRow[] {
  const list = resultPerRow(results, rows, name) as readonly (CellValue | DataDesignerError)[];
  const values = list.map((result) => (result instanceof DataDesignerError ? null : result));
  const outline = fits?.(values);
  const written = list.map((result, index): WrittenRow => {
    if (result instanceof DataDesignerError) return result;
    const reason = mistakeIn(result) ?? (outline === undefined ? undefined : fits?.(values, index));
    return reason === undefined ? [result] : badResult(name, reason);
  });
  const isFound = written.some((row) => row instanceof DataDesignerError);
  if (outline !== undefined && !isFound) throw badResult(name, `its results do not match output_schema: ${outline}`);
  return written;
}

function mistakeIn(result: CellValue): string | undefined {
  if (!isMembers(result)) {
    return `each result must be an object with is_valid, but one is ${kindOf(result)}`;
  }
  const isValid = result['is_valid'];
  if (typeof isValid === 'boolean' || isValid === null) return undefined;
  const found = isValid === undefined ? 'is not there' : `is ${kindOf(isValid)}`;
  return `is_valid must be true, false or null in each result, but ${found} in one`;
}

function batchesOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** Maps items concurrently, keeping their order. */
async function inLanes<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  // The lanes share one iterator: each takes the next item.
  const queue = items.entries();
  const lane = async (): Promise<void> => {
    for (const [at, item] of queue) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: BATCHES_AT_A_TIME }, lane));
  return results;
}
