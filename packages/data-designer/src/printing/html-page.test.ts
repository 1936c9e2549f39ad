import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { htmlPage } from './html-page.ts';

const parts = { title: 'a <b>', style: 'p { margin: 0 }', body: '<p>text</p>' };

test('a page has its parts and an escaped title, and may load nothing', () => {
  const page = htmlPage(parts);
  expect(page).toContain('<title>a &lt;b&gt;</title>');
  expect(page).toContain('<style>p { margin: 0 }</style>');
  expect(page).toContain('<body>\n<p>text</p>\n</body>');
  expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"`);
  expect(page).toContain('<html lang="en">');
});

test('only the script of the page may run', () => {
  const script = 'scrollTo(0, 0);';
  const page = htmlPage({ ...parts, script, theme: 'dark' });
  expect(page).toContain(`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  expect(page).toContain(`<script>${script}</script>`);
  expect(page).toContain('<html lang="en" data-theme="dark">');
});
