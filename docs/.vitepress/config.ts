import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type MarkdownRenderer } from 'vitepress';
import { PAGES, sidebar } from './sidebar.ts';

const DOCS = join(import.meta.dirname, '..');

/** Planned pages that are not written yet: links to them are not mistakes. */
const planned = PAGES.filter((page) => !existsSync(join(DOCS, `${page}.md`)));

/** Writes the braces of templates as entities: Vue would evaluate them, except in fenced blocks. */
function showBraces({ renderer }: MarkdownRenderer): void {
  for (const rule of ['text', 'code_inline']) {
    const render = renderer.rules[rule];
    renderer.rules[rule] = (...given) => render?.(...given).replaceAll('{{', '&#123;&#123;') ?? '';
  }
}

export default defineConfig({
  title: 'Data Designer',
  description: 'Create synthetic datasets with samplers, templates and language models that call tools.',
  lang: 'en',
  cleanUrls: true,
  // The pages of the earlier documentation, until they have become pages of the guide and of internals.
  srcExclude: ['!(index).md'],
  ignoreDeadLinks: [(link) => planned.some((page) => link.endsWith(page.slice(page.indexOf('/'))))],
  outDir: '../artifacts/docs',
  markdown: { config: showBraces },
  cacheDir: '../node_modules/.cache/vitepress',
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Guide', link: '/guide/get-started', activeMatch: '/guide/' },
      { text: 'Reference', link: '/reference/config', activeMatch: '/reference/' },
      { text: 'Internals', link: '/internals/architecture', activeMatch: '/internals/' },
    ],
    sidebar,
    outline: [2, 3],
  },
});
