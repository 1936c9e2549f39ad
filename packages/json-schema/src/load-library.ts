import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The libraries that few runs need, by module name. */
interface Libraries {
  readonly '@eslint-community/regexpp': typeof import('@eslint-community/regexpp');
  readonly ajv: typeof import('ajv');
  readonly 'ajv/dist/2019.js': typeof import('ajv/dist/2019.js');
  readonly 'ajv/dist/2020.js': typeof import('ajv/dist/2020.js');
  readonly 'ajv-formats': { readonly default: import('ajv-formats').FormatsPlugin };
  readonly re2js: typeof import('re2js');
}

/**
 * Loads a library on first use, synchronously: importing all of them would cost every thread 60 ms at start. Callers pass
 * a literal name, because the published bundle rewrites these calls.
 */
export function loadLibrary<Name extends keyof Libraries>(name: Name): Libraries[Name] {
  return require(name);
}
