import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

// What `packages/core/src/thread-entry.ts` exports, with the entries of the published package.

export { compileCacheEnvironment } from '../packages/core/src/thread-entry.ts';

export function threadEntry(_: string, name: string): URL {
  return pathToFileURL(join(import.meta.dirname, '../packages/data-designer/dist', `${basename(name)}.js`));
}

export function sourceExecArgv(): string[] {
  return [];
}
