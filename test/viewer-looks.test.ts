import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openViewer } from 'data-designer';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { go, openPage, textOf, untilText, type Viewer, WAIT } from './opened-page.ts';
import { openBrowser, whyNoBrowser } from '../packages/bench/test/chromium.ts';
import { oddDataset } from './viewed-datasets.ts';

/** A phone and a large screen. */
const WIDTHS = [390, 1600];
const SECOND = 1000;
const HOUR = 3600 * SECOND;

describe.skipIf(whyNoBrowser)(`looks in a browser${whyNoBrowser ? ` (skipped: ${whyNoBrowser})` : ''}`, () => {
  let folder: string;
  let browser: Browser;
  let odd: string;
  let single: string;
  let viewer: Viewer;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'viewer-looks-'));
    [browser, odd, single] = await Promise.all([
      openBrowser(),
      oddDataset(folder, 'odd', 4),
      oddDataset(folder, 'one', 1),
    ]);
    viewer = await openViewer(odd, { compare: single });
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await viewer?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  test(
    'numbers have no exponents and few digits, nouns their number, and nothing is cut or covered',
    { tags: 'long' },
    async () => {
      const found: string[] = [];
      await using opened = await openPage(viewer.address, browser);
      const { page, said } = opened;
      for (const width of WIDTHS) {
        await page.setViewport({ width, height: 900 });
        for (const view of [
          'overview',
          'table',
          'record/1',
          'failures',
          'config',
          'compare',
          'overview?d=one',
          'runs',
        ]) {
          await go(page, view);
          if (view === 'compare') await untilText(page, 'main', 'Difference');
          if (view === 'runs')
            await page.waitForFunction(() => !document.querySelector('.runs-table')?.textContent?.includes('…'), WAIT);
          for (const flaw of await page.evaluate(flawsOfPage)) found.push(`${view}, ${width}: ${flaw}`);
        }
      }
      expect(found).toEqual([]);
      expect(said).toEqual([]);
    },
  );

  test('figures are written so that readers can tell them apart', async () => {
    await using opened = await openPage(viewer.address, browser);
    const { page } = opened;
    await page.setViewport({ width: 1600, height: 900 });
    await go(page, 'overview');
    const axisOf = (column: string) =>
      page.$$eval(`[data-column="${column}"] .axis span`, (ends) => ends.map(({ textContent }) => textContent));
    expect(await axisOf('tiny')).toEqual(['0.000000167', '0.000000267']);
    expect(await axisOf('huge')).toEqual(['1.235 × 10¹⁵', '4.938 × 10¹⁵']);
    expect(await axisOf('id')).toEqual(['9,007,199,254,740,000', '9,007,199,254,740,003']);
    expect(await axisOf('debt')).toEqual(['-3,704,000', '0']);
    expect(await textOf(page, '[data-column="constant"]')).toMatch(/always 0\.3$/);
    expect(await page.$eval('[data-column="word"] .bar-name', (name) => name.getAttribute('title'))).toMatch(
      /gesellschaft\d$/,
    );
    // The run is over: its cost is not one so far.
    expect(await page.$$eval('.facts dt', (all) => all.map(({ textContent }) => textContent))).toContain(
      'cost, without wrong',
    );
    await go(page, 'table');
    await untilText(page, '.grid-column:has([title="Sort by tiny"]) .stats-line', '1.7×10⁻⁷ – 2.7×10⁻⁷');
    const lineOf = (column: string) => textOf(page, `.grid-column:has([title="Sort by ${column}"]) .stats-range`);
    expect([await lineOf('share'), await lineOf('huge')]).toEqual(['0.1429 – 0.5714', '1.2×10¹⁵ – 4.9×10¹⁵']);
    const types = await page.$$eval('.column-type', (all) => all.map((type) => (type as HTMLElement).innerText));
    expect(types).toContain('struct');
    expect(types.filter((type) => type.includes('<'))).toEqual([]);
    // The data of an answer stands there once, and its schema is folded.
    await go(page, 'record/1');
    const card = '[data-column="answer"]';
    expect(await page.$$eval(`${card} h4`, (all) => all.map(({ textContent }) => textContent))).toEqual([
      'Answer (from the trace)',
    ]);
    const folded = await page.$$eval(`${card} details:not([open]) > summary`, (all) =>
      all.map((one) => one.textContent),
    );
    expect(folded).toContain('As the model wrote it');
    expect(folded).toContain('Schema of the answer');
    expect(await page.$eval(`${card} .message-user`, (one) => (one as HTMLElement).innerText)).toMatch(
      /^user\s+A book/,
    );
    await go(page, 'compare');
    await untilText(page, '.compare-rows [role=status]', 'Rows 0 to 3 of 4: 0 differ, 3 are in one dataset only.');
    expect(await textOf(page, '.compare-rows')).toContain('Rows 1 to 3: one has no such rows.');
  });

  test(
    'the labels of plots lie in their picture, and do not overlap, in a run of 3 s and in one of 30 h',
    { tags: 'long' },
    async () => {
      await using opened = await openPage(viewer.address, browser);
      const { page } = opened;
      await page.evaluateOnNewDocument(recordLabels);
      for (const [everyMs, samples, rate] of [
        [SECOND, 4, 1.5e-6],
        [HOUR / 10, 300, 0.0123],
        [SECOND, 60, 2.5e6],
      ] as const) {
        writeFileSync(join(odd, 'rates.json'), JSON.stringify(ratesOver(everyMs, samples, rate)));
        for (const width of WIDTHS) {
          await page.setViewport({ width, height: 900 });
          await page.reload();
          await page.waitForFunction(() => document.querySelectorAll('.time-plot canvas').length === 4, WAIT);
          await page.waitForFunction(() => Reflect.get(globalThis, 'drawnLabels')?.size >= 4, WAIT);
          const { faults, texts } = await labelsOf(page);
          expect([everyMs, width, faults]).toEqual([everyMs, width, []]);
          expect(texts.filter((text) => /e[+-]?\d/.test(text))).toEqual([]);
          // More than one label says when something was.
          expect(texts.filter((text) => /^\d\d:\d\d/.test(text)).length).toBeGreaterThanOrEqual(8);
          expect(texts).toContain('2026-11-28');
        }
      }
    },
  );
});

/** The rates of a run from its beginning at noon. */
function ratesOver(everyMs: number, samples: number, rate: number): readonly object[] {
  const start = new Date(2026, 10, 28, 12).getTime();
  return Array.from({ length: samples }, (_, at) => ({
    at: start + at * everyMs,
    rows: at,
    rowsPerSecond: rate * (1 + at / samples),
    inFlight: at % 4,
    waiting: at % 2,
    outputTokensPerSecond: 1000 * rate * (1 + at / samples),
    cost: rate * 1e-6 * at,
  }));
}

/** Runs in the page: what a reader would call a flaw. */
function flawsOfPage(): readonly string[] {
  const flaws: string[] = [];
  const main = document.querySelector('main');
  const walker = document.createTreeWalker(main ?? document.body, NodeFilter.SHOW_TEXT);
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- the page has no other function
  const short = (text: string): string => text.trim().slice(0, 60);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    const text = node.textContent ?? '';
    if (element === null || text.trim() === '' || !element.checkVisibility()) continue;
    // A record, a declaration and nested data have values as they are stored.
    const isStored = element.closest('.record, pre, .compare-table, .message') !== null;
    if (!isStored && /(?<![\da-f.])\d+(?:\.\d+)?e[+-]?\d+(?![\da-f])/.test(text))
      flaws.push(`an exponent: ${short(text)}`);
    if (!isStored && !text.startsWith('{') && /\d\.\d*[1-9]\d{9}/.test(text)) flaws.push(`many digits: ${short(text)}`);
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width <= 1 || element.closest('.scroll-x, .grid, .sr-only') !== null) continue;
    const isCut = getComputedStyle(element).textOverflow === 'ellipsis';
    if (!isCut && box.right > innerWidth + 1) flaws.push(`over the edge of the page: ${short(text)}`);
    const card = element.closest('.card, .node');
    if (card !== null && !isCut && box.right > card.getBoundingClientRect().right + 1) {
      flaws.push(`over the edge of its card: ${short(text)}`);
    }
    if (isCut && box.width > element.clientWidth + 1 && element.closest('[title], .node, summary') === null) {
      flaws.push(`cut, and without a title: ${short(text)}`);
    }
  }
  const said = main?.innerText ?? '';
  for (const [wrong] of said.matchAll(/(?<![\d.,-])1 (?!is |was |has )[a-z]{3,}s\b/g)) flaws.push(`not one: ${wrong}`);
  for (const button of document.querySelectorAll('dd > .edit-value')) {
    const own = button.getBoundingClientRect();
    for (const text of button.parentElement?.querySelectorAll('.text, .mono') ?? []) {
      const value = document.createRange();
      value.selectNodeContents(text);
      const isCovered = [...value.getClientRects()].some((rect) => rect.right > own.left && rect.top < own.bottom);
      if (isCovered) flaws.push(`covered by a button: ${short(text.textContent ?? '')}`);
    }
  }
  for (const cell of document.querySelectorAll<HTMLElement>('.grid-cell.num, .stats-range')) {
    if (cell.scrollWidth > cell.clientWidth + 1) flaws.push(`cut: ${short(cell.innerText)}`);
  }
  for (const cell of document.querySelectorAll<HTMLElement>('.list-table .num, .list-table tbody th')) {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const isShort = /^\S{1,12}$/.test(cell.innerText);
    const lines = new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top / 8)));
    if (isShort && lines.size > 1) flaws.push(`broken: ${cell.innerText}`);
  }
  for (const cell of document.querySelectorAll<HTMLElement>('.scroll-x td.text')) {
    if (cell.clientWidth < 150) flaws.push(`a narrow text: ${short(cell.innerText)}`);
  }
  for (const table of document.querySelectorAll<HTMLElement>('.scroll-x table')) {
    const name = table.querySelector('tbody th')?.getBoundingClientRect().width ?? 0;
    if (name > 0.5 * innerWidth) flaws.push(`names fill the screen: ${short(table.innerText)}`);
  }
  return flaws;
}

/** Runs in the page: records the texts that plots draw, with their place on the canvas. */
function recordLabels(): void {
  const drawn = new Map<HTMLCanvasElement, Map<string, { text: string; left: number; right: number; y: number }>>();
  Reflect.set(globalThis, 'drawnLabels', drawn);
  // oxlint-disable-next-line typescript/unbound-method -- they are called with the context
  const { fillText, clearRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function cleared(...box) {
    drawn.delete(this.canvas);
    return clearRect.apply(this, box);
  };
  CanvasRenderingContext2D.prototype.fillText = function recorded(...args) {
    const [text, x, y] = args;
    const { width } = this.measureText(text);
    const left = this.textAlign === 'center' ? x - width / 2 : this.textAlign === 'right' ? x - width : x;
    const labels = drawn.get(this.canvas) ?? new Map();
    drawn.set(this.canvas, labels.set(`${text} ${x} ${y}`, { text, left, right: left + width, y }));
    return fillText.apply(this, args);
  };
}

/** The labels of all plots, and which of them are cut or overlap. */
function labelsOf(page: Page): Promise<{ readonly faults: readonly string[]; readonly texts: readonly string[] }> {
  return page.evaluate(() => {
    const drawn: ReadonlyMap<
      HTMLCanvasElement,
      ReadonlyMap<string, { text: string; left: number; right: number; y: number }>
    > = Reflect.get(globalThis, 'drawnLabels');
    const faults: string[] = [];
    const texts: string[] = [];
    for (const [canvas, labels] of drawn) {
      const all = [...labels.values()];
      texts.push(...all.map(({ text }) => text));
      for (const one of all) {
        if (one.left < 0 || one.right > canvas.width) faults.push(`cut: ${one.text}`);
        const other = all.find(({ y, left }) => y === one.y && left > one.left && left < one.right + 2);
        if (other) faults.push(`${one.text} over ${other.text}`);
      }
    }
    return { faults, texts };
  });
}
