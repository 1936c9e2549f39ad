import { defineConfig, type MarkdownRenderer } from 'vitepress';
import { ICON } from '../../packages/viewer/src/app/icon.ts';
import { sidebar } from './sidebar.ts';

/** Messages are one line, which ends with the remedy: it must not be cut at the edge of its block. */
const WRAPPED_TEXT =
  '.vp-doc div.language-text pre code { white-space: pre-wrap; overflow-wrap: anywhere; width: auto; }';

/** Writes the braces of templates as entities: Vue would evaluate them, except in fenced blocks. */
function showBraces({ renderer }: MarkdownRenderer): void {
  for (const rule of ['text', 'code_inline']) {
    const render = renderer.rules[rule];
    renderer.rules[rule] = (...given) => render?.(...given).replaceAll('{{', '&#123;&#123;') ?? '';
  }
}

/** What the renderer finds out about a page. */
interface PageEnvironment {
  readonly frontmatter?: Readonly<Record<string, unknown>>;
}

interface PageRenderer {
  render(source: string, environment: PageEnvironment): string;
}

/** Words of users that a page does not use itself: the search finds it by the `keywords` above its title too. */
function withKeywords(source: string, environment: PageEnvironment, markdown: PageRenderer): string {
  const html = markdown.render(source, environment);
  const { keywords } = environment.frontmatter ?? {};
  return typeof keywords === 'string' ? html.replace('</h1>', `</h1><p>${keywords}</p>`) : html;
}

export default defineConfig({
  title: 'Data Designer',
  description: 'Create synthetic datasets with samplers, templates and language models that call tools.',
  lang: 'en',
  head: [
    ['link', { rel: 'icon', href: ICON }],
    ['style', {}, WRAPPED_TEXT],
  ],
  cleanUrls: true,
  outDir: '../artifacts/docs',
  markdown: { config: showBraces },
  cacheDir: '../node_modules/.cache/vitepress',
  vite: {
    // The index of the local search is one chunk.
    build: { chunkSizeWarningLimit: 4000 },
    // The pages import no library, so none has to be found in them.
    optimizeDeps: { noDiscovery: true },
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        _render: withKeywords,
        // A question of a user is about a task: the guide comes before the reference, and the internals come last.
        miniSearch: {
          searchOptions: {
            boostDocument: (id: string) => (id.startsWith('/guide/') ? 3 : id.startsWith('/internals/') ? 0.5 : 1),
          },
        },
      },
    },
    nav: [
      { text: 'Guide', link: '/guide/get-started', activeMatch: '/guide/' },
      { text: 'Reference', link: '/reference/config', activeMatch: '/reference/' },
      { text: 'Internals', link: '/internals/architecture', activeMatch: '/internals/' },
    ],
    sidebar,
    outline: [2, 3],
  },
});
