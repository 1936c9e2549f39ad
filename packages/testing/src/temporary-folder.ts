import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for all temporary files of a test. */
interface TemporaryFolder extends Disposable {
  readonly path: string;
}

/** Makes a folder and names it by TMPDIR; disposed of, it removes the folder and gives TMPDIR its value from before. */
export function temporaryFolder(prefix: string): TemporaryFolder {
  const before = process.env.TMPDIR;
  const path = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  process.env.TMPDIR = path;
  return {
    path,
    [Symbol.dispose]: () => {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
      rmSync(path, { recursive: true });
    },
  };
}
