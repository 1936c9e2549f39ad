import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DataDesigner, loadDataset, openViewer } from 'data-designer';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { go, type Opened, openPage, textOf, untilText, type Viewer, WAIT } from './opened-page.ts';
import { openBrowser, whyNoBrowser } from '../packages/bench/test/chromium.ts';

const ROWS = 600;
const FAST = 500;
/** What a reader who is faster than the page waits for each record. */
const SLOW_MS = 1000;

describe.skipIf(whyNoBrowser)(`reviewing in a browser${whyNoBrowser ? ` (skipped: ${whyNoBrowser})` : ''}`, () => {
  let folder: string;
  let browser: Browser;
  let path: string;
  let viewer: Viewer;
  let datasets = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'viewer-reviewing-'));
    browser = await openBrowser();
  }, 60_000);

  beforeEach(async () => {
    await viewer?.[Symbol.asyncDispose]();
    path = await lettersDataset(`letters-${datasets++}`);
    viewer = await openViewer(path);
  });

  afterAll(async () => {
    await browser?.close();
    await viewer?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  /** Rows with a text and a number to edit, without a model. */
  const lettersDataset = (name: string): Promise<string> => addRows(join(folder, name), ROWS);

  /** Makes a dataset, or the rows that it lacks. */
  async function addRows(at: string, numRecords: number): Promise<string> {
    await using designer = new DataDesigner({ artifactPath: folder, runConfig: { seed: 1 } });
    const columns = [
      { name: 'topic', column_type: 'sampler', sampler_type: 'category', params: { values: ['tides', 'dunes'] } },
      { name: 'size', column_type: 'expression', expr: '{{ topic | length }}', dtype: 'int' },
    ];
    const made = await designer.create(
      { document: { columns }, source: 'test' },
      { numRecords, datasetName: basename(at), resume: 'if_possible' },
    );
    return made.path;
  }

  const open = (): Promise<Opened> => openPage(viewer.address, browser);
  const stored = async () => Array.fromAsync((await loadDataset(path)).reviews());

  test(
    '500 fast verdicts land on their rows while every record takes a second',
    { tags: 'long', timeout: 300_000 },
    async () => {
      await using opened = await open();
      const { page } = opened;
      await delayRecords(page);
      await go(page, 'record/0');
      await untilText(page, '.record-head', `1 of ${ROWS}`);
      const given = new Map<number, string>();
      for (let at = 0; at < FAST; at++) {
        const row = Number(await page.evaluate(() => location.hash.replace('#/record/', '')));
        const key = at % 3 === 0 ? 'r' : 'a';
        given.set(row, key === 'r' ? 'reject' : 'accept');
        await page.keyboard.press(key);
      }
      await expect.poll(async () => (await stored()).length, { timeout: 240_000, interval: 1000 }).toBe(FAST);
      expect(given.size).toBe(FAST);
      const verdicts = new Map((await stored()).map(({ row, verdict }) => [row, verdict]));
      expect(verdicts).toEqual(given);
      expect(await textOf(page, '.record-head h2')).toBe(`Row ${FAST}`);
    },
  );

  test('a accepts and goes on, A stays, and the same key again keeps the verdict', { tags: 'long' }, async () => {
    await using opened = await open();
    const { page } = opened;
    await go(page, 'record/0');
    await untilText(page, '.record-head', `1 of ${ROWS}`);
    await press(page, 'a');
    await untilText(page, '.record-head h2', 'Row 1');
    await press(page, 'A', 'A');
    await untilText(page, '.review-bar', 'accepted');
    expect(await textOf(page, '.record-head h2')).toBe('Row 1');
    await press(page, 'k', 'a', 'k', 'R');
    await untilText(page, '.review-bar', 'rejected');
    await expect.poll(stored).toMatchObject([
      { row: 0, verdict: 'reject' },
      { row: 1, verdict: 'accept' },
    ]);
    await press(page, 'u');
    await untilText(page, '.review-bar', 'no verdict');
    await expect.poll(stored).toMatchObject([{ row: 1, verdict: 'accept' }]);
  });

  test('what is typed for an edit of a record that still loads is no command', { tags: 'long' }, async () => {
    await using opened = await open();
    const { page } = opened;
    await delayRecords(page);
    await go(page, 'record/0');
    await untilText(page, '.record-head', `1 of ${ROWS}`);
    await page.waitForSelector('[aria-label="Edit topic"]', WAIT);
    const before = (await stored()).filter(({ row }) => row === 1);
    await press(page, 'j', 'e', 'R', 'a', 'x', 'Backspace', 't', '7');
    await untilText(page, '.review-bar', 'The record is loading');
    await page.waitForSelector('.record textarea', WAIT);
    expect(await textOf(page, '.record-head h2')).toBe('Row 1');
    expect(await page.evaluate(() => document.activeElement?.matches('.record textarea'))).toBe(true);
    expect((await stored()).filter(({ row }) => row === 1)).toEqual(before);
    // It is in the field, and what is typed then goes on from there.
    await page.keyboard.type('!');
    const written = () => page.evaluate(() => document.querySelector<HTMLTextAreaElement>('.record textarea')?.value);
    await expect.poll(written).toMatch(/\dRat7!$/);
    await press(page, 'Escape');
    // Escape ends the wait, and keys are commands again.
    await press(page, 'Escape', 'j', 'e', 'Escape', 'k');
    await untilText(page, '.record-head h2', 'Row 1');
  });

  test('what is typed while the value to edit loads is no command', { tags: 'long' }, async () => {
    await using opened = await open();
    const { page } = opened;
    await delayed(page, '/api/text');
    await go(page, 'record/3');
    await page.waitForSelector('[aria-label="Edit topic"]', WAIT);
    await press(page, 'e', 'r', 'j', 'a');
    await page.waitForSelector('.record textarea', WAIT);
    const written = () => page.evaluate(() => document.querySelector<HTMLTextAreaElement>('.record textarea')?.value);
    await expect.poll(written).toMatch(/rja$/);
    expect(await textOf(page, '.record-head h2')).toBe('Row 3');
    expect(await stored()).toEqual([]);
  });

  test('an edit is saved by Ctrl+Enter, and by Next', { tags: 'long' }, async () => {
    await using opened = await open();
    const { page } = opened;
    await go(page, 'record/0');
    await page.waitForSelector('[aria-label="Edit topic"]', WAIT);
    await page.click('[aria-label="Edit topic"]');
    await page.waitForSelector('[aria-label="New value of topic"]', WAIT);
    await page.keyboard.type(' and reefs');
    await page.keyboard.down('Control');
    await page.keyboard.press('Enter');
    await page.keyboard.up('Control');
    await untilText(page, '.review-bar', 'edited');
    // An edit is no verdict.
    await untilText(page, '.review-bar', 'no verdict');
    expect(await page.$eval('.review-bar button', (one) => one.ariaPressed)).toBe('false');
    // The field is left: keys are keys again.
    await press(page, 'j');
    await untilText(page, '.record-head h2', 'Row 1');
    await page.waitForFunction(() => document.querySelector('.record-page[aria-busy=false]'), WAIT);
    await page.click('.ratings input[value="4"]');
    await page.type('[aria-label=Comment]', 'Good.');
    await page.click('.record-head button:last-of-type');
    await untilText(page, '.record-head h2', 'Row 2');
    await untilText(page, '.review-bar', 'Row 1: rated 4, comment saved.');
    const [first, second] = await stored();
    expect(first).toMatchObject({ row: 0, verdict: null, edits: { topic: expect.stringMatching(/ and reefs$/) } });
    expect(second).toMatchObject({ row: 1, verdict: null, rating: 4, comment: 'Good.' });
    // Verdicts keep the edit.
    await press(page, 'k', 'k', 'R');
    await untilText(page, '.review-bar', 'Row 0: rejected.');
    expect((await stored())[0]).toMatchObject({ row: 0, verdict: 'reject', edits: first?.edits });
    await press(page, 'A');
    await untilText(page, '.review-bar', 'Row 0: accepted.');
    expect((await stored())[0]).toMatchObject({ row: 0, verdict: 'edit', edits: first?.edits });
    // The outcome is not shown on a row further on.
    await press(page, 'j', 'j');
    await page.waitForFunction(() => !document.querySelector('.review-bar')?.textContent?.includes('Row 0:'), WAIT);
    // The table has the accepted row with its new value, and downloads it under a name of its own.
    await go(page, 'table?review=accept');
    await untilText(page, '.row-count', '1 row');
    await untilText(page, '[data-column="topic"] .edited-cell', ' and reefs');
    expect(await textOf(page, '.review-mark')).toContain('accepted, edited');
    expect(await page.$eval('[aria-label="Rows by review"]', (one) => one.textContent)).toContain('accepted (1)');
  });

  test('keys rate and comment a record, and the bar says all that was saved', { tags: 'long' }, async () => {
    await using opened = await open();
    const { page } = opened;
    for (const width of [1200, 390]) {
      const row = width === 390 ? 2 : 0;
      await page.setViewport({ width, height: 700 });
      await go(page, `record/${row}`);
      await page.waitForFunction(() => document.querySelector('.record-page[aria-busy=false]'), WAIT);
      const left = () => page.$$eval('.bar-tools > button', (all) => all.map((one) => one.getBoundingClientRect().x));
      const before = await left();
      await pressWith(page, 'Shift', '5');
      await press(page, 'c');
      await page.keyboard.type('Clear.');
      await press(page, 'Escape', 'A');
      await untilText(page, '.review-bar', `Row ${row}: accepted, rated 5, comment saved.`);
      expect((await left()).slice(0, 2)).toEqual(before.slice(0, 2));
      expect(await page.$eval('html', (root) => root.scrollWidth)).toBeLessThanOrEqual(width);
      await pressWith(page, 'Alt', '2');
      await press(page, 'j');
      await untilText(page, '.review-bar', `Row ${row}: rated 2.`);
    }
    const said = { verdict: 'accept', rating: 2, comment: 'Clear.' };
    expect(await stored()).toMatchObject([
      { row: 0, ...said },
      { row: 2, ...said },
    ]);
  });

  test('Esc leaves each field, and keys work while a rating has the focus', { tags: 'long' }, async () => {
    await using opened = await open();
    const { page } = opened;
    await go(page, 'record/0');
    await page.waitForSelector('[aria-label="Edit topic"]', WAIT);
    await page.click('[aria-label="Edit topic"]');
    await page.waitForSelector('[aria-label="New value of topic"]', WAIT);
    await page.keyboard.type('!');
    await press(page, 'Escape');
    await page.type('[aria-label=Comment]', 'Hm.');
    await press(page, 'Escape', 'j');
    await untilText(page, '.record-head h2', 'Row 1');
    await expect
      .poll(stored)
      .toMatchObject([{ row: 0, comment: 'Hm.', edits: { topic: expect.stringMatching(/!$/) } }]);
    await page.waitForFunction(() => document.querySelector('.record-page[aria-busy=false]'), WAIT);
    await page.click('.ratings input[value="4"]');
    await press(page, 'ArrowRight', 'a');
    await untilText(page, '.record-head h2', 'Row 2');
    await expect.poll(stored).toMatchObject([{ row: 0 }, { row: 1, verdict: 'accept', rating: 5 }]);
    await go(page, 'table');
    await page.waitForSelector('[role=gridcell]:not(:has(.loading))', WAIT);
    for (const [at, field] of ['.search', '.sql input', '[aria-label="Rows by review"]'].entries()) {
      await page.focus(field);
      await press(page, 'Escape', 'j');
      expect(await page.evaluate(() => location.hash)).toBe(`#/table?at=${at + 1}`);
    }
  });

  test(
    'an edit that cannot be saved stays, and the page says of which row it is, also after a reload',
    { tags: 'long' },
    async () => {
      await using opened = await open();
      const { page } = opened;
      await go(page, 'record/0');
      await page.waitForSelector('[aria-label="Edit size"]', WAIT);
      await page.click('[aria-label="Edit size"]');
      await page.waitForSelector('[aria-label="New value of size"]', WAIT);
      await page.keyboard.type(' or so');
      await page.click('.record-head button:last-of-type');
      await untilText(page, '.review-bar', 'Row 0 is not saved: The new value of size is not JSON.');
      expect(await stored()).toEqual([]);
      page.removeAllListeners('dialog');
      page.on('dialog', (dialog) => void dialog.accept());
      await page.reload();
      await page.waitForSelector('.record-head h2', WAIT);
      await press(page, 'k');
      await page.waitForFunction(
        () =>
          document.querySelector<HTMLTextAreaElement>('[aria-label="New value of size"]')?.value.endsWith(' or so') ===
          true,
        WAIT,
      );
      await page.waitForSelector('.review-bar button[title="Ctrl+Enter"]:enabled', WAIT);
    },
  );

  test('rows that leave the filter by their verdict keep their places until it changes', async () => {
    await using opened = await open();
    const { page } = opened;
    await go(page, 'record/0?review=none');
    await untilText(page, '.record-head', `1 of ${ROWS} in the filter`);
    await press(page, 'a', 'r', 'a');
    await untilText(page, '.record-head', `4 of ${ROWS} in the filter`);
    await expect
      .poll(async () => (await stored()).map(({ row, verdict }) => [row, verdict]))
      .toEqual([
        [0, 'accept'],
        [1, 'reject'],
        [2, 'accept'],
      ]);
  });

  test('keys of the table act on no row that is out of view', { tags: 'long' }, async () => {
    await using opened = await open();
    const { page } = opened;
    await go(page, 'table');
    await page.waitForSelector('[role=gridcell]:not(:has(.loading))', WAIT);
    const at = () => page.evaluate(() => Number(new URLSearchParams(location.hash.split('?')[1]).get('at') ?? 0));
    const isCurrentSeen = () =>
      page.evaluate(() => {
        const grid = document.querySelector('.grid')?.getBoundingClientRect();
        const row = document.querySelector('.grid-row.current')?.getBoundingClientRect();
        return !!grid && !!row && row.top >= grid.top && row.bottom <= grid.bottom;
      });
    // With the focus on the page, a page further moves the selection too.
    await press(page, 'PageDown');
    await expect.poll(at).toBeGreaterThan(5);
    expect(await isCurrentSeen()).toBe(true);
    await press(page, 'PageUp');
    await expect.poll(at).toBe(0);
    // A button in the head has the focus: the keys move the selection, and scroll nothing away from it.
    const column = () => page.evaluate(() => new URLSearchParams(location.hash.split('?')[1]).get('col'));
    await page.focus('[aria-label="Menu of topic"]');
    await press(page, 'End');
    await expect.poll(column).toBe('size');
    await press(page, 'Home');
    await expect.poll(column).toBe('topic');
    await pressWith(page, 'Control', 'End');
    await expect.poll(at).toBe(ROWS - 1);
    await expect.poll(isCurrentSeen).toBe(true);
    await pressWith(page, 'Control', 'Home');
    await expect.poll(at).toBe(0);
    await expect.poll(isCurrentSeen).toBe(true);
    await page.evaluate(() => document.querySelector('.grid')?.scrollTo(0, 6000));
    await expect.poll(isCurrentSeen).toBe(false);
    await press(page, 'r');
    await expect.poll(isCurrentSeen).toBe(true);
    expect(await stored()).toEqual([]);
    await press(page, 'r');
    await expect.poll(stored).toMatchObject([{ row: 0, verdict: 'reject' }]);
    // A menu covers rows, and keys in it are not for them.
    await page.click('[aria-label="Menu of topic"]');
    await page.waitForSelector('.menu input[aria-label="Value"]', WAIT);
    await page.focus('.menu button');
    await press(page, 'a', 'j', '4', 'Escape');
    await page.waitForFunction(() => document.querySelector(':popover-open') === null, WAIT);
    expect(await page.evaluate(() => location.hash.split('?')[0])).toBe('#/table');
    expect(await stored()).toMatchObject([{ row: 0, verdict: 'reject' }]);
  });

  test('a message about rows goes when a verdict or another choice of parts follows', { tags: 'long' }, async () => {
    await using opened = await open();
    const { page } = opened;
    await go(page, 'table');
    await page.waitForSelector('[role=gridcell]:not(:has(.loading))', WAIT);
    const told = '.table-tools [role=status]';
    await press(page, 'c');
    await untilText(page, told, 'copied');
    await press(page, 'a');
    await untilText(page, told, 'Row 0: accepted.');
    await press(page, 'c');
    await untilText(page, told, 'copied');
    await page.click('[title^="Columns _review_verdict"] input');
    await expect.poll(() => textOf(page, told)).not.toContain('copied');
  });

  test('buttons stay under the mouse from record to record', { tags: 'long' }, async () => {
    await using opened = await open();
    const { page } = opened;
    for (const width of [1200, 390]) {
      await page.setViewport({ width, height: 900 });
      await go(page, 'record/9');
      await untilText(page, '.record-head', `10 of ${ROWS}`);
      const places = () =>
        page.$$eval('.record-head button, .bar-tools > button', (all) =>
          all.slice(0, 4).map((one) => {
            const { x, y } = one.getBoundingClientRect();
            return [x, y];
          }),
        );
      const before = await places();
      expect(before).toHaveLength(4);
      // The number of the row, its verdict and the outcome are longer texts.
      await press(page, 'j', 'A');
      await untilText(page, '.review-bar', 'Row 10: accepted.');
      expect(await places()).toEqual(before);
      await press(page, 'u');
      await untilText(page, '.review-bar', 'no verdict');
    }
  });

  test('keys are commands again once the record to edit cannot be read', { tags: 'long' }, async () => {
    await using opened = await open();
    const { page } = opened;
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      const isLost = request.url().endsWith('/api/record') && request.postData()?.includes('"index":1,') === true;
      void (isLost ? request.abort() : request.continue()).catch(() => {});
    });
    await go(page, 'record/1');
    await page.waitForSelector('.record-page [role=alert]', WAIT);
    await press(page, 'e');
    await page.waitForFunction(() => !document.querySelector('.review-bar')?.textContent?.includes('loading'), WAIT);
    await press(page, 'j');
    await untilText(page, '.record-head h2', 'Row 2');
    expect(await stored()).toEqual([]);
  });

  test('a filter leaves Enter, the messages and the tools where they belong', { tags: 'long' }, async () => {
    await using opened = await open();
    const { page } = opened;
    await go(page, 'table');
    await page.waitForSelector('[role=gridcell]:not(:has(.loading))', WAIT);
    const topOfTools = () => page.evaluate(() => document.querySelector('.table-tools')?.getBoundingClientRect().top);
    await press(page, 'c');
    await untilText(page, '.table-tools [role=status]', 'copied');
    const top = await topOfTools();
    await page.click('[aria-label="Menu of topic"]');
    await page.waitForSelector('.menu input[aria-label="Value"]', WAIT);
    await page.type('.menu input[aria-label="Value"]', 'tides');
    await press(page, 'Enter');
    await page.waitForSelector('.chips:not(.no-chips)', WAIT);
    await page.waitForFunction(() => !document.querySelector('.row-count')?.textContent?.startsWith('600'), WAIT);
    expect(await textOf(page, '.table-tools [role=status]')).toBe('');
    expect(await topOfTools()).toBe(top);
    await page.click('.chips [aria-label^="Remove:"]');
    await page.waitForFunction(() => document.querySelector('.no-chips') !== null, WAIT);
    expect(await topOfTools()).toBe(top);
    // The grid has the focus: Enter opens the row, and not the menu again.
    await press(page, 'Enter');
    await page.waitForSelector('.record-head h2', WAIT);
  });

  test('digits with Shift rate, on keyboards of every kind, and open no page', { tags: 'long' }, async () => {
    await using opened = await open();
    const { page } = opened;
    await go(page, 'record/0');
    await untilText(page, '.record-head', `1 of ${ROWS}`);
    const dispatch = (init: KeyboardEventInit) =>
      page.evaluate((of) => {
        document.body.dispatchEvent(new KeyboardEvent('keydown', { ...of, bubbles: true, cancelable: true }));
      }, init);
    // A driver, or a French keyboard, writes the digit with Shift.
    await dispatch({ key: '4', code: 'Digit4', shiftKey: true });
    await page.waitForSelector('.ratings input[value="4"]:checked', WAIT);
    await dispatch({ key: '7', code: 'Digit7', shiftKey: true });
    expect(await page.evaluate(() => location.hash)).toBe('#/record/0');
    // A driver types the sign without Shift, AltGr writes others, and number pads and phones have keys of their own.
    await page.keyboard.press('%');
    await page.waitForSelector('.ratings input[value="5"]:checked', WAIT);
    await dispatch({ key: '7', code: 'Numpad7', shiftKey: true });
    await dispatch({ key: '3', code: '', shiftKey: true });
    await page.waitForSelector('.ratings input[value="3"]:checked', WAIT);
    await dispatch({ key: '{', code: 'Digit7', modifierAltGraph: true });
    expect(await page.evaluate(() => location.hash)).toBe('#/record/0');
    await go(page, 'table');
    await page.waitForSelector('[role=gridcell]:not(:has(.loading))', WAIT);
    await page.keyboard.press('$');
    await dispatch({ key: '4', code: 'Digit4', shiftKey: true });
    expect(await page.evaluate(() => location.hash.split('?')[0])).toBe('#/table');
    await go(page, 'record/0');
    await untilText(page, '.record-head', `1 of ${ROWS}`);
    await dispatch({ key: '&', code: 'Digit1' });
    await page.waitForFunction(() => !location.hash.startsWith('#/record'), WAIT);
    // On a German keyboard the slash is Shift+7.
    await go(page, 'table');
    await page.waitForSelector('[role=gridcell]:not(:has(.loading))', WAIT);
    await dispatch({ key: '/', code: 'Digit7', shiftKey: true });
    expect(await page.evaluate(() => document.activeElement?.matches('.search'))).toBe(true);
  });

  test('the figures of a comparison follow the rows that a run adds', { tags: 'long' }, async () => {
    const other = await lettersDataset(`letters-${datasets++}`);
    await using both = await openViewer(path, { compare: other });
    await using opened = await openPage(both.address, browser);
    const { page } = opened;
    await go(page, 'compare');
    await untilText(page, '[aria-label="Figures of both datasets"]', 'rows');
    await addRows(path, ROWS + 40);
    await untilText(page, '[aria-label="Figures of both datasets"]', String(ROWS + 40));
    expect(await textOf(page, '[aria-label="Figures of both datasets"]')).toContain('40');
    await untilText(page, '.all-rows', '40 are in one dataset only');
    // So do those of the other dataset, and the counts of its rows.
    await addRows(other, ROWS + 40);
    await page.waitForFunction(
      () => document.querySelector('.all-rows')?.textContent?.includes('640 rows compared'),
      WAIT,
    );
    await page.waitForFunction(
      (at) => document.querySelector(at)?.textContent?.match(/rows640640±0/) != null,
      WAIT,
      '[aria-label="Figures of both datasets"]',
    );
  });

  test('the table goes on after a verdict', { tags: 'long' }, async () => {
    await using opened = await open();
    const { page } = opened;
    await go(page, 'table');
    await page.waitForSelector('[role=gridcell]:not(:has(.loading))', WAIT);
    await press(page, 'a', 'r', 'A');
    await page.waitForFunction(() => document.querySelectorAll('.review-mark').length === 3, WAIT);
    expect(await page.evaluate(() => location.hash)).toBe('#/table?at=2');
    await expect
      .poll(async () => (await stored()).map(({ verdict }) => verdict))
      .toEqual(['accept', 'reject', 'accept']);
  });
});

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key as 'a');
}

async function pressWith(page: Page, modifier: 'Shift' | 'Alt' | 'Control', key: string): Promise<void> {
  await page.keyboard.down(modifier);
  // With Shift a key writes another character, as on a keyboard.
  await page.keyboard.press((modifier === 'Shift' ? `Digit${key}` : key) as 'a');
  await page.keyboard.up(modifier);
}

/** Holds each record back for a second. */
const delayRecords = (page: Page): Promise<void> => delayed(page, '/api/record');

/** Holds the requests to an address back for a second. */
async function delayed(page: Page, address: string): Promise<void> {
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const isSlow = request.url().endsWith(address);
    // A page that has gone on gives the request up.
    setTimeout(() => void request.continue().catch(() => {}), isSlow ? SLOW_MS : 0);
  });
}
