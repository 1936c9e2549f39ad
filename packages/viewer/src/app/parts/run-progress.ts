import type { FailureGroup } from '../../api/failures.ts';
import type { Overview } from '../../api/overview.ts';
import type { CellCounts } from '../../run-cells.ts';
import { formatCount, formatShare, pluralize, twoDigits } from '../format.ts';

type Progress = NonNullable<Overview['progress']>;

/** `243 of 600 (41 %)`. */
export function describeCells({ done, wanted }: CellCounts): string {
  return `${formatCount(done)} of ${formatCount(wanted)} (${formatShare(done / wanted).replace(' ', '\u00A0')})`;
}

/** The rows of the plan that a run has lost so far, or did. */
export function lostRowsOf({ progress, lost }: Pick<Overview, 'progress' | 'lost'>): number {
  return progress?.rows.lost ?? lost.reduce((sum, { rows }) => sum + rows, 0);
}

/** Why the table has fewer rows than are finished; undefined where it has them all. */
export function describeWaiting({ state, progress, rows }: Pick<Overview, 'state' | 'progress' | 'rows'>) {
  const waiting = state === 'running' && progress !== null ? progress.rows.done - rows : 0;
  if (waiting <= 0) return undefined;
  const are = waiting === 1 ? 'is' : 'are';
  return `${pluralize(waiting, 'finished row')} ${are} not in the table yet: it has the rows of a row group once all of them are finished.`;
}

/** What went wrong in a run so far, in a line. */
export function describeProblems(groups: readonly Pick<FailureGroup, 'column' | 'cells'>[], lost: number): string {
  const cells = groups.reduce((sum, group) => sum + group.cells, 0);
  if (cells === 0 && lost === 0) return 'No problems so far: no cell failed, and no row is lost.';
  const columns = new Set(groups.map(({ column }) => column)).size;
  const failed = `${pluralize(cells, 'failed cell')} in ${pluralize(columns, 'column')}`;
  return [...(cells === 0 ? [] : [failed]), ...(lost === 0 ? [] : [pluralize(lost, 'lost row')])].join(', ');
}

/** The columns without a finished cell: the time left does not count them while it has no upper end. */
export function uncountedColumns({ columns, etaRange }: Progress): readonly string[] {
  return etaRange?.most === null ? columns.flatMap(({ column, done }) => (done === 0 ? column : [])) : [];
}

/** When a run ends by its last report, as times of day: `18:40 to 19:05`; null where no end is known. */
export function endTimes({ etaSeconds, etaRange }: Progress, reportedAt: string): string | null {
  if (etaSeconds === null) return null;
  const reported = Date.parse(reportedAt);
  const clock = (seconds: number): string => {
    const at = new Date(reported + seconds * 1000);
    const time = `${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;
    const isSameDay = at.toDateString() === new Date(reported).toDateString();
    return isSameDay ? time : `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())} ${time}`;
  };
  if (!etaRange) return `about ${clock(etaSeconds)}`;
  const [least, most] = [clock(etaRange.least), etaRange.most === null ? null : clock(etaRange.most)];
  if (most === null) return `not before ${least}`;
  return least === most ? `about ${least}` : `${least} to ${most}`;
}
