import type { Plan } from '@data-designer/core';
import { isSelecting, mostCandidates } from '@data-designer/engine';
import { formatCount, formatShare } from '@data-designer/printing/format-numbers';

/** How many of the candidates of a sample the condition of a selection accepts. */
export interface AcceptedSample {
  /** Candidates in the sample. */
  readonly candidates: number;
  /** Candidates of the sample that `select.where` accepts. */
  readonly accepted: number;
}

/** The accepted rows of the candidates that a rehearsal counts, and the candidates of a run with as many accepted rows. */
export interface SelectionForecast extends AcceptedSample {
  /** Rows that `select.where` accepts of the candidates of the forecast. */
  readonly rowsAccepted: number;
  /** Candidates for as many accepted rows as the forecast has candidates; null if the sample has no accepted row. */
  readonly candidatesNeeded: number | null;
}

/** Scales the accepted share of a sample to the candidates of a forecast. */
export function forecastSelection(rows: number, { candidates, accepted }: AcceptedSample): SelectionForecast {
  return {
    candidates,
    accepted,
    rowsAccepted: Math.round((rows * accepted) / candidates),
    candidatesNeeded: accepted === 0 ? null : Math.ceil((rows * candidates) / accepted),
  };
}

/** Says what the number of rows counts in a rehearsal of a selection, and how many of them it accepts. */
export function describeSelection(real: Plan, rows: number, selected: SelectionForecast | undefined): string {
  if (!isSelecting(real)) return '';
  const intro =
    'The number (-n, or numRecords) counts candidates of the selection, not accepted rows, and all of them are completed';
  if (!selected)
    return `${intro}. How many it accepts is unknown: divide the figures by the share of them that you expect it to accept.`;
  const { candidates, accepted, rowsAccepted, candidatesNeeded } = selected;
  const share = `With the simulated answers, 'where' accepts ${accepted} of ${candidates} (${formatShare(accepted / candidates)})`;
  if (candidatesNeeded === null)
    return `${intro}. ${share}: divide the figures by the share that you expect of real ones.`;
  const most = mostCandidates({ ...real, segments: [{ firstRow: 0, rows, groupSize: rows }] });
  const excess = candidatesNeeded > most ? `, more than its max_candidates of ${formatCount(most)}` : '';
  const { unique, notIn, balance } = real.select;
  const hasFurther = unique.length > 0 || notIn !== undefined || balance !== undefined;
  const further = hasFurther ? ' Its other rules may refuse further ones.' : '';
  const counts = `${formatCount(rows)} candidates give about ${formatCount(rowsAccepted)} rows`;
  const needs = `${formatCount(rows)} rows need about ${formatCount(candidatesNeeded)} candidates${excess}`;
  const cheaper = real.select.keepRejected
    ? ''
    : ' The run does not complete a refused candidate, so it may cost less.';
  return `${intro}. ${share}: ${counts}, and ${needs}.${further} Real answers may be accepted more or less often.${cheaper}`;
}
