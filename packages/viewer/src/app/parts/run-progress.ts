import type { Overview } from '../../api/overview.ts';
import type { CellCounts } from '../../run-cells.ts';
import { formatCount, formatShare, twoDigits } from '../format.ts';

type Progress = NonNullable<Overview['progress']>;

/** `243 of 600 (41 %)`. */
export function describeCells({ done, wanted }: CellCounts): string {
  return `${formatCount(done)} of ${formatCount(wanted)} (${formatShare(done / wanted).replace(' ', '\u00A0')})`;
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
