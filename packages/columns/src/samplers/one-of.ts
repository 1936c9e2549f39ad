import { z } from 'zod';
import { loadRemedies } from '@data-designer/config';
import { nearest } from '@data-designer/core';

/** How many names a message may list. */
const MAX_LISTED = 20;

/** Text that must be one of several names; the message for another gives the nearest, or a short list of all. */
export function oneOf<const Names extends readonly string[]>(names: Names, what: string) {
  return z.enum(names, {
    error: ({ input }) => (typeof input === 'string' ? notThere(input, names, what) : `expected the name of a ${what}`),
  });
}

function notThere(name: string, names: readonly string[], what: string): string {
  const near = nearest(loadRemedies().ourName(name, names), names);
  const message = `there is no ${what} '${name}'`;
  if (near !== undefined) return `${message}; did you mean '${near}'?`;
  return names.length > MAX_LISTED ? message : `${message}; use one of: ${names.join(', ')}`;
}
