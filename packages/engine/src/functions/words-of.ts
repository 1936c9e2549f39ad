import { inspect } from 'node:util';

/** What was thrown, in words; never throws, whatever it is. */
export function wordsOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.message || thrown.name;
    return typeof thrown === 'string' ? thrown : inspect(thrown, { depth: 1 }).slice(0, 200);
  } catch {
    return 'something that cannot be read';
  }
}
