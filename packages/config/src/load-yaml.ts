import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Loads the library on first use: worker threads start without it. */
export function loadYaml(): typeof import('yaml') {
  return require('yaml') as typeof import('yaml');
}
