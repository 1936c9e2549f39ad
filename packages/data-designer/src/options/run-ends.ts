import type { RunConfig } from '@data-designer/config';
import type { EndSettings } from '@data-designer/engine';
import type { StopOptions } from '../data-designer-options.ts';

/** What ends a run of these settings before it is done. */
export function endSettings(settings: RunConfig): EndSettings {
  const { maxDurationSeconds, disableEarlyShutdown, shutdownErrorRate: rate, shutdownErrorWindow: window } = settings;
  return { maxDurationSeconds, errorRate: disableEarlyShutdown || rate >= 1 ? null : { rate, window } };
}

/** The signals that stop something, ones that never come where none are given. */
export function signalsOf({ signal, drain }: StopOptions): Required<StopOptions> {
  const never = new AbortController().signal;
  return { signal: signal ?? never, drain: drain ?? never };
}
