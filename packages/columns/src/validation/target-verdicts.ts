import { type ArrowField, type CellValue, field, type Row, type WrittenValues } from '@data-designer/core';

/** The field of a validation with verdicts: one verdict, or with several targets one per target. */
export function verdictField(name: string, targets: readonly string[], verdict: readonly ArrowField[]): ArrowField {
  const type = { struct: verdict } as const;
  const [only, ...others] = new Set(targets);
  if (only === undefined || others.length === 0) return field(name, type);
  return field(name, { struct: [only, ...others].map((target) => field(target, type)) });
}

/** The cell of such a field, with targets judged one after the other; a target without a column is null. */
export async function verdictCell(
  row: Row,
  targets: readonly string[],
  verdictOn: (value: CellValue) => CellValue | Promise<CellValue>,
): Promise<WrittenValues> {
  const [only, ...others] = new Set(targets);
  const verdictOf = async (target: string) => verdictOn(row[target] ?? null);
  if (only === undefined) return [await verdictOn(null)];
  if (others.length === 0) return [await verdictOf(only)];
  const verdicts: [string, CellValue][] = [];
  for (const target of [only, ...others]) verdicts.push([target, await verdictOf(target)]);
  return [Object.fromEntries(verdicts)];
}
