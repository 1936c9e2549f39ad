import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Makes an empty folder, which is removed after the tests of the file; call it at the top of the file. */
export function testFolder(name: string): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), `${name}-`)));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
