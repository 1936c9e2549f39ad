import MiniSearch from 'minisearch';
import { createServer } from 'vitepress';
import { afterAll, beforeAll, expect, test } from 'vitest';
import site from '../docs/.vitepress/config.ts';

/** Questions as users type them, written before the pages were read, and the pages that answer them. */
const QUESTIONS: readonly (readonly [question: string, ...pages: string[]])[] = [
  ['streaming', 'reports-and-viewing'],
  ['retry failed rows', 'resume'],
  ['merge lora dataset', 'training-data'],
  ['openai api key', 'models-and-providers'],
  ['use ollama locally', 'models-and-providers'],
  ['rate limit 429', 'models-and-providers'],
  ['how much will it cost', 'cost-and-budgets'],
  ['convert to sharegpt', 'training-data'],
  ['dpo pairs', 'training-data'],
  ['resume after crash', 'resume'],
  ['tool calling dataset', 'tools', 'training-data'],
  ['mcp server', 'tools'],
  ['json schema output', 'structured-output'],
  ['llm as judge', 'judges-and-validation'],
  ['remove duplicates', 'dedup'],
  ['generate from csv file', 'seeds'],
  ['upload to huggingface', 'hugging-face-hub'],
  ['multi-turn chat', 'conversations'],
  ['run on several machines slurm', 'cluster'],
  ['execute python code sandbox', 'judges-and-validation'],
  ['temperature top_p', 'models-and-providers'],
  ['reasoning thinking tokens', 'traces'],
  ['train test split', 'training-data'],
  ['weighted categories', 'samplers'],
  ['same rows every time random seed', 'reproducibility'],
  ['jinja if else loop', 'prompts-and-templates'],
  ['nextjs typescript', 'bundlers'],
  ['image input vision', 'images-and-embeddings'],
  ['custom function column', 'columns', 'code-configs'],
  ['open in browser ui', 'view'],
];

/** How many questions must find their page among the first results. */
const LEAST_FOUND = 27;
const FIRST_RESULTS = 3;

let server: Awaited<ReturnType<typeof createServer>>;
let index: MiniSearch;

beforeAll(async () => {
  server = await createServer('docs', { middlewareMode: true, hmr: false, ws: false, watch: null });
  const loaded = await server.ssrLoadModule('/@localSearchIndexroot');
  const options = site.themeConfig?.search?.provider === 'local' ? site.themeConfig.search.options : undefined;
  // The options of the search box of VitePress.
  index = MiniSearch.loadJSON(String(loaded['default']), {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    searchOptions: {
      fuzzy: 0.2,
      prefix: true,
      boost: { title: 4, text: 2, titles: 1 },
      ...options?.miniSearch?.searchOptions,
    },
  });
}, 120_000);

afterAll(() => server.close());

/** The pages of the first results, as the search box shows them. */
function firstPages(question: string): readonly string[] {
  const first = index.search(question).slice(0, FIRST_RESULTS);
  return first.map(({ id }) => String(id).replace(/#.*/, ''));
}

test('the search of the site finds the page for the questions of users', { tags: 'long' }, () => {
  const missed = QUESTIONS.flatMap(([question, ...pages]) => {
    const found = firstPages(question);
    const isFound = pages.some((page) => found.includes(`/guide/${page}`));
    return isFound ? [] : [`${question}: ${found.join(', ')}`];
  });
  process.stdout.write(
    `${QUESTIONS.length - missed.length} of ${QUESTIONS.length} questions found\n${missed.join('\n')}\n`,
  );
  expect(missed.length).toBeLessThanOrEqual(QUESTIONS.length - LEAST_FOUND);
});
