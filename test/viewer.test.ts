import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadDataset, openViewer } from 'data-designer';
import { parquetReadObjects } from 'hyparquet';
import type { Browser, BrowserContext, HTTPRequest, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storageOf } from '@data-designer/dataset/formats';
import { runCommand } from './command-line.ts';
import { go, openPage, textOf, untilText, type Viewer, WAIT } from './opened-page.ts';
import { openBrowser, whyNoBrowser } from '../packages/bench/test/chromium.ts';
import { serveFolder } from '../packages/bench/test/file-server.ts';
import {
  PIXEL,
  scannedDataset,
  hostileDataset,
  programDataset,
  rowSchemasDataset,
  shownDataset,
  soundDataset,
  triedDataset,
  worldDataset,
} from './viewed-datasets.ts';

/** Each page of the app by its address. */
const VIEWS = ['overview', 'table', 'record/3', 'live', 'failures', 'config', 'compare', 'runs'] as const;
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** The rows of the shown dataset. */
const ROWS = 20;

describe.skipIf(whyNoBrowser)(`the viewer in a browser${whyNoBrowser ? ` (skipped: ${whyNoBrowser})` : ''}`, () => {
  let folder: string;
  let browser: Browser;
  let shown: string;
  let compare: string;
  let hostile: string;
  let viewer: Viewer;
  /** A dataset with attempts and a chat. */
  let tried: Viewer;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'viewer-'));
    [browser, shown, compare, hostile] = await Promise.all([
      openBrowser(),
      shownDataset(folder, 'shown', { rows: ROWS }),
      shownDataset(folder, 'other', { seed: 2, rows: 4, hasModels: false }),
      hostileDataset(folder),
    ]);
    viewer = await openViewer(shown, { compare });
    tried = await openViewer(await triedDataset(folder));
  }, 300_000);

  afterAll(async () => {
    await browser?.close();
    await viewer?.[Symbol.asyncDispose]();
    await tried?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const open = (address: string, context: Browser | BrowserContext = browser) => openPage(address, context);

  test(
    'axe finds nothing on any page, in both themes, on a phone and on a large screen',
    { tags: 'long', timeout: 120_000 },
    async () => {
      await using opened = await open(viewer.address);
      const { page, said } = opened;
      const found: string[] = [];
      for (const width of [390, 1600]) {
        await page.setViewport({ width, height: 900 });
        for (const view of VIEWS) {
          await go(page, view);
          for (const scheme of ['light', 'dark']) {
            await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
            // The markup is the same in both themes; the colours are not.
            const isWhole = (scheme === 'light') === (width === 1600);
            for (const fault of await faultsOf(page, isWhole ? undefined : ['color-contrast', 'empty-table-header']))
              found.push(`${view}, ${width}, ${scheme}: ${fault}`);
          }
          const overflow = await page.$eval('html', (root) => root.scrollWidth);
          if (overflow > width) found.push(`${view}, ${width}: it is ${overflow} pixels wide`);
        }
      }
      expect(found).toEqual([]);
      expect(said).toEqual([]);
    },
  );

  test('a filter narrows the rows, and its address restores it', { tags: 'long' }, async () => {
    await using opened = await open(viewer.address);
    const { page } = opened;
    await go(page, 'table');
    expect(await rowCount(page)).toBe(ROWS);
    await page.type('.search', 'bees');
    await untilText(page, '.chips', 'bees');
    await page.waitForFunction(
      (all) => {
        const text = document.querySelector('.row-count')?.textContent ?? '';
        return /^\d+ rows?$/.test(text) && text !== `${all} rows`;
      },
      WAIT,
      ROWS,
    );
    const narrowed = await rowCount(page);
    const rows = (await Array.fromAsync((await loadDataset(shown)).records())) as { topic: string }[];
    expect(narrowed).toBeGreaterThanOrEqual(rows.filter(({ topic }) => topic === 'bees').length);
    expect(narrowed).toBeLessThan(ROWS);
    await page.reload();
    await page.waitForSelector('.row-count', WAIT);
    await untilText(page, '.row-count', `${narrowed} rows`);
  });

  test('keys search, move between rows, records and pages, and lead back to the row', { tags: 'long' }, async () => {
    await using opened = await open(viewer.address);
    const { page } = opened;
    await go(page, 'overview');
    await page.keyboard.press('/');
    await page.keyboard.type('bees');
    await untilText(page, '.chips', 'bees');
    await page.waitForSelector('[role=gridcell]:not(:has(.loading))', WAIT);
    const steps = [
      ['Escape', /^#\/table\?q=bees$/],
      ['j', /^#\/table\?q=bees&at=1$/],
      ['k', /^#\/table\?q=bees$/],
      ['G', /^#\/table\?q=bees&at=\d+$/],
      ['Enter', /^#\/record\/\d+\?q=bees$/],
      ['t', /^#\/table\?q=bees&at=\d+$/],
      ['g', /^#\/table\?q=bees$/],
      ['Enter', /^#\/record\/\d+\?q=bees$/],
      ['6', /^#\/config$/],
      ['?', /^#\/config$/],
    ] as const;
    for (const [key, hash] of steps) {
      await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null, WAIT);
      await page.keyboard.press(key);
      expect([key, await page.evaluate(() => location.hash)]).toEqual([key, expect.stringMatching(hash)]);
    }
    expect(await textOf(page, 'dialog[open]')).toContain('next or previous row');
  });

  test('figures of models and tools lead to their rows', { tags: 'long' }, async () => {
    await using opened = await open(viewer.address);
    const { page } = opened;
    const rows = (await Array.fromAsync((await loadDataset(shown)).records())) as { answer__trace: object[] }[];
    const having = (text: string) => rows.filter((row) => JSON.stringify(row.answer__trace).includes(text)).length;
    const [calling, failing] = [having('"name":"get_fact"'), having("Error: Tool 'get_fact' failed: ")];
    for (const [caption, column, chip, count] of [
      ['Usage by model alias', 'Requests', 'made by the model', ROWS],
      ['Tools', 'Calls', 'calls the tool get_fact', calling],
      ['Tools', 'Errors', 'a call of the tool get_fact failed', failing],
    ] as const) {
      await go(page, 'overview');
      await page.click(`[aria-label="${caption}"] [data-label="${column}"] a`);
      await untilText(page, '.chips', chip);
      await untilText(page, '.row-count', `${count} row`);
    }
    expect(failing).toBeGreaterThan(0);
    expect(calling).toBeGreaterThan(failing);
  });

  test(
    'failed requests lead to their row group, and a cost names the models without a price',
    { tags: 'long' },
    async () => {
      await using opened = await open(viewer.address);
      const { page } = opened;
      await go(page, 'overview');
      expect(await textOf(page, '.facts')).toMatch(/cost, without grader\s*0\.\d/);
      const failed = '[aria-label="Usage by model alias"] [data-label="Failed requests"] a';
      const count = await textOf(page, failed);
      await page.click(failed);
      await untilText(page, '.stack', 'Failed requests of grader');
      const requests = '[aria-label="Failed requests by row group and model alias"]';
      expect(await textOf(page, `${requests} [data-label="Failed"]`)).toBe(count);
      expect(Number(count)).toBeGreaterThan(0);
      await page.click(`${requests} [data-label="Rows"] a`);
      await untilText(page, '.row-count', `${ROWS} rows`);
    },
  );

  test('the bars of dates lead to their rows', { tags: 'long' }, async () => {
    await using opened = await open(viewer.address);
    const { page } = opened;
    const rows = (await Array.fromAsync((await loadDataset(shown)).records())) as { seen: string }[];
    const weeks = rows.map(({ seen }) => mondayOf(seen)).toSorted((a, b) => a - b);
    for (const [bar, week] of [
      ['first', weeks[0]],
      ['last', weeks.at(-1)],
    ] as const) {
      await go(page, 'overview');
      await page.waitForSelector('[data-column="seen"] .pick', WAIT);
      expect(await textOf(page, '[data-column="seen"] .histogram')).toContain('dates by week');
      await page.click(`[data-column="seen"] .pick:${bar}-of-type`);
      await untilText(page, '.chips', 'seen from ');
      await untilText(page, '.row-count', plural(weeks.filter((one) => one === week).length));
    }
  });

  test('a review survives a reload, is shown and filtered in the table, and is stored', async () => {
    await using opened = await open(viewer.address);
    const { page } = opened;
    await go(page, 'record/2');
    await page.waitForSelector('.record', WAIT);
    // The key edits the last text of a model, in its card and before its prompt.
    await page.keyboard.press('e');
    await page.waitForSelector('[data-column="code"] textarea[aria-label="New value of code"]', WAIT);
    const order = await page.$$eval('[data-column="code"] :is(textarea, summary)', (all) =>
      all.map((one) => one.localName),
    );
    expect(order).toEqual(['textarea', 'summary']);
    await page.click('.edited-value button');
    await page.keyboard.press('R');
    await untilText(page, '.review', 'rejected');
    await page.click('.ratings input[value="2"]');
    await page.type('[aria-label=Comment]', 'Too short.');
    await page.locator('.review-bar button::-p-text(Save)').click();
    await untilText(page, '.review', 'rejected, rated 2 of 5, commented');
    await page.reload();
    await untilText(page, '.review', 'Too short.');
    await go(page, 'table?review=reject');
    await untilText(page, '.row-count', '1 row');
    expect(await textOf(page, '.review-mark')).toContain('rejected');
    const reviews = await Array.fromAsync((await loadDataset(shown)).reviews());
    const own = { row: 2, verdict: 'reject', rating: 2, comment: 'Too short.', isStale: false };
    expect(reviews).toMatchObject([own]);
    // A verdict by key before the next record has loaded is for the row that the page names.
    await go(page, 'record/4');
    await page.waitForSelector('.record', WAIT);
    const held: HTTPRequest[] = [];
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      if (/\/api\/record\b/.test(request.url())) held.push(request);
      else void request.continue();
    });
    await page.keyboard.press('j');
    await page.keyboard.press('a');
    await untilText(page, '.record-head h2', 'Row 6');
    await untilText(page, '.review-bar', 'Row 5: accepted.');
    const given = await Array.fromAsync((await loadDataset(shown)).reviews());
    expect(given).toMatchObject([own, { row: 5, verdict: 'accept' }]);
    page.removeAllListeners('request');
    await page.setRequestInterception(false);
    for (const request of held) await request.continue().catch(() => {});
    await page.keyboard.press('k');
    await untilText(page, '.review', 'accepted');
    // Another page begins at its top, and names the command that shares the dataset.
    await page.setViewport({ width: 800, height: 300 });
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(0);
    await page.keyboard.press('6');
    await untilText(page, 'main', 'Declaration');
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await page.locator('.frame-head button::-p-text(Share)').click();
    await untilText(page, 'dialog', `data-designer view ${shown} --bundle site`);
    expect(await faultsOf(page)).toEqual([]);
  });

  test('the table has pictures in their cells, and a chat reads as turns of two sides', { tags: 'long' }, async () => {
    await using opened = await open(viewer.address);
    const { page, said } = opened;
    await go(page, 'table?pin=picture');
    await page.waitForFunction(() => {
      const picture = document.querySelector<HTMLImageElement>('[data-column="picture"] img.thumbnail');
      return picture !== null && picture.complete && picture.naturalWidth > 0;
    }, WAIT);
    await go(page, 'record/0');
    await page.waitForSelector('.conversation .turn', WAIT);
    const sides = await page.$$eval('[data-column="answer"] .turn', (all) =>
      all.map(({ className }) => className.replace('turn turn-', '')),
    );
    expect(sides.filter((side) => side !== 'system')).toEqual(['user', 'assistant']);
    expect(await textOf(page, '[data-column="answer"] .turn-assistant > details > summary')).toMatch(
      /^\d tool calls?: get_fact/,
    );
    expect(said).toEqual([]);
  });

  test('a sound of a record plays, as a file in a sandbox', { tags: 'long' }, async () => {
    await using sounds = await openViewer(await soundDataset(folder));
    await using opened = await open(sounds.address);
    const { page, said } = opened;
    await go(page, 'record/0');
    const address = await page.$eval('audio', ({ src }) => src);
    const played = await page.$eval('audio', async (audio) => {
      audio.muted = true;
      const ended = new Promise((resolve) => audio.addEventListener('ended', resolve));
      await audio.play();
      await ended;
      return { seconds: audio.duration, policy: (await fetch(audio.src)).headers.get('content-security-policy') };
    });
    expect(played).toEqual({ seconds: 0.2, policy: "default-src 'none'; sandbox" });
    expect(new URL(address).pathname).toBe('/api/media');
    await go(page, 'table?pin=sound');
    await page.waitForSelector('[data-column="sound"] audio.thumbnail', WAIT);
    expect(said).toEqual([]);
  });

  test(
    'pictures of a seed are drawn, also in the form of Hugging Face, and in a static copy',
    { tags: 'long' },
    async () => {
      const dataset = await soundDataset(folder);
      await using sounds = await openViewer(dataset);
      const to = join(folder, 'media-site');
      await runCommand(['view', dataset, '--bundle', to]);
      await using site = await serveFolder(to);
      for (const address of [sounds.address, site.address]) {
        await using opened = await open(address);
        const { page, said } = opened;
        await page.setViewport({ width: 1600, height: 900 });
        await go(page, 'record/0');
        await go(page, 'table');
        await page.waitForSelector('[role=gridcell]:not(:has(.loading))', WAIT);
        for (const [view, card, cell] of [
          ['record/0', 'dd ', ''],
          ['table', '', '.thumbnail'],
        ] as const) {
          await go(page, view);
          await page.waitForSelector(`${card}img${cell}`, WAIT);
          // One is seen by a model, and one alone, one in a list, and a sound beside it are files that no model sees.
          await page.waitForFunction(
            (pictures, players) => {
              const found = [...document.querySelectorAll<HTMLImageElement>(pictures)];
              const drawn = found.filter(({ complete, naturalWidth }) => complete && naturalWidth === 1);
              return drawn.length === 3 && found.length === 3 && document.querySelectorAll(players).length === 2;
            },
            WAIT,
            `main ${card}img${cell}`,
            `main ${card}audio${cell}`,
          );
        }
        expect(said).toEqual([]);
      }
      // A picture that is lost is named in place of a broken one.
      await using opened = await open(sounds.address);
      await opened.page.setRequestInterception(true);
      opened.page.on('request', (request) => {
        void (request.url().includes('/api/media') ? request.abort() : request.continue());
      });
      await go(opened.page, 'record/0');
      await untilText(opened.page, 'main', 'This picture cannot be read.');
    },
  );

  test(
    'pictures named by path are drawn from a media root that the reader allows, and from no other folder',
    { tags: 'long' },
    async () => {
      const [scans, elsewhere] = ['scans', 'elsewhere'].map((name) => join(folder, name)) as [string, string];
      for (const into of [scans, elsewhere]) {
        mkdirSync(into);
        writeFileSync(join(into, 'page.png'), Buffer.from(PIXEL, 'base64'));
      }
      const dataset = await scannedDataset(folder, ['page.png', '../elsewhere/page.png', join(elsewhere, 'page.png')]);
      await using allowed = await openViewer(dataset, { mediaRoots: [scans] });
      expect(await drawnScans(allowed.address, browser)).toEqual([true, false, false]);
      await using closed = await openViewer(dataset);
      expect(await drawnScans(closed.address, browser)).toEqual([false, false, false]);
    },
  );

  test(
    'a record shows the state before and after each column that used an environment, and its calls',
    { tags: 'long' },
    async () => {
      await using world = await openViewer(await worldDataset(folder));
      await using opened = await open(world.address);
      const { page, said } = opened;
      await go(page, 'record/0');
      const first = await textOf(page, '[data-column="first__state"]');
      expect(first).toContain('Changes since shelf was opened (opened again from the plan and this row)');
      expect(first).toMatch(/item\[id=2\]\s+added\s+\{"id":2,"label":"box"\}/);
      expect(first).toMatch(/tool calls? of first\n[^]*add_item \{\} → \[\{"id":2,"label":"box"\}\]/);
      const byCall = ({ column }: { readonly column: string }) =>
        page.$$eval(`[data-column="${column}"] .state-calls > li > ul > li`, (all) => all.map((one) => one.innerText));
      expect(await byCall({ column: 'first__state' })).toEqual([
        expect.stringMatching(/^draw\[drawn=-?\d+\]: added/),
        'item[id=2]: added {"id":2,"label":"box"}',
      ]);
      expect(await byCall({ column: 'second__state' })).toEqual([
        expect.stringMatching(/^draw\[1\]: added/),
        'item[id=3]: added {"id":3,"label":"box"}',
      ]);
      const second = await textOf(page, '[data-column="second__state"]');
      expect(second).toContain('Changes since first__state');
      expect(second).not.toContain('item[id=2]');
      expect(second).toMatch(/item\[id=\d\]\s+added/);
      expect(await faultsOf(page)).toEqual([]);
      expect(said).toEqual([]);
    },
  );

  test(
    'attempts at a row stand side by side with their verdicts and scores, and a pair too',
    { tags: 'long' },
    async () => {
      await using opened = await open(tried.address);
      const { page, said } = opened;
      await page.setViewport({ width: 1600, height: 900 });
      await go(page, 'record/0');
      const [row] = (await Array.fromAsync((await loadDataset(join(folder, 'tried'))).records())) as {
        readonly is_even: boolean;
        readonly solve__all: readonly { readonly draft: string; readonly is_even: boolean }[];
        readonly choose__chosen: { readonly reply: string };
      }[];
      const attempts = await page.$$eval('[data-attempts="solve"] article', (all) =>
        all.map((one) => ({ text: one.innerText, top: one.getBoundingClientRect().top })),
      );
      expect(attempts.map(({ text }) => text)).toEqual(
        row?.solve__all.map(({ draft, is_even: isEven }, at) => {
          const verdicts = `Attempt ${at + 1} ${isEven ? '✓ passes' : '✗ fails'} is_even ✗ fails checked`;
          expect(attempts[at]?.text).toContain(draft.slice(0, 40));
          expect(attempts[at]?.text).toMatch(/Clarity\s+[12]/);
          return expect.stringMatching(new RegExp(`^${verdicts.replaceAll(/[^\w ]/gu, String.raw`\$&`)}`));
        }),
      );
      expect(attempts).toHaveLength(3);
      expect(new Set(attempts.map(({ top }) => top)).size).toBe(1);
      const pair = await page.$$eval('[data-attempts="choose"] article', (all) => all.map((one) => one.innerText));
      expect(pair).toEqual([expect.stringMatching(/^Chosen/), expect.stringMatching(/^Rejected/)]);
      expect(pair[0]).toContain(row?.choose__chosen.reply);
      // They are not shown a second time as plain values, and can still be edited.
      expect(await page.$$eval('dt', (all) => all.map(({ innerText }) => innerText))).not.toContain('solve__all');
      expect(await page.$('[aria-label="Edit choose__chosen"]')).not.toBeNull();
      expect(await faultsOf(page)).toEqual([]);
      expect(said).toEqual([]);
    },
  );

  test('a chat of two models reads as a chat: the sides take turns, left and right', { tags: 'long' }, async () => {
    await using opened = await open(tried.address);
    const { page, said } = opened;
    await page.setViewport({ width: 1600, height: 900 });
    await go(page, 'record/0');
    const turns = await page.$$eval('[data-column="chat"] .turn', (all) =>
      all.map((one) => ({
        side: one.className.replace('turn turn-', ''),
        messages: one.querySelectorAll('.message').length,
        left: one.getBoundingClientRect().left,
        right: one.getBoundingClientRect().right,
      })),
    );
    expect(turns.map(({ side, messages }) => [side, messages])).toEqual([
      ['system', 1],
      ...Array.from({ length: 3 }, () => [
        ['user', 1],
        ['assistant', 1],
      ]).flat(),
    ]);
    const [system, ...talk] = turns;
    // Each side keeps to its edge, and leaves the other one free.
    for (const { side, left, right } of talk) {
      const atEdges = [left === system?.left, right === system?.right];
      expect([side, ...atEdges]).toEqual(side === 'user' ? [side, false, true] : [side, true, false]);
    }
    expect(said).toEqual([]);
  });

  test(
    'a verdict of programs says what they did: outcome, error, output, time, memory and each test',
    { tags: 'long' },
    async () => {
      await using programs = await openViewer(await programDataset(folder));
      await using opened = await open(programs.address);
      const { page, said } = opened;
      const shownOf = async (row: number, column: string): Promise<string> => {
        await go(page, `record/${row}`);
        await page.waitForSelector(`[data-column="${column}"] .programs`, WAIT);
        return textOf(page, `[data-column="${column}"]`);
      };
      const testsOf = () => page.$$eval('[data-column="tested"] tbody tr', (all) => all.map((row) => row.innerText));
      expect(await shownOf(0, 'tested')).toMatch(
        /passed\s+1 of 1 test passed · [\d.]+ m?s( · [\d.]+ [kM]B of memory)?/,
      );
      expect(await testsOf()).toEqual(['0\tpassed']);
      expect(await shownOf(1, 'tested')).toMatch(
        /failed\s+1 of 2 tests passed[^]*It gave a wrong result:\s+it returns 2, and not 3/,
      );
      expect(await testsOf()).toEqual([
        expect.stringMatching(/^0\tpassed\t\s*<b>sum<\/b>$/),
        expect.stringMatching(/^1\tfailed\t\s*it returns 2, and not 3\s+<b>sum<\/b>$/),
      ]);
      expect(await shownOf(2, 'tested')).toMatch(/It raised an error:\s+[^]*boom/);
      const printed = await shownOf(3, 'ran');
      expect(printed).toMatch(/passed[^]*Output\s+only\nprints/);
      const fonts = await page.$eval('[data-column="ran"] pre', (pre) => getComputedStyle(pre).fontFamily);
      expect(fonts).toContain('mono');
      const both = await shownOf(0, 'both');
      expect(both).toMatch(/query\s+passed[^]*Result\s+\[\{"one":1\}\][^]*tests\s+failed/);
      expect(await faultsOf(page)).toEqual([]);
      expect(said).toEqual([]);
    },
  );

  test(
    'answers with a schema of their own in each row are trees, and nested data in the table',
    { tags: 'long' },
    async () => {
      await using schemas = await openViewer(await rowSchemasDataset(folder));
      await using opened = await open(schemas.address);
      const { page, said } = opened;
      const treeOf = (row: number) =>
        go(page, `record/${row}`).then(() =>
          page.$$eval('[data-column="card"] .tree > div', (all) => all.map((one) => one.innerText.split(/\s+/))),
        );
      expect(await treeOf(0)).toEqual([
        ['city', '<b>Rome</b>'],
        ['people', '2.5'],
      ]);
      expect(await treeOf(1)).toEqual([
        ['0', 'red'],
        ['1', 'red'],
      ]);
      // A text stays a text, also where it reads as JSON.
      expect(await treeOf(2)).toEqual([]);
      expect(await textOf(page, '[data-column="card"]')).toContain('{}');
      await go(page, 'table');
      const cells = await page.$$eval('[role="gridcell"][data-column="card"]', (all) =>
        all.map((cell) => (cell as HTMLElement).innerText),
      );
      expect(cells).toEqual(['{city: "<b>Rome</b>", people: 2.5}', '["red", "red"]', '{}']);
      expect(said).toEqual([]);
    },
  );

  test('the differences of two datasets are marked by word', { tags: 'long' }, async () => {
    await using opened = await open(viewer.address);
    const { page } = opened;
    await go(page, 'compare');
    await page.waitForSelector('.compare-table ins', WAIT);
    expect(await page.$$eval('.compare-table del', (all) => all.length)).toBeGreaterThan(0);
    expect(await textOf(page, '.compare-rows [role=status]')).toMatch(/Rows 0 to \d+ of 20: \d+ differ/);
  });

  test('a stage of a workflow appears in an open page once it has begun', { tags: 'long' }, async () => {
    const flow = join(folder, 'flow');
    const stages = ['topics', 'answers'].map((name, at) => ({ name, stage_dir: `stage-${at}-${name}` }));
    const begin = (count: number): void => {
      cpSync(join(folder, 'other'), join(flow, stages[count - 1]?.stage_dir ?? ''), { recursive: true });
      writeFileSync(join(flow, 'workflow-metadata.json'), JSON.stringify({ stages: stages.slice(0, count) }));
    };
    begin(1);
    await using watched = await openViewer(flow);
    await using opened = await open(watched.address);
    const { page } = opened;
    expect(await textOf(page, 'header')).not.toContain('answers');
    begin(2);
    await page.waitForFunction(
      () =>
        Array.from(document.querySelectorAll('header option'), ({ textContent }) => textContent).includes('answers'),
      WAIT,
    );
  });

  test(
    'cells of markup, control characters and 10 MB do nothing but appear',
    { tags: 'long', timeout: 60_000 },
    async () => {
      await using shownHostile = await openViewer(hostile);
      await using opened = await open(shownHostile.address);
      const { page, said } = opened;
      for (const view of ['table', 'record/0', 'record/1', 'record/2', 'record/3', 'record/4', 'config', 'overview']) {
        await go(page, view);
      }
      await go(page, 'record/2');
      const text = await textOf(page, 'main');
      expect(text).toContain('[U+202E]gnp.exe[U+2066]');
      // oxlint-disable-next-line no-control-regex -- these must not reach the page
      expect(text).not.toMatch(/[\u0000\u0007\u001B\u202E]/);
      expect(await page.title()).toBe('Row 2 · hostile · Data Designer');
      expect(
        await page.$$eval('main script, main iframe, main img[src="x"], a[href^="javascript"]', (all) => all.length),
      ).toBe(0);
      expect(said).toEqual([]);
    },
  );

  test(
    'a static copy filters, compares and downloads, and shows records without traces and reviews',
    { tags: 'long' },
    async () => {
      const to = join(folder, 'site');
      const { stderr } = await runCommand(['view', shown, '--compare', compare, '--bundle', to]);
      expect(stderr).toContain('Left out: the conversations with the models');
      const records = readFileSync(join(to, 'data', '0', 'records', '0', '0.json'), 'utf8');
      expect(records).not.toMatch(/"conversation":\{|get_fact\W+arguments/);
      const files = readdirSync(to, { recursive: true, encoding: 'utf8' });
      const told = files.filter(
        (name) => name.endsWith('.json') && readFileSync(join(to, name), 'utf8').includes(folder),
      );
      expect(told).toEqual([]);
      await using site = await serveFolder(to);
      await using opened = await open(site.address);
      const { page, said } = opened;
      await go(page, 'table?q=bees&sort=size:desc');
      await untilText(page, '.chips', 'bees');
      await page.waitForFunction(
        () => /^\d+ rows?$/.test(document.querySelector('.row-count')?.textContent ?? ''),
        WAIT,
      );
      const rows = (await Array.fromAsync((await loadDataset(shown)).records())) as { label: string; topic: string }[];
      expect(await rowCount(page)).toBe(rows.filter((row) => /bees/i.test(JSON.stringify(withoutTraces(row)))).length);
      expect(await page.$('.sql')).toBeNull();
      expect(await textOf(page, '.filter-bar')).toContain('SQL conditions need data-designer view');
      const saved = await savedRows(page);
      const sizes = saved.map(({ size }) => Number(size));
      expect([saved.length, sizes]).toEqual([await rowCount(page), sizes.toSorted((a, b) => b - a)]);
      const [header = '', ...lines] = (await savedFile(page, 'csv')).toString().trimEnd().split('\n');
      expect([header.split(',').slice(0, 2), lines.length >= saved.length]).toEqual([['topic', 'size'], true]);
      const arrow = join(folder, 'saved.arrow');
      writeFileSync(arrow, await savedFile(page, 'arrow'));
      const read = (await Array.fromAsync((await storageOf('arrow').loadReader()).readBlocks(arrow, 0))).flat();
      expect(read.map(({ size }) => size)).toEqual(sizes);
      const bytes = await savedFile(page, 'parquet');
      const stored = await parquetReadObjects({ file: new Uint8Array(bytes).buffer });
      expect(stored.map(({ size }) => Number(size))).toEqual(sizes);
      await go(page, 'record/4');
      await untilText(page, 'main', rows[4]?.label ?? '');
      await page.waitForSelector('main img', WAIT);
      expect(await page.$('[aria-label=Comment]')).toBeNull();
      await go(page, 'live');
      expect(await textOf(page, 'main')).toContain('This is a copy of a dataset.');
      await go(page, 'compare');
      await page.waitForSelector('.compare-table ins', WAIT);
      await untilText(page, '.all-rows', '16 are in one dataset only.');
      expect(await textOf(page, 'main')).toContain('A static copy has no cost of single rows');
      expect(await textOf(page, '.compare-rows [role=status]')).toMatch(/Rows 0 to \d+ of 20: \d+ differ/);
      for (const view of ['overview', 'config', 'failures', 'overview?d=other']) await go(page, view);
      await untilText(page, 'main', '4');
      expect(said).toEqual([]);
      // From the disk browsers run no modules: the page says what to do.
      const onDisk = await browser.newPage();
      await onDisk.goto(pathToFileURL(join(to, 'index.html')).href);
      await onDisk.waitForFunction(() => {
        const notice = document.querySelector('.from-disk');
        return notice !== null && getComputedStyle(notice).visibility === 'visible';
      }, WAIT);
      expect(await textOf(onDisk, '.from-disk')).toContain('Open it from a web server.');
      await onDisk.close();
    },
  );

  test(
    'downloads of a static copy with reviews have their edits, unless the reader wants none',
    { tags: 'long' },
    async () => {
      const reviewed = await shownDataset(folder, 'reviewed', { rows: 4, hasModels: false });
      const dataset = await loadDataset(reviewed);
      const rows = (await Array.fromAsync(dataset.records())) as { label: string }[];
      await dataset.addReview({ row: 1, edits: { label: 'a better label' } });
      const to = join(folder, 'reviewed-site');
      await runCommand(['view', reviewed, '--reviews', '--bundle', to]);
      await using site = await serveFolder(to);
      await using opened = await open(site.address);
      const { page } = opened;
      await go(page, 'table');
      const option = await page.waitForSelector('.table-tools input[type=checkbox]', WAIT);
      const labels = async () => (await savedRows(page)).map(({ label }) => label);
      const own = rows.map(({ label }) => label);
      expect(await labels()).toEqual([own[0], 'a better label', own[2], own[3]]);
      await option?.click();
      expect(await labels()).toEqual(own);
      await untilText(page, '.table-tools [role=status]', 'reviewed.jsonl: 4 rows');
      await page.click('.table-tools label:last-of-type input');
      expect(await savedRows(page)).toMatchObject([{ _review_edited: null }, { _review_edited: true }, {}, {}]);
      await untilText(page, '.table-tools [role=status]', 'reviewed-with_reviews.jsonl: 4 rows');
    },
  );

  test(
    'a foreign page gets nothing, not even in a frame or with the cookie of the viewer',
    { tags: 'long' },
    async () => {
      await using opened = await open(viewer.address);
      await go(opened.page, 'table');
      const { origin } = new URL(viewer.address);
      const foreign = createServer((_, response) => {
        response.setHeader('content-type', 'text/html').end(`<title>foreign</title><iframe src="${origin}/"></iframe>`);
      });
      await new Promise<void>((resolve) => void foreign.listen(0, '127.0.0.1', resolve));
      try {
        const page = await browser.newPage();
        await page.goto(`http://localhost:${(foreign.address() as AddressInfo).port}/`);
        const got = await page.evaluate(async (target) => {
          const request = { method: 'POST', credentials: 'include', body: '{"dataset":"shown"}' } as const;
          const attempts = [
            fetch(`${target}/api/overview`, { ...request, headers: { 'content-type': 'application/json' } }),
            fetch(`${target}/api/overview`, request),
            fetch(`${target}/app.js`),
          ];
          const opaque = fetch(`${target}/api/overview`, { ...request, mode: 'no-cors' });
          const seen = await Promise.allSettled(attempts);
          return [
            seen.map(({ status }) => status),
            await opaque.then(
              (one) => one.text(),
              () => 'blocked',
            ),
          ];
        }, origin);
        expect(got[0]).toEqual(['rejected', 'rejected', 'rejected']);
        expect(['', 'blocked']).toContain(got[1]);
        const frame = page.frames().find((one) => one !== page.mainFrame());
        expect(await frame?.evaluate(() => document.querySelector('#app'))).toBeFalsy();
        await page.close();
      } finally {
        foreign.closeAllConnections();
        foreign.close();
      }
    },
  );

  test('a browser without the token sees no data', async () => {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.goto(new URL(viewer.address).origin);
    await page.waitForSelector('.notice.error', WAIT);
    expect(await textOf(page, 'body')).toContain('no access');
    expect(await textOf(page, 'body')).not.toContain('shown');
    await context.close();
  });
});

/** The number of rows as the table writes it. */
function plural(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`;
}

/** The Monday of the week of a date such as 24.12.2026, in milliseconds. */
function mondayOf(text: string): number {
  const [day = 0, month = 0, year = 0] = text.split('.').map(Number);
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.setUTCDate(day - ((date.getUTCDay() + 6) % 7));
}

/** The number of rows that the table says. */
async function rowCount(page: Page): Promise<number> {
  return Number((await textOf(page, '.row-count')).replaceAll(/\D/g, ''));
}

/** The file that a click on a format makes in the page. */
async function savedFile(page: Page, format: string): Promise<Buffer> {
  const bytes = await page.evaluate(
    (label) =>
      new Promise<string>((resolve, reject) => {
        URL.createObjectURL = (file) => {
          const reader = new FileReader();
          reader.addEventListener('load', () =>
            resolve(typeof reader.result === 'string' ? reader.result.replace(/^.*,/, '') : ''),
          );
          reader.addEventListener('error', () => reject(reader.error));
          reader.readAsDataURL(file as Blob);
          return '#';
        };
        const buttons = [...document.querySelectorAll('button')];
        buttons.find(({ textContent }) => textContent === label)?.click();
      }),
    format,
  );
  return Buffer.from(bytes, 'base64');
}

async function savedRows(page: Page): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return (await savedFile(page, 'jsonl'))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line): Readonly<Record<string, unknown>> => JSON.parse(line));
}

function withoutTraces(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !name.endsWith('__trace')));
}

/** What axe finds on a page, without the colours of a transition. */
async function faultsOf(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(readFileSync(AXE, 'utf8'));
  return page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as { axe: { run: (options: object) => Promise<AxeResult> } };
    const { violations } = await axe.run({ resultTypes: ['violations'], ...(only && { runOnly: only }) });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
  }, rules);
}

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** Which rows of a dataset of scans have a picture that is drawn. */
async function drawnScans(address: string, browser: Browser): Promise<readonly boolean[]> {
  await using opened = await openPage(address, browser);
  const seen: boolean[] = [];
  for (let row = 0; row < 3; row++) {
    await go(opened.page, `record/${row}`);
    await opened.page.waitForFunction(
      () =>
        document.querySelector('main')?.innerText.includes('This picture cannot be read.') ||
        [...document.querySelectorAll<HTMLImageElement>('dd img')].some(({ naturalWidth }) => naturalWidth === 1),
      WAIT,
    );
    seen.push((await opened.page.$$('dd img')).length > 0);
  }
  return seen;
}
