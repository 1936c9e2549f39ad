import {
  type AttemptsConfig,
  type ColumnRegistry,
  fingerprintOf,
  type ParsedDataset,
  writeDataset,
  type WrittenDataset,
} from '@data-designer/config';
import { Float, type Violation } from '@data-designer/core';
import type { SeedReport } from './seed-report.ts';
import { reportedViolation, type ReportedViolation } from './failure-report.ts';

/** The result of checking a declaration, before any request. */
export interface ConfigReport {
  /** Whether it loads and passes the Python tool's validation; errors of stage `run` do not count. */
  readonly valid: boolean;
  /** Whether a run could start: there is no error, and the keys of the models and tools in use are set. */
  readonly runnable: boolean;
  /** All findings, warnings included. */
  readonly violations: readonly ReportedViolation[];
  /** The declaration as a file writes it, with all defaults; null if it does not load. */
  readonly normalized: { readonly data_designer: WrittenDataset } | null;
  /** `sha256:` and 64 digits, equal to the Python tool's; null if it does not load. */
  readonly fingerprint: string | null;
  /** How the files of a seed are read; null for other seeds, and for files that cannot be read. */
  readonly seed: SeedReport | null;
  /** The fewest and the most attempts at a row, by block; absent without a block. */
  readonly attempts?: Readonly<Record<string, AttemptBounds>>;
}

/** The bounds of a block of attempts: how often the cells of its columns are made for each row. */
export interface AttemptBounds {
  /** The fewest attempts at a row. */
  readonly fewest: number;
  /** The most attempts at a row. */
  readonly most: number;
}

/** Makes the report of a check; `source` names the declaration in mistakes of the whole document. */
export function configReport(
  parsed: ParsedDataset,
  violations: readonly Violation[],
  {
    registry,
    source,
    seed,
  }: { readonly registry: ColumnRegistry; readonly source: string; readonly seed?: SeedReport | undefined },
): ConfigReport {
  const { attempts } = parsed.config;
  const errors = violations.filter(({ level }) => level === 'ERROR');
  const loads = !errors.some(({ stage }) => stage === 'load');
  return {
    valid: loads && !errors.some(({ stage }) => stage === 'validate'),
    runnable: errors.length === 0 && violations.every(({ type }) => type !== 'missing_key'),
    violations: violations.map((one) => reportedViolation(one, source)),
    normalized: loads ? { data_designer: printable(writeDataset(parsed.config, registry)) as WrittenDataset } : null,
    fingerprint: loads ? fingerprintOf(parsed.config, registry) : null,
    seed: seed ?? null,
    ...(loads && attempts && { attempts: boundsOf(attempts) }),
  };
}

function boundsOf(attempts: readonly AttemptsConfig[]): NonNullable<ConfigReport['attempts']> {
  return Object.fromEntries(
    attempts.map(({ name, keep, max: most }) => [name, { fewest: keep === 'first' ? 1 : most, most }]),
  );
}

/** Writes numbers that JSON lacks as `{"$float": "-inf"}`. */
function printable(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return { $float: Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf' };
  }
  if (typeof value !== 'object' || value === null || value instanceof Float) return value;
  if (Array.isArray(value)) return value.map(printable);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, printable(part)]));
}
