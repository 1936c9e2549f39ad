import type { RecordDisplay } from '../../records/sample-record/record-display.ts';
import { type RecordFlags, shownAsTold } from '../flags/record-flags.ts';

/** Which records are shown. */
interface ShownRange {
  /** The position of the first. */
  readonly first: number;
  readonly count: number;
}

/** Lets somebody browse records from the first on, or prints so many of them where nobody could or should. */
export async function showRecords(
  display: RecordDisplay,
  flags: RecordFlags,
  { first, count }: ShownRange,
): Promise<void> {
  const options = shownAsTold(flags);
  const { browseRecords, ownTerminal } = await import('./browse-records.ts');
  const end = Math.min(first + count, display.count);
  const terminal = flags.nonInteractive === true ? undefined : ownTerminal();
  if (terminal && end - first > 1) return browseRecords(display, terminal, { ...options, first });
  for (let index = first; index < end; index++) process.stdout.write(await display.text(index, options));
}
