import {
  type ColumnRegistry,
  fingerprintOf,
  type ParsedDataset,
  writeDataset,
  type WrittenDataset,
} from '@data-designer/config';
import { Float, type Violation } from '@data-designer/core';

/** What is known of a declaration before anything is asked or written. */
export interface ConfigReport {
  /** Whether it loads and passes what the Python tool validates: nothing of stage `run` counts. */
  readonly valid: boolean;
  /** Whether a run could begin. */
  readonly runnable: boolean;
  /** Everything found, `column` null where it concerns none. */
  readonly violations: readonly (Omit<Violation, 'column'> & { readonly column: string | null })[];
  /** The declaration in the form that files have, every field with its value; null where it does not load. */
  readonly normalized: { readonly data_designer: WrittenDataset } | null;
  /** `sha256:` and 64 digits, equal to the Python tool's; null where it does not load. */
  readonly fingerprint: string | null;
}

/** Sums up what a check found; `parsed` is undefined where a document could not even be read. */
export function configReport(
  parsed: ParsedDataset | undefined,
  violations: readonly Violation[],
  registry: ColumnRegistry,
): ConfigReport {
  const errors = violations.filter(({ level }) => level === 'ERROR');
  const loads = parsed !== undefined && !errors.some(({ stage }) => stage === 'load');
  return {
    valid: loads && !errors.some(({ stage }) => stage === 'validate'),
    runnable: loads && errors.length === 0,
    violations: violations.map(({ stage, type, level, column = null, path, message, remedy }) => ({
      stage,
      type,
      level,
      column,
      path,
      message,
      remedy,
    })),
    normalized: loads ? { data_designer: printable(writeDataset(parsed.config, registry)) as WrittenDataset } : null,
    fingerprint: loads ? fingerprintOf(parsed.config, registry) : null,
  };
}

/** JSON has no word for what is not finite: it is written as `{"$float": "-inf"}`. */
function printable(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return { $float: Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf' };
  }
  if (typeof value !== 'object' || value === null || value instanceof Float) return value;
  if (Array.isArray(value)) return value.map(printable);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, printable(part)]));
}
