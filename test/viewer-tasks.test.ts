import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataDesigner, defineTool, loadDataset, openViewer } from 'data-designer';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { runCommand } from './command-line.ts';
import { go, openPage, openWhenThere, textOf, untilText, type Viewer, WAIT } from './opened-page.ts';
import { openBrowser, whyNoBrowser } from '../packages/bench/test/chromium.ts';

const ROWS = 60;
/** A running dataset stands still from this answer on. */
const HELD_FROM = 30;
const SLOW_MS = 150;
/** As numbers 10 is the largest score, as texts the smallest. */
const SCORES = [2, 3, 10];

/** What readers do with the pages: find low scores, learn why rows failed, compare two runs, find a run. */
describe.skipIf(whyNoBrowser)(`tasks in a browser${whyNoBrowser ? ` (skipped: ${whyNoBrowser})` : ''}`, () => {
  let folder: string;
  let browser: Browser;
  let model: AnsweringServer;
  let judged: string;
  let viewer: Viewer;
  let shift = 0;
  /** What the model behind the same name does differently later. */
  let drift = 0;
  let slowAnswers = 0;
  /** Resolves when the answers of the running dataset go on. */
  const held = Promise.withResolvers<void>();
  const home = process.env['DATA_DESIGNER_HOME'];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'viewer-tasks-'));
    browser = await openBrowser();
    model = await openAnsweringServer(async (body, response) => {
      const { messages }: { messages: { role: string; content: string }[] } = JSON.parse(body);
      const asked = messages.findLast(({ role }) => role === 'user')?.content ?? '';
      const number = Number(/number (\d+)/.exec(asked)?.[1] ?? messages.length);
      if (/Slowly/.test(asked)) {
        if (++slowAnswers > HELD_FROM) await held.promise;
        else await sleep(SLOW_MS);
      }
      if (/Write about/.test(asked) && messages.at(-1)?.role === 'user') {
        return reply(response, callOf('look_up', { number }));
      }
      if (/Grade/.test(body)) {
        const grade = {
          Clarity: scored(SCORES[(number + shift + drift) % 3] ?? 2),
          Tone: scored(SCORES[number % 2] ?? 2),
        };
        return reply(response, completion(JSON.stringify(grade), { prompt_tokens: 50, completion_tokens: 20 }));
      }
      if (/Name/.test(body)) {
        // Two causes under one code.
        return reply(
          response,
          completion(number % 4 === 0 ? 'no JSON' : number % 4 === 1 ? '{"name": 7}' : '{"name":"x"}'),
        );
      }
      const text = number % 6 === 0 ? '' : `Text about number ${number}${', which is longer'.repeat(shift)}.`;
      return reply(response, completion(text, { prompt_tokens: 10, completion_tokens: 5 + shift }));
    });
    judged = await judgedDataset('judged');
    shift = 1;
    await judgedDataset('judged-again');
    await selectedDataset('selected');
    viewer = await openViewer(judged, { compare: join(folder, 'judged-again') });
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await viewer?.[Symbol.asyncDispose]();
    model?.[Symbol.dispose]();
    if (home !== undefined) process.env['DATA_DESIGNER_HOME'] = home;
    rmSync(folder, { recursive: true });
  });

  const designer = (artifactPath = folder): DataDesigner =>
    new DataDesigner({
      artifactPath,
      runConfig: { seed: 1, maxConversationRestarts: 0, maxConversationCorrectionSteps: 0 },
      providers: {
        models: [{ name: 'answering', endpoint: `${model.origin}/v1`, apiKey: 'k' }],
        tools: [{ name: 'mine', providerType: 'local', tools: [LOOK_UP] }],
      },
    });

  const models = [{ alias: 'writer', model: 'm', provider: 'answering', pricing: { input: 1, output: 2 } }];

  async function judgedDataset(name: string, into = folder): Promise<string> {
    await using made = designer(into);
    const options = Object.fromEntries(SCORES.map((score) => [score, `worth ${score}`]));
    const document = {
      model_configs: models,
      tool_configs: [{ tool_alias: 'books', providers: ['mine'] }],
      columns: [
        {
          name: 'number',
          column_type: 'sampler',
          sampler_type: 'uniform',
          params: { low: 0, high: 100 },
          convert_to: 'int',
        },
        {
          name: 'text',
          column_type: 'llm-text',
          model_alias: 'writer',
          prompt: `Write about number {{ number }}${' at length'.repeat(shift)}.`,
          tool_alias: 'books',
          with_trace: 'all_messages',
        },
        {
          name: 'named',
          column_type: 'llm-structured',
          model_alias: 'writer',
          prompt: 'Name it: number {{ number }}.',
          output_format: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
          on_failure: 'null',
        },
        {
          name: 'grade',
          column_type: 'llm-judge',
          model_alias: 'writer',
          prompt: 'Grade number {{ number }}.',
          scores: ['Clarity', 'Tone'].map((score) => ({ name: score, description: 'How good?', options })),
        },
      ],
    };
    const { path } = await made.create({ document, source: 'the test' }, { numRecords: ROWS, datasetName: name });
    return path;
  }

  /** A dataset of eight rows without those whose name is no JSON of the right form. */
  async function lostDataset(): Promise<string> {
    await using made = designer(mkdtempSync(join(folder, 'lost-')));
    const numbers = { low: 0, high: 100 };
    const document = {
      model_configs: models,
      columns: [
        { name: 'number', column_type: 'sampler', sampler_type: 'uniform', params: numbers, convert_to: 'int' },
        {
          name: 'named',
          column_type: 'llm-structured',
          model_alias: 'writer',
          prompt: 'Name it: number {{ number }}.',
          output_format: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        },
      ],
    };
    return (await made.create({ document, source: 'the test' }, { numRecords: 8, datasetName: 'lost' })).path;
  }

  /** A dataset of whose rows half are made, while the others wait until it is disposed of. */
  async function runningDataset(): Promise<AsyncDisposable & { readonly viewer: Viewer }> {
    const artifactPath = mkdtempSync(join(tmpdir(), 'viewer-running-'));
    const made = new DataDesigner({
      artifactPath,
      runConfig: { seed: 1, progressInterval: 0.2 },
      providers: { models: [{ name: 'answering', endpoint: `${model.origin}/v1`, apiKey: 'k' }], tools: [] },
    });
    const document = {
      model_configs: [{ ...models[0], inference_parameters: { max_parallel_requests: 4 } }],
      columns: [
        { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
        { name: 'text', column_type: 'llm-text', model_alias: 'writer', prompt: 'Slowly: {{ id }}.' },
      ],
    };
    const run = made.create({ document, source: 'the test' }, { numRecords: ROWS, datasetName: 'live' });
    const opened = await openWhenThere(join(artifactPath, 'live'));
    const close = async (): Promise<void> => {
      held.resolve();
      await run;
      await opened[Symbol.asyncDispose]();
      await made[Symbol.asyncDispose]();
      rmSync(artifactPath, { recursive: true });
    };
    return { viewer: opened, [Symbol.asyncDispose]: close };
  }

  async function selectedDataset(name: string): Promise<void> {
    await using made = designer();
    const document = {
      columns: [
        {
          name: 'topic',
          column_type: 'sampler',
          sampler_type: 'category',
          params: { values: ['salt', 'bees', 'moon'], weights: [8, 1, 1] },
        },
      ],
      select: { unique: [{ exact: ['topic'] }], keep_rejected: true, max_candidates: 200 },
    };
    await made.create({ document, source: 'the test' }, { numRecords: 3, datasetName: name });
  }

  test(
    'a score is a column that sorts by its number, and is filtered by < and by dragging over its bars',
    { tags: 'long' },
    async () => {
      await using opened = await openPage(viewer.address, browser);
      const { page, said } = opened;
      await page.setViewport({ width: 1900, height: 3200 });
      await go(page, 'table');
      await page.click('[title="Sort by grade.Clarity"]');
      await untilText(page, '.chips', 'sorted by grade.Clarity');
      await page.waitForSelector('[role=gridcell]:not(:has(.loading))', WAIT);
      const sorted = (await cellsOf(page, 'grade.Clarity')).map(Number);
      expect(new Set(sorted)).toEqual(new Set(SCORES));
      expect(sorted).toEqual(sorted.toSorted((a, b) => a - b));
      await page.click('[aria-label="Menu of grade.Clarity"]');
      await page.type('[aria-label="Value"]', '3');
      await page.keyboard.press('Enter');
      await untilText(page, '.chips', 'grade.Clarity < 3');
      await untilText(page, '.row-count', `${sorted.filter((score) => score < 3).length} row`);
      // Dragging from the first bar to the second keeps the rows of both.
      await go(page, 'table');
      await page.waitForSelector('.grid-column:has([title="Sort by grade.Clarity"]) .pick', WAIT);
      const bars = await page.$$('.grid-column:has([title="Sort by grade.Clarity"]) .pick .hit');
      const [from, to] = await Promise.all([bars[0]?.boundingBox(), bars[1]?.boundingBox()]);
      await page.mouse.move((from?.x ?? 0) + 3, (from?.y ?? 0) + 10);
      await page.mouse.down();
      await page.mouse.move((to?.x ?? 0) + 3, (to?.y ?? 0) + 10);
      await page.mouse.up();
      await untilText(page, '.chips', 'grade.Clarity one of 2, 3');
      await untilText(page, '.row-count', `${sorted.filter((score) => score <= 3).length} row`);
      await untilText(page, '.grid-column:has([title="Sort by grade.Tone"])', 'mean 2.');
      expect(said).toEqual([]);
    },
  );

  test(
    'a wrong condition names the member that was meant, and is no part of the filter',
    { tags: 'long' },
    async () => {
      await using opened = await openPage(viewer.address, browser);
      const { page } = opened;
      await go(page, 'table');
      await page.type('.sql input', 'Clarity < 3');
      await page.keyboard.press('Enter');
      await untilText(page, '.sql', 'there is no column Clarity. Name the member with its column: grade.Clarity.');
      expect([await page.evaluate(() => location.hash), await textOf(page, '.row-count')]).toEqual([
        '#/table',
        `${await rowsOf(judged)} rows`,
      ]);
      await page.$eval('.sql input', (field) => field.setSelectionRange(0, 0));
      await page.keyboard.type('grade.');
      expect(await textOf(page, '.sql')).not.toContain('Clarity');
      await page.keyboard.press('Enter');
      await untilText(page, '.chips', 'SQL: grade.Clarity < 3');
      await page.waitForFunction(
        () => /^[1-9]\d* rows?$/.test(document.querySelector('.row-count')?.textContent ?? ''),
        WAIT,
      );
    },
  );

  test('the table opens at the row that was read last', { tags: 'long' }, async () => {
    await using opened = await openPage(viewer.address, browser);
    const { page } = opened;
    await go(page, 'table?sort=number:desc');
    await page.waitForSelector('[role=gridcell]:not(:has(.loading))', WAIT);
    await page.keyboard.press('Enter');
    for (let row = 1; row < 31; row++) {
      await untilText(page, '.record-head', `${row} of`);
      await page.keyboard.press('j');
    }
    await untilText(page, '.record-head', '31 of');
    const left = async () => {
      expect(await page.evaluate(() => location.hash)).toBe('#/table?sort=number%3Adesc&at=30');
      await page.waitForSelector('[role=gridcell][data-row="30"]:not(:has(.loading))', WAIT);
    };
    await page.keyboard.press('2');
    await left();
    await page.keyboard.press('Enter');
    await untilText(page, '.record-head', '31 of');
    await page.click('nav a[href^="#/table"]');
    await left();
  });

  test('two runs are compared by their figures, and each changed row by its own', { tags: 'long' }, async () => {
    await using opened = await openPage(viewer.address, browser);
    const { page } = opened;
    await go(page, 'compare');
    await untilText(page, 'main', 'mean grade.Clarity');
    const figures = await textOf(page, '[aria-label="Figures of both datasets"]');
    expect(figures).toMatch(/mean grade\.Clarity\s+[\d.]+\s+[\d.]+\s+[+−±]/);
    expect(figures).toMatch(/tokens written\s+[\d,]+\s+[\d,]+\s+\+\d/);
    expect(figures).toMatch(/cost\s+[\d.]+\s+[\d.]+\s+\+/);
    expect(figures).toMatch(/mean characters of text\s+[\d.]+\s+[\d.]+\s+\+1/);
    await untilText(page, '.all-rows', `${ROWS} rows compared`);
    const [before, after] = await Promise.all(
      [judged, join(folder, 'judged-again')].map(async (path) => Array.fromAsync((await loadDataset(path)).records())),
    );
    const deltas = (before ?? []).map((row, at) => clarityOf(after?.[at]) - clarityOf(row));
    const [rose, fell] = [deltas.filter((delta) => delta > 0).length, deltas.filter((delta) => delta < 0).length];
    const rises = await textOf(page, '[aria-label="Figures that rose and fell"]');
    expect(rises).toMatch(new RegExp(String.raw`grade\.Clarity\s+${rose}\s+${fell}\s+${ROWS - rose - fell}\s+[+−±]`));
    expect(rises).toMatch(/tokens written for text\s+\d+\s+0\s+\d+\s+\+/);
    expect(await textOf(page, '[aria-label="Columns that differ"]')).toMatch(/text\s+\d+[^]*grade\s+\d+/);
    // Grades are scores with their reasons, never JSON.
    const grades = await page.$$eval('.compare-rows .compare-table tr', (all) => {
      const own = all.map((row) => Array.from(row.cells, ({ innerText }) => innerText));
      return own.filter(([name]) => name === 'grade.Clarity');
    });
    expect(grades[0]?.[1]).toMatch(/^(?:2|3|10) It is (?:2|3|10)\.$/);
    expect(grades[0]?.[3]).toMatch(/^[+−]\d$/);
    expect(await textOf(page, '.compare-rows')).not.toContain('{');
    // The rows that fell.
    await page.locator('[aria-label="Figures that rose and fell"] tbody tr:first-child td:nth-child(3) button').click();
    await untilText(page, '.compare-rows .chips', 'grade.Clarity fell');
    await untilText(page, '.compare-rows [role=status]', `in ${Math.min(fell, 20)} of them`);
    await page.locator('[aria-label="Remove grade.Clarity fell"]').click();
    await page.waitForFunction(() => document.querySelector('.compare-rows .chips') === null, WAIT);
    await untilText(page, '.compare-rows', 'Changed rows only');
    // The prompt of one of them differs.
    expect(await textOf(page, '.config-changes')).toMatch(/Configs: 1 difference[^]*columns\.text\.prompt/);
  });

  test('a changed row shows its other columns, and leads to both records and back', { tags: 'long' }, async () => {
    await using opened = await openPage(viewer.address, browser);
    const { page } = opened;
    await go(page, 'compare');
    await page.waitForSelector('.compare-rows .same-values', WAIT);
    const card = '#compared-7';
    expect(await textOf(page, `${card} .same-values`)).toMatch(/^\d columns? without a difference: number/);
    await page.click(`${card} .same-values summary`);
    const [row] = (await Array.fromAsync((await loadDataset(judged)).records())).slice(7);
    expect(await textOf(page, `${card} .same-values dd`)).toBe(String(row?.['number']));
    for (const [at, name] of ['judged', 'judged-again'].entries()) {
      await page.click(`${card} span:nth-of-type(${at + 1}) > a`);
      await untilText(page, '.record-head h2', 'Row 7');
      expect(await page.$eval('[aria-label=Dataset] :checked', (one) => one.textContent)).toBe(name);
      await page.keyboard.press('j');
      await untilText(page, '.record-head h2', 'Row 8');
      await page.locator('.record-head a::-p-text(Back to the comparison)').click();
      await page.waitForFunction(
        (wanted) => {
          const { top = -1 } = document.querySelector(wanted)?.getBoundingClientRect() ?? {};
          return top >= 0 && top < innerHeight / 2;
        },
        WAIT,
        card,
      );
    }
  });

  test('rows that differ under one config are explained', { tags: 'long' }, async () => {
    [shift, drift] = [0, 1];
    const later = await judgedDataset('judged-later', mkdtempSync(join(folder, 'later-')));
    [shift, drift] = [1, 0];
    await using pair = await openViewer(judged, { compare: later });
    await using opened = await openPage(pair.address, browser);
    const { page } = opened;
    await go(page, 'compare');
    await untilText(page, 'main', 'another model behind the same name');
    const rises = await textOf(page, '[aria-label="Figures that rose and fell"] tbody tr');
    // Scores of 2, 3 and 10: 2 and 3 rise by 1 and 7, and 10 falls by 8.
    expect(rises).toMatch(/^grade\.Clarity\s+\d+\s+\d+\s+0\s+\+[1-7][\d.]*\s+−8\s+[+−±]/);
  });

  test('a dataset is compared with a finished one of its folder, from a list', { tags: 'long' }, async () => {
    await using alone = await openViewer(judged);
    await using opened = await openPage(alone.address, browser);
    const { page } = opened;
    await go(page, 'compare');
    await untilText(page, '.all-rows', 'rows compared');
    const names = await page.$$eval('[aria-label="Compare with"] option', (all) => all.map((one) => one.textContent));
    expect(names[0]).toMatch(/^judged-again \(60 rows, \d+ columns in common\)$/);
    expect(names.map((name) => name?.split(' ')[0])).toContain('selected');
    await page.select('[aria-label="Compare with"]', 'selected');
    await untilText(page, 'main', 'Columns of one dataset only');
    expect(opened.said).toEqual([]);
  });

  test('the table says that it searches while a search takes long', { tags: 'long' }, async () => {
    await using opened = await openPage(viewer.address, browser);
    const { page } = opened;
    await go(page, 'table');
    const answered = Promise.withResolvers<void>();
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      void (request.url().endsWith('/api/rows') ? answered.promise : Promise.resolve()).then(() => request.continue());
    });
    await page.locator('.search').fill('number 7');
    await untilText(page, '.row-count', 'searching…');
    answered.resolve();
    await untilText(page, '.row-count', 'row');
    expect(opened.said).toEqual([]);
  });

  test(
    'failed cells are grouped by cause, and flaws and refused rows lead to their values',
    { tags: 'long' },
    async () => {
      await using opened = await openPage(viewer.address, browser);
      const { page } = opened;
      await go(page, 'failures');
      const groups = '[aria-label="Failed cells by column, code and cause"]';
      await page.waitForSelector(groups, WAIT);
      const counts = await page.$$eval(`${groups} tbody tr`, (rows) =>
        rows.map((row) => Number(row.querySelector('[data-label="Cells"]')?.textContent)),
      );
      expect(counts.length).toBeGreaterThan(1);
      const lines = readFileSync(join(judged, 'failures.jsonl'), 'utf8').trimEnd().split('\n');
      const failed = lines.map((line): { row: number; code: string } => JSON.parse(line));
      expect(new Set(failed.map(({ code }) => code)).size).toBeLessThan(counts.length);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(failed.length);
      // A row has the same number here as in the table.
      await page.click(`${groups} [data-label="Cells"] a`);
      const messages = await page.$$eval(`${groups} [data-label="First message"]`, (all) =>
        all.map((one) => one.textContent ?? ''),
      );
      const shown = async (at: number) =>
        untilText(
          page,
          '[aria-label="Failed cells"] h2',
          `${counts[at]} failed cells of named: ${messages[at]?.slice(0, 60)}`,
        );
      await shown(0);
      await page.click(`${groups} tbody tr:nth-child(2) [data-label="Cells"] a`);
      await shown(1);
      await page.click(`${groups} [data-label="Cells"] a`);
      await shown(0);
      const heading = await textOf(page, '.card h3');
      await page.click('.card a');
      await page.waitForSelector('.record-head h2', WAIT);
      expect(heading).toContain(`${await textOf(page, '.record-head h2')}, named`);
      // Lost rows lead here from the table.
      await using lacking = await openViewer(await lostDataset());
      await using lost = await openPage(lacking.address, browser);
      await go(lost.page, 'table');
      const rows = Number((await textOf(lost.page, '.row-count')).split(' ')[0]);
      await lost.page.locator(`main a::-p-text(${8 - rows} rows were lost)`).click();
      await untilText(lost.page, 'main', `${8 - rows} failed cells`);
      // The rows of a flaw.
      await go(page, 'failures');
      const flaw = '[aria-label="Failed tool calls and flawed answers"] [data-label="Number"] a';
      await page.waitForSelector(flaw, WAIT);
      const empty = await textOf(page, flaw);
      await page.click(flaw);
      await untilText(page, '.row-count', `${empty} row`);
      await using other = await openViewer(join(folder, 'selected'));
      await using selected = await openPage(other.address, browser);
      await go(selected.page, 'failures');
      await selected.page.waitForSelector('[aria-label="Refused candidates by reason"] a', WAIT);
      await selected.page.click('[aria-label="Refused candidates by reason"] a');
      await selected.page.waitForSelector('[aria-label="Refused candidates"] [data-label="Values"] summary', WAIT);
      expect(await textOf(selected.page, '[aria-label="Refused candidates"] [data-label="Values"]')).toMatch(
        /salt|bees|moon/,
      );
    },
  );

  test(
    'a folder of datasets opens a list of runs, and tabs are named by what they show',
    { tags: 'long' },
    async () => {
      await using all = await openViewer(folder);
      await using opened = await openPage(all.address, browser);
      const { page, said } = opened;
      await page.waitForFunction(() => !document.querySelector('.runs-table')?.textContent?.includes('…'), WAIT);
      const rows = await page.$$eval('.runs-table tbody tr', (found) =>
        found.map((row) => (row as HTMLElement).innerText),
      );
      expect(rows).toHaveLength(3);
      expect(rows.find((row) => row.startsWith('judged\t'))).toMatch(
        /^judged\tfinished\t60\t[\d.]+\tgrade\.Clarity [\d.]+, grade\.Tone [\d.]+\t\d+\t/,
      );
      // A run without requests costs nothing, whatever has a price.
      expect(rows.find((row) => row.startsWith('selected'))).toMatch(/^selected\tfinished\t3\t0\.00\t/);
      expect(await page.title()).toMatch(/^Runs · viewer-tasks-/);
      const link = await page.evaluateHandle(() =>
        [...document.querySelectorAll('.runs-table a')].find(({ textContent }) => textContent === 'judged'),
      );
      await (link as unknown as { click: () => Promise<void> }).click();
      await page.waitForSelector('.facts', WAIT);
      expect(await page.title()).toBe('Overview · judged · Data Designer');
      // The state of the run is not cut on a phone.
      await page.setViewport({ width: 390, height: 844 });
      const isCut = () => page.$eval('[data-state]', (state) => state.scrollWidth > state.clientWidth);
      await expect.poll(isCut).toBe(false);
      await page.keyboard.press('2');
      await page.waitForFunction(() => document.title === 'Table · judged · Data Designer', WAIT);
      await page.keyboard.press('0');
      await page.waitForSelector('.runs-table', WAIT);
      expect(said).toEqual([]);
    },
  );

  test('the page with all its libraries has at most 250 kB on the line', { tags: 'long' }, async () => {
    await using opened = await openPage(viewer.address, browser);
    const { page } = opened;
    for (const view of ['overview', 'table', 'record/0', 'failures', 'config', 'compare']) await go(page, view);
    const bytes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter((entry) => /\.(?:js|css)$/.test(entry.name))
        .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
    );
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(250_000);
  });

  test(
    'a search is highlighted in the table and in the record, where it unfolds what hides it',
    { tags: 'long' },
    async () => {
      await using opened = await openPage(viewer.address, browser);
      const { page } = opened;
      const marked = () =>
        page.evaluate(() => [...(CSS.highlights.get('search') ?? [])].map((range) => (range as Range).toString()));
      await page.setViewport({ width: 1900, height: 900 });
      await go(page, 'table?q=about%20NUMBER');
      await page.waitForSelector('[role=gridcell].hit-cell', WAIT);
      await expect.poll(async () => new Set(await marked())).toEqual(new Set(['about number']));
      // The trace has the text beyond what its cell shows.
      const columns = await page.$$eval('.hit-cell', (all) => all.map((one) => (one as HTMLElement).dataset['column']));
      expect(new Set(columns)).toEqual(new Set(['text', 'text__trace']));
      await page.keyboard.press('Enter');
      await page.waitForSelector('.record-page[aria-busy=false] .conversation', WAIT);
      await expect.poll(marked).toContain('about number');
      await page.waitForSelector('.record details[data-unfolded][open]', WAIT);
    },
  );

  test('the Share dialog copies its commands', { tags: 'long' }, async () => {
    const context = await browser.createBrowserContext();
    await context.overridePermissions(new URL(viewer.address).origin, ['clipboard-read', 'clipboard-sanitized-write']);
    await using opened = await openPage(viewer.address, context);
    const { page } = opened;
    await page.locator('button::-p-text(Share)').click();
    await untilText(page, 'dialog', `The first 20 of ${await rowsOf(judged)} rows as one HTML file`);
    await page.bringToFront();
    await page.locator('dialog div:nth-child(2) > dd button').click();
    await untilText(page, 'dialog div:nth-child(2) > dd', 'Copied');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(`data-designer report ${judged} --html report.html`);
    // A command is one line, which scrolls.
    const heights = await page.$$eval('dialog code', (all) => all.map((one) => one.getClientRects().length));
    expect(new Set(heights)).toEqual(new Set([1]));
  });

  test('a page goes on with a server that was restarted', { tags: 'long' }, async () => {
    // The home of this user keeps what the token is made of.
    process.env['DATA_DESIGNER_HOME'] = folder;
    await viewer[Symbol.asyncDispose]();
    viewer = await openViewer(judged, { compare: join(folder, 'judged-again') });
    const port = Number(new URL(viewer.address).port);
    await using opened = await openPage(viewer.address, browser);
    const { page } = opened;
    await go(page, 'overview');
    await viewer[Symbol.asyncDispose]();
    await untilText(page, 'header', 'no connection to the server');
    viewer = await openViewer(judged, { compare: join(folder, 'judged-again') });
    expect(Number(new URL(viewer.address).port)).toBe(port);
    await page.waitForFunction(
      () => document.querySelector('[data-state="finished"]')?.textContent?.includes('60 rows'),
      WAIT,
    );
    await go(page, 'table');
    await untilText(page, '.row-count', '60 rows');
  });

  test('the tasks of readers take so many clicks and keys', { tags: 'long' }, async () => {
    const counts: Record<string, Effort> = {};
    /** Does a task from a page that was just opened, and counts what the reader does. */
    const task = async (name: string, work: (hand: Hand) => Promise<void>, of = viewer): Promise<void> => {
      await using opened = await openPage(of.address, browser);
      await opened.page.setViewport({ width: 1900, height: 900 });
      await opened.page.waitForSelector('.facts', WAIT);
      const hand = new Hand(opened.page);
      await work(hand);
      counts[name] = hand.effort;
      expect(opened.said).toEqual([]);
    };
    await using live = await runningDataset();
    const asked = 'is it going well, and when does it end';
    await task(
      asked,
      async ({ page }) => {
        await untilText(page, 'header', 'running');
        await untilText(page, '.facts', 'time left');
        await untilText(page, '.facts', `${HELD_FROM} of ${ROWS}`);
        const facts = await textOf(page, '.facts');
        expect(facts).toMatch(/finished\s+50 %[^]*time left\s+\d+[^]*lost rows\s+0[^]*failed cells\s+0/);
        await untilText(page, '.run-health', 'No problems so far');
        await untilText(page, '.run-health', 'not in the table yet');
        expect(facts).toMatch(/cost so far\s+[\d.]+\s+cost forecast\s+[\d.]+/);
      },
      live.viewer,
    );
    await task('why did rows fail', async (hand) => {
      await hand.press('5');
      const groups = '[aria-label="Failed cells by column, code and cause"]';
      await hand.page.waitForSelector(groups, WAIT);
      expect(await textOf(hand.page, groups)).toMatch(/model\/gave-up/);
    });
    await task('read 50 rows', async (hand) => {
      await hand.press('3');
      await untilText(hand.page, '.record-head h2', 'Row 0');
      for (let row = 1; row < 50; row++) {
        await hand.press('j');
        await hand.page.waitForFunction(
          (wanted) =>
            document.querySelector<HTMLElement>('.record-head h2')?.innerText === wanted &&
            document.querySelector('.record-page[aria-busy=false] .conversation') !== null,
          WAIT,
          `Row ${row}`,
        );
      }
    });
    await task('rows with a score below 3, and what the tool returned there', async (hand) => {
      const { page } = hand;
      await hand.press('2');
      await hand.click('[aria-label="Menu of grade.Clarity"]');
      await page.waitForSelector('[aria-label="Value"]', WAIT);
      await hand.click('[aria-label="Value"]');
      await hand.press('3', 'Enter');
      await untilText(page, '.chips', 'grade.Clarity < 3');
      await hand.click('[role=gridcell]');
      await hand.press('Enter');
      await page.waitForSelector('.record-page[aria-busy=false] .conversation', WAIT);
      await untilText(page, '.record-head', 'in the filter');
      // The result of the tool is on the page without a further click.
      await page.waitForFunction(
        () =>
          [...document.querySelectorAll('.record .conversation *')].some(
            (one) => one.children.length === 0 && /is in book \d+/.test(one.textContent ?? '') && one.checkVisibility(),
          ),
        WAIT,
      );
    });
    await task('compare two runs', async (hand) => {
      await hand.press('7');
      await untilText(hand.page, 'main', 'mean grade.Clarity');
    });
    await task('accept 20 rows, fix one of them, and export', async (hand) => {
      const { page } = hand;
      await hand.press('3');
      await page.waitForSelector('[aria-label="Edit text"]', WAIT);
      await hand.click('[aria-label="Edit text"]');
      await page.waitForSelector('[aria-label="New value of text"]', WAIT);
      await hand.press('!');
      await page.keyboard.down('Control');
      await hand.press('Enter');
      await page.keyboard.up('Control');
      await untilText(page, '.review-bar', 'edited');
      await hand.press('j');
      for (let row = 1; row < 20; row++) {
        await untilText(page, '.record-head h2', `Row ${row}`);
        await hand.press('a');
      }
      await untilText(page, '.review-bar', 'Row 19: accepted.');
      await hand.press('2');
      const link = await page.waitForSelector('.table-tools a[href*="edits=1"]', WAIT);
      expect(await link?.evaluate((one) => one.textContent)).toBe('jsonl');
      await hand.click('.table-tools a[href*="edits=1"]');
      await untilText(page, '.table-tools [role=status]', `judged.jsonl: ${await textOf(page, '.row-count')}`);
    });
    // A copy is made by one command.
    const site = join(folder, 'task-site');
    const { code } = await runCommand(['view', judged, '--reviews', '--bundle', site]);
    expect([code, existsSync(join(site, 'index.html'))]).toEqual([0, true]);
    expect(counts).toEqual({
      'is it going well, and when does it end': { clicks: 0, keys: 0 },
      'why did rows fail': { clicks: 0, keys: 1 },
      'read 50 rows': { clicks: 0, keys: 50 },
      'rows with a score below 3, and what the tool returned there': { clicks: 3, keys: 4 },
      'compare two runs': { clicks: 0, keys: 1 },
      'accept 20 rows, fix one of them, and export': { clicks: 2, keys: 24 },
    });
  });

  test('create says how to view its dataset', { tags: 'long' }, async () => {
    const config = join(import.meta.dirname, '../configs/recipes/code-review.yaml');
    const { stdout } = await runCommand(['create', config, '-n', '1', '-d', 'said', '--artifact-path', folder]);
    expect(stdout).toMatch(/npx data-designer view \S+said\n/);
  });
});

/** What the tool says of a number. */
const LOOK_UP = defineTool({
  name: 'look_up',
  description: 'Says in which book a number is.',
  parameters: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
  execute: ({ number }) => `${String(number)} is in book ${Number(number) % 7}.`,
});

/** An answer that calls a tool. */
function callOf(name: string, args: object): object {
  const call = { id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(args) } };
  const message = { role: 'assistant', content: null, tool_calls: [call] };
  const usage = { prompt_tokens: 10, completion_tokens: 5 };
  return { choices: [{ message, finish_reason: 'tool_calls' }], usage };
}

/** What a reader does for a task. */
interface Effort {
  clicks: number;
  keys: number;
}

/** A reader's mouse and keyboard, with counts. */
class Hand {
  readonly page: Page;
  readonly effort: Effort = { clicks: 0, keys: 0 };

  constructor(page: Page) {
    this.page = page;
  }

  async click(selector: string): Promise<void> {
    await this.page.locator(selector).click();
    this.effort.clicks++;
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.page.keyboard.press(key as 'a');
      this.effort.keys++;
    }
  }
}

/** The cells of a column of the table from its top. */
function cellsOf(page: Page, column: string): Promise<readonly string[]> {
  return page.$$eval(
    '[role=gridcell]',
    (all, name) => {
      const own = all.filter((one): one is HTMLElement => one instanceof HTMLElement && one.dataset['column'] === name);
      const byRow = own.toSorted((a, b) => Number(a.dataset['row']) - Number(b.dataset['row']));
      return byRow.map(({ innerText }) => innerText);
    },
    column,
  );
}

/** The first score of a row; NaN without one. */
function clarityOf(row: Readonly<Record<string, unknown>> | undefined): number {
  return (row?.['grade'] as { Clarity?: { score: number } } | null)?.Clarity?.score ?? Number.NaN;
}

function scored(score: number): object {
  return { reasoning: `It is ${score}.`, score };
}

async function rowsOf(path: string): Promise<number> {
  return (await Array.fromAsync((await loadDataset(path)).records())).length;
}
