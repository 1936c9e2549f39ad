import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { loadSinglePages } from '@data-designer/viewer/single-pages';
import { DataDesigner, type DatasetAnalysis, DatasetAnalysis as Analysis, loadDataset } from 'data-designer';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, whyNoBrowser } from '../packages/bench/test/chromium.ts';
import { runCommand } from './command-line.ts';
import { pngColours } from './tools/png-colours.ts';
import { hostileDataset } from './viewed-datasets.ts';

const SCRIPT = '<script>document.title = "taken over"</script>';
const SECRET = 'sk-a-secret-of-the-test';
const PLACES = ['north', 'south', SCRIPT];
const CONFIG = {
  model_configs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
  tool_configs: [{ tool_alias: 'facts', providers: ['demo-tools'], allow_tools: ['get_fact'] }],
  profilers: [{ model_alias: 'writer', summary_score_sample_size: 4 }],
  columns: [
    { name: 'place', column_type: 'sampler', sampler_type: 'category', params: { values: PLACES, weights: [5, 3, 2] } },
    { name: 'size', column_type: 'sampler', sampler_type: 'gaussian', params: { mean: 5, stddev: 2 } },
    { name: 'twice', column_type: 'expression', expr: '{{ size * 2 }}', dtype: 'float' },
    { name: '"><img src=x onerror=alert(1)>', column_type: 'sampler', sampler_type: 'bernoulli', params: { p: 0.5 } },
    {
      name: 'fact',
      column_type: 'llm-text',
      model_alias: 'writer',
      tool_alias: 'facts',
      with_trace: true,
      prompt: 'Something on {{ place }}, with the tool get_fact.',
      skip: { when: '{{ size < 3 }}' },
    },
    {
      name: 'day',
      column_type: 'sampler',
      sampler_type: 'datetime',
      params: { start: '2024-01-01', end: '2024-02-01' },
    },
    { name: 'fixed', column_type: 'expression', expr: SCRIPT },
    {
      name: 'card',
      column_type: 'llm-structured',
      model_alias: 'writer',
      prompt: 'A card on {{ place }}',
      output_format: {
        type: 'object',
        properties: { home: { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] } },
        required: ['home'],
      },
    },
    {
      name: 'grade',
      column_type: 'llm-judge',
      model_alias: 'writer',
      prompt: 'Grade {{ place }}',
      scores: [{ name: 'Warmth', description: 'How warm?', options: { 1: 'cold', 2: 'warm', 3: 'hot' } }],
    },
  ],
};

let folder: string;
let file: string;
let shown: string;
let analysis: DatasetAnalysis;
let records: readonly Readonly<Record<string, unknown>>[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'report-'));
  file = join(folder, 'report.html');
  process.env['TEST_KEY'] = SECRET;
  const providers = { models: [{ name: 'other', endpoint: 'http://localhost:9', apiKey: '${TEST_KEY}' }], tools: [] };
  await using designer = new DataDesigner({
    artifactPath: folder,
    runConfig: { seed: 4 },
    providers,
  });
  const results = await designer.create({ document: CONFIG, source: 'test' }, { numRecords: 60, datasetName: 'seen' });
  records = (await Array.fromAsync(results.records())) as never;
  analysis = await results.loadAnalysis();
  await analysis.toReport({ savePath: file });
  shown = join(folder, 'records.html');
  await results.recordDisplay().savePage([0, 1, 2], shown);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

test('a report page holds no secret and no script, and sends no request', () => {
  const page = readFileSync(file, 'utf8');
  expect(page).not.toContain(SECRET);
  expect(page).not.toMatch(/<script|<img|javascript:|https?:\/\//i);
  expect(page).toContain(`content="default-src &#x27;none&#x27;; style-src &#x27;unsafe-inline&#x27;; img-src data:;`);
  expect(page.length).toBeLessThan(100_000);
});

test('a report page has at most a megabyte, whatever the data', async () => {
  const long = '<&"'.repeat(4000);
  const [one] = analysis.profile.columns;
  const columns = Array.from({ length: 300 }, (_, at) => ({
    ...one,
    name: `${at} ${long}`,
    categories: {
      top: Array.from({ length: 30 }, (__, kind) => ({ value: `${kind} ${long}`, records: 3 })),
      least: long,
      otherRecords: 7,
    },
  }));
  const nullPatterns = [{ columns: columns.map(({ name }) => name), records: 3 }];
  const profile = { ...analysis.profile, name: long, columns, nullPatterns } as never;
  const page = await new Analysis(profile).toReport({ savePath: join(folder, 'large.html') });
  expect(Buffer.byteLength(page)).toBeLessThan(1_000_000);
  expect(page).toContain('are omitted to limit the size of the page');
});

test('a report is drawn as a picture with the colours of a terminal', async () => {
  const picture = await analysis.toReport({ savePath: join(folder, 'report.svg') });
  expect(readFileSync(join(folder, 'report.svg'), 'utf8')).toBe(picture);
  expect(picture).toMatch(/^<svg .*aria-label="Profile of seen">/);
  expect(picture).toContain('font-weight="bold">LLM Judge columns</text>');
  expect(picture).not.toContain('\u001b');
  expect(picture).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
});

test('an analysis tells the share of records made, and its columns by type', () => {
  expect([analysis.percentComplete, analysis.columnTypes.includes('llm-judge')]).toEqual([100, true]);
  const judges = analysis.getColumnStatisticsByType('llm-judge');
  expect(judges).toEqual(analysis.profile.columns.filter(({ columnType }) => columnType === 'llm-judge'));
  expect([judges.length > 0, analysis.getColumnStatisticsByType('none')]).toEqual([true, []]);
  const { profile } = analysis;
  expect(new Analysis({ ...profile, wanted: profile.records * 3 }).percentComplete).toBe(33.33);
});

test('other extensions and unknown sections are refused', async () => {
  const refused = { code: 'report/invalid-option' };
  await expect(analysis.toReport({ savePath: join(folder, 'report.pdf') })).rejects.toMatchObject(refused);
  await expect(analysis.toReport({ includeSections: ['overview', 'all'] })).rejects.toMatchObject(refused);
  const text = await analysis.toReport({ includeSections: ['overview', 'llm-judge'] });
  expect(text).toContain('LLM Judge columns');
  expect(text).not.toContain('Sampler columns');
});

test.each([80, 120])('text of %d characters shows dates, fields, constants and examples', async (width) => {
  const { columns } = process.stdout;
  process.stdout.columns = width;
  const text = await analysis.toReport().finally(() => (process.stdout.columns = columns));
  const lines = stripVTControlCharacters(text).split('\n');
  expect(Math.max(...lines.map(({ length }) => length))).toBe(width);
  const days = records.map((row) => String(row['day']).slice(0, 10)).toSorted();
  const said = lines.join(' ').replaceAll(/\s+/g, ' ');
  expect(said).toMatch(new RegExp(`${days[0]} to .*${days.at(-1)}, most`));
  expect(said).toMatch(/ card\.home\.size /);
  expect(said).toContain('constant: <script>');
  expect(said).toMatch(/ Example rows column record 1 record 2 /);
  expect(said.includes('Left out, as 80 characters are too narrow: data type')).toBe(width === 80);
});

describe.skipIf(whyNoBrowser)(`in a browser${whyNoBrowser ? ` (skipped: ${whyNoBrowser})` : ''}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  }, 300_000);
  afterAll(() => browser?.close());

  async function open(
    width: number,
    scheme: 'light' | 'dark',
    path = file,
  ): Promise<{ page: Page; said: string[] } & AsyncDisposable> {
    const page = await browser.newPage();
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(String(error)));
    page.on('request', (request) => said.push(request.url()));
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.goto(pathToFileURL(path).href, { waitUntil: 'networkidle0' });
    return { page, said, [Symbol.asyncDispose]: () => page.close() };
  }

  test('untrusted text is escaped, the console stays empty, and nothing is fetched', { tags: 'long' }, async () => {
    await using opened = await open(1400, 'light');
    expect(opened.said.filter((one) => !one.startsWith('file:') && !one.startsWith('data:'))).toEqual([]);
    expect(opened.said.filter((one) => one.startsWith('file:'))).toEqual([pathToFileURL(file).href]);
    expect(await opened.page.title()).toBe('seen: dataset profile');
    const names = await opened.page.$$eval('[data-column="place"] .bar-name', (all) =>
      all.map((one) => one.textContent),
    );
    expect(names).toContain(SCRIPT);
    const headings = await opened.page.$$eval('h2, h3', (all) => all.map((one) => one.textContent));
    expect(headings).toEqual(
      expect.arrayContaining(['"><img src=x onerror=alert(1)>', 'Conversations', 'Columns that are null together']),
    );
    expect(await opened.page.$$eval('img, script, iframe', (all) => all.length)).toBe(0);
  });

  test('bars have the number and size of the data', { tags: 'long' }, async () => {
    await using opened = await open(1400, 'light');
    const counted = PLACES.map((place) => records.filter((row) => row['place'] === place).length);
    const bars = await opened.page.$$eval('[data-column="place"] .bar-list li', (all) =>
      all.map((one) => {
        const width = one.querySelector('.drawn')?.getBoundingClientRect().width ?? 0;
        return [Number(one.querySelector('.num')?.textContent), width] as const;
      }),
    );
    expect(bars.map(([count]) => count).toSorted((a, b) => a - b)).toEqual(counted.toSorted((a, b) => a - b));
    const [[most, widest]] = bars as unknown as [[number, number]];
    for (const [count, width] of bars) expect(width / widest).toBeCloseTo(count / most, 1);

    const drawn = await opened.page.$$eval('[data-column="size"] .histogram g', (all) =>
      all.map((one) => {
        const height = one.querySelector('.drawn')?.getBoundingClientRect().height ?? 0;
        return [Number(one.querySelector('title')?.textContent), height] as const;
      }),
    );
    expect(drawn.reduce((sum, [count]) => sum + count, 0)).toBe(records.length);
    const highest = Math.max(...drawn.map(([count]) => count));
    for (const [count, height] of drawn) expect(height).toBeCloseTo((80 * count) / highest, 0);

    const warmth = await opened.page.$$eval('.card', (all) => {
      const card = all.find((one) => one.querySelector('h3')?.textContent === 'grade: Warmth');
      return [...(card?.querySelectorAll('li') ?? [])].map((line) => line.textContent);
    });
    const given = records.map((row) => (row['grade'] as { Warmth: { score: string } }).Warmth.score);
    const options = [...new Set(given)].toSorted();
    expect(warmth).toEqual(options.map((option) => `${option}${given.filter((one) => one === option).length}`));
  });

  test(
    'dates have a histogram, fields a card, constants no card, and examples are rows',
    { tags: 'long' },
    async () => {
      await using opened = await open(1400, 'light');
      const { page } = opened;
      const counts = await page.$$eval('[data-column="day"] .histogram title', (all) =>
        all.map((one) => Number(one.textContent)).filter((count) => count > 0),
      );
      const days = Map.groupBy(records, (row) => String(row['day']));
      expect(counts).toEqual([...days].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, rows]) => rows.length));
      expect(await page.$$('[data-column="card.home.size"]')).toHaveLength(1);
      expect(await page.$$('[data-column="fixed"]')).toHaveLength(0);
      const shownRows = await page.$$eval('[data-section="examples"] tr', (all) =>
        all.map((row) => [...row.children].map((cell) => cell.textContent)),
      );
      expect(shownRows[0]).toEqual(['column', 'record 1', 'record 2', 'record 3']);
      expect(shownRows[1]).toEqual(['place', ...records.slice(0, 3).map((row) => row['place'])]);
      const widths = await page.$$eval('.list-table .text, [data-section=examples] tbody th', (all) =>
        all.map((cell) => cell.getBoundingClientRect().width),
      );
      expect(Math.min(...widths)).toBeGreaterThan(150);
    },
  );

  for (const [width, scheme, tags] of [
    [1400, 'light', []],
    [1400, 'dark', ['long']],
    [400, 'light', ['long']],
    [400, 'dark', []],
  ] as const)
    test(
      `at ${width} pixels, ${scheme}: nothing overflows, text stands out, and bars are seen`,
      { tags: [...tags] },
      async () => {
        await using opened = await open(width, scheme);
        const { page } = opened;
        const beyond = await page.$$eval(
          'body, body *',
          (all, limit) =>
            all
              .filter((one) => one.getBoundingClientRect().right > limit + 1)
              .map((one) => one.outerHTML.slice(0, 100)),
          width,
        );
        expect(beyond).toEqual([]);
        expect(await page.$eval('html', (root) => root.scrollWidth)).toBeLessThanOrEqual(width);
        const colours = await page.$eval('html', (root) => {
          const { defaultView: view } = root.ownerDocument;
          const of = (selector: string, name: string): string => {
            const one = root.querySelector(selector);
            return view && one ? view.getComputedStyle(one).getPropertyValue(name) : '';
          };
          return {
            ground: of('body', 'background-color'),
            card: of('.card', 'background-color'),
            texts: [of('body', 'color'), of('.quiet', 'color'), of('.card h3', 'color'), of('figcaption', 'color')],
            bar: of('.histogram .drawn', 'fill'),
          };
        });
        expect(luminance(colours.ground) > 0.5).toBe(scheme === 'light');
        for (const text of colours.texts) expect(contrast(text, colours.card)).toBeGreaterThan(4.5);
        expect(contrast(colours.bar, colours.card)).toBeGreaterThan(3);

        // What a person sees of the page at its first histogram; decoding the picture of the whole page takes seconds.
        await page.setViewport({ width, height: 300 });
        await page.$eval('.histogram', (one) => one.scrollIntoView({ block: 'center' }));
        const seen = pngColours(await page.screenshot());
        expect(seen.size).toBeGreaterThan(20);
        expect(seen.get(hexOf(colours.bar)) ?? 0).toBeGreaterThan(1000);
        expect(seen.get(hexOf(colours.ground)) ?? 0).toBeGreaterThan(1000);
      },
    );

  for (const [width, scheme, tags] of [
    [1400, 'light', ['long']],
    [400, 'dark', []],
  ] as const)
    test(`records are browsed by keys, at ${width} pixels, ${scheme}`, { tags: [...tags] }, async () => {
      await using opened = await open(width, scheme, shown);
      const { page, said } = opened;
      expect(said).toEqual([pathToFileURL(shown).href]);
      const visible = () =>
        page.$$eval('article', (all) => all.filter((one) => one.checkVisibility()).map((one) => one.id));
      expect(await visible()).toEqual(['record-1']);
      await page.keyboard.press('n');
      expect(await visible()).toEqual(['record-2']);
      await page.click('#next');
      await page.click('#next');
      expect(await visible()).toEqual(['record-1']);
      await page.keyboard.press('ArrowLeft');
      expect(await visible()).toEqual(['record-3']);
      const cells = await page.$$eval('#record-3 dd', (all) => all.map((one) => one.textContent));
      expect(cells[0]).toBe(records[2]?.['place']);
      const name = await page.$$eval('#record-3 dt', (all) => all.map((one) => one.textContent));
      expect(name).toContain('"><img src=x onerror=alert(1)>');
      expect(await page.title()).toBe('seen');
      expect(await page.$eval('html', (root) => root.scrollWidth)).toBeLessThanOrEqual(width);
      const colours = await page.$eval('html', (root) => {
        const { defaultView: view } = root.ownerDocument;
        const of = (selector: string, property: string): string => {
          const one = root.querySelector(selector);
          return view && one ? view.getComputedStyle(one).getPropertyValue(property) : '';
        };
        return [
          [of('body', 'color'), of('body', 'background-color')],
          ...['.card dd', '.card dt', 'h3', '.quiet'].map((one) => [of(one, 'color'), of('.card', 'background-color')]),
          ...['user', 'assistant'].map((one) => [
            of(`.message-${one} .text`, 'color'),
            of(`.message-${one}`, 'background-color'),
          ]),
        ] as [string, string][];
      });
      expect(luminance(colours[0]?.[1] ?? '') > 0.5).toBe(scheme === 'light');
      for (const [text, ground] of colours) expect(contrast(text, ground)).toBeGreaterThan(4.5);
      expect(pngColours(await page.screenshot()).size).toBeGreaterThan(20);
    });

  test(
    'search finds hostile values as plain text, marks them, and steps through the matches',
    { tags: 'long' },
    async () => {
      const path = join(folder, 'hostile.html');
      const values = [SCRIPT, '"><svg onload=alert(1)>', '<b>İSTANBUL</b> & 漢字 (a+)+$', 'plain', `${SCRIPT} again`];
      writeFileSync(path, await hostilePage(values));
      await using opened = await open(900, 'light', path);
      const { page } = opened;
      const visible = () => page.$$eval('main article:not([hidden])', (all) => all.map((one) => one.id));
      const textOf = (selector: string) => page.$eval(selector, (one) => one.textContent);
      const marked = () =>
        page.evaluate(`[...(CSS.highlights.get('found') ?? [])].map((range) => range.toString())`) as Promise<string[]>;
      const search = async (query: string) => {
        await page.keyboard.press('Escape');
        await page.keyboard.press('/');
        await page.keyboard.type(query);
      };

      await search(SCRIPT.toUpperCase());
      expect(await textOf('#found')).toBe('2 of 5 records with a match');
      expect([await visible(), await textOf('#at')]).toEqual([['record-1'], 'Record 1, 1 of 2']);
      expect(await marked()).toEqual([SCRIPT]);
      await page.keyboard.press('Enter');
      expect([await visible(), await textOf('#at')]).toEqual([['record-5'], 'Record 5, 2 of 2']);

      await search('<b>İstanbul</b> & 漢字 (a+)+$');
      expect(await visible()).toEqual(['record-3']);
      expect(await marked()).toEqual([values[2]]);
      // The match spans pieces of coloured code, in a turn that was folded.
      await search('return "x"');
      expect(await textOf('#found')).toBe('5 of 5 records with a match');
      expect(await marked()).toEqual(['return "x"', 'return "x"']);
      expect(await page.$$eval('article:not([hidden]) details[open]', (all) => all.length)).toBe(2);
      await search('a name that only headings contain');
      expect([await visible(), await textOf('#at')]).toEqual([[], 'No record']);
      await page.keyboard.press('Escape');
      expect([await textOf('#found'), await marked()]).toEqual(['', []]);
      expect(await page.$$eval('article details[open]', (all) => all.length)).toBe(0);
      expect(await visible()).toHaveLength(1);

      await search('<img src=x onerror=alert(1)>');
      expect(await page.title()).toBe('hostile');
      expect(await page.$$eval('main img, main svg, main script, main b', (all) => all.length)).toBe(0);
      expect(opened.said).toEqual([pathToFileURL(path).href]);
    },
  );

  test(
    'pages of hostile cells, one of 10 MB, show text, run nothing and request nothing from the disk or elsewhere',
    { tags: 'long' },
    async () => {
      const hostile = await hostileDataset(folder);
      const results = await loadDataset(hostile);
      const [report, page] = [join(folder, 'hostile-report.html'), join(folder, 'hostile-records.html')];
      await (await results.loadAnalysis()).toReport({ savePath: report });
      await results.recordDisplay().savePage([0, 1, 2, 3, 4], page);
      const previews = join(folder, 'previews');
      const flags = ['-n', '5', '--save-results', '-o', previews];
      await runCommand(['preview', join(hostile, 'builder_config.json'), ...flags]);
      const [saved = ''] = readdirSync(previews);
      const preview = join(previews, saved, 'sample_records.html');
      for (const path of [report, page, preview]) {
        expect(statSync(path).size).toBeLessThan(1_000_000);
        await using opened = await open(900, 'light', path);
        const { page: shownPage, said } = opened;
        const text = await shownPage.$eval('body', (body) => body.textContent);
        expect(text).toContain('[U+202E]gnp.exe[U+2066]');
        // oxlint-disable-next-line no-control-regex -- these must not reach the page
        expect(text).not.toMatch(/[\u0000\u0007\u001B\u202E]/);
        expect(await shownPage.title()).not.toMatch(/taken over|^1$/);
        const markup = 'main script, main iframe, main img[src="x"], a[href^="javascript"]';
        expect(await shownPage.$$eval(markup, (all) => all.length)).toBe(0);
        expect(said.filter((one) => !one.startsWith('data:'))).toEqual([pathToFileURL(path).href]);
        const refused = await shownPage.evaluate(async () => {
          const directives: string[] = [];
          const both = new Promise<void>((resolve) => {
            document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
              if (directives.push(effectiveDirective) === 2) resolve();
            });
          });
          const script = document.createElement('script');
          script.textContent = 'document.title = "taken over"';
          document.body.append(script);
          await fetch('http://127.0.0.1:9/').catch(() => undefined);
          await both;
          return [...directives, document.title === 'taken over'];
        });
        expect(refused).toEqual(['script-src-elem', 'connect-src', false]);
      }
    },
  );

  test('both pages have landmarks, headings in order, and names for all controls', { tags: 'long' }, async () => {
    for (const path of [file, shown]) {
      await using opened = await open(1400, 'light', path);
      const { page } = opened;
      expect(await page.$$eval('main', (all) => all.length)).toBe(1);
      const levels = await page.$$eval('h1, h2, h3, h4', (all) => all.map((one) => Number(one.tagName.slice(1))));
      expect(levels.filter((level) => level === 1)).toEqual([1]);
      expect(levels.every((level, at) => level <= (levels[at - 1] ?? 0) + 1)).toBe(true);
      if (path === file) continue;
      const controls = ['Search all values[role="searchbox"]', 'Next[role="button"]', 'Previous[role="button"]'];
      for (const control of controls) expect(await page.$$(`aria/${control}`)).toHaveLength(1);
    }
  });
});

/** A page with a record per value; every record has coloured code and a folded part in a folded conversation. */
async function hostilePage(values: readonly string[]): Promise<string> {
  const code = 'def f():\n    return "x"';
  const name = 'a name that only headings contain';
  const { recordsPage } = await loadSinglePages(
    join(import.meta.dirname, '../packages/data-designer/dist/single-pages'),
  );
  const column = {
    of: 'code',
    columnType: 'llm-code',
    type: 'utf8',
    isNested: false,
    dateFormat: null,
    models: [],
    operators: [],
  } as const;
  const columns = [
    { ...column, name, of: name, kind: 'sampler', shown: 'value', language: null },
    { ...column, name: 'code', kind: 'model', shown: 'code', language: 'python' },
  ] as const;
  const field = { media: [], scores: [], isValid: null };
  const result = { number: 0, role: 'tool', content: { text: code, length: code.length }, reasoning: null } as const;
  const others = { toolCalls: [], toolCallId: null, media: [], model: null, finishReason: null, usage: null };
  const message = { ...result, ...others };
  const not = { text: null, note: null } as const;
  async function* paged() {
    for (const [index, value] of values.entries()) {
      yield {
        index,
        fields: [
          { ...field, column: name, value },
          { ...field, column: 'code', value: code },
        ],
        answers: [
          {
            column: 'code',
            modelAlias: 'm',
            model: 'm',
            prompt: { ...not, source: 'trace', system: null },
            raw: { ...not, source: 'not-stored' },
            conversation: {
              column: 'code__trace',
              from: 0,
              total: 20,
              messages: Array.from({ length: 20 }, (_, number) => ({
                ...message,
                number,
                content: number === 3 ? message.content : null,
              })),
            },
          },
        ],
        processed: [],
      } as const;
    }
  }
  return recordsPage(paged(), { title: 'hostile', columns });
}

function channels(colour: string): readonly number[] {
  return (colour.match(/\d+(?:\.\d+)?/g) ?? []).slice(0, 3).map(Number);
}

function hexOf(colour: string): string {
  return channels(colour)
    .map((one) => one.toString(16).padStart(2, '0'))
    .join('');
}

/** Relative luminance and contrast as WCAG 2.2 has them. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((one) => {
    const share = one / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}
