import type { ModelCounts, ModelUsage } from '@data-designer/models';

/** Answers of a column that were taken though something is wrong with them. */
export interface AnswerFlaws {
  readonly column: string;
  /** Cut off at their token limit (finish reason `length`). */
  readonly cut: number;
  /** Without a word and without a call. */
  readonly empty: number;
  /** With content that is no text. */
  readonly nonText: number;
  /** With bytes that were no UTF-8. */
  readonly garbled: number;
}

type FlawCounts = Pick<ModelCounts, 'cutAnswers' | 'emptyAnswers' | 'nonTextAnswers' | 'garbledAnswers'>;
type UsageByColumn = Pick<ModelUsage, 'columns'>;

/** What is wrong with the answers of each column, over all model aliases; columns without a flaw are left out. */
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
  // Usage of older versions does not count them.
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

/** Warns of answers that were cut off, once a column; the run's end has the counts. */
export function cutWarnings(
  warn: (event: { readonly type: 'answer-cut'; readonly column: string }) => void,
): (flaws: readonly AnswerFlaws[]) => void {
  const warned = new Set<string>();
  return (flaws) => {
    for (const { column, cut } of flaws) {
      if (cut === 0 || warned.has(column)) continue;
      warned.add(column);
      warn({ type: 'answer-cut', column });
    }
  };
}
