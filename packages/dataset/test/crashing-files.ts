import { type Files, fileSystem, replaceFiles } from '../src/files/files.ts';

/** The operations that change names or what stands in files. */
const CHANGES: ReadonlySet<string> = new Set([
  'write',
  'rename',
  'link',
  'unlink',
  'mkdir',
  'rmdir',
  'removeTree',
  'openSync',
  'writeSync',
] satisfies (keyof Files)[]);

class Crash extends Error {}

/** Runs `work` until it has made so many changes to files, as if the process had been killed; returns whether it finished. */
export async function crashAfter(changes: number, work: () => Promise<unknown>): Promise<boolean> {
  let left = changes;
  const crashing = new Proxy(fileSystem, {
    get(target, name: keyof Files) {
      if (CHANGES.has(name) && left-- <= 0) throw new Crash('The process is killed.');
      return target[name];
    },
  });
  using _ = replaceFiles(crashing);
  try {
    await work();
    return left >= 0;
  } catch (thrown) {
    if (left >= 0) throw thrown;
    return false;
  }
}
