import { DataDesignerError } from '@data-designer/core';
import { joinObservers, type RunEnd, type RunEvent, type RunObserver, type TaskTraces } from '@data-designer/engine';
import { CallLog } from './call-log.ts';
import {
  registeredTelemetry,
  type RunOperation,
  type RunOutcome,
  type TelemetryApi,
  telemetryParts,
} from './telemetry.ts';

/** What is run, and who listens. */
interface ObservedRun {
  readonly operation: RunOperation;
  /** The file of the call log; undefined for none. */
  readonly callLog: string | undefined;
  /** The stage of a workflow that the run makes. */
  readonly stage?: string;
  readonly onEvent: (event: RunEvent) => void;
}

/** The listeners of a run. Without a call log and telemetry there is no observer, so that nothing is collected. */
export type Listeners = Pick<ObservedRun, 'onEvent'> & { readonly observer: RunObserver | undefined };

/** Results of a run that may have ended early. */
interface Ended {
  readonly ended: RunEnd | null;
}

/** The listeners of a run, and its task traces if they are wanted. */
export function withTraces(listeners: Listeners, traces: TaskTraces | undefined): Listeners {
  return traces ? { ...listeners, observer: joinObservers([listeners.observer, traces.observer]) } : listeners;
}

type Work<Results> = (listeners: Listeners) => Promise<Results>;

/** Runs `work` and reports it to the call log, and to OpenTelemetry if this program has registered an SDK. */
export async function observeRun<Results extends Ended>(run: ObservedRun, work: Work<Results>): Promise<Results> {
  const { callLog, onEvent } = run;
  using log = callLog === undefined ? undefined : await CallLog.open(callLog, run);
  const api = await registeredTelemetry();
  const listeners = { onEvent, observer: log?.observer };
  // Awaited here, as the log is open until then.
  return await (api ? tellTelemetry(api, { operation: run.operation, listeners }, work) : work(listeners));
}

/** Runs `work` within a span, and adds the listeners of telemetry to its own. */
async function tellTelemetry<Results extends Ended>(
  api: TelemetryApi,
  { operation, listeners }: { readonly operation: RunOperation; readonly listeners: Listeners },
  work: Work<Results>,
): Promise<Results> {
  const { openRunSpans } = await import('./run-spans.ts');
  const { openRunMetrics } = await import('./run-metrics.ts');
  const given = telemetryParts(api, operation);
  const spans = openRunSpans(given);
  const parts = [spans, openRunMetrics(given)];
  const onEvent = (event: RunEvent): void => {
    for (const part of parts) part.onEvent(event);
    listeners.onEvent(event);
  };
  const observer = joinObservers([listeners.observer, ...parts.map((part) => part.observer)]);
  const end = (outcome: RunOutcome): void => parts.forEach((part) => part.end(outcome));
  try {
    const results = await api.context.with(spans.context, () => work({ onEvent, observer }));
    end(outcomeOf(results));
    return results;
  } catch (failure) {
    const { code } = DataDesignerError.fromUnknown(failure);
    end({ outcome: code === 'run/aborted' ? 'cancelled' : 'error', error: code });
    throw failure;
  }
}

function outcomeOf({ ended }: Ended): RunOutcome {
  if (ended === null) return { outcome: 'success', error: undefined };
  return { outcome: ended.code === 'run/aborted' ? 'cancelled' : 'early_shutdown', error: ended.code };
}
