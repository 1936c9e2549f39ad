import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * The apache-arrow that the calling program imports: the published package carries a copy of the library, and a copy's
 * `instanceof` refuses the tables of another.
 */
export function callersArrow(): typeof import('apache-arrow') {
  return createRequire(import.meta.url)(fileURLToPath(import.meta.resolve('apache-arrow')));
}
