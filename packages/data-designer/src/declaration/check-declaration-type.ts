import { inspect } from 'node:util';
import { DataDesignerError } from '@data-designer/core';

/** Throws `config/invalid` for what a program may take for a config: a path, a promise of a builder, a bare mapping. */
export function refuseNoConfig(declared: unknown): void {
  if (typeof declared === 'object' && declared !== null && 'document' in declared) return;
  const awaits = declared instanceof Promise ? ' Wait for it first (await).' : '';
  const shown = inspect(declared, { depth: 0, maxStringLength: 80, breakLength: Infinity });
  const remedy = `Give a DataDesignerConfigBuilder; its fromConfig reads a path, an address, text or a mapping.${awaits}`;
  throw new DataDesignerError('config/invalid', {
    source: 'What is asked for',
    violations: [
      { stage: 'run', type: 'config', level: 'ERROR', path: 'config', message: `${shown} is none.`, remedy },
    ],
  });
}
