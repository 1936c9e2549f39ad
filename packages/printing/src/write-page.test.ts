import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '@data-designer/testing/test-folder';
import { writePage } from './write-page.ts';

const folder = testFolder('pages');

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
