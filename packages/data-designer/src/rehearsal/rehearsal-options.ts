import { DataDesignerError } from '@data-designer/core';
import type { RunEvent } from '@data-designer/engine';
import { readLatency } from '@data-designer/simulator';

/** How a run is rehearsed. */
export interface RehearsalOptions {
  /** Rows of the real run. */
  readonly numRecords: number;
  /** Rows that are carried out; default 200, or all where there are fewer. */
  readonly sampleRows?: number | undefined;
  /** Milliseconds until a model answers: `200`, `uniform:100,300` or `lognormal:200,0.5` (median, sigma). */
  readonly latency?: string | undefined;
  /** How fast models write, beyond that; infinitely fast unless given. */
  readonly tokensPerSecond?: number | undefined;
  /** The share of requests that fail with status 500, up to a half; default 0. */
  readonly errorRate?: number | undefined;
  /** Tokens of an answer of plain text; `max` for as many as `max_tokens` allows; the simulator's own unless given. */
  readonly outputTokens?: number | 'max' | undefined;
  /** Whether the real tools are called; otherwise models are told of no tools but the built-in ones. */
  readonly withTools?: boolean | undefined;
  /** Told what happens in the sample; must not throw. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

/** Options of which none is open. */
export interface RehearsalRates {
  readonly rows: number;
  readonly sampleRows: number;
  /** In the form of the simulator. */
  readonly latency: string;
  readonly tokensPerSecond: number | undefined;
  readonly errorRate: number;
  readonly outputTokens: number | 'max' | undefined;
  readonly withTools: boolean;
}

/** Most runs are foreseen well enough from so many rows. */
const SAMPLE_ROWS = 200;
/** An answer of a second, with a tail as endpoints have it. */
const LATENCY = 'lognormal:1000,0.5';
/** The largest share of failures: above it a sample takes minutes, nearly all of them waits between tries. */
export const MOST_ERRORS = 0.5;

/** Settles what was not said; throws `rehearsal/invalid-option`. */
export function settleRates(options: RehearsalOptions): RehearsalRates {
  const { numRecords: rows, tokensPerSecond, errorRate = 0, outputTokens, withTools = false } = options;
  const sampleRows = options.sampleRows ?? SAMPLE_ROWS;
  demand(isCount(rows), { option: 'numRecords', found: rows, wanted: COUNT });
  demand(isCount(sampleRows), { option: 'sampleRows', found: sampleRows, wanted: COUNT });
  const writes = tokensPerSecond === undefined || (tokensPerSecond > 0 && Number.isFinite(tokensPerSecond));
  demand(writes, { option: 'tokensPerSecond', found: tokensPerSecond, wanted: 'a number above 0' });
  const isShare = errorRate >= 0 && errorRate <= MOST_ERRORS;
  demand(isShare, { option: 'errorRate', found: errorRate, wanted: `a share from 0 to ${MOST_ERRORS}` });
  const isLength = outputTokens === undefined || outputTokens === 'max' || isCount(outputTokens);
  demand(isLength, { option: 'outputTokens', found: outputTokens, wanted: `${COUNT}, or 'max'` });
  const { latency = LATENCY } = options;
  const form = simulatorLatency(latency);
  demand(form !== undefined, { option: 'latency', found: latency, wanted: LATENCY_FORMS });
  const rates = { latency: form, tokensPerSecond, errorRate, outputTokens, withTools };
  return { rows, sampleRows: Math.min(rows, sampleRows), ...rates };
}

const COUNT = 'a whole number, 1 or more';

/** The forms of a latency in words. */
export const LATENCY_FORMS = 'milliseconds, or uniform:LOW,HIGH or lognormal:MEDIAN,SIGMA in them';

/** A latency in the form of the simulator, which has colons for commas; undefined if it is none. */
export function simulatorLatency(text: string): string | undefined {
  const form = text.trim().replaceAll(/,\s*/g, ':');
  return readLatency(form) && form;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}

function demand(
  holds: boolean,
  { found, ...rest }: { readonly option: string; readonly found: unknown; readonly wanted: string },
): asserts holds {
  if (!holds) throw new DataDesignerError('rehearsal/invalid-option', { ...rest, found: String(found) });
}
