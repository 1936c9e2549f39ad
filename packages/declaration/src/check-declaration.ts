import { inspect } from 'node:util';
import { DataDesignerError } from '@data-designer/core';

/** Throws `config/invalid` for a value that is not a declaration: a path, a promise or a bare mapping. */
export function checkDeclaration(declared: unknown): void {
  if (typeof declared === 'object' && declared !== null && 'document' in declared) return;
  const awaits = declared instanceof Promise ? ' Wait for it first (await).' : '';
  const shown = inspect(declared, { depth: 0, maxStringLength: 80, breakLength: Infinity });
  const remedy = `Give a DataDesignerConfigBuilder; its fromConfig reads a path, an address, text or a mapping.${awaits}`;
  const message = `${shown} is not a declaration.`;
  throw new DataDesignerError('config/invalid', {
    source: 'The call',
    violations: [{ stage: 'run', level: 'ERROR', type: 'config', path: 'config', message, remedy }],
  });
}
