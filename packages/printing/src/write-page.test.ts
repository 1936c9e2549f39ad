import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writePage } from './write-page.ts';

const folder = mkdtempSync(join(tmpdir(), 'pages-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('writes a page and returns it', async () => {
  const path = join(folder, 'page.HTML');
  expect(await writePage(path, { '.html': () => '<p>ä</p>' })).toBe('<p>ä</p>');
  expect(readFileSync(path, 'utf8')).toBe('<p>ä</p>');
});

test('a file with another extension is refused before the page is made', async () => {
  const path = join(folder, 'page.svg');
  const making = writePage(path, { '.html': () => String(writeFileSync(path, 'made in vain')) });
  await expect(making).rejects.toMatchObject({ code: 'report/invalid-option' });
  expect(readdirSync(folder)).not.toContain('page.svg');
});
