import type { ExhaustedRows } from '@data-designer/core';
import type { AttemptFigures } from '@data-designer/engine';
import { formatCost, formatCount, formatShare, pluralize } from './format-numbers.ts';

/** The blocks of attempts as texts: how many rows were accepted after how many attempts, and why the others were not. */
export function describeAttempts(attempts: Readonly<Record<string, AttemptFigures>>): readonly string[] {
  const begun = Object.entries(attempts).filter(([, { rows }]) => rows > 0);
  return begun.flatMap(([block, figures]) => [
    `Attempts '${block}': ${describeBlock(figures)}`,
    ...figures.exhausted.map((one) => `Attempts '${block}': ${describeExhausted(one)}`),
  ]);
}

function describeBlock(figures: AttemptFigures): string {
  const { attempts, failedAttempts, costPerAccepted: cost } = figures;
  return [
    describePasses(figures),
    `${pluralize(attempts, 'attempt')}${failedAttempts > 0 ? `, ${formatCount(failedAttempts)} with a failed cell` : ''}`,
    ...(cost === null || cost === 0 ? [] : [`cost ${formatCost(cost)} per accepted row`]),
  ].join('; ');
}

/** The accepted rows of a block, and the share by attempt 1, 2, 4, 8 and so on up to the last one. */
export function describePasses({
  rows,
  accepted,
  attemptsPerAccepted: pace,
  passAt,
  max,
  keep,
}: AttemptFigures): string {
  const shown = shownAttempts(passAt === null ? 0 : max, 1);
  const shares = shown.map((attempt) => `pass@${attempt} ${formatShare(passAt?.[attempt - 1] ?? 0)}`);
  return [
    `${formatCount(accepted)} of ${pluralize(rows, 'row')} ${KEPT[keep]}`,
    ...(pace === null ? [] : [`${pace.toFixed(2)} attempts per accepted row`]),
    ...(shares.length === 0 ? [] : [shares.join(', ')]),
  ].join('; ');
}

const KEPT = {
  first: 'accepted',
  best: 'with a best attempt',
  pair: 'with a pair',
  all: 'with values',
} as const satisfies Record<AttemptFigures['keep'], string>;

/** The attempts of which a share is shown: all up to `most`, then 2, 4, 8 and so on, and the last one. */
export function shownAttempts(max: number, most: number): readonly number[] {
  const all = Array.from({ length: max }, (_, at) => at + 1);
  return max <= most ? all : all.filter((attempt) => attempt === max || Number.isInteger(Math.log2(attempt)));
}

/** Why rows have no accepted attempt, with the verdict on the last attempt of the first one. */
function describeExhausted({ kind, reason, rows, row, verdict }: ExhaustedRows): string {
  const why = `${REASONS[kind]}${reason === '' ? '' : ` (${reason})`}`;
  const isSaid = verdict === `'until' refused ${reason}.`;
  return `${pluralize(rows, 'row')} not accepted: ${why}${isSaid ? '' : `; in row ${row} (from 0): ${verdict}`}`;
}

const REASONS = {
  refused: "'until' refused the last attempt",
  failed: 'a cell of the last attempt failed',
  no_score: 'no attempt has a score',
  equal_scores: 'all scores are equal',
} as const satisfies Record<ExhaustedRows['kind'], string>;
