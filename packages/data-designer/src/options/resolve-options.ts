import type { RunConfig } from '@data-designer/config';
import type { EndSettings } from '@data-designer/engine';
import type { StopOptions } from '../data-designer-options.ts';

/** The settings that end a run early. */
export function endSettings(settings: RunConfig): EndSettings {
  const { maxDurationSeconds, disableEarlyShutdown, shutdownErrorRate: rate, shutdownErrorWindow: window } = settings;
  return { maxDurationSeconds, errorRate: disableEarlyShutdown || rate >= 1 ? null : { rate, window } };
}

/** Stop signals, with signals that never fire as defaults. */
export function signalsOf({ signal, drain }: StopOptions): Required<StopOptions> {
  const never = new AbortController().signal;
  return { signal: signal ?? never, drain: drain ?? never };
}
