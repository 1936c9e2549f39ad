import { type AnswerFlaw, FLAW_NAMES } from '@data-designer/core';
import type { ModelUsage } from '@data-designer/models';

/** Used answers of a column by flaw; see `ANSWER_FLAWS`. */
export type AnswerFlaws = { readonly column: string } & Readonly<Record<AnswerFlaw, number>>;

type UsageByColumn = Pick<ModelUsage, 'columns'>;

/** The flaws of each column's answers, over all model aliases; columns without a flaw are omitted. */
export function answerFlaws(usage: Readonly<Record<string, UsageByColumn>>): readonly AnswerFlaws[] {
  const counted = FLAW_NAMES.map((flaw) => [flaw, answersByColumn(usage, `${flaw}Answers`)] as const);
  const columns = new Set(counted.flatMap(([, answers]) => [...answers.keys()]));
  return [...columns].map((column) => {
    const counts = counted.map(([flaw, answers]) => [flaw, answers.get(column) ?? 0] as const);
    return { column, ...(Object.fromEntries(counts) as Record<AnswerFlaw, number>) };
  });
}

/** The sums of a count by column, without zeros and without requests that belong to no column. */
export function answersByColumn(
  usage: Readonly<Record<string, UsageByColumn>>,
  key: `${AnswerFlaw | 'recoveredTool'}Answers`,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { columns } of Object.values(usage)) {
    for (const [column, attempts] of Object.entries(columns)) {
      for (const counts of Object.values(attempts)) {
        const answers = column === '' ? 0 : counts[key];
        if (answers > 0) sums.set(column, (sums.get(column) ?? 0) + answers);
      }
    }
  }
  return sums;
}
