import { formatCost, formatCount, formatShare, shownAttempts } from '@data-designer/printing';
import type { DatasetProfile } from '@data-designer/profile';
import type { ColumnFacts } from './column-facts.ts';

/** The headings of tables of attempts whose text wraps. */
export const ATTEMPT_TEXTS: readonly string[] = ['block', 'reason', 'verdict'];

/** A block with more attempts has rows for some of them. */
const MOST_ATTEMPTS = 16;

/** The tables of a dataset with blocks of attempts: figures, the share of rows by attempt, and why rows have none. */
export function attemptTables({
  attempts = {},
}: Pick<DatasetProfile, 'attempts'>): readonly (readonly ColumnFacts[])[] {
  const blocks = Object.entries(attempts);
  const figures = blocks.map(([block, { keep, rows, accepted, attempts: made, failedAttempts, ...further }]) => ({
    block,
    keep,
    rows: formatCount(rows),
    accepted: formatCount(accepted),
    attempts: formatCount(made),
    'with a failed cell': formatCount(failedAttempts),
    'attempts per accepted row': further.attemptsPerAccepted?.toFixed(2) ?? '',
    'cost per accepted row': further.costPerAccepted ? formatCost(further.costPerAccepted) : '',
  }));
  const passes = blocks.flatMap(([block, { acceptedAt, passAt }]) =>
    shownAttempts(passAt?.length ?? 0, MOST_ATTEMPTS).map((attempt) => ({
      block,
      attempt: String(attempt),
      'accepted rows': formatCount(acceptedAt?.[attempt - 1] ?? 0),
      'pass@k': formatShare(passAt?.[attempt - 1] ?? 0),
    })),
  );
  const reasons = blocks.flatMap(([block, { exhausted }]) =>
    exhausted.map(({ kind, reason, rows, row, verdict }) => ({
      block,
      'rows without': formatCount(rows),
      reason: `${kind.replace('_', ' ')}${reason === '' ? '' : `: ${reason}`}`,
      'first row': String(row),
      verdict,
    })),
  );
  return [figures, passes, reasons].filter((rows) => rows.length > 0);
}
