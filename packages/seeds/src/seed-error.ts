import type { Finding } from '@data-designer/core';

/** An error about the rows of a seed; it stands at the path of the source unless it is given another field. */
export function seedError(type: string, message: string, remedy: string): Finding {
  return { stage: 'run', type, level: 'ERROR', field: ['source', 'path'], message, remedy };
}
