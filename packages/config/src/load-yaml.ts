import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The library, loaded where a text is read or written: worker threads do neither, and start without it. */
export function loadYaml(): typeof import('yaml') {
  return require('yaml') as typeof import('yaml');
}
