import { defineEngine } from '../../engine.ts';

/** CPython, compiled to WebAssembly (Pyodide): a process runs one program, since programs can change its builtins. */
export const python = defineEngine({
  open: async (prepared) => (await import('./run-python.ts')).openPython(prepared),
  prepare: async () => (await import('./run-python.ts')).preparePython(),
  isReusable: false,
  blocks: true,
  packages: ['pyodide', 'ws'],
  flags: ['--disallow-code-generation-from-strings'],
});
