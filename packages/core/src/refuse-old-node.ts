import { DataDesignerError } from './errors.ts';
import { NEEDED_NODE, tooOldNode } from './node-version.ts';

// The first import of the library: on a Node that is too old the import fails with words, before anything else does.

if (tooOldNode !== undefined) {
  throw new DataDesignerError('environment/node-too-old', { found: tooOldNode, needed: NEEDED_NODE });
}
