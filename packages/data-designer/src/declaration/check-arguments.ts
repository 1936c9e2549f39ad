import { inspect } from 'node:util';
import { DataDesignerError, type Violation } from '@data-designer/core';
import { EXPORT_FORMATS } from '@data-designer/dataset/formats';

/** Throws `config/invalid` for a value that is not a declaration: a path, a promise or a bare mapping. */
export function checkDeclaration(declared: unknown): void {
  if (typeof declared === 'object' && declared !== null && 'document' in declared) return;
  const awaits = declared instanceof Promise ? ' Wait for it first (await).' : '';
  const shown = inspect(declared, { depth: 0, maxStringLength: 80, breakLength: Infinity });
  const remedy = `Give a DataDesignerConfigBuilder; its fromConfig reads a path, an address, text or a mapping.${awaits}`;
  refuse([violation('config', shown, { type: 'config', kind: 'declaration', remedy })]);
}

/** Options of `create` as a JavaScript caller may give them, of any type. */
interface UncheckedOptions {
  readonly numRecords?: unknown;
  readonly datasetName?: unknown;
  readonly resume?: unknown;
  readonly format?: unknown;
}

/** The values that an argument may have, in words. */
interface Wanted {
  readonly type: string;
  readonly kind: string;
  readonly remedy: string;
}

interface Rule extends Wanted {
  readonly fits: (value: unknown) => boolean;
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
    kind: 'folder name',
    remedy: 'Give a text.',
  },
  resume: oneOf('resume', 'resume mode', ['never', 'always', 'if_possible']),
  format: oneOf('format', 'dataset format', EXPORT_FORMATS),
};

/** Throws `config/invalid` with every invalid option; undefined counts as not given. */
export function checkOptions(given: UncheckedOptions): void {
  const violations = Object.entries(RULES).flatMap(([name, rule]) => {
    const value = given[name as keyof UncheckedOptions];
    if (value === undefined || rule.fits(value)) return [];
    const shown = typeof value === 'string' ? JSON.stringify(value) : inspect(value, { depth: 0 });
    return [violation(name, shown, rule)];
  });
  if (violations.length > 0) refuse(violations);
}

function violation(path: string, shown: string, { type, kind, remedy }: Wanted): Violation {
  return { stage: 'run', level: 'ERROR', type, path, message: `${shown} is not a ${kind}.`, remedy };
}

function refuse(violations: readonly Violation[]): never {
  throw new DataDesignerError('config/invalid', { source: 'The call', violations });
}
