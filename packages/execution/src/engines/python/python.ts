import { defineEngine } from '../../engine.ts';

/** CPython, compiled to WebAssembly (Pyodide): a process runs one program, since programs can change its builtins. */
export const python = defineEngine({
  open: async () => (await import('./run-python.ts')).openPython(),
  isReusable: false,
  packages: ['pyodide', 'ws'],
  flags: ['--disallow-code-generation-from-strings'],
});
