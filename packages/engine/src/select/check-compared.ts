import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findTable, type SelectConfig } from '@data-designer/config';
import { DataDesignerError, type FieldPath, type PlannedSelect } from '@data-designer/core';
import { readDataset } from '@data-designer/dataset';
import { readBenchmarks } from '@data-designer/seeds';
import { planSelect } from '../compile/plan-select.ts';

/** A mistake in a file or dataset that a selection compares rows with. */
export interface ComparedMistake {
  readonly path: FieldPath;
  readonly failure: DataDesignerError;
}

/**
 * The mistakes that only the content of benchmark files and of other datasets shows, such as a file without texts. Files and
 * folders that do not exist are left to the check of the declaration.
 */
export async function checkCompared(declared: SelectConfig): Promise<readonly ComparedMistake[]> {
  const { select } = planSelect(declared);
  const { notIn } = select ?? {};
  const mistakes: ComparedMistake[] = [];
  const folder = process.cwd();
  for (const [index, file] of (notIn?.files ?? []).entries()) {
    if (!notIn || !('files' in findTable(file, folder))) continue;
    const failure = await failureOf(() => readBenchmarks([file], { ...notIn, folder }));
    if (failure) mistakes.push({ path: ['select', 'notIn', 'files', index], failure });
  }
  for (const [index, other] of (select?.uniqueAgainst ?? []).entries()) {
    if (!select || !existsSync(join(other, 'parquet-files'))) continue;
    const failure = await failureOf(() => checkFirstRow(other, select));
    if (failure) mistakes.push({ path: ['select', 'uniqueAgainst', index], failure });
  }
  return mistakes;
}

/** Throws `dataset/no-column` for a row of another dataset without a column that the rules compare. */
export function requireCompared(
  folder: string,
  row: Readonly<Record<string, unknown>>,
  { unique }: PlannedSelect,
): void {
  const compared = unique.flatMap((rule) => ('columns' in rule ? rule.columns : [rule.column]));
  const column = compared.find((name) => !Object.hasOwn(row, name));
  if (column === undefined) return;
  throw new DataDesignerError('dataset/no-column', { path: folder, column, known: Object.keys(row) });
}

async function checkFirstRow(folder: string, select: PlannedSelect): Promise<void> {
  for await (const row of readDataset(folder)) return requireCompared(folder, row, select);
}

async function failureOf(work: () => Promise<unknown>): Promise<DataDesignerError | undefined> {
  return work().then(
    () => undefined,
    (thrown: unknown) => DataDesignerError.fromUnknown(thrown),
  );
}
