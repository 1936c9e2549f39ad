import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

// What `packages/simulator/src/programs.ts` names, in the published package.
const published = (name: string): string =>
  pathToFileURL(join(import.meta.dirname, '../packages/data-designer/dist', name)).href;

export const simulatorProgram: string = published('simulator.js');
export const demoToolsProgram: string = published('demo-tools.js');
