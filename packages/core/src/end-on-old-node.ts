import { NEEDED_NODE, tooOldNode } from './node-version.ts';

// The first import of every program: on a Node that is too old it ends in one line, before anything fails in a stranger way.

if (tooOldNode !== undefined) {
  process.stderr.write(
    `Node ${NEEDED_NODE} or newer is needed; this is ${tooOldNode}. Install it, or add it to this project: npm install node@24.\n`,
  );
  process.exit(1);
}
