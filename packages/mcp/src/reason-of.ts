import { inspect } from 'node:util';

/** What a tool threw, in words: it may be anything, also what does not let itself be looked at. */
export function reasonOf(thrown: unknown): string {
  try {
    if (typeof thrown === 'string' && thrown !== '') return thrown;
    if (!(thrown instanceof Error)) return `it threw ${inspect(thrown)}`;
    const message: unknown = thrown.message;
    return typeof message === 'string' && message !== '' ? message : `it threw ${thrown.name} without a message`;
  } catch {
    return 'it threw something that cannot be told';
  }
}
