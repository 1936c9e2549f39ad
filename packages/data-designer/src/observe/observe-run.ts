import type { RunEvent, RunObserver } from '@data-designer/engine';
import { CallLog } from './call-log.ts';

/** Who listens to a run. */
export interface ObservedRun {
  /** The file of the call log; undefined for none. */
  readonly callLog: string | undefined;
  readonly onEvent: (event: RunEvent) => void;
}

/** The listeners of a run. Without a call log there is no observer, so that nothing is collected. */
export type Listeners = Pick<ObservedRun, 'onEvent'> & { readonly observer: RunObserver | undefined };

/** Runs `work` and reports its calls to the call log. */
export async function observeRun<Results>(
  { callLog, onEvent }: ObservedRun,
  work: (listeners: Listeners) => Promise<Results>,
): Promise<Results> {
  using log = callLog === undefined ? undefined : await CallLog.open(callLog, onEvent);
  return await work({ onEvent, observer: log?.observer });
}
