import { inspect } from 'node:util';
import { DataDesignerError } from '@data-designer/core';

/** Throws `config/invalid` for a value that is no declaration, such as a path, a promise or a bare mapping. */
export function checkDeclarationType(declared: unknown): void {
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
