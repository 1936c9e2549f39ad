import { DataDesignerError } from '@data-designer/core';
import type { RunEvent } from '@data-designer/engine';
import { readLatency } from '@data-designer/simulator';

/** The options of a rehearsal. */
export interface RehearsalOptions {
  /** Rows of the real run. */
  readonly numRecords: number;
  /** Rows to run; default 200, at most all. */
  readonly sampleRows?: number | undefined;
  /** Milliseconds until a model answers: `200`, `uniform:100,300` or `lognormal:200,0.5` (median, sigma). */
  readonly latency?: string | undefined;
  /** The output rate of models after the latency; default: unlimited. */
  readonly tokensPerSecond?: number | undefined;
  /** The share of requests that fail with status 500, at most 0.5; default 0. */
  readonly errorRate?: number | undefined;
  /** The share of attempts that `until` accepts; default: that of simulated answers in the sample. */
  readonly passRate?: number | undefined;
  /** Output tokens of a plain-text answer, or `max` for `max_tokens`; default: the simulator's answers. */
  readonly outputTokens?: number | 'max' | undefined;
  /** Whether to call the real tools; otherwise only the built-in tools are offered. */
  readonly withTools?: boolean | undefined;
  /** Called with the events of the sample; must not throw. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

/** The options with their defaults. */
export interface RehearsalRates {
  readonly rows: number;
  readonly sampleRows: number;
  /** In the form of the simulator. */
  readonly latency: string;
  readonly tokensPerSecond: number | undefined;
  readonly errorRate: number;
  readonly passRate: number | undefined;
  readonly outputTokens: number | 'max' | undefined;
  readonly withTools: boolean;
}

/** Enough rows for a good estimate of most runs. */
export const SAMPLE_ROWS = 200;
/** A median of one second, with the tail of real endpoints. */
const LATENCY = 'lognormal:1000,0.5';
/** The largest share of failures: above it a sample takes minutes, mostly waiting for retries. */
export const MAX_ERROR_RATE = 0.5;

/** Validates the options and fills in defaults; throws `rehearsal/invalid-option`. */
export function resolveRates(options: RehearsalOptions): RehearsalRates {
  const { numRecords: rows, sampleRows = SAMPLE_ROWS, latency = LATENCY, withTools = false } = options;
  const { tokensPerSecond, errorRate = 0, passRate, outputTokens } = options;
  const form = simulatorLatency(latency) ?? '';
  const isRate = tokensPerSecond === undefined || (tokensPerSecond > 0 && Number.isFinite(tokensPerSecond));
  const isLength = outputTokens === undefined || outputTokens === 'max' || isCount(outputTokens);
  const checks = [
    ['numRecords', rows, isCount(rows), COUNT],
    ['sampleRows', sampleRows, isCount(sampleRows), COUNT],
    ['tokensPerSecond', tokensPerSecond, isRate, 'a number above 0'],
    ['errorRate', errorRate, errorRate >= 0 && errorRate <= MAX_ERROR_RATE, `a share from 0 to ${MAX_ERROR_RATE}`],
    ['passRate', passRate, passRate === undefined || (passRate >= 0 && passRate <= 1), 'a share from 0 to 1'],
    ['outputTokens', outputTokens, isLength, `${COUNT}, or 'max'`],
    ['latency', latency, form !== '', LATENCY_FORMS],
  ] as const;
  for (const [option, found, fits, wanted] of checks) {
    if (!fits) throw new DataDesignerError('rehearsal/invalid-option', { option, found: String(found), wanted });
  }
  const rates = { latency: form, tokensPerSecond, errorRate, passRate, outputTokens, withTools };
  return { rows, sampleRows: Math.min(rows, sampleRows), ...rates };
}

const COUNT = 'a whole number, 1 or more';

/** The forms of a latency. */
export const LATENCY_FORMS = 'milliseconds, or uniform:LOW,HIGH or lognormal:MEDIAN,SIGMA in them';

/** A latency in the simulator's form, with colons for commas; undefined if it is invalid. */
export function simulatorLatency(text: string): string | undefined {
  const form = text.trim().replaceAll(/,\s*/g, ':');
  return readLatency(form) && form;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}
