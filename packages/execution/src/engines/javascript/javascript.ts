import { defineEngine } from '../../engine.ts';

/** QuickJS, compiled to WebAssembly: each run has a runtime of its own, without access to Node. */
export const javascript = defineEngine({
  open: async () => (await import('./run-javascript.ts')).openJavaScript(),
  isReusable: true,
  blocks: true,
  packages: ['quickjs-emscripten-core', '@jitl/quickjs-wasmfile-release-sync', '@jitl/quickjs-ffi-types'],
  flags: ['--disallow-code-generation-from-strings'],
});
