import { inspect } from 'node:util';
import { DataDesignerError, type Violation } from '@data-designer/core';
import { EXPORT_FORMATS } from '@data-designer/dataset/formats';

/** Options of `create` as a JavaScript caller may give them, of any type. */
interface UncheckedOptions {
  readonly numRecords?: unknown;
  readonly datasetName?: unknown;
  readonly resume?: unknown;
  readonly format?: unknown;
}

interface Rule {
  readonly type: string;
  readonly fits: (value: unknown) => boolean;
  readonly kind: string;
  readonly remedy: string;
}

const oneOf = (type: string, kind: string, known: readonly string[]): Rule => ({
  type,
  fits: (value) => typeof value === 'string' && known.includes(value),
  kind,
  remedy: `Give one of: ${known.join(', ')}.`,
});

const RULES: Readonly<Record<keyof UncheckedOptions, Rule>> = {
  numRecords: {
    type: 'num_records',
    fits: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 1,
    kind: 'count of rows',
    remedy: 'Give a whole number, 1 or more.',
  },
  datasetName: {
    type: 'dataset_name',
    fits: (value) => typeof value === 'string',
    kind: 'name of a folder',
    remedy: 'Give a text.',
  },
  resume: oneOf('resume', 'way to resume', ['never', 'always', 'if_possible']),
  format: oneOf('format', 'format of a dataset', EXPORT_FORMATS),
};

/** Throws `config/invalid` with every invalid option; undefined counts as not given. */
export function checkOptions(given: UncheckedOptions): void {
  const violations = Object.entries(RULES).flatMap(([name, rule]) => {
    const value = given[name as keyof UncheckedOptions];
    return value === undefined || rule.fits(value) ? [] : [violation(name, value, rule)];
  });
  if (violations.length > 0) throw new DataDesignerError('config/invalid', { source: 'What is asked for', violations });
}

function violation(path: string, value: unknown, { type, kind, remedy }: Rule): Violation {
  const shown = typeof value === 'string' ? JSON.stringify(value) : inspect(value, { depth: 0 });
  return { stage: 'run', level: 'ERROR', type, path, message: `${shown} is no ${kind}.`, remedy };
}
