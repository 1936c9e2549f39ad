import type { RunEvent, RunObserver } from '@data-designer/engine';
import { modelTargetOf } from '@data-designer/gateway';
import { packageVersion } from '@data-designer/declaration';

/** What is run. */
export type RunOperation = 'create' | 'preview';

/** How a run ended. */
export interface RunOutcome {
  readonly outcome: 'success' | 'early_shutdown' | 'error' | 'cancelled';
  /** The error code of an early end or a failure. */
  readonly error: string | undefined;
}

/** Reports one run to OpenTelemetry. */
export interface RunTelemetry {
  readonly observer: RunObserver;
  readonly onEvent: (event: RunEvent) => void;
  readonly end: (outcome: RunOutcome) => void;
}

/** The API package of OpenTelemetry. */
export type TelemetryApi = typeof import('@opentelemetry/api');

/**
 * What spans and metrics are made with. Both are loaded only with an SDK, so they import no module of the main thread, which
 * would split its chunks.
 */
export interface TelemetryParts {
  readonly api: TelemetryApi;
  readonly operation: RunOperation;
  /** Name and version of this library, as telemetry names its source. */
  readonly source: readonly [name: string, version: string];
  readonly modelTargetOf: typeof modelTargetOf;
}

/** Where version 1 of the API holds what an SDK has registered, whichever copy of the package the SDK uses. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

/**
 * The API if this program has registered an SDK; else undefined, and no module is loaded. It is an optional peer dependency:
 * an SDK accepts only some versions, and the program that has an SDK has a fitting one.
 */
export async function registeredTelemetry(): Promise<TelemetryApi | undefined> {
  if (Reflect.get(globalThis, REGISTERED) === undefined) return undefined;
  return import('@opentelemetry/api').catch(() => undefined);
}

/** The parts of telemetry for a run. */
export function telemetryParts(api: TelemetryApi, operation: RunOperation): TelemetryParts {
  return { api, operation, source: ['data-designer', packageVersion()], modelTargetOf };
}
