import {
  type Batch,
  type CellValue,
  DataDesignerError,
  type FunctionHandle,
  type PlannedProcessor,
  type Row,
  unboxed,
} from '@data-designer/core';
import { batchOf } from '@data-designer/dataset';
import type { Functions } from '../functions/functions.ts';
import { processorFailure } from '../functions/processor-functions.ts';

interface ProcessorRun {
  readonly processor: PlannedProcessor;
  readonly functions: Pick<Functions, 'call'> | undefined;
  /** The columns of its rows; those of the batch by default. */
  readonly fields?: Batch['fields'];
  /** Whether the processor may add and remove rows. */
  readonly mayChangeRows: boolean;
}

/** Runs a processor on a batch and returns its batch of the requested columns; the same batch for a processor without a function. Throws `processor/*`. */
export async function applyProcessor(batch: Batch, parts: ProcessorRun): Promise<Batch> {
  const { config, stage, process } = parts.processor;
  if (!process) return batch;
  const given = await callProcess(process, recordsOf(batch), parts);
  const refuse = (reason: string) => new DataDesignerError('processor/bad-rows', { processor: config.name, reason });
  if (!Array.isArray(given)) throw refuse('the result is not a list');
  const rows: readonly unknown[] = given;
  if (rows.length !== batch.rows && !parts.mayChangeRows) {
    const counts = { given: batch.rows, made: rows.length };
    throw new DataDesignerError('processor/changed-rows', { processor: config.name, stage, ...counts });
  }
  const { fields = batch.fields } = parts;
  // A row may still have the columns that are removed.
  const known = new Set([...batch.fields, ...fields].map(({ name }) => name));
  rows.forEach((row, at) => {
    const mistake = mistakeIn(row, fields, known);
    if (mistake !== undefined) throw refuse(`row ${at} of the result ${mistake}`);
  });
  const made = batchOf(rows as readonly Row[], fields);
  await refuseMisfits(made, refuse);
  return made;
}

async function callProcess(
  process: FunctionHandle,
  records: readonly Row[],
  { processor: { config, stage }, functions }: ProcessorRun,
): Promise<unknown> {
  try {
    return await functions?.call(process, [records], { given: { processor: config.name, stage } });
  } catch (thrown) {
    const isOfFunction = DataDesignerError.fromUnknown(thrown).code.startsWith('function/');
    throw isOfFunction ? processorFailure(config.name, null, thrown) : thrown;
  }
}

/** The rows of a batch as plain values. */
function recordsOf({ fields, columns, rows }: Batch): readonly Row[] {
  const records: Record<string, CellValue>[] = Array.from({ length: rows }, () => ({}));
  for (const { name } of fields) {
    const values = columns.get(name) ?? [];
    records.forEach((record, at) => {
      record[name] = plain(values[at] ?? null);
    });
  }
  return records;
}

function plain(value: CellValue): CellValue {
  if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) return Number(value);
  return unboxed(value);
}

function mistakeIn(row: unknown, fields: Batch['fields'], known: ReadonlySet<string>): string | undefined {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return 'is not an object';
  const missing = fields.find(({ name }) => !Object.hasOwn(row, name));
  if (missing !== undefined) return `has no column '${missing.name}'`;
  const other = Object.keys(row).find((name) => !known.has(name));
  return other === undefined ? undefined : `has the extra column '${other}'`;
}

/** Finds values that do not fit their columns before anything is paid for or written with them. */
async function refuseMisfits(batch: Batch, refuse: (reason: string) => DataDesignerError): Promise<void> {
  const { checkBatch } = await import('@data-designer/dataset/write');
  try {
    await checkBatch(batch);
  } catch (thrown) {
    const { code, message } = DataDesignerError.fromUnknown(thrown);
    throw code === 'dataset/misfit' ? refuse(message.replace(/\.$/, '')) : thrown;
  }
}
