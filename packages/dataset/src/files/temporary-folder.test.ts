import { execFileSync } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TemporaryFolder } from './temporary-folder.ts';

test('is private to its owner and removed with its content', async () => {
  const folder = await TemporaryFolder.make();
  const isOpen = process.platform !== 'win32' && (statSync(folder.path).mode & 0o077) !== 0;
  expect(isOpen).toBe(false);
  writeFileSync(join(folder.path, 'x'), 'x');
  await folder[Symbol.asyncDispose]();
  expect(existsSync(folder.path)).toBe(false);
});

test('is removed when the process ends', () => {
  const module = new URL('./temporary-folder.ts', import.meta.url).href;
  const script = `const { TemporaryFolder } = await import('${module}');
    process.stdout.write((await TemporaryFolder.make()).path); process.exit(3);`;
  let path = '';
  try {
    execFileSync(process.execPath, ['--input-type=module', '-e', script]);
  } catch (thrown) {
    path = String((thrown as { readonly stdout: Buffer }).stdout);
  }
  expect(path).toContain('data-designer-');
  expect(existsSync(path)).toBe(false);
});
