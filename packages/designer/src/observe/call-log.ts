import { DataDesignerError } from '@data-designer/core';
import { OpenLineLog } from '@data-designer/dataset';
import type { RunEvent, RunObserver } from '@data-designer/engine';
import type { CallRecord } from '@data-designer/gateway';

/** A call as a line of the log; `null` where nothing is known. */
function lineOf(record: CallRecord, stage: string | undefined): object {
  const { kind, group, row, column, call, provider, startedAtMs, elapsedMs, status, error } = record;
  const named = stage === undefined ? {} : { stage };
  const at = { time: new Date(startedAtMs).toISOString(), ...named, kind, group, row, column, call };
  const end = { latency_ms: Math.round(elapsedMs * 10) / 10, status, error };
  if (record.kind === 'tool') return { ...at, provider, tool: record.tool, ...end };
  const { alias, model, answeredBy: answered_by, operation, purpose, requests, refused, tokens } = record;
  return {
    ...at,
    alias,
    provider,
    model,
    answered_by,
    operation,
    attempt: purpose,
    requests,
    retries: requests === null ? null : requests - 1,
    refused,
    input_tokens: tokens?.input ?? null,
    cached_input_tokens: tokens?.cachedInput ?? null,
    output_tokens: tokens?.output ?? null,
    reasoning_tokens: tokens?.reasoning ?? null,
    ...end,
  };
}

/** The run whose calls are logged. */
interface LogSource {
  readonly onEvent: (event: RunEvent) => void;
  /** The stage of a workflow that the run makes. */
  readonly stage?: string | undefined;
}

/** The log of a run's calls: one JSON object per line, appended to a file. */
export class CallLog implements Disposable {
  readonly #lines: OpenLineLog;
  readonly #source: LogSource;

  private constructor(lines: OpenLineLog, source: LogSource) {
    this.#lines = lines;
    this.#source = source;
  }

  /** Opens the file, before any request is paid for; throws `dataset/unwritable`. */
  static async open(path: string, source: LogSource): Promise<CallLog> {
    return new CallLog(await OpenLineLog.open(path), source);
  }

  readonly observer: RunObserver = {
    onCalls: (calls) => {
      try {
        this.#lines.add(calls.map((call) => lineOf(call, this.#source.stage)));
      } catch (thrown) {
        const { message: reason } = DataDesignerError.fromUnknown(thrown);
        this.#source.onEvent({ type: 'log-fail', path: this.#lines.path, reason });
      }
    },
  };

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]();
  }
}
