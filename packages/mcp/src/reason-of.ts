import { inspect } from 'node:util';

/** The text of a value that a tool threw; the value may be anything, even one that throws when inspected. */
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
