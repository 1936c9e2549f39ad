import {
  type Batch,
  type CellValue,
  DataDesignerError,
  type FunctionHandle,
  type FunctionUse,
  type PlannedProcessor,
  type Row,
  unboxed,
} from '@data-designer/core';
import { batchOf } from '@data-designer/dataset';

/** Calls functions by their handles. */
export interface FunctionCaller {
  call(handle: FunctionHandle, args: readonly unknown[], use?: FunctionUse): Promise<unknown>;
}

/** A batch in the hands of a processor. */
export interface ProcessParts {
  readonly processor: PlannedProcessor;
  readonly functions: FunctionCaller | undefined;
  /** Whether rows may come and go. */
  readonly mayChangeRows: boolean;
}

/**
 * A batch as a processor gives it back, of the same columns; itself where the processor leaves it as it is. Throws
 * `processor/*`.
 */
export async function applyProcess(batch: Batch, parts: ProcessParts): Promise<Batch> {
  const { config, stage, process } = parts.processor;
  if (!process) return batch;
  const given = await callProcess(process, recordsOf(batch), parts);
  const refuse = (reason: string) => new DataDesignerError('processor/bad-rows', { processor: config.name, reason });
  if (!Array.isArray(given)) throw refuse('it is no list');
  const rows = given as readonly unknown[];
  if (rows.length !== batch.rows && !parts.mayChangeRows) {
    const counts = { given: batch.rows, made: rows.length };
    throw new DataDesignerError('processor/changed-rows', { processor: config.name, stage, ...counts });
  }
  const names = new Set(batch.fields.map(({ name }) => name));
  rows.forEach((row, at) => {
    const mistake = mistakeIn(row, names);
    if (mistake !== undefined) throw refuse(`row ${at} of them ${mistake}`);
  });
  const made = batchOf(rows as readonly Row[], batch.fields);
  await refuseMisfits(made, refuse);
  return made;
}

async function callProcess(
  process: FunctionHandle,
  records: readonly Row[],
  { processor: { config, stage }, functions }: ProcessParts,
): Promise<unknown> {
  try {
    return await functions?.call(process, [records], { given: { processor: config.name, stage } });
  } catch (thrown) {
    const { code, message: reason } = DataDesignerError.fromUnknown(thrown);
    if (!code.startsWith('function/')) throw thrown;
    throw new DataDesignerError(
      'processor/failed',
      { processor: config.name, row: null, code, reason },
      { cause: thrown },
    );
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

function mistakeIn(row: unknown, names: ReadonlySet<string>): string | undefined {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return 'is no object';
  const missing = [...names].find((name) => !Object.hasOwn(row, name));
  if (missing !== undefined) return `lacks the column '${missing}'`;
  const other = Object.keys(row).find((name) => !names.has(name));
  return other === undefined ? undefined : `has '${other}', which is no column of theirs`;
}

/** What does not fit is found before anything is paid for or written with it. */
async function refuseMisfits(batch: Batch, refuse: (reason: string) => DataDesignerError): Promise<void> {
  const { encodeBatch } = await import('@data-designer/dataset/write');
  try {
    encodeBatch(batch);
  } catch (thrown) {
    const { code, message } = DataDesignerError.fromUnknown(thrown);
    throw code === 'dataset/misfit' ? refuse(message.replace(/\.$/, '')) : thrown;
  }
}
