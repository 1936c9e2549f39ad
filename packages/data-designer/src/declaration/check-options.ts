import { inspect } from 'node:util';
import { DataDesignerError, type Violation } from '@data-designer/core';
import { EXPORT_FORMATS } from '@data-designer/dataset/formats';

/** What a program may compute or get from elsewhere, so that it need not be what its type says. */
interface GivenOptions {
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
  fits: (value) => known.includes(value as string),
  kind,
  remedy: `Give one of: ${known.join(', ')}.`,
});

const RULES: Readonly<Record<keyof GivenOptions, Rule>> = {
  numRecords: {
    type: 'num_records',
    fits: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
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

/** Throws `config/invalid` with every option that is given and is none; undefined counts as not given. */
export function refuseOptions(given: GivenOptions): void {
  const violations = Object.entries(RULES).flatMap(([name, rule]) => {
    const value = given[name as keyof GivenOptions];
    return value === undefined || rule.fits(value) ? [] : [violation(name, value, rule)];
  });
  if (violations.length > 0) throw new DataDesignerError('config/invalid', { source: 'What is asked for', violations });
}

function violation(path: string, value: unknown, { type, kind, remedy }: Rule): Violation {
  const shown = typeof value === 'string' ? JSON.stringify(value) : inspect(value, { depth: 0 });
  return { stage: 'run', level: 'ERROR', type, path, message: `${shown} is no ${kind}.`, remedy };
}
