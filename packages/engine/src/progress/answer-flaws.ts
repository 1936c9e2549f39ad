import type { ModelCounts, ModelUsage } from '@data-designer/models';

/** Accepted answers of a column with a flaw. */
export interface AnswerFlaws {
  readonly column: string;
  /** Cut off at their token limit (finish reason `length`). */
  readonly cut: number;
  /** Without text and without a tool call. */
  readonly empty: number;
  /** With content that is no text. */
  readonly nonText: number;
  /** With bytes that were no UTF-8. */
  readonly garbled: number;
}

type FlawCounts = Pick<ModelCounts, 'cutAnswers' | 'emptyAnswers' | 'nonTextAnswers' | 'garbledAnswers'>;
type UsageByColumn = Pick<ModelUsage, 'columns'>;

/** The flaws of each column's answers, over all model aliases; columns without a flaw are omitted. */
export function answerFlaws(usage: Readonly<Record<string, UsageByColumn>>): readonly AnswerFlaws[] {
  const found = new Map<string, AnswerFlaws>();
  for (const { columns } of Object.values(usage)) {
    for (const [column, attempts] of Object.entries(columns)) {
      for (const counts of Object.values(attempts)) addFlaws(found, column, counts);
    }
  }
  return [...found.values()];
}

function addFlaws(found: Map<string, AnswerFlaws>, column: string, counts: Partial<FlawCounts>): void {
  // Usage logs of older versions lack these counts.
  const { cutAnswers = 0, emptyAnswers = 0, nonTextAnswers = 0, garbledAnswers = 0 } = counts;
  if (column === '' || cutAnswers + emptyAnswers + nonTextAnswers + garbledAnswers === 0) return;
  const { cut = 0, empty = 0, nonText = 0, garbled = 0 } = found.get(column) ?? {};
  found.set(column, {
    column,
    cut: cut + cutAnswers,
    empty: empty + emptyAnswers,
    nonText: nonText + nonTextAnswers,
    garbled: garbled + garbledAnswers,
  });
}
